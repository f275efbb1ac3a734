/**
 * Standard errors and 95 % intervals by the jackknife: a statistic is computed again without each image, or without
 * each group of images, and its standard error follows from how much it changes (Tukey 1958; Efron and Tibshirani
 * 1993, chapter 11; groups of unequal size: Busing, Meijer, van der Leeden 1999, "Delete-m jackknife for unequal m",
 * Statistics and Computing 9). Intervals use Student's t distribution.
 *
 * bench/SIMULATION.md has their coverage beside that of percentile and BCa bootstrap intervals, which are too short
 * for fewer than 100 images. Intervals of corpus scores need no random numbers.
 */
import { studentPValue, studentQuantile } from './distributions.js'
import { type Interval, judgeSampleSize, type SampleSize } from './interval.js'
import { type Measurement, type Scorer, sumRows } from './measurement.js'
import { createRandom, shuffle } from './random.js'

/** A statistic of images with its uncertainty. */
export interface Estimate extends SampleSize {
  readonly value: number
  /** Null with `undefinedReason`. */
  readonly standardError: number | null
  /** 95 % confidence interval. Null with `undefinedReason`. */
  readonly interval: Interval | null
}

/** The difference of two statistics on the same images, first minus second. */
export interface DifferenceEstimate extends Estimate {
  /** Degrees of freedom. */
  readonly freedom: number
  /**
   * Two-sided p-value of the hypothesis that there is no difference, from Student's t. Null with `undefinedReason`,
   * and for a difference without any variation between images.
   */
  readonly pValue: number | null
}

/**
 * A statistic of all images (entry 0) and of the images without group 1, 2, …; NaN where it is undefined. Replicates
 * of the same {@link ImageGroups} can be added, subtracted and averaged.
 */
export type Replicates = Float64Array

/** Images divided into groups of nearly equal size, each of which is left out once; possibly in several ways. */
export interface ImageGroups {
  /** Number of ways in which the images are divided. */
  readonly partitions: number
  /** Per group its number of images; the groups of a partition are consecutive. */
  readonly sizes: Uint32Array
  /** Entry `image · partitions + partition` is the group of the image, from 0 over all partitions. */
  readonly groupOf: Uint16Array
}

/** Groups without the assignment of images. */
export type GroupSizes = Pick<ImageGroups, 'partitions' | 'sizes'>

/** Images divided into groups, in several ways. */
interface Division {
  readonly partitions: number
  /** Of each partition. */
  readonly groups: number
}

/**
 * Random groups for means over words: quarters of the images, divided in 25 ways. Leaving out few images changes PHR
 * and the set of words that have figures by leaps, which makes the standard error up to half too large; halves make
 * it too small.
 */
const QUARTERS: Division = { partitions: 25, groups: 4 }

/** For the word precision of captions, over the words that these use: quarters find a difference too rarely. */
export const THIRDS: Division = { partitions: 25, groups: 3 }

/** Maximum degrees of freedom of differences of means over words: few images decide about rare words. */
export const WORD_MEAN_FREEDOM = 20

/** How intervals of means over words are made, for records of provenance. */
export function groupedIntervals(seed: number, { partitions, groups } = QUARTERS): IntervalMethod {
  return { interval: `jackknife-${partitions}x${groups}`, seed }
}

/** Divides images at random. */
export function imageGroups(
  imageCount: number,
  seed: number,
  { partitions, groups } = QUARTERS,
): ImageGroups {
  const count = Math.min(imageCount, groups)
  const random = createRandom(seed)
  const groupOf = new Uint16Array(partitions * imageCount)
  const sizes = new Uint32Array(partitions * count)
  const places = Uint32Array.from({ length: imageCount }, (_, image) => image)
  for (let partition = 0; partition < partitions; partition++) {
    shuffle(places, random)
    places.forEach((place, image) => {
      const group = partition * count + (place % count)
      groupOf[image * partitions + partition] = group
      sizes[group]++
    })
  }
  return { partitions, sizes, groupOf }
}

/** `first` minus `second`, replicate by replicate. */
export function subtract(first: Replicates, second: Replicates): Replicates {
  return first.map((value, replicate) => value - second[replicate])
}

/** The mean of several statistics, replicate by replicate, over those that are defined in it. */
interface ReplicateMean {
  add(replicates: Replicates): void
  mean(): Replicates
}

