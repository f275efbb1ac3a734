/**
 * How well scores agree with human judgements: correlation with ratings, accuracy on preferences (Sharif et al. 2018,
 * section 5; Vedantam et al. 2015 for preferences). Intervals and tests resample images with all their captions:
 * captions of an image share its references, and intervals over single captions are too short.
 */

import { comparePaired, type PairedDifference, percentileInterval } from '../stats/bootstrap.js'
import type { Interval } from '../stats/interval.js'
import { RESAMPLES, type SwapOptions } from '../stats/permutation.js'
import { createRandom, type Random } from '../stats/random.js'
import {
  type Correlations,
  correlate,
  createKendallCounter,
  type RatedItems,
} from '../stats/rank-correlation.js'
import { judgeSampleSize } from '../stats/sample-size.js'
import type { CaptionImages, Judgements } from './judgement.js'

/** The agreement of one metric with people. */
export interface Judged {
  readonly figures: RatingFigures | PreferenceFigures
  /** τ-c, or the mean accuracy, on each resample of images; NaN where it is undefined. */
  readonly resampled: Float64Array
}

type Preferences = Judgements & { readonly kind: 'PREFERENCES' }

interface Certainty {
  /** Percentile 95 % interval of τ-c, or of the mean accuracy; null below 10 images. */
  readonly interval: Interval | null
  /**
   * How many independent captions (of preferences: pairs) tell as much about the figure as these captions do, which share
   * images; null where the figure does not vary.
   */
  readonly effectiveCount: number | null
}

export interface RatingFigures extends Correlations, Certainty {
  readonly kind: 'RATINGS'
  /** Two-sided, of the hypothesis that τ-c is 0; see `comparePaired`. Null below 10 images. */
  readonly pValue: number | null
}

export interface PreferenceFigures extends Certainty {
  readonly kind: 'PREFERENCES'
  /** By category: the share of pairs in which the preferred caption has the higher score; a tie counts one half. */
  readonly accuracy: Readonly<Record<string, number>>
  /** Of the categories; null where people prefer no caption. */
  readonly mean: number | null
}

/**
 * Judges the scores of captions. Equal seeds draw the same images, so that metrics can be compared pairwise.
 *
 * @param scores one per judged caption, higher for better; NaN where a score is undefined: the caption is left out of
 *   correlations, and its preferences tie
 */
export function judgeScores(judgements: Judgements, scores: Float64Array, options: SwapOptions): Judged {
  if (judgements.kind === 'PREFERENCES') return judgePreferences(judgements, scores, options)
  const captions = Int32Array.from(scores, (_, caption) => caption).filter(
    (caption) => !Number.isNaN(scores[caption]),
  )
  const items = selectItems({ ...judgements, scores }, captions)
  return judgeRatings(items, imagesOfCaptions(judgements.images, captions), options)
}

/**
 * The raters' row, the ceiling of what a metric can reach: each rating of a caption as its score, compared with the other
 * ratings of the caption.
 *
 * @returns null where no caption has two ratings
 */
export function judgeRaters(
  { ratings, offsets, images }: Judgements & { readonly kind: 'RATINGS' },
  options: SwapOptions,
): Judged | null {
  const scores: number[] = []
  const others: number[] = []
  const otherOffsets = [0]
  const captions: number[] = []
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    const own = ratings.subarray(offsets[caption], offsets[caption + 1])
    if (own.length < 2) continue
    own.forEach((rating, rater) => {
      scores.push(rating)
      captions.push(caption)
      own.forEach((other, otherRater) => {
        if (otherRater !== rater) others.push(other)
      })
      otherOffsets.push(others.length)
    })
  }
  if (scores.length === 0) return null
  const items = {
    scores: Float64Array.from(scores),
    ratings: Float64Array.from(others),
    offsets: Int32Array.from(otherOffsets),
  }
  return judgeRatings(items, imagesOfCaptions(images, captions), options)
}

