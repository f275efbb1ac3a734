import { loadDataset } from '../datasets/loaders.js'
import type { Context } from '../execution/context.js'
import { loadHasBoxes } from './loaders.js'
import type { ContentSelectionModel } from './models.js'

/** What identifies content selection on a dataset: the dataset and what the text baselines learn from. */
export function toSelectionKey({ dataset, input }: ContentSelectionModel): string {
  return JSON.stringify([dataset.id, input.priors ?? null, input.priorsShare ?? null])
}

/** The content selection with a key. Null if the key is invalid or the dataset has no boxes. */
export async function selectionOfKey(key: string, context: Context): Promise<ContentSelectionModel | null> {
  const parts = parse(key)
  const dataset = parts && (await loadDataset(context, parts.datasetId))
  if (!dataset || !(await loadHasBoxes(context, dataset.id))) return null
  return { dataset, input: { dataset: dataset.name, priors: parts.priors, priorsShare: parts.priorsShare } }
}

function parse(key: string) {
  try {
    const [datasetId, priors, priorsShare] = JSON.parse(key)
    const isValid =
      Number.isInteger(datasetId) &&
      Math.abs(datasetId) < 2 ** 31 &&
      (priors === null || typeof priors === 'string') &&
      (priorsShare === null || typeof priorsShare === 'number')
    return isValid
      ? {
          datasetId: datasetId as number,
          priors: (priors as string | null) ?? undefined,
          priorsShare: (priorsShare as number | null) ?? undefined,
        }
      : null
  } catch {
    return null
  }
}
