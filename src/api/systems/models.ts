import type { SystemWordEstimates } from '../../core/agreement/system-word-intervals.js'
import type { WordChoice } from '../../services/datasets/vocabulary.js'
import type { PhrSummary } from '../../services/words/phr.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { loadSystem } from '../loaders/systems.js'
import { type Connection, connectSorted, type PageArguments } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { present } from '../shared/loader.js'

/** A mean PHR. What comes from images without a score is computed when it is requested. */
export interface PhrSummaryModel extends PhrSummary, WordChoice {
  readonly dataset: Dataset
  readonly systemId: number
}

/** Figures that a system does not have are absent. */
export type SystemWordEstimatesModel = Partial<SystemWordEstimates>

const ID_DIGITS = 10

/** A connection of rows in the order of the names of their systems, those of one system by id. */
export async function connectBySystem<Row extends { readonly id: number; readonly systemId: number }>(
  rows: Promise<readonly Row[]>,
  args: PageArguments,
  context: Context,
): Promise<Connection<Row>> {
  const named = await Promise.all(
    (await rows).map(async (row) => [row, present(await loadSystem(context, row.systemId)).name] as const),
  )
  const names = new Map(named)
  const keyOf = (row: Row) => `${names.get(row)}\0${String(row.id).padStart(ID_DIGITS, '0')}`
  return connectSorted([...names.keys()], keyOf, args)
}
