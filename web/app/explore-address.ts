import { href } from './router'

/** Settings of the table of images and systems, each empty by default. */
export const EXPLORED = [
  // Columns: names, a line each.
  'systems',
  'metrics',
  // `equal`: as many as people have; `all`.
  'references',
  // The order: by a metric of a system or people, or by how much it is above another; `-` for the highest first.
  'by',
  'minus',
  'metric',
  'order',
  // Whose captions have these words, and are of this length.
  'in',
  'words',
  'without',
  'min',
  'max',
  // Objects, with commas between them; a field and its value.
  'objects',
  'field',
  'value',
  // The page: rows, and the cursor after or before which they are.
  'rows',
  'after',
  'before',
] as const

export type Explored = Readonly<Record<(typeof EXPLORED)[number], string>>

/** The address of the table with these settings. */
export function exploreAddress(dataset: string, settings: Partial<Explored>): string {
  const given = EXPLORED.flatMap((name) => (settings[name] ? [[name, settings[name]]] : []))
  const text = new URLSearchParams(given).toString()
  return href('d', dataset, 'explore') + (text ? `?${text}` : '')
}
