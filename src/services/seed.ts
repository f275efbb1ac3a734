import * as jobs from '../jobs/load-seed.js'
import type { Progress } from '../jobs/progress.js'
import type { Accord } from './accord.js'

export { SEED_DATASET } from '../jobs/load-seed.js'

/**
 * Loads the bundled dataset into a database without datasets.
 *
 * @returns whether it was loaded
 */
export function loadSeed({ database }: Accord, progress: Progress): Promise<boolean> {
  return jobs.loadSeed(database, progress)
}
