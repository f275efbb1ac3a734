import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { FEW_WORD_IMAGES, type Interval } from '../stats/interval.js'
import { profileInterval } from '../stats/multinomial-profile.js'
import { type AgreementWeights, heldOutWeights, predictionWeights } from './weights.js'

/**
 * Agreement on one word. The counts are expectations over the choice of references, summed over images.
 * Precision or recall is null if its denominator is 0, with the reason in `undefinedReason` (the reason for
 * recall if both are null).
 */
export interface WordAgreement {
  readonly references: number
  readonly truePositives: number
  readonly falsePositives: number
  readonly positives: number
  /** truePositives / (truePositives + falsePositives), 0..1. */
  readonly precision: number | null
  /** truePositives / positives, 0..1. */
  readonly recall: number | null
  readonly undefinedReason: UndefinedReason | null
}

/** 95 % confidence intervals of a word's precision and recall. Null if the value itself is null. */
export interface WordIntervals {
  readonly precisionInterval: Interval | null
  readonly recallInterval: Interval | null
}

/**
 * Human precision and human recall of a word (Chen et al. 2015, Microsoft COCO Captions, section 4.2): each of
 * the K captions of an image in turn is held out as the prediction and compared with every choice of
 * `references` of the other captions. Computed in closed form.
 *
 * @param histogram h_0 … h_K, where h_c is the number of images in which exactly c of the K captions contain the
 *   word
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function humanWordAgreement(histogram: ArrayLike<number>, references: number): WordAgreement {
  return agreement(heldOutWeights(histogram.length - 1, references), histogram, histogram, references)
}

/**
 * Precision and recall of a captioning system for a word. The word is predicted for an image if the system's
 * caption contains it, and compared with every choice of `references` of the K human captions.
 *
 * @param systemHistogram s_0 … s_K, where s_c is the number of images in which the system's caption and exactly c
 *   of the K human captions contain the word
 * @param histogram h_0 … h_K over all images, h_c ≥ s_c
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function captioningWordAgreement(
  systemHistogram: ArrayLike<number>,
  histogram: ArrayLike<number>,
  references: number,
): WordAgreement {
  return agreement(
    predictionWeights(histogram.length - 1, references),
    systemHistogram,
    histogram,
    references,
  )
}

/**
 * 95 % confidence intervals of {@link humanWordAgreement}: profile likelihood of the histogram. Images without the
 * word have no influence. One image with the word leaves most of the range from 0 to 1 possible.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function humanWordIntervals(histogram: ArrayLike<number>, references: number): WordIntervals {
  const weights = heldOutWeights(histogram.length - 1, references)
  return {
    precisionInterval: profileInterval(histogram, weights.truePositive, predictions(weights)),
    recallInterval: profileInterval(histogram, weights.truePositive, weights.positive),
  }
}

/**
 * 95 % confidence intervals of {@link captioningWordAgreement}, from its histograms, by profile likelihood.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function captioningWordIntervals(
  systemHistogram: ArrayLike<number>,
  histogram: ArrayLike<number>,
  references: number,
): WordIntervals {
  const weights = predictionWeights(histogram.length - 1, references)
  // Images by whether the system's caption has the word.
  const found = Array.from(systemHistogram)
  const missed = Array.from(histogram, (images, count) => images - systemHistogram[count])
  return {
    precisionInterval: profileInterval(systemHistogram, weights.truePositive, predictions(weights)),
    recallInterval: profileInterval(
      [...found, ...missed],
      [...weights.truePositive, ...missed.map(() => 0)],
      [...weights.positive, ...weights.positive],
    ),
  }
}

/** Whether a word is used in so few images that its figures say little: fewer than {@link FEW_WORD_IMAGES}. */
export function isRareWord(histogram: ArrayLike<number>): boolean {
  let images = 0
  for (let count = 1; count < histogram.length; count++) images += histogram[count]
  return images < FEW_WORD_IMAGES
}

/** Expected predictions of an image, right or wrong. */
function predictions({ truePositive, falsePositive }: AgreementWeights): Float64Array {
  return truePositive.map((weight, count) => weight + falsePositive[count])
}

function agreement(
  weights: AgreementWeights,
  predicted: ArrayLike<number>,
  histogram: ArrayLike<number>,
  references: number,
): WordAgreement {
  const truePositives = dot(weights.truePositive, predicted)
  const falsePositives = dot(weights.falsePositive, predicted)
  const positives = dot(weights.positive, histogram)
  return {
    references,
    truePositives,
    falsePositives,
    positives,
    precision: precision(truePositives, falsePositives),
    recall: recall(truePositives, positives),
    undefinedReason:
      positives === 0
        ? 'NO_CAPTION_USES_WORD'
        : truePositives + falsePositives === 0
          ? 'NEVER_PREDICTED'
          : null,
  }
}

function precision(truePositives: number, falsePositives: number): number | null {
  const predictions = truePositives + falsePositives
  return predictions === 0 ? null : truePositives / predictions
}

function recall(truePositives: number, positives: number): number | null {
  return positives === 0 ? null : truePositives / positives
}

function dot(weights: Float64Array, histogram: ArrayLike<number>): number {
  let sum = 0
  for (let count = 0; count < weights.length; count++) sum += weights[count] * histogram[count]
  return sum
}

/** A mean over the values that are defined. */
export interface DefinedMean {
  /** Null if no value is defined. */
  readonly mean: number | null
  /** Number of defined values. */
  readonly defined: number
  /** Number of all values. */
  readonly total: number
}

/** The mean of the values that are not null, with counts. */
export function definedMean(values: Iterable<number | null>): DefinedMean {
  let sum = 0
  let defined = 0
  let total = 0
  for (const value of values) {
    total++
    if (value === null) continue
    sum += value
    defined++
  }
  return { mean: defined === 0 ? null : sum / defined, defined, total }
}

/** {@link definedMean} of each group of items. Groups are in the order of their first item. */
export function definedMeanByGroup<Item, Group>(
  items: Iterable<Item>,
  groupOf: (item: Item) => Group,
  getValue: (item: Item) => number | null,
): Map<Group, DefinedMean> {
  const valuesByGroup = new Map<Group, (number | null)[]>()
  for (const item of items) {
    const group = groupOf(item)
    const values = valuesByGroup.get(group)
    if (values) values.push(getValue(item))
    else valuesByGroup.set(group, [getValue(item)])
  }
  return new Map(Array.from(valuesByGroup, ([group, values]) => [group, definedMean(values)]))
}
