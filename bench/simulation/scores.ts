import { scoreCorpus } from '../../src/core/metrics/metric.js'
import { percentileInterval } from '../../src/core/stats/bootstrap.js'
import { normalCdf, normalQuantile } from '../../src/core/stats/distributions.js'
import type { Interval } from '../../src/core/stats/interval.js'
import { replicateScores, scoreEstimates } from '../../src/core/stats/jackknife.js'
import type { Measurement } from '../../src/core/stats/measurement.js'
import { createRandom } from '../../src/core/stats/random.js'
import type { Population } from '../population.js'
import { bootstrap } from './bootstrap.js'
import { differenceEstimates } from './differences.js'
import { contains, createTally, describeOutside, type Section, takeRows } from './tally.js'

const METRICS = ['BLEU-4', 'ROUGE-L', 'METEOR', 'CIDEr-D']

/** Shares of the samples that have bootstrap intervals beside: they take long, at 1,000 images most of all. */
const BOOTSTRAP_SHARE = 0.2
const LARGE_BOOTSTRAP_SHARE = 0.05

const RESAMPLES = 1000

/** Coverage of intervals of a system's score, of two systems' difference, and of the human mean over folds. */
export function simulateScores(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const tally = createTally()
  const random = createRandom(seed)
  for (const size of sizes) {
    const bootstraps = Math.ceil(samples * (size >= 1000 ? LARGE_BOOTSTRAP_SHARE : BOOTSTRAP_SHARE))
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      population.families.forEach((family, index) => {
        const take = (rows: Float64Array) => takeRows(rows, family.width, images)
        const [first] = population.systemRows[index]
        const last = population.systemRows[index].at(-1) as Float64Array
        const people = population.humanRows[index]
        const subjects = [
          { name: 'system', first: [first], second: [] },
          { name: 'difference of systems', first: [first], second: [last] },
          { name: 'people', first: people, second: [] },
          { name: 'people − system', first: people, second: population.foldRows[index] },
        ]
        for (const subject of subjects) {
          const [one, other]: Measurement[] = [subject.first, subject.second].map((trials) => ({
            family,
            trials: trials.map(take),
          }))
          const truths = difference(meanScores(family, subject.first), meanScores(family, subject.second))
          const isDifference = subject.second.length > 0
          const estimates = isDifference ? differenceEstimates(one, other) : scoreEstimates(one)
          const competitors =
            sample < bootstraps ? bootstrapIntervals(isDifference ? [one, other] : [one], sample + 1) : []
          family.metrics.forEach(({ name }, metric) => {
            if (!METRICS.includes(name)) return
            const row = `${name}, ${subject.name}`
            const interval = estimates[metric]?.interval
            if (interval) tally.count(row, `${size}: t`, contains(interval, truths[metric]))
            for (const { method, intervals } of competitors) {
              tally.count(row, `${size}: ${method}`, contains(intervals[metric], truths[metric]))
            }
          })
        }
      })
    }
  }
  const table = tally.table('score')
  return [
    '## Corpus scores',
    '',
    `Coverage, ${samples.toLocaleString('en')} samples per number of images. *t*: the jackknife with Student's t, on ` +
      'the arcsine scale for scores of at most 1 and on the square-root scale for others, as Accord reports it. *pct*: percentile interval of ' +
      `${RESAMPLES.toLocaleString('en')} resamples; *BCa*: bias-corrected and accelerated (both for comparison, on ` +
      `${100 * BOOTSTRAP_SHARE} % of the samples, at 1,000 images ${100 * LARGE_BOOTSTRAP_SHARE} %). ` +
      'Percentile and BCa intervals are too short for fewer than 100 images. CIDEr-D has the document frequencies of the ' +
      'population, as `--document-frequencies coco` has; people, and the system beside them, are on the folds of 4 references.',
    '',
    ...table,
    '',
    describeOutside(table, (column) => column.endsWith(': t'), 0.93, 0.97),
  ]
}

type Family = Measurement['family']

export function meanScores(family: Family, trials: readonly Float64Array[]): Float64Array {
  const means = new Float64Array(family.metrics.length)
  for (const rows of trials) {
    scoreCorpus(family, rows).forEach((score, metric) => {
      means[metric] += score / trials.length
    })
  }
  return means
}

function difference(first: Float64Array, second: Float64Array): Float64Array {
  return first.map((score, metric) => score - second[metric])
}

/** Percentile and BCa intervals of a measurement, or of the difference of two. */
function bootstrapIntervals(
  measurements: readonly Measurement[],
  seed: number,
): { method: string; intervals: Interval[] }[] {
  const subtractAll = (all: readonly (readonly Float64Array[])[]) =>
    all[0].map((values, metric) => (all.length === 1 ? values : difference(values, all[1][metric])))
  const resampled = subtractAll(bootstrap(measurements, { seed, resamples: RESAMPLES }))
  const replicates = subtractAll(
    measurements.map((measurement) => [...replicateScores(measurement).replicates]),
  )
  return [
    { method: 'pct', intervals: resampled.map((values) => percentileInterval(values)) },
    { method: 'BCa', intervals: resampled.map((values, metric) => bcaInterval(values, replicates[metric])) },
  ]
}

/** Efron and Tibshirani 1993, chapter 14. */
function bcaInterval(resampled: Float64Array, replicates: Float64Array): Interval {
  const [value] = replicates
  const without = replicates.subarray(1)
  const mean = without.reduce((sum, score) => sum + score, 0) / without.length
  let squares = 0
  let cubes = 0
  for (const score of without) {
    squares += (mean - score) ** 2
    cubes += (mean - score) ** 3
  }
  const acceleration = squares === 0 ? 0 : cubes / (6 * squares ** 1.5)
  const below = resampled.filter((score) => score < value).length / resampled.length
  const edge = 0.5 / resampled.length
  const bias = normalQuantile(Math.min(1 - edge, Math.max(edge, below)))
  const sorted = resampled.toSorted()
  const end = (z: number) => {
    const share = normalCdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  }
  return { lower: end(-1.96), upper: end(1.96) }
}
