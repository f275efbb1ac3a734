/**
 * Whether one metric is better than another: PERM-BOTH (Deutsch, Dror, Roth 2021: A Statistical Analysis of Summarization
 * Evaluation Metrics Using Resampling Methods). If two metrics do not differ, each caption's standardised score could as
 * well be that of the other metric: the scores of random captions are exchanged, and both metrics are judged again.
 */
import { normalCdf, studentPValue } from '../stats/distributions.js'
import { holm } from '../stats/multiple-testing.js'
import { createRandom, type Random } from '../stats/random.js'
import type { CaptionPairs } from './caption-level.js'
import { PERMUTATIONS } from './system-level.js'

/** What metrics are judged by in the tests. */
export interface TestedCaptions {
  /** The pairs of captions of the same image. */
  readonly pairs: CaptionPairs
  /** Per pair of captions, that of their systems, 0 … systemPairCount − 1, first minus second; empty without systems. */
  readonly systemPairs: Int32Array
  readonly systemPairCount: number
  /** Per caption, the mean rating. */
  readonly ratings: Float64Array
  readonly imageCount: number
}

/** Soft pairwise accuracy of systems, or calibrated accuracy on captions of the same image. */
export type TestedFigure = 'SYSTEMS' | 'CAPTIONS'

/** Exchanges between two looks at whether the result is clear. */
const LOOK = 100

/** A p-value ends with this many exchanges that reach the observed difference (Besag and Clifford 1991). */
const ENOUGH_REACHED = 100

/** A difference of this many standard deviations of the exchanged ones is clear. */
const CLEAR = 8

/** With fewer exchanges that reach the observed difference, their share tells little of a small probability. */
const FEW_REACHED = 10

/**
 * Tests two metrics. The permutation tests within the soft accuracy are taken by their normal limit, since they are repeated for
 * every exchange; ties are calibrated exactly.
 *
 * @param first, second scores of the captions, higher for better; captions without a score are in no pair
 * @param resamples the most exchanges
 * @returns two-sided p-value of the hypothesis that the metrics agree equally with people: the share of exchanges that reach the
 *   observed difference, of which fewer are needed where it is large; where it is small, of Student's t for the number of images,
 *   from the standard deviation of the exchanged differences, so that corrections for many tests have no smallest value
 */
export function testMetrics(
  captions: TestedCaptions,
  figure: TestedFigure,
  [first, second]: readonly [Float64Array, Float64Array],
  { seed, resamples }: { readonly seed: number; readonly resamples: number },
): number {
  const takesPart = new Uint8Array(first.length)
  for (const side of [captions.pairs.first, captions.pairs.second]) {
    for (const caption of side) takesPart[caption] = 1
  }
  const scores = [standardise(first, takesPart), standardise(second, takesPart)] as const
  const differenceOf =
    figure === 'SYSTEMS' ? softDifference(captions, scores) : calibratedDifference(captions, scores)
  const isExchanged = new Uint8Array(first.length)
  const observed = Math.abs(differenceOf(isExchanged))
  const random = createRandom(seed)
  let [count, reached, squares] = [0, 0, 0]
  const distance = () => (squares === 0 ? 0 : observed / Math.sqrt(squares / count))
  while (count < resamples) {
    drawBits(isExchanged, random)
    const difference = Math.abs(differenceOf(isExchanged))
    count++
    squares += difference * difference
    if (difference >= observed - ROUNDING) reached++
    if (count % LOOK === 0 && (reached >= ENOUGH_REACHED || distance() > CLEAR)) break
  }
  const share = (reached + 1) / (count + 1)
  return reached < FEW_REACHED ? Math.min(share, studentPValue(distance(), captions.imageCount - 1)) : share
}

/** Equal statistics, and equal differences of scores, computed from other sums, differ by less than this. */
const ROUNDING = 1e-9

const BITS = 32

/** Sets each item to 0 or 1 at random. */
function drawBits(items: Uint8Array, random: Random): void {
  for (let item = 0, bits = 0; item < items.length; item++) {
    if (item % BITS === 0) bits = random.below(0x1_0000_0000)
    items[item] = bits & 1
    bits >>>= 1
  }
}

/** Mean 0 and standard deviation 1 of the captions that take part; constant scores become 0. */
function standardise(scores: Float64Array, takesPart: Uint8Array): Float64Array {
  const used = scores.filter((_, caption) => takesPart[caption] === 1)
  const mean = used.reduce((sum, score) => sum + score, 0) / used.length
  const variance = used.reduce((sum, score) => sum + (score - mean) ** 2, 0) / used.length
  const deviation = Math.sqrt(variance) || 1
  return scores.map((score) => (score - mean) / deviation)
}

/** The difference of the figures of two metrics, whose scores of some captions are exchanged. */
type Difference = (isExchanged: Uint8Array) => number

