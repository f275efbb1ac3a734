/**
 * How well scores agree with human judgements: correlation with ratings, accuracy on preferences (Sharif et al. 2018,
 * section 5; Vedantam et al. 2015 for preferences). Intervals and tests resample images with all their captions:
 * captions of an image share its references, and intervals over single captions are too short.
 */

import { studentEstimate } from '../stats/bootstrap.js'
import { type Correlations, correlate, createKendallCounter, type RatedItems } from '../stats/correlation.js'
import { studentPValue, studentQuantile } from '../stats/distributions.js'
import { type Interval, judgeSampleSize } from '../stats/interval.js'
import { mean } from '../stats/mean.js'
import { meanShareInterval } from '../stats/proportion.js'
import { createRandom, type Random } from '../stats/random.js'
import type { CaptionImages, Judgements } from './judgement.js'
import { RESAMPLES, type ResamplingOptions } from './resampling.js'

/** The agreement of one metric with people. */
export interface Judged<Figures = RatingFigures | PreferenceFigures> {
  readonly figures: Figures
  /** τ-c, or the mean accuracy, on each resample of images; NaN where it is undefined. */
  readonly resampled: Float64Array
  readonly imageCount: number
}

type Preferences = Judgements & { readonly kind: 'PREFERENCES' }

interface Certainty {
  /** 95 % interval of τ-c, or of the mean accuracy; null below 10 images, and of τ-c where it does not vary. */
  readonly interval: Interval | null
  /** Two-sided, of the hypothesis that τ-c is 0, or the mean accuracy ½: what scores by chance have. Null below 10 images. */
  readonly pValue: number | null
  /**
   * How many independent captions (of preferences: pairs) tell as much about the figure as these captions do, which share
   * images; null where there are none, and of τ-c where it does not vary.
   */
  readonly effectiveCount: number | null
}

export interface RatingFigures extends Correlations, Certainty {
  readonly kind: 'RATINGS'
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
export function judgeScores(
  judgements: Judgements,
  scores: Float64Array,
  options: ResamplingOptions,
): Judged {
  if (judgements.kind === 'PREFERENCES') return judgePreferences(judgements, scores, options)
  const captions = Int32Array.from(scores, (_, caption) => caption).filter(
    (caption) => !Number.isNaN(scores[caption]),
  )
  const items = selectItems({ ...judgements, scores }, captions)
  return judgeRatings(items, imagesOfCaptions(judgements.images, captions), options)
}

/** How well raters predict each other. */
export interface RaterFigures<Figures = RatingFigures> {
  /** One rater by another: each rating of a caption as its score, compared with each of the others. */
  readonly another: Figures
  /** One rater by the others: their mean as the score, compared with the rating that is left out of it. */
  readonly others: Figures
}

/**
 * The raters as metrics: what one of them, and what the mean of the others, tells about a rating. Neither is a ceiling: a metric
 * can predict a rating better than one rater does.
 *
 * @returns null where no caption has two ratings
 */
export function judgeRaters(
  { ratings, offsets, images }: Judgements & { readonly kind: 'RATINGS' },
  options: ResamplingOptions,
): RaterFigures<Judged<RatingFigures>> | null {
  const another = createItems(images)
  const others = createItems(images)
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    const own = Array.from(ratings.subarray(offsets[caption], offsets[caption + 1]))
    if (own.length < 2) continue
    for (const [rater, rating] of own.entries()) {
      const rest = own.toSpliced(rater, 1)
      another.add(caption, rating, rest)
      others.add(caption, mean(rest), [rating])
    }
  }
  if (another.size() === 0) return null
  return { another: another.judge(options), others: others.judge(options) }
}

/** Collects items with the image of their caption. */
function createItems(images: CaptionImages) {
  const scores: number[] = []
  const ratings: number[] = []
  const offsets = [0]
  const captions: number[] = []
  return {
    add(caption: number, score: number, own: readonly number[]): void {
      scores.push(score)
      ratings.push(...own)
      offsets.push(ratings.length)
      captions.push(caption)
    },
    size: () => scores.length,
    judge(options: ResamplingOptions): Judged<RatingFigures> {
      const items = {
        scores: Float64Array.from(scores),
        ratings: Float64Array.from(ratings),
        offsets: Int32Array.from(offsets),
      }
      return judgeRatings(items, imagesOfCaptions(images, captions), options)
    },
  }
}

/** Two metrics on the same resamples, first minus second. */
export interface MetricDifference {
  readonly difference: number
  /** 95 %; null where the difference does not vary. */
  readonly interval: Interval | null
  /** Two-sided, of the hypothesis that they do not differ. */
  readonly pValue: number
  /** Resamples on which both figures are defined. */
  readonly resamples: number
}

