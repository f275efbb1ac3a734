import type { Accord } from '../../services/accord.js'
import { readSizes } from '../../services/datasets/datasets.js'
import { listMetrics } from '../../services/evaluations/scores.js'
import type { DatabaseSizes } from '../../store/datasets.js'

/** Bounds for the lengths of lists, by which the cost of an operation is estimated. */
export interface Sizes extends DatabaseSizes {
  readonly metrics: number
}

/** Milliseconds for which sizes are cached. Longer lists in the meantime are limited while they are computed. */
const CACHED_MS = 60_000

/**
 * Returns a function that reads the sizes of a database, and caches them. Nothing waits for newer ones.
 *
 * @param isPublic without private datasets, because messages about the cost of an operation tell sizes
 */
export function createSizes(accord: Accord, isPublic: boolean): () => Promise<Sizes> {
  let sizes: Promise<Sizes> | undefined
  let readAt = 0
  return () => {
    const now = performance.now()
    const previous = sizes
    if (previous && now - readAt <= CACHED_MS) return previous
    readAt = now
    // Operations that do not use the database are executed without it.
    const found = read(accord, isPublic).catch(() => previous ?? EMPTY)
    if (!previous) sizes = found
    else {
      found.then(() => {
        sizes = found
      })
    }
    return previous ?? found
  }
}

async function read(accord: Accord, isPublic: boolean): Promise<Sizes> {
  return { ...(await readSizes(accord, isPublic)), metrics: (await listMetrics(accord)).length }
}

const EMPTY: Sizes = {
  datasets: 1,
  systems: 1,
  systemsPerDataset: 1,
  captionsPerImage: 1,
  imagesPerDataset: 1,
  judgements: 1,
  metrics: 1,
}