/** Two metrics on the same resamples. */
export interface MetricDifference extends PairedDifference {
  /** Resamples on which both figures are defined. */
  readonly resamples: number
}

/** Compares τ-c, or the mean accuracy, of two metrics; null where one of them is undefined. */
export function compareJudged(first: Judged, second: Judged): MetricDifference | null {
  const firstValue = mainFigure(first.figures)
  const secondValue = mainFigure(second.figures)
  if (firstValue === null || secondValue === null) return null
  const isDefined = first.resampled.map((value, index) =>
    Number.isNaN(value) || Number.isNaN(second.resampled[index]) ? 0 : 1,
  )
  const select = (values: Float64Array) => values.filter((_, index) => isDefined[index] === 1)
  const firstValues = select(first.resampled)
  if (firstValues.length === 0) return null
  return {
    ...comparePaired(firstValue, secondValue, firstValues, select(second.resampled)),
    resamples: firstValues.length,
  }
}

/** The figure that intervals, comparisons and the order of metrics are of: τ-c, or the mean accuracy. */
export function mainFigure(figures: Judged['figures']): number | null {
  return figures.kind === 'RATINGS' ? figures.tauC : figures.mean
}

/** τ-c, or the mean accuracy, of scores none of which is undefined; null as in {@link judgeScores}. */
export function agreementOf(judgements: Judgements, scores: Float64Array): number | null {
  if (judgements.kind === 'RATINGS') return createKendallCounter({ ...judgements, scores }).tau().tauC
  const { wins, accuraciesOf } = countWins(judgements, scores)
  return wins.length === 0 ? null : mean(accuraciesOf(new Float64Array(wins.length).fill(1)))
}

/** Resamples between two reports of progress. */
const PROGRESS_STEP = 50

function imagesOfCaptions({ positions, count }: CaptionImages, captions: ArrayLike<number>): CaptionImages {
  return { positions: Int32Array.from(captions, (caption) => positions[caption]), count }
}

/** Selects items. */
function selectItems({ scores, ratings, offsets }: RatedItems, selected: Int32Array): RatedItems {
  if (selected.length === scores.length) return { scores, ratings, offsets }
  const own = Array.from(selected, (item) => ratings.subarray(offsets[item], offsets[item + 1]))
  const selectedOffsets = new Int32Array(own.length + 1)
  for (const [item, { length }] of own.entries()) selectedOffsets[item + 1] = selectedOffsets[item] + length
  return {
    scores: Float64Array.from(selected, (item) => scores[item]),
    ratings: Float64Array.from(own.flatMap((values) => [...values])),
    offsets: selectedOffsets,
  }
}

/** @param images of each item */
function judgeRatings(items: RatedItems, images: CaptionImages, options: SwapOptions): Judged {
  const correlations = correlate(items)
  if (correlations.tauC === null) {
    const resampled = new Float64Array(options.resamples ?? RESAMPLES).fill(Number.NaN)
    const figures = { ...correlations, interval: null, effectiveCount: null, pValue: null } as const
    return { figures: { kind: 'RATINGS', ...figures }, resampled }
  }
  const counter = createKendallCounter(items)
  const resampled = resample((weights) => counter.tau(weights).tauC ?? Number.NaN, images, options)
  const certainty = {
    interval: intervalOf(resampled),
    effectiveCount: effectiveCount(counter.contributions(), images),
  }
  const defined = resampled.filter((value) => !Number.isNaN(value))
  const pValue =
    defined.length === 0
      ? null
      : comparePaired(correlations.tauC, 0, defined, new Float64Array(defined.length)).pValue
  return { figures: { kind: 'RATINGS', ...correlations, ...certainty, pValue }, resampled }
}

/**
 * A figure on resamples of images; NaN for fewer than 10 images, which have no interval and no test.
 *
 * @param figure from how often each item counts
 * @param images of each item
 */