export function createReplicateMean({ sizes }: ImageGroups): ReplicateMean {
  const sums = new Float64Array(sizes.length + 1)
  const counts = new Uint32Array(sizes.length + 1)
  return {
    add(replicates) {
      for (let i = 0; i < sums.length; i++) {
        if (Number.isNaN(replicates[i])) continue
        sums[i] += replicates[i]
        counts[i]++
      }
    },
    mean: () => sums.map((sum, replicate) => sum / counts[replicate]),
  }
}

/** A statistic whose uncertainty is on a scale on which it is closer to normally distributed. */
export interface Scale {
  /** Increasing. */
  transform(value: number): number
  /** The inverse; values outside the range of `transform` give the nearest end. */
  restore(transformed: number): number
}

export const IDENTITY: Scale = { transform: (value) => value, restore: (value) => value }

/** For scores of 0 or more, whose spread grows with their size. */
const SQUARE_ROOT: Scale = {
  transform: (value) => Math.sqrt(Math.max(0, value)),
  restore: (root) => Math.max(0, root) ** 2,
}

/** For scores and means of shares between 0 and 1: intervals stay inside. */
export const ARCSINE: Scale = {
  transform: (share) => Math.asin(Math.sqrt(Math.min(1, Math.max(0, share)))),
  restore: (angle) => Math.sin(Math.min(Math.PI / 2, Math.max(0, angle))) ** 2,
}

/** For single shares between 0 and 1, of which few images decide: wider than {@link ARCSINE} towards the middle. */
export const LOGIT: Scale = {
  transform: (share) => {
    const inside = Math.min(1 - LOGIT_EDGE, Math.max(LOGIT_EDGE, share))
    return Math.log(inside / (1 - inside))
  },
  restore: (logit) => 1 / (1 + Math.exp(-logit)),
}

/** For differences of two single shares, −1..1: {@link LOGIT} of where they are between their ends. */
export const DIFFERENCE_LOGIT: Scale = {
  transform: (difference) => LOGIT.transform((1 + difference) / 2),
  restore: (logit) => 2 * LOGIT.restore(logit) - 1,
}

/** The interval of a value from one on its scale: in its range, with the value in it. */
export function restoreInterval(value: number, { lower, upper }: Interval, { restore }: Scale): Interval {
  return { lower: Math.min(value, restore(lower)), upper: Math.max(value, restore(upper)) }
}

/** Smaller standard errors come from rounding. */
export const ROUNDING = 1e-9

/** Shares of 0 and 1 count as this far inside. */
const LOGIT_EDGE = 1e-3

/**
 * A statistic with its standard error and interval. Null if the statistic itself is undefined. Replicates without a
 * value are ignored.
 *
 * @param maxFreedom maximum degrees of freedom, for a statistic that depends on few of the images
 */
export function estimate(
  replicates: Replicates,
  groups: GroupSizes,
  scale: Scale = IDENTITY,
  maxFreedom = Number.POSITIVE_INFINITY,
): Estimate | null {
  const spread = spreadOf(replicates, groups, scale, maxFreedom)
  if (spread === null) return null
  const { value, transformed, standardError, images, freedom } = spread
  const size = judgeSampleSize(images)
  if (size.undefinedReason !== null) return { value, standardError: null, interval: null, ...size }
  if (standardError <= ROUNDING)
    return { value, standardError: null, interval: null, ...size, undefinedReason: 'NO_VARIATION' }
  const margin = studentQuantile(freedom) * standardError
  return {
    value,
    standardError:
      scale === IDENTITY
        ? standardError
        : (spreadOf(replicates, groups, IDENTITY, maxFreedom)?.standardError ?? null),
    interval: restoreInterval(value, { lower: transformed - margin, upper: transformed + margin }, scale),
    ...size,
  }
}

/**
 * A difference with its standard error, interval and p-value. Null if the difference itself is undefined. Images without a
 * difference give no degree of freedom where each is left out once.
 *
 * @param maxFreedom as of {@link estimate}
 */
