import type { Accord, AccordOptions } from '../services/accord.js'
import type { Dataset } from '../store/schema/entities.js'

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

/** The same for an existing database, with the dataset of the given name or the only one. */
export function withDataset<Result>(
  options: AccordOptions,
  name: string | undefined,
  use: (accord: Accord, dataset: Dataset) => Promise<Result>,
): Promise<Result> {
  return withAccord({ ...options, mustExist: true }, async (accord) => {
    const { chooseDataset } = await import('../services/datasets/datasets.js')
    return use(accord, await chooseDataset(accord, name))
  })
}
