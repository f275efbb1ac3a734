/**
 * Human agreement on captions: COCO Captions (Chen et al. 2015), section 4.1 and Table I. Each of K captions
 * of an image is held out in turn as the candidate, and is compared with others as a system's caption would be.
 */
import { AccordError } from '../../errors.js'
import {
  type MeasureProgress,
  type Metric,
  type MetricFamily,
  scoreCorpus,
  scoreImages,
  type Trial,
  undefinedScoreWarnings,
} from '../metrics/metric.js'
import type { ReferenceLists } from '../metrics/reference-lists.js'
import type { Interval } from '../stats/interval.js'
import { scoreEstimates } from '../stats/jackknife.js'
import type { Measurement } from '../stats/measurement.js'
import { requireReferences } from './references.js'

/** The trials of the K folds, over the images that have K captions. */
export interface LeaveOneOutTrials {
  /** Trial f: the f-th caption of every image is the candidate. */
  readonly trials: readonly Trial[]
  /** Positions, in the lists given, of the images of the trials. */
  readonly images: Int32Array
  /** How many images were left out for having fewer than K captions. */
  readonly excludedImageCount: number
}

export interface AgreementScore {
  readonly family: MetricFamily
  readonly metric: Metric
  /** The corpus score of each fold. */
  readonly folds: readonly number[]
  readonly mean: number
  /** Sample standard deviation of the folds' scores (divisor K − 1). */
  readonly standardDeviation: number
  /** 95 % interval of the mean over folds, by the jackknife over images. Null for too few images. */
  readonly interval: Interval | null
  /** Per fold the score of every image, aligned to the table's images. */
  readonly imageScores: readonly Float64Array[]
  /** Reasons to read the score with care, as sentences to show beside it. */
  readonly warnings: readonly string[]
}

export interface LeaveOneOutTable {
  /** Captions that each held-out caption was compared with. */
  readonly references: number
  readonly folds: number
  /** Positions, in the lists given, of the images with K captions. */
  readonly images: Int32Array
  readonly excludedImageCount: number
  readonly scores: readonly AgreementScore[]
}

/** Human scores that COCO Captions publishes in Table I, on its 5 and 40 references per image. */
export const PUBLISHED_AGREEMENT: ReadonlyMap<string, { readonly c5: number; readonly c40: number }> =
  new Map([
    ['BLEU-1', { c5: 0.663, c40: 0.88 }],
    ['BLEU-2', { c5: 0.469, c40: 0.744 }],
    ['BLEU-3', { c5: 0.321, c40: 0.603 }],
    ['BLEU-4', { c5: 0.217, c40: 0.471 }],
    ['METEOR', { c5: 0.252, c40: 0.335 }],
    ['ROUGE-L', { c5: 0.484, c40: 0.626 }],
    ['CIDEr-D', { c5: 0.854, c40: 0.91 }],
  ])

/** The table, from the statistics of its folds. */
export function summarizeFolds(
  { trials, images, excludedImageCount }: LeaveOneOutTrials,
  references: number,
  measurements: readonly Measurement<MetricFamily>[],
  onProgress?: MeasureProgress,
): LeaveOneOutTable {
  const scores = measurements.flatMap((measurement, index) => {
    onProgress?.(index / measurements.length)
    return summarize(measurement, measurement.family.warnings?.(trials[0]) ?? [])
  })
  onProgress?.(1)
  return {
    references,
    folds: trials.length,
    images,
    excludedImageCount,
    scores,
  }
}

/**
 * The folds: caption f of each image against the k captions that follow it, cyclically among the image's
 * first K (all others for k = K − 1), listed in the image's order. Images with fewer than K captions are left out.
 *
 * @param captions per image, the positions of all its captions in the corpus, in order of annotation id
 */
export function leaveOneOutTrials(
  captions: ReferenceLists,
  captionsPerImage: number,
  references: number,
): LeaveOneOutTrials {
  requireReferences(captionsPerImage, references)
  const { referenceOffsets: offsets } = captions
  const all = Int32Array.from({ length: offsets.length - 1 }, (_, image) => image)
  const images = all.filter((image) => offsets[image + 1] - offsets[image] >= captionsPerImage)
  if (images.length === 0) {
    throw new AccordError('NOT_APPLICABLE', 'no image has enough captions to hold one out', {
      expected: `images with ${captionsPerImage} captions`,
      found: 'none',
    })
  }
  const referenceOffsets = Int32Array.from({ length: images.length + 1 }, (_, image) => image * references)
  const caption = (image: number, index: number) => captions.references[offsets[image] + index]
  const trials = Array.from({ length: captionsPerImage }, (_, fold) => {
    // In the order of the image's captions, as the toolkit has them: of equally good references METEOR takes the first.
    const next = Int32Array.from({ length: references }, (_, i) => (fold + 1 + i) % captionsPerImage).sort()
    return {
      candidates: images.map((image) => caption(image, fold)),
      references: Int32Array.from({ length: images.length * references }, (_, i) =>
        caption(images[Math.floor(i / references)], next[i % references]),
      ),
      referenceOffsets,
    }
  })
  return { trials, images, excludedImageCount: all.length - images.length }
}

function summarize(measurement: Measurement<MetricFamily>, warnings: readonly string[]): AgreementScore[] {
  const { family, trials } = measurement
  const estimates = scoreEstimates(measurement)
  const foldScores = trials.map((statistics) => scoreCorpus(family, statistics))
  const imageScores = trials.map((statistics) => scoreImages(family, statistics))
  const scores = family.metrics.map((metric, index) => {
    const folds = foldScores.map((scores) => scores[index])
    const mean = folds.reduce((sum, score) => sum + score, 0) / folds.length
    const squares = folds.reduce((sum, score) => sum + (score - mean) ** 2, 0)
    return {
      family,
      metric,
      folds,
      mean,
      standardDeviation: Math.sqrt(squares / (folds.length - 1)),
      interval: estimates[index]?.interval ?? null,
      imageScores: imageScores.map((scores) => scores[index]),
    }
  })
  const undefinedScores = scores.filter(({ mean }) => Number.isNaN(mean))
  const allWarnings = [...warnings, ...undefinedScoreWarnings(undefinedScores)]
  return scores
    .filter(({ mean }) => !Number.isNaN(mean))
    .map((score) => ({ ...score, warnings: allWarnings }))
}