function resample(
  figure: (weights: Float64Array) => number,
  { positions, count }: CaptionImages,
  { seed, resamples = RESAMPLES, onProgress }: SwapOptions,
): Float64Array {
  if (judgeSampleSize(count).undefinedReason !== null) return new Float64Array(resamples).fill(Number.NaN)
  const random = createRandom(seed)
  const weights = new Float64Array(positions.length)
  const draws = new Float64Array(count)
  const resampled = Float64Array.from({ length: resamples }, (_, index) => {
    if (index % PROGRESS_STEP === 0) onProgress?.(index / resamples)
    drawWeights(draws, positions, weights, random)
    return figure(weights)
  })
  onProgress?.(1)
  return resampled
}

/**
 * The effective number of items: n times the variance of the figure if items were independent, over its variance if
 * images are (the inverse of Kish's design effect), both from the influence of each item on the figure.
 */
function effectiveCount(influences: Float64Array, { positions, count }: CaptionImages): number | null {
  const center = mean(influences)
  const sums = new Float64Array(count)
  let squares = 0
  for (let item = 0; item < influences.length; item++) {
    squares += (influences[item] - center) ** 2
    sums[positions[item]] += influences[item] - center
  }
  const clustered = sums.reduce((sum, value) => sum + value * value, 0)
  return clustered > 0 ? (influences.length * squares) / clustered : null
}

/** Draws as many images as there are, with replacement; items have the weight of their image. */
function drawWeights(
  draws: Float64Array,
  positions: Int32Array,
  weights: Float64Array,
  random: Random,
): void {
  draws.fill(0)
  for (let draw = 0; draw < draws.length; draw++) draws[random.below(draws.length)]++
  for (let item = 0; item < weights.length; item++) weights[item] = draws[positions[item]]
}

/** Per preference 1 where the preferred caption has the higher score, and accuracies by category with weights of preferences. */
function countWins({ preferred, other, categories, categoryNames }: Preferences, scores: Float64Array) {
  const wins = Float64Array.from(preferred, (caption, pair) =>
    scores[caption] > scores[other[pair]] ? 1 : scores[caption] < scores[other[pair]] ? 0 : 0.5,
  )
  const accuraciesOf = (weights: Float64Array) => {
    const [won, all] = [new Float64Array(categoryNames.length), new Float64Array(categoryNames.length)]
    for (let pair = 0; pair < wins.length; pair++) {
      won[categories[pair]] += weights[pair] * wins[pair]
      all[categories[pair]] += weights[pair]
    }
    return won.map((sum, category) => sum / all[category])
  }
  return { wins, accuraciesOf }
}

function judgePreferences(preferences: Preferences, scores: Float64Array, options: SwapOptions): Judged {
  const { preferred, categories, categoryNames, images } = preferences
  const { wins, accuraciesOf } = countWins(preferences, scores)
  const accuracies = accuraciesOf(new Float64Array(wins.length).fill(1))
  const imagesOfPairs = imagesOfCaptions(images, preferred)
  const resampled = resample((weights) => mean(accuraciesOf(weights)), imagesOfPairs, options)
  const sizes = new Float64Array(categoryNames.length)
  for (const category of categories) sizes[category]++
  const influences = wins.map((win, pair) => (win - accuracies[categories[pair]]) / sizes[categories[pair]])
  return {
    figures: {
      kind: 'PREFERENCES',
      accuracy: Object.fromEntries(categoryNames.map((name, category) => [name, accuracies[category]])),
      mean: categoryNames.length === 0 ? null : mean(accuracies),
      interval: intervalOf(resampled),
      effectiveCount: effectiveCount(influences, imagesOfPairs),
    },
    resampled,
  }
}

function intervalOf(resampled: Float64Array): Interval | null {
  const defined = resampled.filter((value) => !Number.isNaN(value))
  return defined.length === 0 ? null : percentileInterval(defined)
}

function mean(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return sum / values.length
}