/** Compares τ-c, or the mean accuracy, of two metrics; null where one of them is undefined. */
export function compareJudged(first: Judged, second: Judged): MetricDifference | null {
  const firstValue = mainFigure(first.figures)
  const secondValue = mainFigure(second.figures)
  if (firstValue === null || secondValue === null) return null
  const differences = first.resampled
    .map((value, index) => value - second.resampled[index])
    .filter((difference) => !Number.isNaN(difference))
  const difference = firstValue - secondValue
  const estimate = studentEstimate(difference, differences, first.imageCount - 1)
  return estimate && { difference, ...estimate, resamples: differences.length }
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
function judgeRatings(
  items: RatedItems,
  images: CaptionImages,
  options: ResamplingOptions,
): Judged<RatingFigures> {
  const correlations = correlate(items)
  const { count: imageCount } = images
  if (correlations.tauC === null) {
    const resampled = new Float64Array(options.resamples ?? RESAMPLES).fill(Number.NaN)
    const figures = { ...correlations, interval: null, effectiveCount: null, pValue: null } as const
    return { figures: { kind: 'RATINGS', ...figures }, resampled, imageCount }
  }
  const counter = createKendallCounter(items)
  const resampled = resample((weights) => counter.tau(weights).tauC ?? Number.NaN, images, options)
  const defined = resampled.filter((value) => !Number.isNaN(value))
  const { interval, pValue } = studentEstimate(correlations.tauC, defined, imageCount - 1) ?? {
    interval: null,
    pValue: null,
  }
  const figures = {
    ...correlations,
    interval: interval && { lower: Math.max(-1, interval.lower), upper: Math.min(1, interval.upper) },
    pValue,
    effectiveCount: effectiveCount(counter.contributions(), images),
  }
  return { figures: { kind: 'RATINGS', ...figures }, resampled, imageCount }
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
  { seed, resamples = RESAMPLES, onProgress }: ResamplingOptions,
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
function effectiveCount(influences: Float64Array, images: CaptionImages): number | null {
  const center = mean(influences)
  const ratio = varianceRatio(
    influences.map((influence) => influence - center),
    images,
  )
  return ratio === null ? null : influences.length / ratio
}

/** The sum of squares of sums over images, over the sum of squares; null where all values are 0. */
function varianceRatio(values: Float64Array, { positions, count }: CaptionImages): number | null {
  const sums = new Float64Array(count)
  let squares = 0
  for (let item = 0; item < values.length; item++) {
    squares += values[item] ** 2
    sums[positions[item]] += values[item]
  }
  const clustered = sums.reduce((sum, value) => sum + value * value, 0)
  return clustered > 0 ? clustered / squares : null
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

function judgePreferences(
  preferences: Preferences,
  scores: Float64Array,
  options: ResamplingOptions,
): Judged {
  const { preferred, categories, categoryNames, images } = preferences
  const { wins, accuraciesOf } = countWins(preferences, scores)
  const accuracies = accuraciesOf(new Float64Array(wins.length).fill(1))
  const imagesOfPairs = imagesOfCaptions(images, preferred)
  const resampled = resample((weights) => mean(accuraciesOf(weights)), imagesOfPairs, options)
  const sizes = new Float64Array(categoryNames.length)
  for (const category of categories) sizes[category]++
  const weights = Float64Array.from(categories, (category) => 1 / sizes[category] / categoryNames.length)
  const { effect, freedom } = designEffect(wins, weights, accuracies, categories, imagesOfPairs)
  const certainty =
    wins.length === 0 || judgeSampleSize(images.count).undefinedReason !== null
      ? { interval: null, pValue: null }
      : certaintyOf(
          Array.from(accuracies, (accuracy, category) => ({ accuracy, trials: sizes[category] / effect })),
          freedom,
        )
  return {
    figures: {
      kind: 'PREFERENCES',
      accuracy: Object.fromEntries(categoryNames.map((name, category) => [name, accuracies[category]])),
      mean: categoryNames.length === 0 ? null : mean(accuracies),
      ...certainty,
      effectiveCount: wins.length === 0 ? null : wins.length / effect,
    },
    resampled,
    imageCount: images.count,
  }
}

/**
 * The interval of a mean of accuracies, and the score test of ½: neither needs the variance of the sample, which could be 0. Where
 * the design effect is estimated, both have Student's t: the interval by fewer trials (Korn and Graubard 1998).
 *
 * @param shares by category, with its effective number of pairs
 * @param freedom degrees of freedom of the design effect
 */
function certaintyOf(
  shares: readonly { readonly accuracy: number; readonly trials: number }[],
  freedom: number,
) {
  const share = mean(shares.map(({ accuracy }) => accuracy))
  const deviation = Math.sqrt(mean(shares.map(({ trials }) => 0.25 / trials)) / shares.length)
  const fewer = (studentQuantile(freedom) / studentQuantile(Number.POSITIVE_INFINITY)) ** 2
  const interval = meanShareInterval(
    shares.map(({ accuracy, trials }) => ({
      successes: (accuracy * trials) / fewer,
      trials: trials / fewer,
    })),
  )
  return { interval, pValue: studentPValue((share - 0.5) / deviation, freedom) }
}

/** Wins, or losses, up to which the largest design effect is taken: fewer do not tell how much pairs of an image depend. */
const FEW_OUTCOMES = 10

/**
 * By how much the variance of the mean accuracy is larger than that of independent pairs (Kish's design effect), at least 1: what
 * the pairs show, but the largest that is possible, with equal outcomes of all pairs of an image, where they show too little. What
 * they show has the degrees of freedom of the images; the largest is none that is estimated.
 */
function designEffect(
  wins: Float64Array,
  weights: Float64Array,
  accuracies: Float64Array,
  categories: Int32Array,
  images: CaptionImages,
): { readonly effect: number; readonly freedom: number } {
  const largest = varianceRatio(weights, images) ?? 1
  const won = wins.reduce((sum, win) => sum + win, 0)
  const count = new Set(images.positions).size
  if (count < 2 || count === wins.length || Math.min(won, wins.length - won) < FEW_OUTCOMES) {
    return { effect: largest, freedom: Number.POSITIVE_INFINITY }
  }
  const influences = wins.map((win, pair) => (win - accuracies[categories[pair]]) * weights[pair])
  const shown = ((varianceRatio(influences, images) ?? largest) * count) / (count - 1)
  return { effect: Math.min(largest, Math.max(1, shown)), freedom: count - 1 }
}
