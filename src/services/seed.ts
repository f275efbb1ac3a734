import { ATOM_KINDS } from '../bounds/atoms.js'
import * as jobs from '../jobs/load-seed.js'
import { SEED_DATASET } from '../jobs/load-seed.js'
import { type Progress, part } from '../jobs/progress.js'
import type { Accord } from './accord.js'
import { computeAgreement } from './agreement.js'
import { queueFigure } from './bounds.js'
import { evaluateSystems } from './evaluate.js'

export { SEED_DATASET } from '../jobs/load-seed.js'

/** Upper bounds of the bundled dataset: figure 2 and table 1 with the kinds, figure 3 with the replaced shares. */
const SEED_FIGURES = [
  { kinds: ['all'], atoms: [0, 10, 50], replaced: [0] },
  { kinds: ATOM_KINDS, atoms: [10, 50], replaced: [0] },
  { kinds: ['all'], atoms: [10, 50], replaced: [0.25, 0.5] },
] as const

export interface SeedOptions {
  /** Queue the training of its upper bounds, which takes a worker about a minute. */
  readonly withBounds?: boolean
}

/**
 * Loads the bundled dataset into a database without datasets, and computes human agreement and the scores of its systems.
 *
 * @returns whether it was loaded
 */
export async function loadSeed(
  accord: Accord,
  progress: Progress,
  { withBounds = false }: SeedOptions = {},
): Promise<boolean> {
  const isLoaded = await jobs.loadSeed(accord.database, part(progress, 0, 0.5), async (session, dataset) => {
    if (!withBounds) return
    for (const figure of SEED_FIGURES) await queueFigure(accord, session, dataset, figure)
  })
  if (!isLoaded) return false
  await computeAgreement(accord, { dataset: SEED_DATASET }, part(progress, 0.5, 0.7))
  await evaluateSystems(accord, { dataset: SEED_DATASET }, part(progress, 0.7, 1))
  return true
}
