/**
 * Whether one metric is better than another: PERM-BOTH (Deutsch, Dror, Roth 2021: A Statistical Analysis of Summarization
 * Evaluation Metrics Using Resampling Methods). If two metrics do not differ, each caption's standardised score could as
 * well be that of the other metric: the scores of random captions are exchanged, and both metrics are judged again.
 */
import { normalCdf } from '../stats/distributions.js'
import { createRandom } from '../stats/random.js'
import type { CaptionPairs } from './caption-level.js'

/** What metrics are judged by in the tests. */
export interface TestedCaptions {
  /** The pairs of captions of the same image. */
  readonly pairs: CaptionPairs
  /** Per pair of captions, that of their systems, 0 … systemPairCount − 1, first minus second; empty without systems. */
  readonly systemPairs: Int32Array
  readonly systemPairCount: number
  /** Per caption, the mean rating. */
  readonly ratings: Float64Array
}

/** Soft pairwise accuracy of systems, or calibrated accuracy on captions of the same image. */
export type TestedFigure = 'SYSTEMS' | 'CAPTIONS'

/**
 * Tests two metrics. The permutation tests within the soft accuracy are taken by their normal limit, p = 1 − Φ(d / σ),
 * and ties are calibrated to 1/100 of a standard deviation of the scores, since both are repeated for every exchange.
 *
 * @param first, second scores of the captions, higher for better; captions without a score are in no pair
 * @returns two-sided p-value, (b + 1) / (B + 1), of the hypothesis that the metrics agree equally with people
 */
export function testMetrics(
  captions: TestedCaptions,
  figure: TestedFigure,
  [first, second]: readonly [Float64Array, Float64Array],
  { seed, resamples }: { readonly seed: number; readonly resamples: number },
): number {
  const judge = figure === 'SYSTEMS' ? softAccuracy(captions) : calibratedAccuracy(captions)
  const both = interleave(standardise(first), standardise(second))
  const random = createRandom(seed)
  const [x, y] = [new Float64Array(first.length), new Float64Array(first.length)]
  exchange(both, x, y, () => 0)
  const observed = Math.abs(judge(x) - judge(y)) - ROUNDING
  let reached = 0
  for (let resample = 0; resample < resamples; resample++) {
    exchange(both, x, y, () => random.below(0x1_0000_0000))
    if (Math.abs(judge(x) - judge(y)) >= observed) reached++
  }
  return (reached + 1) / (resamples + 1)
}

/** Equal statistics, computed from other sums, differ by less than this. */
const ROUNDING = 1e-9

const BITS = 32

/** The scores of caption c by two metrics at 2c and 2c + 1. */
function interleave(one: Float64Array, other: Float64Array): Float64Array {
  return Float64Array.from(
    { length: 2 * one.length },
    (_, place) => (place % 2 === 0 ? one : other)[place >> 1],
  )
}

/** Copies the scores, exchanged where a bit is 1. */
function exchange(both: Float64Array, x: Float64Array, y: Float64Array, drawBits: () => number): void {
  for (let caption = 0, bits = 0; caption < x.length; caption++) {
    if (caption % BITS === 0) bits = drawBits()
    x[caption] = both[2 * caption + (bits & 1)]
    y[caption] = both[2 * caption + 1 - (bits & 1)]
    bits >>>= 1
  }
}

/** Mean 0 and standard deviation 1; constant scores become 0. */
function standardise(scores: Float64Array): Float64Array {
  const defined = scores.filter((score) => !Number.isNaN(score))
  const mean = defined.reduce((sum, score) => sum + score, 0) / defined.length
  const variance = defined.reduce((sum, score) => sum + (score - mean) ** 2, 0) / defined.length
  const deviation = Math.sqrt(variance) || 1
  return scores.map((score) => (score - mean) / deviation)
}

/** Steps of the tie threshold per standard deviation, and the largest threshold in standard deviations. */
const STEPS = 100
const LARGEST = 10

/** Computes a figure of standardised scores, repeatedly. */
type Judge = (scores: Float64Array) => number

function softAccuracy({ pairs, systemPairs, systemPairCount, ratings }: TestedCaptions): Judge {
  const { first, second } = pairs
  const sums = new Float64Array(systemPairCount)
  const squares = new Float64Array(systemPairCount)
  const pValues = (values: Float64Array) => {
    sums.fill(0)
    squares.fill(0)
    for (let pair = 0; pair < first.length; pair++) {
      const difference = values[first[pair]] - values[second[pair]]
      sums[systemPairs[pair]] += difference
      squares[systemPairs[pair]] += difference * difference
    }
    return sums.map((sum, pair) => limitPValue(sum, squares[pair]))
  }
  const people = pValues(ratings)
  return (scores) => {
    const gaps = pValues(scores).map((pValue, pair) => Math.abs(pValue - people[pair]))
    return 1 - gaps.reduce((sum, gap) => sum + gap, 0) / systemPairCount
  }
}

function calibratedAccuracy({ pairs: { first, second, preferred, weights } }: TestedCaptions): Judge {
  const tied = weights.map((weight, pair) => (preferred[pair] === 0 ? weight : 0))
  const changes = new Float64Array(STEPS * LARGEST + 1)
  return (scores) => {
    changes.fill(0)
    let accuracy = 0
    for (let pair = 0; pair < first.length; pair++) {
      const difference = scores[first[pair]] - scores[second[pair]]
      const size = Math.min(changes.length - 1, Math.ceil(STEPS * Math.abs(difference)))
      // Without branches, which processors cannot predict here.
      const concordant = weights[pair] * Number(difference * preferred[pair] > 0)
      accuracy += concordant
      changes[size] += tied[pair] - concordant
    }
    let best = 0
    for (let size = 0, change = 0; size < changes.length; size++) {
      change += changes[size]
      if (change > best) best = change
    }
    return accuracy + best
  }
}

/** The limit of the share of sums of ±d that are at least Σ d, from Σ d and Σ d²: 1 where there is no difference at all. */
export function limitPValue(sum: number, squares: number): number {
  return squares === 0 ? 1 : 1 - normalCdf(sum / Math.sqrt(squares))
}

/** Below it, two metrics differ. */
const SIGNIFICANCE = 0.05

/** A metric's place among others. */
export interface Cluster {
  /** From 1. */
  readonly cluster: number
  /** Of the test against the best metric of the cluster so far; null for the best one, and where a figure is undefined. */
  readonly pValue: number | null
}

/**
 * Significance clusters: from the best metric downwards, a metric begins the next cluster if it differs significantly
 * from the best of the present one.
 *
 * @param ordered the metrics, the best one first
 * @param pValueOf null where the test is undefined: no difference is shown
 */
export function clusterMetrics<Metric>(
  ordered: readonly Metric[],
  pValueOf: (better: Metric, worse: Metric) => number | null,
): Cluster[] {
  let cluster = 1
  let best: Metric | undefined
  return ordered.map((metric) => {
    const pValue = best === undefined ? null : pValueOf(best, metric)
    const isWorse = pValue !== null && pValue < SIGNIFICANCE
    if (isWorse) cluster++
    if (isWorse || best === undefined) best = metric
    return { cluster, pValue }
  })
}