export function estimateDifference(
  replicates: Replicates,
  groups: GroupSizes,
  maxFreedom = Number.POSITIVE_INFINITY,
): DifferenceEstimate | null {
  const most = Math.min(
    maxFreedom,
    groups.partitions === 1 ? countDiffering(replicates, groups) - 1 : maxFreedom,
  )
  const spread = spreadOf(replicates, groups, IDENTITY, most)
  const difference = estimate(replicates, groups, IDENTITY, most)
  if (spread === null || difference === null) return null
  const { value, standardError, freedom } = spread
  const isTested = difference.undefinedReason === null || difference.undefinedReason === 'NO_VARIATION'
  return { ...difference, freedom, pValue: isTested ? pValueOf(value, standardError, freedom) : null }
}

/** Of one partition, the groups whose pseudo-value is not 0. */
function countDiffering(replicates: Replicates, { sizes }: GroupSizes): number {
  const images = sizes.reduce((sum, size) => sum + size, 0)
  let count = 0
  sizes.forEach((size, group) => {
    const share = images / size
    if (Math.abs(share * replicates[0] - (share - 1) * replicates[group + 1]) > ROUNDING) count++
  })
  return count
}

/**
 * The influence of each image on a statistic: the centred pseudo-value of its group, the mean over the partitions; 0 where it has
 * none. The influence of a difference is the difference of the influences.
 */
export function influenceOf(replicates: Replicates, groups: ImageGroups | GroupSizes): Float64Array {
  const { partitions, sizes } = groups
  const count = sizes.length / partitions
  const images = sizes.reduce((sum, size) => sum + size, 0) / partitions
  const ofGroup = new Float64Array(sizes.length)
  for (let start = 0; start < sizes.length; start += count) {
    let sum = 0
    let defined = 0
    for (let group = start; group < start + count; group++) {
      ofGroup[group] = -(images / sizes[group] - 1) * (replicates[group + 1] - replicates[0])
      if (Number.isNaN(ofGroup[group])) continue
      sum += ofGroup[group]
      defined++
    }
    for (let group = start; group < start + count; group++) {
      ofGroup[group] = Number.isNaN(ofGroup[group]) ? 0 : ofGroup[group] - sum / defined
    }
  }
  if (!('groupOf' in groups)) return ofGroup
  const influence = new Float64Array(images)
  groups.groupOf.forEach((group, place) => {
    influence[Math.floor(place / partitions)] += ofGroup[group] / partitions
  })
  return influence
}

/**
 * Covariance of two statistics of the same images, with the degrees of freedom of the first; of a statistic with itself its
 * variance. Null where one is undefined.
 */
export function jackknifeCovariance(
  first: Replicates,
  second: Replicates,
  groups: GroupSizes,
): { readonly covariance: number; readonly freedom: number } | null {
  const spreads = [first.map((value, i) => value + second[i]), subtract(first, second)].map((values) =>
    spreadOf(values, groups, IDENTITY, Number.POSITIVE_INFINITY),
  )
  const [sum, difference] = spreads
  if (sum === null || difference === null) return null
  return { covariance: (sum.standardError ** 2 - difference.standardError ** 2) / 4, freedom: sum.freedom }
}

function pValueOf(difference: number, standardError: number, freedom: number): number | null {
  if (difference === 0) return 1
  return standardError <= ROUNDING ? null : studentPValue(difference / standardError, freedom)
}

interface Spread {
  readonly value: number
  readonly transformed: number
  /** On the scale. */
  readonly standardError: number
  readonly images: number
  /** Degrees of freedom. */
  readonly freedom: number
}

function spreadOf(
  replicates: Replicates,
  { partitions, sizes }: GroupSizes,
  { transform }: Scale,
  maxFreedom: number,
): Spread | null {
  const value = replicates[0]
  if (Number.isNaN(value)) return null
  const whole = transform(value)
  const groups = sizes.length / partitions
  const images = sizes.reduce((sum, size) => sum + size, 0) / partitions
  const pseudoValues = new Float64Array(groups)
  let variances = 0
  let measured = 0
  let freedom = 0
  for (let partition = 0; partition < partitions; partition++) {
    let defined = 0
    for (let group = partition * groups; group < (partition + 1) * groups; group++) {
      const without = replicates[group + 1]
      if (Number.isNaN(without)) continue
      const share = images / sizes[group]
      pseudoValues[defined++] = share * whole - (share - 1) * transform(without)
    }
    if (defined < 2) continue
    variances += varianceOfMean(pseudoValues.subarray(0, defined))
    measured++
    freedom += defined - 1
  }
  return {
    value,
    transformed: whole,
    standardError: measured === 0 ? 0 : Math.sqrt(variances / measured),
    images,
    freedom: Math.max(1, Math.min(freedom, images - 1, maxFreedom)),
  }
}

