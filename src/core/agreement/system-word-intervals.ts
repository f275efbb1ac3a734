import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { FEW_WORD_IMAGES, type Interval } from '../stats/interval.js'
import {
  DIFFERENCE_LOGIT,
  estimate,
  estimateDifference,
  type ImageGroups,
  LOGIT,
  type Replicates,
  restoreInterval,
  subtract,
} from '../stats/jackknife.js'
import {
  histogramOf,
  histogramOfPredicted,
  type PlacedScores,
  type WordImages,
  type WordReplicator,
} from './word-replicates.js'
import { captioningWordIntervals } from './words.js'

/** A figure of a system on one word with its uncertainty. */
interface WordEstimate {
  /** 0..1; a gap −1..1. Null if undefined. */
  readonly value: number | null
  /** 95 % interval. Null with `undefinedReason`. */
  readonly interval: Interval | null
  readonly undefinedReason: UndefinedReason | null
}

/** The figures of a system on one word: of word scores the first two, of captions the next two. */
export interface SystemWordEstimates {
  readonly precisionAtHumanRecall?: WordEstimate
  readonly averagePrecision?: WordEstimate
  readonly precision?: WordEstimate
  readonly recall?: WordEstimate
  /** PHR, or precision of captions, minus human precision. */
  readonly gapToPeople: WordEstimate
}

/** The images of the statistics in random groups, with the K captions of each. */
export interface WordSample {
  readonly replicator: WordReplicator
  readonly groups: ImageGroups
  readonly imageCount: number
  /** K. */
  readonly captionsPerImage: number
  /** k. */
  readonly references: number
}

/**
 * PHR and average precision of a system with word scores, with intervals by the jackknife over groups of images on the
 * logit scale. Their degrees of freedom are a quarter of the images that use the word, or of those that do not if these
 * are fewer: the images near the threshold decide. bench/SIMULATION.md has the coverage.
 */
export function scoredWordEstimates(
  { replicator, groups, imageCount }: WordSample,
  word: WordImages,
  scores: PlacedScores,
): SystemWordEstimates {
  const ranking = replicator.ranking(word, scores)
  const human = replicator.human(word)
  const limits = limitsOf(word, imageCount)
  return {
    precisionAtHumanRecall: shareEstimate(ranking.precisionAtHumanRecall, groups, limits),
    averagePrecision: shareEstimate(ranking.averagePrecision, groups, limits),
    gapToPeople: gapEstimate(subtract(ranking.precisionAtHumanRecall, human.precision), groups, limits),
  }
}

/**
 * Precision and recall of a captioning system with the intervals of {@link captioningWordIntervals}, which hold for rare
 * words too, and its gap to people with that of {@link scoredWordEstimates}.
 *
 * @param predicted positions of the images whose caption by the system contains the word
 */
export function captionedWordEstimates(
  { replicator, groups, imageCount, captionsPerImage, references }: WordSample,
  word: WordImages,
  predicted: readonly number[],
): SystemWordEstimates {
  const own = replicator.captioning(word, predicted)
  const human = replicator.human(word)
  const system = histogramOfPredicted(word, predicted, captionsPerImage)
  const all = histogramOf(word, imageCount, captionsPerImage)
  const { precisionInterval, recallInterval } = captioningWordIntervals(system, all, references)
  const limits = limitsOf(word, imageCount, predicted.length)
  return {
    precision: toEstimate(own.precision[0], precisionInterval, null),
    recall: toEstimate(own.recall[0], recallInterval, null),
    gapToPeople: gapEstimate(subtract(own.precision, human.precision), groups, limits),
  }
}

/** What the jackknife of one word can do. */
export interface WordLimits {
  /** Degrees of freedom: a quarter of the images that decide. */
  readonly freedom: number
  /** Why there is no interval; null where there is one. */
  readonly reason: UndefinedReason | null
}

/** The limits of a difference of two figures on one word: those of the figure with fewer images. */
export function tighterLimits(one: WordLimits, other: WordLimits): WordLimits {
  return one.freedom <= other.freedom ? one : other
}

/** @param predicted number of images whose caption by the system contains the word; default: all */
export function limitsOf({ images }: WordImages, imageCount: number, predicted = imageCount): WordLimits {
  const used = images.length
  const unused = imageCount - used
  const reason =
    used < FEW_WORD_IMAGES
      ? 'RARE_WORD'
      : unused < FEW_WORD_IMAGES
        ? 'COMMON_WORD'
        : predicted < FEW_WORD_IMAGES
          ? 'RARELY_PREDICTED'
          : null
  return { freedom: Math.min(used, unused, predicted) / 4, reason }
}

function shareEstimate(
  replicates: Replicates,
  groups: ImageGroups,
  { freedom, reason }: WordLimits,
): WordEstimate {
  // Sums of rounded terms can exceed 1 in a replicate.
  const shares = replicates.map((value) => Math.min(1, value))
  const found = reason === null ? estimate(shares, groups, LOGIT, freedom) : null
  return toEstimate(shares[0], found?.interval ?? null, reason)
}

function gapEstimate(
  replicates: Replicates,
  groups: ImageGroups,
  { freedom, reason }: WordLimits,
): WordEstimate {
  const scaled = replicates.map(DIFFERENCE_LOGIT.transform)
  const interval = reason === null ? (estimateDifference(scaled, groups, freedom)?.interval ?? null) : null
  const gap = replicates[0]
  return toEstimate(gap, interval && restoreInterval(gap, interval, DIFFERENCE_LOGIT), reason)
}

function toEstimate(value: number, interval: Interval | null, reason: UndefinedReason | null): WordEstimate {
  if (Number.isNaN(value)) return { value: null, interval: null, undefinedReason: 'UNDEFINED_FIGURE' }
  return { value, interval, undefinedReason: reason ?? (interval === null ? 'NO_VARIATION' : null) }
}
