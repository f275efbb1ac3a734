/**
 * How well scores agree with human judgements: correlation with ratings, accuracy on preferences (Sharif et al. 2018,
 * section 5; Vedantam et al. 2015 for preferences), with intervals and tests over captions.
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
import type { Judgements } from './judgement.js'

/** The agreement of one metric with people. */
export interface Judged {
  readonly figures: RatingFigures | PreferenceFigures
  /** τ-c, or the mean accuracy, on each resample of captions or of preferences; NaN where τ is undefined. */
  readonly resampled: Float64Array
}

export interface RatingFigures extends Correlations {
  readonly kind: 'RATINGS'
  /** Percentile 95 % interval of τ-c. */
  readonly interval: Interval | null
  /**
   * Two-sided, of the hypothesis that scores and ratings are unrelated: the share (b + 1) / (B + 1) of τ-c at least as
   * large as the observed one, in absolute value, after scores were exchanged between captions at random.
   */
  readonly pValue: number | null
}

export interface PreferenceFigures {
  readonly kind: 'PREFERENCES'
  /** Percentile 95 % interval of the mean. */
  readonly interval: Interval | null
  /** By category: the share of pairs in which the preferred caption has the higher score; a tie counts one half. */
  readonly accuracy: Readonly<Record<string, number>>
  /** Of the categories. */
  readonly mean: number
}

/**
 * Judges the scores of captions. Equal seeds draw the same captions, so that metrics can be compared pairwise.
 *
 * @param scores one per judged caption, higher for better; NaN where a score is undefined: the caption is left out of
 *   correlations, and its preferences tie
 */
export function judgeScores(judgements: Judgements, scores: Float64Array, options: SwapOptions): Judged {
  if (judgements.kind === 'PREFERENCES') return judgePreferences(judgements, scores, options)
  const captions = Int32Array.from(scores, (_, caption) => caption).filter(
    (caption) => !Number.isNaN(scores[caption]),
  )
  return judgeRatings(selectItems({ ...judgements, scores }, captions), captions, scores.length, options)
}

/**
 * The raters' row: each rating of a caption as its score, compared with the other ratings of the caption.
 *
 * @returns null where no caption has two ratings
 */
export function judgeRaters(
  { ratings, offsets }: Pick<RatedItems, 'ratings' | 'offsets'>,
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
  return judgeRatings(items, Int32Array.from(captions), offsets.length - 1, options)
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

/** The figure that intervals and comparisons are of: τ-c, or the mean accuracy. */
function mainFigure(figures: Judged['figures']): number | null {
  return figures.kind === 'RATINGS' ? figures.tauC : figures.mean
}

/** Resamples between two reports of progress. */
const PROGRESS_STEP = 50

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

/**
 * @param captions the caption of each item, ascending
 * @param captionCount the number of captions that resamples are drawn from
 */
function judgeRatings(
  items: RatedItems,
  captions: Int32Array,
  captionCount: number,
  { seed, resamples = RESAMPLES, onProgress }: SwapOptions,
): Judged {
  const correlations = correlate(items)
  const undefinedFigures = { interval: null, pValue: null }
  const resampled = new Float64Array(resamples).fill(Number.NaN)
  const { tauC } = correlations
  if (tauC === null) {
    return { figures: { kind: 'RATINGS', ...correlations, ...undefinedFigures }, resampled }
  }
  const counter = createKendallCounter(items)
  const draws = new Float64Array(captionCount)
  const weights = new Float64Array(captions.length)
  const random = createRandom(seed)
  for (let index = 0; index < resamples; index++) {
    if (index % PROGRESS_STEP === 0) onProgress?.(index / resamples / 2)
    draws.fill(0)
    for (let draw = 0; draw < captionCount; draw++) draws[random.below(captionCount)]++
    for (let item = 0; item < weights.length; item++) weights[item] = draws[captions[item]]
    resampled[index] = counter.tau(weights).tauC ?? Number.NaN
  }
  let atLeastAsLarge = 0
  for (let index = 0; index < resamples; index++) {
    if (index % PROGRESS_STEP === 0) onProgress?.((1 + index / resamples) / 2)
    if (Math.abs(counter.shuffledTau(random).tauC as number) >= Math.abs(tauC) - ROUNDING) atLeastAsLarge++
  }
  onProgress?.(1)
  const pValue = (atLeastAsLarge + 1) / (resamples + 1)
  const figures = { kind: 'RATINGS', ...correlations, interval: intervalOf(resampled), pValue } as const
  return { figures, resampled }
}

/** Equal τ, computed in another order, differ by less than this. */
const ROUNDING = 1e-12

function judgePreferences(
  judgements: Judgements & { readonly kind: 'PREFERENCES' },
  scores: Float64Array,
  { seed, resamples = RESAMPLES, onProgress }: SwapOptions,
): Judged {
  const { preferred, other, categories, categoryNames } = judgements
  const wins = Float64Array.from(preferred, (caption, pair) =>
    scores[caption] > scores[other[pair]] ? 1 : scores[caption] < scores[other[pair]] ? 0 : 0.5,
  )
  const groups = categoryNames.map((_, category) =>
    wins.filter((_win, pair) => categories[pair] === category),
  )
  const accuracies = groups.map((group) => mean(group))
  const random = createRandom(seed)
  const resampled = new Float64Array(resamples)
  for (let index = 0; index < resamples; index++) {
    if (index % PROGRESS_STEP === 0) onProgress?.(index / resamples)
    resampled[index] = mean(groups.map((group) => resampledMean(group, random)))
  }
  onProgress?.(1)
  return {
    figures: {
      kind: 'PREFERENCES',
      accuracy: Object.fromEntries(categoryNames.map((name, category) => [name, accuracies[category]])),
      mean: mean(accuracies),
      interval: intervalOf(resampled),
    },
    resampled,
  }
}

/** The mean of as many values as there are, drawn with replacement: categories do not change their size. */
function resampledMean(values: Float64Array, random: Random): number {
  let sum = 0
  for (let draw = 0; draw < values.length; draw++) sum += values[random.below(values.length)]
  return sum / values.length
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