function varianceOfMean(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return squares / (values.length * (values.length - 1))
}

/** How an interval was made. */
interface IntervalMethod {
  /**
   * `jackknife`: each image is left out once; `jackknife-100`: each of at most 100 groups of images;
   * `jackknife-25x4`, `jackknife-25x3`: each of 4 or 3 groups, in 25 divisions of the images.
   */
  readonly interval: string
  /** Of random groups of images; null where there are none. */
  readonly seed: number | null
}

/** Leave-one-out replicates of a measurement, one array per metric, and the groups they belong to. */
interface ScoreReplicates {
  readonly groups: GroupSizes
  readonly replicates: readonly Replicates[]
}

/**
 * Corpus scores without each image in turn; the mean over trials. Scores that need all rows are computed without
 * each of {@link MAX_ROW_GROUPS} groups of images.
 *
 * Time: images × columns of statistics; for scores that need all rows, groups × images × columns.
 */
export function replicateScores({ family, trials }: Measurement): ScoreReplicates {
  const images = trials[0].length / family.width
  const groups =
    family.corpusScores.from === 'sums'
      ? { partitions: 1, sizes: new Uint32Array(images).fill(1) }
      : imageGroups(images, GROUP_SEED, { partitions: 1, groups: MAX_ROW_GROUPS })
  const replicates = family.metrics.map(() => new Float64Array(groups.sizes.length + 1))
  const scores = new Float64Array(family.metrics.length)
  const add = (replicate: number) => {
    for (let metric = 0; metric < scores.length; metric++) replicates[metric][replicate] += scores[metric]
  }
  for (const rows of trials) {
    if ('groupOf' in groups) scoreWithoutGroups(family, rows, groups, scores, add)
    else scoreWithoutImages(family, rows, images, scores, add)
  }
  return { groups, replicates: replicates.map((sums) => sums.map((sum) => sum / trials.length)) }
}

/** Maximum number of groups of scores that need all rows. */
const MAX_ROW_GROUPS = 100

/** Seed of the groups of scores that need all rows: one for all, so that differences are of the same groups. */
const GROUP_SEED = 1

function scoreWithoutImages(
  { width, corpusScores }: Scorer,
  rows: Float64Array,
  images: number,
  scores: Float64Array,
  add: (replicate: number) => void,
): void {
  const sums = sumRows(rows, width)
  corpusScores.score(sums, images, scores)
  add(0)
  const rest = new Float64Array(width)
  for (let image = 0; image < images; image++) {
    for (let column = 0; column < width; column++) rest[column] = sums[column] - rows[image * width + column]
    corpusScores.score(rest, images - 1, scores)
    add(image + 1)
  }
}

function scoreWithoutGroups(
  { width, corpusScores }: Scorer,
  rows: Float64Array,
  { groupOf, sizes }: ImageGroups,
  scores: Float64Array,
  add: (replicate: number) => void,
): void {
  corpusScores.score(rows, groupOf.length, scores)
  add(0)
  const rest = new Float64Array(rows.length)
  sizes.forEach((size, group) => {
    let end = 0
    groupOf.forEach((other, image) => {
      if (other === group) return
      rest.set(rows.subarray(image * width, (image + 1) * width), end)
      end += width
    })
    corpusScores.score(rest.subarray(0, end), groupOf.length - size, scores)
    add(group + 1)
  })
}

/**
 * Scores of a corpus, or their means over trials, with their intervals: one entry per metric of the family, null for
 * an undefined score.
 */
export function scoreEstimates(measurement: Measurement): (Estimate | null)[] {
  const { groups, replicates } = replicateScores(measurement)
  return measurement.family.metrics.map(({ highest }, metric) =>
    estimate(replicates[metric], groups, highest === 1 ? ARCSINE : SQUARE_ROOT),
  )
}

/** How {@link scoreEstimates} makes intervals, for records of provenance. */
export function describeIntervals({ corpusScores }: Pick<Scorer, 'corpusScores'>): IntervalMethod {
  return corpusScores.from === 'sums'
    ? { interval: 'jackknife', seed: null }
    : { interval: `jackknife-${MAX_ROW_GROUPS}`, seed: GROUP_SEED }
}
