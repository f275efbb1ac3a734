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
 * described, with interval and p-value from a paired bootstrap (see `comparePaired`).
 *
 * @throws AccordError NOT_APPLICABLE where a system has no score of the metric, signatures do not agree, or the
 * systems share no image
 */
export async function compareSystems(
  database: Database,
  systems: readonly System[],
  family: MetricFamily,
  metric: string,
): Promise<PairwiseComparison[]> {
  const scores = await latestScores(database, systems, metric)
  const { signature } = requireOneSignature(systems, scores)
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

async function latestScores(
  database: Database,
  systems: readonly System[],
  metric: string,
): Promise<MetricScore[]> {
  const scores = await readScores(
    database,
    systems.map(({ id }) => id),
    [metric],
  )
  return systems.map(({ id, name }) => {
    const score = scores.findLast(({ systemId }) => systemId === id)
    if (score) return score
    throw new AccordError('NOT_APPLICABLE', 'the system was not evaluated by this metric yet', {
      source: 'systems',
      expected: `a system with a ${metric} score`,
      found: JSON.stringify(name),
    })
  })
}

function requireOneSignature(systems: readonly System[], scores: readonly MetricScore[]): MetricScore {
  const other = scores.findIndex(({ signature }) => signature !== scores[0].signature)
  if (other < 0) return scores[0]
  throw new AccordError('NOT_APPLICABLE', 'scores compare only where their signatures agree', {
    source: 'systems',
    expected: `${scores[0].signature}, as of ${JSON.stringify(systems[0].name)}`,
    found: `${scores[other].signature}, as of ${JSON.stringify(systems[other].name)}`,
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
