/**
 * Intervals of how well a metric ranks systems: BOOT-BOTH (Deutsch, Dror, Roth 2021). Other systems, and other images, could
 * have been judged: both are resampled.
 */
import { percentileInterval } from '../stats/bootstrap.js'
import type { Interval } from '../stats/interval.js'
import { createRandom, type Random } from '../stats/random.js'
import { countPairs, pearson, tauBOf } from '../stats/rank-correlation.js'
import { judgeSampleSize } from '../stats/sample-size.js'
import { limitPValue } from './metric-tests.js'
import type { SystemValues } from './system-level.js'

/** Figures of the ranking of systems. */
const FIGURES = ['pearson', 'kendall', 'pairwiseAccuracy', 'softPairwiseAccuracy'] as const

/** Percentile 95 % intervals over resampled systems and images; null for a figure that does not vary. */
export type SystemIntervals = Readonly<Record<(typeof FIGURES)[number], Interval | null>>

/** Equal figures, computed from other sums, differ by less than this. */
const ROUNDING = 1e-9

/** Fewest systems with intervals: fewer are drawn as one system too often. */
const MIN_SYSTEMS = 4

/**
 * Judges metrics on the same resamples by means of captions. The permutation tests within the soft accuracy are taken by their
 * normal limit, since they are repeated for every resample; pairs of a system with itself count nowhere.
 *
 * @returns judges the values of a metric on the same captions; null for fewer than 4 systems or 10 images
 */
export function createSystemResampler(
  people: SystemValues,
  { seed, resamples }: { readonly seed: number; readonly resamples: number },
): (metric: SystemValues) => SystemIntervals | null {
  const { systemCount, imageCount } = people
  if (systemCount < MIN_SYSTEMS || judgeSampleSize(imageCount).undefinedReason !== null) return () => null
  const forEachResample = (use: (resample: number, weights: Float64Array, systems: number[]) => void) => {
    const random = createRandom(seed)
    for (let resample = 0; resample < resamples; resample++) {
      const weights = drawCounts(imageCount, random)
      const systems = Array.from({ length: systemCount }, () => random.below(systemCount))
      use(resample, weights, systems)
    }
  }
  const rated: ComparedSystems[] = []
  forEachResample((_resample, weights) => rated.push(compareSystems(people, weights)))
  return (metric) => {
    const resampled = FIGURES.map((): number[] => [])
    forEachResample((resample, weights, systems) => {
      const figures = judgeResample(rated[resample], compareSystems(metric, weights), systems)
      for (const [place, values] of resampled.entries()) {
        const value = figures[FIGURES[place]]
        if (value !== null) values.push(value)
      }
    })
    const intervals = resampled.map((values) => {
      const interval = percentileInterval(Float64Array.from(values))
      return interval.upper - interval.lower > ROUNDING ? interval : null
    })
    return Object.fromEntries(FIGURES.map((figure, place) => [figure, intervals[place]])) as SystemIntervals
  }
}

/** How often each of `count` items is drawn in `count` draws. */
function drawCounts(count: number, random: Random): Float64Array {
  const counts = new Float64Array(count)
  for (let draw = 0; draw < count; draw++) counts[random.below(count)]++
  return counts
}

/** Systems on weighted images. */
interface ComparedSystems {
  readonly means: readonly number[]
  /** One-sided p-values of the difference of two systems, at first · systems + second for first < second. */
  readonly pValues: Float64Array
}

function compareSystems(
  { values, systemCount, imageCount }: SystemValues,
  weights: Float64Array,
): ComparedSystems {
  const means = Array.from({ length: systemCount }, (_, system) => {
    let [sum, count] = [0, 0]
    for (let image = 0; image < imageCount; image++) {
      const value = values[system * imageCount + image]
      if (Number.isNaN(value)) continue
      sum += weights[image] * value
      count += weights[image]
    }
    return sum / count
  })
  const pValues = new Float64Array(systemCount * systemCount)
  for (let one = 0; one < systemCount; one++) {
    for (let other = one + 1; other < systemCount; other++) {
      let [sum, squares] = [0, 0]
      for (let image = 0; image < imageCount; image++) {
        const difference = values[one * imageCount + image] - values[other * imageCount + image]
        if (Number.isNaN(difference)) continue
        sum += weights[image] * difference
        squares += weights[image] * difference * difference
      }
      pValues[one * systemCount + other] = limitPValue(sum, squares)
    }
  }
  return { means, pValues }
}

/** The figures of some systems, of which one can occur several times; null where they are undefined. */
function judgeResample(
  people: ComparedSystems,
  metric: ComparedSystems,
  systems: readonly number[],
): Record<keyof SystemIntervals, number | null> {
  const [x, y] = [metric.means, people.means].map((means) =>
    Float64Array.from(systems, (system) => means[system]),
  )
  const count = people.means.length
  let [pairs, agreeing, gaps] = [0, 0, 0]
  systems.forEach((one, place) => {
    for (const other of systems.slice(place + 1)) {
      if (one === other) continue
      pairs++
      const sign = Math.sign(metric.means[one] - metric.means[other])
      if (sign === Math.sign(people.means[one] - people.means[other])) agreeing++
      const pair = Math.min(one, other) * count + Math.max(one, other)
      gaps += Math.abs(people.pValues[pair] - metric.pValues[pair])
    }
  })
  return {
    pearson: pearson(x, y),
    kendall: tauBOf(countPairs(x, y)),
    pairwiseAccuracy: pairs === 0 ? null : agreeing / pairs,
    softPairwiseAccuracy: pairs === 0 ? null : 1 - gaps / pairs,
  }
}
