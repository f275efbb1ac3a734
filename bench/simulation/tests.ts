import { replicateScores } from '../../src/core/stats/jackknife.js'
import type { Measurement } from '../../src/core/stats/measurement.js'
import { findRoot } from '../../src/core/stats/optimise.js'
import { createRandom, type Random } from '../../src/core/stats/random.js'
import type { Population } from '../population.js'
import { bootstrap, comparePaired } from './bootstrap.js'
import { differenceEstimates } from './differences.js'
import { createTally, describeOutside, type Section, takeRows } from './tally.js'

const METRICS = ['BLEU-4', 'ROUGE-L', 'METEOR', 'CIDEr-D']
const LEVEL = 0.05

/** Systems whose scores are equal only on few images are not compared. */
const MAX_TILT = 2

/** Share of the samples that have a bootstrap test beside. */
const BOOTSTRAP_SHARE = 0.2

/**
 * Size of the tests of two systems: how often a true hypothesis is rejected at the level of 5 %.
 *
 * - equal systems: each image's rows of two systems are given to either at random;
 * - equal scores: the systems stay different, but images are drawn with unequal probabilities such that their
 *   scores in the population are equal.
 */
export function simulateTests(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const tally = createTally()
  const random = createRandom(seed)
  population.families.forEach((family, index) => {
    const first = population.systemRows[index][0]
    const second = population.systemRows[index].at(-1) as Float64Array
    family.metrics.forEach((metric, position) => {
      if (!METRICS.includes(metric.name)) return
      const drawTilted = tiltToEqualScores(
        { family, trials: [first] },
        { family, trials: [second] },
        position,
        random,
      )
      for (const size of sizes) {
        for (let sample = 0; sample < samples; sample++) {
          const anywhere = Int32Array.from({ length: size }, () => random.below(population.imageCount))
          const pairs = [
            { name: 'equal systems', rows: exchange(first, second, family.width, anywhere, random) },
            ...(drawTilted
              ? [{ name: 'equal scores', rows: takeBoth(first, second, family.width, drawTilted, size) }]
              : []),
          ]
          for (const { name, rows } of pairs) {
            const [one, other] = rows.map((trial): Measurement => ({ family, trials: [trial] }))
            const row = `${metric.name}, ${name}`
            const pValue = differenceEstimates(one, other)[position]?.pValue ?? null
            if (pValue !== null) tally.count(row, `${size}: t`, pValue <= LEVEL)
            if (size <= 100 && sample < samples * BOOTSTRAP_SHARE) {
              const isRejected = bootstrapPValue(one, other, position, sample + 1) <= LEVEL
              tally.count(row, `${size}: boot`, isRejected)
            }
          }
        }
      }
    })
  })
  const table = tally.table('hypothesis')
  return [
    '## Tests of two systems',
    '',
    `Share of ${samples.toLocaleString('en')} samples in which a true hypothesis is rejected at the level of 5 %. ` +
      "*t*: what Accord reports of one question, the jackknife difference with Student's t. *boot*: the shifted paired bootstrap (for comparison, on " +
      `${100 * BOOTSTRAP_SHARE} % of the samples). ` +
      '*Equal systems*: rows of two systems given to either at random. *Equal scores*: different systems on images ' +
      'drawn so that their scores in the population are equal.',
    '',
    ...table,
    '',
    describeOutside(table, (column) => column.endsWith(': t'), 0.04, 0.06),
  ]
}

/** The rows of two systems on the same drawn images. */
function takeBoth(
  first: Float64Array,
  second: Float64Array,
  width: number,
  draw: () => number,
  size: number,
): Float64Array[] {
  const images = Int32Array.from({ length: size }, draw)
  return [first, second].map((rows) => takeRows(rows, width, images))
}

function bootstrapPValue(one: Measurement, other: Measurement, metric: number, seed: number): number {
  const [[first], [second]] = [one, other].map(({ family, trials }) => {
    const { replicates } = replicateScores({ family, trials })
    return [replicates[metric][0]]
  })
  const [scores, others] = bootstrap([one, other], { seed, resamples: 999 })
  return comparePaired(first, second, scores[metric], others[metric]).pValue
}

function exchange(
  first: Float64Array,
  second: Float64Array,
  width: number,
  images: Int32Array,
  random: Random,
): Float64Array[] {
  const one = takeRows(first, width, images)
  const other = takeRows(second, width, images)
  for (let start = 0; start < one.length; start += width) {
    if (random.next() < 0.5) continue
    const kept = one.slice(start, start + width)
    one.set(other.subarray(start, start + width), start)
    other.set(kept, start)
  }
  return [one, other]
}

/** Draws images with probabilities ∝ exp(λ · influence of the image on the difference), λ such that it is 0; null if none is near. */
function tiltToEqualScores(
  first: Measurement,
  second: Measurement,
  metric: number,
  random: Random,
): (() => number) | null {
  const { family } = first
  const one = replicateScores(first).replicates[metric]
  const other = replicateScores(second).replicates[metric]
  const images = one.length - 1
  const influence = Float64Array.from({ length: images }, (_, image) => {
    return (images - 1) * (one[0] - other[0] - (one[image + 1] - other[image + 1]))
  })
  const spread = Math.sqrt(influence.reduce((sum, value) => sum + value * value, 0) / images)
  const weightsOf = (lambda: number) => influence.map((value) => Math.exp((lambda * value) / spread))
  const scoreOf = ([rows]: readonly Float64Array[], weights: Float64Array) => {
    const sums = new Float64Array(family.width)
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    rows.forEach((value, cell) => {
      sums[cell % family.width] += (value * weights[Math.floor(cell / family.width)] * images) / total
    })
    const scores = new Float64Array(family.metrics.length)
    family.corpusScores.score(sums, images, scores)
    return scores[metric]
  }
  const differenceAt = (lambda: number) =>
    scoreOf(first.trials, weightsOf(lambda)) - scoreOf(second.trials, weightsOf(lambda))
  if (differenceAt(-MAX_TILT) > 0 === differenceAt(MAX_TILT) > 0) return null
  const lambda = findRoot(differenceAt, -MAX_TILT, MAX_TILT)
  const cumulative = weightsOf(lambda)
  for (let image = 1; image < images; image++) cumulative[image] += cumulative[image - 1]
  return () => {
    const point = random.next() * cumulative[images - 1]
    let low = 0
    let high = images - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (cumulative[middle] > point) high = middle
      else low = middle + 1
    }
    return low
  }
}
