import type { GlobalOptions } from '../config.js'
import type { Accord, AccordOptions } from '../services/shared/accord.js'
import type { Dataset } from '../store/schema/dataset-tables.js'

/** Opens the database, calls `use`, and closes the database in any case. */
export async function withAccord<Result>(
  options: AccordOptions,
  use: (accord: Accord) => Promise<Result>,
): Promise<Result> {
  const { openAccord } = await import('../services/open-accord.js')
  const accord = await openAccord(options)
  try {
    return await use(accord)
  } finally {
    await accord.close()
  }
}

/** Options of commands on a dataset. */
export interface DatasetOptions extends GlobalOptions {
  /** Name. Default: the only dataset. */
  readonly dataset?: string
  readonly meteorData?: string
  readonly embeddings?: string
  /** Folder of the pictures of datasets that have none of their own. */
  readonly images?: string
}

/** The same for an existing database, with the dataset that the options name. */
export function withDataset<Result>(
  {
    database: location,
    dataset,
    meteorData: meteorFolder,
    embeddings: embeddingsFile,
    images: imagesFolder,
  }: DatasetOptions,
  use: (accord: Accord, dataset: Dataset) => Promise<Result>,
): Promise<Result> {
  return withAccord(
    { location, meteorFolder, embeddingsFile, imagesFolder, mustExist: true },
    async (accord) => {
      const { chooseDataset } = await import('../services/datasets/datasets.js')
      return use(accord, await chooseDataset(accord, dataset))
    },
  )
}
