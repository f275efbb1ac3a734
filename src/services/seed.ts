import * as jobs from '../jobs/load-seed.js'
import { SEED_DATASET } from '../jobs/load-seed.js'
import { type Progress, part } from '../jobs/progress.js'
import type { Accord } from './accord.js'
import { computeAgreement } from './agreement.js'
import { evaluateSystems } from './evaluate.js'

export { SEED_DATASET } from '../jobs/load-seed.js'

/**
 * Loads the bundled dataset into a database without datasets, and computes human agreement and the scores of its systems.
 *
 * @returns whether it was loaded
 */
export async function loadSeed(accord: Accord, progress: Progress): Promise<boolean> {
  if (!(await jobs.loadSeed(accord.database, part(progress, 0, 0.5)))) return false
  await computeAgreement(accord, { dataset: SEED_DATASET }, part(progress, 0.5, 0.7))
  await evaluateSystems(accord, { dataset: SEED_DATASET }, part(progress, 0.7, 1))
  return true
}
