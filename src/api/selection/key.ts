import { loadDataset } from '../datasets/loaders.js'
import type { Context } from '../execution/context.js'
import { isRowId, type KeyPart } from '../execution/ids.js'
import { loadHasBoxes } from './loaders.js'
import type { ContentSelectionModel } from './models.js'

/** What identifies content selection: the dataset, and what the text baselines learn from. */
export function toSelectionKey({ dataset, input }: ContentSelectionModel): KeyPart[] {
  return [dataset.id, input.priors ?? null, input.priorsShare ?? null]
}

/** The content selection with a key. Null if the key is invalid or the dataset has no boxes. */
export async function selectionOf(
  context: Context,
  [datasetId, priors, priorsShare]: readonly KeyPart[],
): Promise<ContentSelectionModel | null> {
  const dataset = isRowId(datasetId) && (await loadDataset(context, datasetId))
  if (!dataset || !(await loadHasBoxes(context, dataset.id))) return null
  const input = {
    dataset: dataset.name,
    priors: typeof priors === 'string' ? priors : undefined,
    priorsShare: typeof priorsShare === 'number' ? priorsShare : undefined,
  }
  return { dataset, input }
}
