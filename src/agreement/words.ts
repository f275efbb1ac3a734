import type { BootstrapOptions, Interval } from '../stats/bootstrap.js'
import { histogramIntervals } from '../stats/histogram-bootstrap.js'
import type { UndefinedReason } from './undefined-reason.js'
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
 * 95 % confidence intervals of {@link humanWordAgreement} by bootstrap over images. Resampling N images is
 * equivalent to a multinomial draw of N over the K + 1 cells of the histogram, so the time does not depend on
 * N. Resamples in which no image has the word are ignored.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function humanWordIntervals(
  histogram: ArrayLike<number>,
  references: number,
  options: Omit<BootstrapOptions, 'onProgress'> = { seed: 1 },
): WordIntervals {
  const weights = heldOutWeights(histogram.length - 1, references)
  const [precisionInterval, recallInterval] = histogramIntervals(
    histogram,
    [
      (resampled) => precision(dot(weights.truePositive, resampled), dot(weights.falsePositive, resampled)),
      (resampled) => recall(dot(weights.truePositive, resampled), dot(weights.positive, resampled)),
    ],
    options,
  )
  return { precisionInterval, recallInterval }
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
