import { AccordError } from '../errors.js'
import type { MetricFamily } from '../metrics/metric.js'
import { scoreCorpus } from '../metrics/metric.js'
import { bootstrap, comparePaired, type Measurement, type PairedDifference } from '../stats/bootstrap.js'
import type { Database } from '../store/database.js'
import type { MetricScore, System } from '../store/entities.js'
import { readScores, readStatistics } from '../store/scores.js'
import { SEED } from './evaluate.js'

/** Two systems on one metric, on the images that both described. */
export interface PairwiseComparison extends PairedDifference {
  /** Positions in the systems that were compared; `first` has the higher score. */
  readonly first: number
  readonly second: number
  readonly firstScore: number
  readonly secondScore: number
  readonly imageCount: number
  readonly signature: string
}

/**
 * Every pair of systems on one metric: the difference of their scores on the images that all of them
 * described, with interval and p-value from a paired bootstrap (see `comparePaired`). Of several signatures
 * that all systems have scores of, the newest counts.
 *
 * @throws AccordError NOT_APPLICABLE where a system has no score of the metric, signatures do not agree, the
 * systems share no image, or document frequencies were counted in different images
 */
export async function compareSystems(
  database: Database,
  systems: readonly System[],
  family: MetricFamily,
  metric: string,
): Promise<PairwiseComparison[]> {
  const scores = await comparableScores(database, systems, metric)
  const [{ signature }] = scores
  const { measurements, imageCount } = shareImages(database, family, scores)
  const index = family.metrics.findIndex(({ name }) => name === metric)
  const observed = measurements.map(({ trials }) => scoreCorpus(family, trials[0])[index])
  const resampled = bootstrap(measurements, { seed: SEED })
  const order = observed.map((_, system) => system).sort((one, other) => observed[other] - observed[one])
  return order.flatMap((first, rank) =>
    order.slice(rank + 1).map((second) => ({
      first,
      second,
      firstScore: observed[first],
      secondScore: observed[second],
      imageCount,
      signature,
      ...comparePaired(observed[first], observed[second], resampled[first][index], resampled[second][index]),
    })),
  )
}

/** One score of each system, all of the same signature: the newest that all have. */
async function comparableScores(
  database: Database,
  systems: readonly System[],
  metric: string,
): Promise<MetricScore[]> {
  const ids = systems.map(({ id }) => id)
  const all = await readScores(database, ids, [metric])
  const scoresOf = systems.map(({ id, name }) => {
    const scores = all.filter(({ systemId }) => systemId === id)
    if (scores.length > 0) return scores
    throw new AccordError('NOT_APPLICABLE', 'the system was not evaluated by this metric yet', {
      source: 'systems',
      expected: `a system with a ${metric} score`,
      found: JSON.stringify(name),
    })
  })
  const find = (scores: readonly MetricScore[], wanted: string) =>
    scores.find(({ signature }) => signature === wanted)
  const common = scoresOf[0].findLast(({ signature }) => scoresOf.every((scores) => find(scores, signature)))
  if (common) return scoresOf.map((scores) => find(scores, common.signature) as MetricScore)
  const newest = scoresOf.map((scores) => scores[scores.length - 1].signature)
  const other = newest.findIndex((signature) => signature !== newest[0])
  throw new AccordError('NOT_APPLICABLE', 'scores compare only where their signatures agree', {
    source: 'systems',
    expected: `${newest[0]}, as of ${JSON.stringify(systems[0].name)}`,
    found: `${newest[other]}, as of ${JSON.stringify(systems[other].name)}`,
  })
}

/** The statistics of all scores, cut down to the images that all have, in one order. */
function shareImages(database: Database, family: MetricFamily, scores: readonly MetricScore[]) {
  const stored = scores.map(({ statisticsId }) => readStatistics(database, statisticsId))
  const [firstIds, ...otherIds] = stored.map(({ imageIds }) => new Set(imageIds))
  const shared = new Set([...firstIds].filter((id) => otherIds.every((ids) => ids.has(id))))
  if (shared.size === 0) {
    throw new AccordError('NOT_APPLICABLE', 'the systems described no image in common', { source: 'systems' })
  }
  const different = stored.find(({ imageIds }) => imageIds.length !== shared.size)
  if (different && countsInOwnReferences(scores[0])) {
    throw new AccordError('NOT_APPLICABLE', 'document frequencies were counted in different images', {
      source: 'systems',
      expected: 'systems that described the same images, or document frequencies of one data set',
      found: `${shared.size} shared images, where a system described ${different.imageIds.length}`,
    })
  }
  const measurements = stored.map(({ imageIds, statistics }): Measurement => {
    const rows = new Map(Array.from(imageIds, (id, row) => [id, row]))
    const trial = new Float64Array(shared.size * family.width)
    let target = 0
    for (const id of shared) {
      const row = (rows.get(id) as number) * family.width
      trial.set(statistics.subarray(row, row + family.width), target)
      target += family.width
    }
    return { family, trials: [trial] }
  })
  return { measurements, imageCount: shared.size }
}

/** Whether scores depend on all references of a system's images, beyond those of the image scored. */
function countsInOwnReferences({ signature }: MetricScore): boolean {
  return signature.split('|').includes('df:own')
}
