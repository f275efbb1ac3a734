import { unknownName } from '../../errors.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { Accord, Client } from '../shared/accord.js'
import { COCO_CAPTIONS_ITEMS } from './coco-captions-paper.js'
import { COMPOSITES_ITEMS } from './composites-paper.js'
import { CONTENT_SELECTION_ITEMS } from './content-selection-paper.js'
import { type PaperItem, type PaperOptions, type PaperTable, requireMaterial } from './paper-table.js'
import { UPPER_BOUNDS_ITEMS } from './upper-bounds-paper.js'

/** The tables and figures of the four papers that datasets can give. */
export const PAPER_ITEMS: readonly PaperItem[] = [
  ...COCO_CAPTIONS_ITEMS,
  ...CONTENT_SELECTION_ITEMS,
  ...COMPOSITES_ITEMS,
  ...UPPER_BOUNDS_ITEMS,
]

/** @throws AccordError OUT_OF_RANGE for an unknown id */
export function requireItem(id: string): PaperItem {
  const found = PAPER_ITEMS.find((item) => item.id === id.toLowerCase())
  if (found) return found
  const name = { source: 'id', known: PAPER_ITEMS.map((item) => item.id), found: id }
  throw unknownName('OUT_OF_RANGE', 'unknown table or figure', name)
}

/** What a dataset lacks for each of them, in the order of {@link PAPER_ITEMS}; null where it lacks nothing. */
export async function lackingForPapers(accord: Accord, dataset: Dataset): Promise<(string | null)[]> {
  const lacking: (string | null)[] = []
  for (const item of PAPER_ITEMS) lacking.push(await item.lacks(accord, dataset))
  return lacking
}

/**
 * A table or figure of a paper from a dataset, beside the published figures.
 *
 * @throws AccordError OUT_OF_RANGE for an unknown id; NOT_APPLICABLE if the dataset lacks what it needs; and as the services that
 *   compute its figures
 */
export async function reproduce(
  accord: Accord,
  dataset: Dataset,
  { id, ...options }: PaperOptions & { readonly id: string },
  client: Client = {},
): Promise<PaperTable> {
  const item = requireItem(id)
  await requireMaterial(accord, item, dataset)
  return item.compute(accord, dataset, options, client)
}
