import type { Interval } from '../../core/stats/interval.js'
import { AccordError } from '../../errors.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { SelectionInput } from '../selection/content-selection.js'
import type { Accord, Client } from '../shared/accord.js'

/** A table or figure of a paper that a dataset can give. */
export interface PaperItem {
  readonly id: string
  /** Author and year. */
  readonly paper: string
  readonly title: string
  /** What a dataset must have. */
  readonly needs: string
  /** What the dataset lacks, with the command that helps; null where it lacks nothing. */
  lacks(accord: Accord, dataset: Dataset): Promise<string | null>
  /** Its cells, in the order of the paper. */
  compute(accord: Accord, dataset: Dataset, options: PaperOptions, client: Client): Promise<PaperTable>
}

/** Where baselines of content selection learn their priors. */
export type PaperOptions = Pick<SelectionInput, 'priors' | 'priorsShare'>

export interface PaperTable {
  readonly cells: readonly PaperCell[]
  /** Decimals in the paper. */
  readonly decimals: number
  /** What `k` counts. */
  readonly counts?: string
  readonly notes: readonly string[]
}

/** A cell of a table, or a point of a plotted series. */
export interface PaperCell {
  /** Part of a figure; null where it has none. */
  readonly panel: string | null
  /** Heading of the row; null where `k` alone is. */
  readonly row: string | null
  /** Numbers of references, boxes or atoms; null where the paper has none. */
  readonly k: number | null
  readonly column: string
  /** Of the dataset. */
  readonly ours: PaperFigure | null
  /** Null where the paper prints none. */
  readonly published: PaperFigure | null
  /** Why there is none of the dataset. */
  readonly reason: string | null
  /** Whether tables for people leave the cell out, since there are too many of its kind. */
  readonly isDetail?: boolean
}

export interface PaperFigure {
  /** Null for a sentence. */
  readonly value: number | null
  /** Standard deviation over images. */
  readonly sd?: number | null
  /** 95 %. */
  readonly interval?: Interval | null
  /** Instead of the value, where the paper has a sentence, or a number that is approximate. */
  readonly text?: string
}

type Given = Partial<PaperCell> & Pick<PaperCell, 'column'>

/** A cell, whose missing properties are null. A value that is null has a reason. */
export function cellOf(cell: Given): PaperCell {
  return { panel: null, row: null, k: null, ours: null, published: null, reason: null, ...cell }
}

/** A figure of the dataset; null with a reason where it is undefined. */
export function figureOf(
  value: number | null | undefined,
  reason: string,
  more: Omit<PaperFigure, 'value'> = {},
): Pick<PaperCell, 'ours' | 'reason'> {
  return value == null ? { ours: null, reason } : { ours: { value, ...more }, reason: null }
}

/** A printed figure. */
export function printed(value: number | undefined, text?: string): PaperFigure | null {
  return value === undefined ? null : { value, ...(text === undefined ? {} : { text }) }
}

/** @throws AccordError NOT_APPLICABLE if the dataset lacks what the table needs */
export async function requireMaterial(accord: Accord, item: PaperItem, dataset: Dataset): Promise<void> {
  const found = await item.lacks(accord, dataset)
  if (found === null) return
  throw new AccordError('NOT_APPLICABLE', `${dataset.name} cannot give ${item.id}`, {
    source: 'dataset',
    expected: item.needs,
    found,
  })
}