/** One-sided p-values have as many steps as those of the reported soft accuracy: what lies beyond them is no difference. */
function softDifference(
  { pairs, systemPairs, systemPairCount, ratings }: TestedCaptions,
  [one, other]: readonly [Float64Array, Float64Array],
): Difference {
  const { first, second } = pairs
  const isShared = new Uint8Array(systemPairCount)
  for (const pair of systemPairs) isShared[pair] = 1
  const sharedCount = isShared.reduce((sum, shared) => sum + shared, 0)
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
    return sums.map((sum, pair) => Math.round(limitPValue(sum, squares[pair]) * PERMUTATIONS) / PERMUTATIONS)
  }
  const people = pValues(ratings)
  const gapOf = (values: Float64Array) =>
    pValues(values).reduce((sum, pValue, pair) => sum + isShared[pair] * Math.abs(pValue - people[pair]), 0)
  const [x, y] = [new Float64Array(one.length), new Float64Array(one.length)]
  return (isExchanged) => {
    for (let caption = 0; caption < x.length; caption++) {
      x[caption] = (isExchanged[caption] === 0 ? one : other)[caption]
      y[caption] = (isExchanged[caption] === 0 ? other : one)[caption]
    }
    return (gapOf(y) - gapOf(x)) / sharedCount
  }
}

/**
 * The difference of calibrated accuracies. A pair of captions has one of four differences of scores, depending on which of the two
 * are exchanged: their places among the thresholds are found once, so that a calibration only counts. It counts whole numbers, so
 * that the order of the pairs does not matter; rows of one table are read faster than several lists.
 */
function calibratedDifference(
  { pairs: { first, second, preferred, weights } }: TestedCaptions,
  [one, other]: readonly [Float64Array, Float64Array],
): Difference {
  // Per pair and code: the difference of scores, positive where metric and people prefer the same caption.
  const differences = new Float64Array(CODES * first.length)
  const ties = new Float64Array(differences.length)
  let tieCount = 0
  for (let place = 0; place < differences.length; place++) {
    const pair = place >>> 2
    const difference = (place & 2 ? other : one)[first[pair]] - (place & 1 ? other : one)[second[pair]]
    differences[place] = preferred[pair] === 0 ? Math.abs(difference) : difference * preferred[pair]
    if (preferred[pair] === 0) ties[tieCount++] = differences[place]
  }
  const thresholds = thresholdsOf(ties.subarray(0, tieCount))
  // The threshold from which on metric and people agree on a pair that people tie, or no longer agree on a concordant one.
  const places = new Int32Array(differences.length).fill(DISCORDANT)
  const canFall = new Uint8Array(thresholds.length + 1)
  canFall[thresholds.length] = 1
  for (let place = 0; place < places.length; place++) {
    const isTied = preferred[place >>> 2] === 0
    if (!isTied && !(differences[place] > 0)) continue
    places[place] = placeOf(differences[place], thresholds)
    if (!isTied) canFall[places[place]] = 1
  }
  // Thresholds from which on the accuracy only rises are one step with those before.
  const steps = new Int32Array(canFall.length)
  for (let place = 1; place < steps.length; place++) steps[place] = steps[place - 1] + canFall[place]
  const stepCount = steps[thresholds.length]
  const table = new Int32Array(ROW * first.length)
  for (let pair = 0; pair < first.length; pair++) {
    const row = ROW * pair
    table[row] = first[pair]
    table[row + 1] = second[pair]
    for (let code = 0; code < CODES; code++) {
      const place = places[CODES * pair + code]
      table[row + 2 + code] = place === DISCORDANT ? stepCount + 1 + (pair % SPREAD) : steps[place]
    }
  }
  const { unit, counts } = countWeights(weights)
  for (let pair = 0; pair < counts.length; pair++) if (preferred[pair] !== 0) counts[pair] *= -1
  const half = stepCount + 1 + SPREAD
  const sums = counts instanceof Int32Array ? new Int32Array(2 * half) : new Float64Array(2 * half)
  return (isExchanged) => {
    countChanges(table, counts, isExchanged, sums)
    return (calibrate(sums, 0, stepCount) - calibrate(sums, half, half + stepCount)) / unit
  }
}

/** Of 32 bits where they are small whole numbers. */
type Counts = Int32Array | Float64Array

/** Sums of changes by step: those of one metric, and of the other in the second half. */
function countChanges(table: Int32Array, changes: Counts, isExchanged: Uint8Array, sums: Counts): void {
  const half = sums.length / 2
  sums.fill(0)
  for (let pair = 0, row = 0; pair < changes.length; pair++, row += ROW) {
    const code = 2 * isExchanged[table[row]] + isExchanged[table[row + 1]]
    const change = changes[pair]
    sums[table[row + 2 + code]] += change
    sums[half + table[row + 5 - code]] += change
  }
}

