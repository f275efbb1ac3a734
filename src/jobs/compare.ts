import { AccordError } from '../errors.js'
import { type MetricFamily, scoreCorpus } from '../metrics/metric.js'
import { comparePaired, type Measurement, type PairedDifference } from '../stats/bootstrap.js'
import type { MetricScore, System } from '../store/entities.js'
import { readScores, readStatistics, type StoredStatistics } from '../store/scores.js'
import type { Session } from '../store/session.js'
import { resample } from './compute/resampling.js'
import type { Threads } from './compute/threads.js'
import { SEED } from './evaluate.js'
import { type Progress, part } from './progress.js'

/** Two systems compared on one metric, on the images for which all compared systems have captions. */
export interface PairwiseComparison extends PairedDifference {
  /** Indices of the compared systems; `first` has the higher score. */
  readonly first: number
  readonly second: number
  readonly firstScore: number
  readonly secondScore: number
  readonly imageCount: number
  readonly signature: string
}

/**
 * Compares every pair of systems on one metric: the difference of their scores on the images for which all of them have
 * captions, with interval and p-value from a paired bootstrap (see `comparePaired`). If all systems have scores of
 * several signatures, the newest is used.
 *
 * @throws AccordError UNKNOWN_METRIC; NOT_APPLICABLE if a system has no score of the metric, signatures differ,
 * statistics were stored with another layout, the systems have no image in common, or document frequencies were counted
 * in different images; errors of resources
 */
export async function compareSystems(
  session: Session,
  threads: Threads,
  systems: readonly System[],
  metric: string,
  progress: Progress,
): Promise<PairwiseComparison[]> {
  const { family } = threads.registry.load(metric)
  progress(0, 'reading statistics')
  const scores = await comparableScores(session, systems, metric)
  const [{ signature }] = scores
  const { measurements, imageCount } = shareImages(
    family,
    scores[0],
    await readAllStatistics(session, family, systems, scores),
  )
  const index = family.metrics.findIndex(({ name }) => name === metric)
  const observed = measurements.map(({ trials }) => scoreCorpus(family, trials[0])[index])
  const resampling = part(progress, 0.1, 1)
  const resampled = await resample(threads, measurements, {
    seed: SEED,
    onProgress: (share) => resampling(share, 'resampling images'),
  })
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

/** One score of each system, all of the newest signature that all systems have. */
async function comparableScores(
  session: Session,
  systems: readonly System[],
  metric: string,
): Promise<MetricScore[]> {
  const ids = systems.map(({ id }) => id)
  const all = await readScores(session, ids, [metric])
  const scoresOf = systems.map(({ id, name }) => {
    const scores = all.filter(({ systemId }) => systemId === id)
    if (scores.length > 0) return scores
    throw new AccordError('NOT_APPLICABLE', 'the system has not been evaluated by this metric', {
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
  throw new AccordError('NOT_APPLICABLE', 'scores can be compared only if their signatures are equal', {
    source: 'systems',
    expected: `${newest[0]}, of ${JSON.stringify(systems[0].name)}`,
    found: `${newest[other]}, of ${JSON.stringify(systems[other].name)}`,
  })
}

/** The statistics of all scores. @throws AccordError NOT_APPLICABLE if their layout is not that of the family */
async function readAllStatistics(
  session: Session,
  family: MetricFamily,
  systems: readonly System[],
  scores: readonly MetricScore[],
): Promise<StoredStatistics[]> {
  const all: StoredStatistics[] = []
  for (const [index, { statisticsId }] of scores.entries()) {
    const stored = await readStatistics(session, statisticsId)
    if (stored.family !== family.name || stored.layoutRevision !== family.layoutRevision) {
      throw new AccordError(
        'NOT_APPLICABLE',
        'the stored statistics have another layout; evaluate the system again',
        {
          source: 'systems',
          expected: `${family.name}, layout revision ${family.layoutRevision}`,
          found: `${stored.family}, layout revision ${stored.layoutRevision}, of ${JSON.stringify(systems[index].name)}`,
        },
      )
    }
    all.push(stored)
  }
  return all
}

/** The statistics of the images that all scores have, in the same order. */
function shareImages(family: MetricFamily, score: MetricScore, stored: readonly StoredStatistics[]) {
  const [firstIds, ...otherIds] = stored.map(({ imageIds }) => new Set(imageIds))
  const shared = new Set([...firstIds].filter((id) => otherIds.every((ids) => ids.has(id))))
  if (shared.size === 0) {
    throw new AccordError('NOT_APPLICABLE', 'the systems have no image in common', { source: 'systems' })
  }
  const different = stored.find(({ imageIds }) => imageIds.length !== shared.size)
  if (different && countsInOwnReferences(score)) {
    throw new AccordError('NOT_APPLICABLE', 'document frequencies were counted in different images', {
      source: 'systems',
      expected: 'systems with captions of the same images, or document frequencies of one dataset',
      found: `${shared.size} shared images and a system with ${different.imageIds.length}`,
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

/** Whether image scores depend on the references of other images of the system. */
function countsInOwnReferences({ signature }: MetricScore): boolean {
  return signature.split('|').includes('df:own')
}
