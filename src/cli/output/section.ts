import type { TextTable } from '../../shared/tables.js'
import type { Spread } from './formats.js'

/** The evaluation section of a paper, described once: LaTeX and Markdown follow from the description. */
export interface Section {
  readonly title: string
  /** Of Accord: what wrote the section. */
  readonly version: string
  readonly blocks: readonly Block[]
  /** What is cited. */
  readonly bibliography: readonly BibliographyEntry[]
}

/** Text; a citation names keys of entries, a reference the label of a table or figure. */
export type Inline = string | { readonly cite: readonly string[] } | { readonly label: string }

export type Block =
  | { readonly kind: 'paragraph'; readonly text: readonly Inline[] }
  | { readonly kind: 'signatures'; readonly signatures: readonly string[] }
  | (Floating & { readonly kind: 'table'; readonly table: TextTable })
  | (Floating & { readonly kind: 'coverage' } & CoverageMarks)
  | (Floating & { readonly kind: 'examples'; readonly examples: readonly ShownExample[] })

/** What has a number and a caption. */
interface Floating {
  readonly label: string
  readonly caption: string
}

/** Several people as one, and systems, in the plane of coverage and confirmed share. */
export interface CoverageMarks {
  readonly people: readonly CoverageMark[]
  readonly systems: readonly CoverageMark[]
  /** Path of the drawing, relative to the file of the section. */
  readonly picture: string
}

export interface CoverageMark {
  readonly name: string
  readonly coverage: Spread & { readonly value: number }
  readonly confirmedShare: Spread & { readonly value: number }
}

/** An image with captions of systems and of people. */
export interface ShownExample {
  readonly imageId: string
  /** Path of the picture, relative to the file of the section; null for none. */
  readonly picture: string | null
  readonly captions: readonly { readonly by: string; readonly text: string }[]
}

/** An entry of BibTeX, with its fields. */
export interface BibliographyEntry {
  readonly key: string
  readonly type: 'inproceedings' | 'article'
  readonly author: string
  readonly title: string
  readonly booktitle?: string
  readonly journal?: string
  readonly pages?: string
  readonly year: string
}

/** A file of BibTeX. */
export function toBibtex(entries: readonly BibliographyEntry[]): string {
  return entries
    .map(({ key, type, ...fields }) => {
      const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},\n`)
      return `@${type}{${key},\n${lines.join('')}}\n`
    })
    .join('\n')
}

/** Numbers of tables and figures by label, each kind from 1. */
export function numberFloats(blocks: readonly Block[]): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>()
  const counts = { Table: 0, Figure: 0 }
  for (const block of blocks) {
    if (!('label' in block)) continue
    const noun = block.kind === 'table' ? 'Table' : 'Figure'
    numbers.set(block.label, `${noun} ${++counts[noun]}`)
  }
  return numbers
}