/** Which of the captions of a pair are exchanged: 2 for the first, 1 for the second. */
const CODES = 4

/** Of a pair: its captions, and the step of each code. */
const ROW = 2 + CODES

/** In place of a threshold: metric and people disagree with any. */
const DISCORDANT = -1

/** Pairs without a threshold are counted in so many places that no count waits for the one before. */
const SPREAD = 64

/**
 * Weights as counts of a unit, of which there are `unit` in all: each is 1 over a whole number. Images of too many different sizes
 * have no such unit within 2^53: their counts are fractions.
 */
function countWeights(weights: Float64Array): { readonly unit: number; readonly counts: Counts } {
  const inverses = weights.map((weight) => Math.round(1 / weight))
  const common = [...new Set(inverses)].reduce(
    (multiple, inverse) =>
      Number.isSafeInteger(multiple) ? multiple * (inverse / divisor(multiple, inverse)) : multiple,
    1,
  )
  const unit = Number.isSafeInteger(common) ? common : 1
  const counts = inverses.map((inverse) => unit / inverse)
  return { unit, counts: unit > 1 && unit < 2 ** 31 ? Int32Array.from(counts) : counts }
}

/** The greatest common divisor. */
function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other)
}

/** Different values in ascending order; equal ones, but for rounding, are one. */
function thresholdsOf(values: Float64Array): Float64Array {
  const sorted = values.sort()
  return sorted.filter((value, place) => place === 0 || value - sorted[place - 1] > ROUNDING)
}

/** The position of the lowest threshold that is not less than a value; their number where there is none. */
function placeOf(value: number, thresholds: Float64Array): number {
  let [low, high] = [0, thresholds.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (thresholds[middle] >= value - ROUNDING) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * The accuracy with the best threshold, less the share of pairs that people tie.
 *
 * @param changes of the accuracy from step to step in `start` … `end` − 1, and at `end` those beyond all thresholds
 */
function calibrate(changes: Counts, start: number, end: number): number {
  let [sum, largest] = [0, 0]
  for (let step = start; step < end; step++) {
    sum += changes[step]
    if (sum > largest) largest = sum
  }
  return largest - sum - changes[end]
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
  /** Of the difference from the metric above, by Holm's correction for all pairs of metrics; null for the best one. */
  readonly pValue: number | null
  /** The same of the difference from the best metric: of one cluster, metrics may differ significantly. */
  readonly bestPValue: number | null
}

/** Positions of two metrics, the one with the higher figure first. */
export type MetricPair = readonly [better: number, worse: number]

/** The pairs of neighbours, which are tested first. */
export function neighbours(count: number): MetricPair[] {
  return Array.from({ length: Math.max(0, count - 1) }, (_, place) => [place, place + 1])
}

/** The other pairs that clusters may need: those across neighbours that differ significantly before the correction. */
export function pairsBetween(count: number, pValueOf: (...pair: MetricPair) => number | null): MetricPair[] {
  const borders = neighbours(count).filter((pair) => (pValueOf(...pair) ?? 1) < SIGNIFICANCE)
  return allPairs(count).filter(
    ([better, worse]) =>
      worse > better + 1 && borders.some(([above, below]) => better <= above && below <= worse),
  )
}

function allPairs(count: number): MetricPair[] {
  return neighbours(count).flatMap(([better]) =>
    Array.from({ length: count - better - 1 }, (_, next): MetricPair => [better, better + next + 1]),
  )
}

/**
 * Significance clusters: every metric of a cluster differs significantly from every metric of all others, in tests with Holm's
 * correction for all pairs of metrics. Metrics with equal figures do not differ.
 *
 * @param figures of the metrics, the highest first
 * @param pValueOf null where there is no test, or it is undefined: no difference is shown, but the pair counts in the correction
 */
export function clusterMetrics(
  figures: readonly number[],
  pValueOf: (...pair: MetricPair) => number | null,
): Cluster[] {
  const pairs = allPairs(figures.length)
  const pValues = pairs.map(([better, worse]) =>
    figures[better] - figures[worse] < ROUNDING ? 1 : pValueOf(better, worse),
  )
  const adjusted = holm(pValues.map((pValue) => pValue ?? 1))
  let cluster = 1
  return figures.map((_, place) => {
    if (place === 0) return { cluster, pValue: null, bestPValue: null }
    const isBorder = pairs.every(
      ([better, worse], index) => better >= place || worse < place || adjusted[index] < SIGNIFICANCE,
    )
    if (isBorder) cluster++
    const pValueFrom = (other: number) => {
      const index = pairs.findIndex(([better, worse]) => better === other && worse === place)
      return pValues[index] === null ? null : adjusted[index]
    }
    return { cluster, pValue: pValueFrom(place - 1), bestPValue: pValueFrom(0) }
  })
}
