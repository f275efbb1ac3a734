import type { Accord, AccordOptions } from '../services/accord.js'

/** Opens the database, calls `use`, and closes the database in any case. */
export async function withAccord<Result>(
  options: AccordOptions,
  use: (accord: Accord) => Promise<Result>,
): Promise<Result> {
  const { openAccord } = await import('../services/accord.js')
  const accord = await openAccord(options)
  try {
    return await use(accord)
  } finally {
    await accord.close()
  }
}
