import type { Progress } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import { readBoxState } from '../../store/boxes.js'
import { findDataset } from '../../store/datasets.js'
import type { Database } from '../../store/engine/session.js'
import { createMemory } from '../shared/memory.js'
import {
  computeSelection,
  type ImageSelectionPage,
  type ImageSelectionsInput,
  pageOfImageSelections,
  type SelectionInput,
  type SelectionReport,
} from './content-selection.js'

/** Reports by input and state of the data. */
const memoryOf = createMemory<SelectionReport>(16)

/** Like {@link computeSelection}, with reports cached in this process until their data change. */
export async function cachedSelection(
  database: Database,
  input: SelectionInput,
  progress: Progress,
): Promise<SelectionReport> {
  const reports = memoryOf(database)
  const key = await keyOf(database, input)
  const cached = reports.get(key)
  if (cached) return cached
  const report = await computeSelection(database, input, progress)
  // Not if the data changed while they were read.
  if ((await keyOf(database, input)) === key) reports.set(key, report)
  return report
}

async function keyOf(database: Database, { dataset, priors, priorsShare }: SelectionInput): Promise<string> {
  const states = [await stateOf(database, dataset), await stateOf(database, priors)]
  return JSON.stringify([dataset, priors, priorsShare, states])
}

/** Null if the dataset does not exist. */
async function stateOf(database: Database, name: string | undefined): Promise<string | null> {
  const dataset = name === undefined ? null : await findDataset(database, name)
  return dataset && readBoxState(database, dataset.id)
}

/** Content selection of a dataset. */
export const contentSelectionQuery: QueryHandler<SelectionInput, SelectionReport> = ({
  input,
  database,
  progress,
}) => cachedSelection(database, input, progress)

/** A page of image scores. */
export const imageSelectionsQuery: QueryHandler<ImageSelectionsInput, ImageSelectionPage> = ({
  input,
  database,
}) => pageOfImageSelections(database, input)
