/**
 * How often a captioning system uses a word, beside people: the rate of its captions with the word over the rate of people's
 * captions of the same images. COCO Captions (Chen et al. 2015), section 4.2, has words by precision and recall, which do
 * not tell a word that is used too often from one that is used in the wrong images.
 *
 * The interval of the ratio is made of those of the two rates (method of variance estimates recovery: Donner and Zou 2012,
 * "Closed-form confidence intervals for functions of the normal mean and standard deviation", Statistical Methods in Medical
 * Research 21), which are mid-P intervals of shares. Images are the units: captions of people that share an image count as
 * fewer, and the correlation of both sides over images is taken into account. bench/SIMULATION.md has the coverage.
 */

import { FEW_WORD_IMAGES } from '../stats/interval.js'
import { shareInterval, TAIL } from '../stats/proportion.js'
import type { WordImages } from './word-replicates.js'

/** A system uses the word more often than people, or less often; by the interval. */
export const WORD_USES = ['OVERUSED', 'UNDERUSED'] as const

export type WordUse = (typeof WORD_USES)[number]

/** The interval of a ratio. */
export interface RatioInterval {
  /** 0 or more. */
  readonly lower: number
  /** Null where the ratio has no upper limit, since people hardly use the word. */
  readonly upper: number | null
}

/** Uses of a word in the same images. */
export interface WordUsage {
  /** Number of images. */
  readonly images: number
  /** Number of captions of the system that use the word, one of each image: 0..images. */
  readonly captionCount: number
  /** Number of captions of people that use it: 0..images · K. */
  readonly humanCaptionCount: number
  /** Number of images in which the system or a person uses it. */
  readonly usedImages: number
  /** Sum over images of the squared number of captions of people that use it. */
  readonly humanSquares: number
  /** Number of captions of people that use it in the images in which the system does. */
  readonly sharedCount: number
}

/** How often a system uses a word, beside people. */
export interface WordRate {
  readonly captionCount: number
  readonly humanCaptionCount: number
  /** Share of the captions of the system, 0..1. */
  readonly rate: number
  /** Share of the captions of people, 0..1. */
  readonly humanRate: number
  /** `rate` over `humanRate`. Null if people do not use the word. */
  readonly ratio: number | null
  readonly interval: RatioInterval
  /** Null if the interval contains 1. */
  readonly use: WordUse | null
}

/**
 * @param word where people use the word, and in how many of their first K captions
 * @param predicted positions of the images whose caption by the system contains it
 * @param images number of images, each with a caption of the system and K of people
 */
export function wordUsage(word: WordImages, predicted: readonly number[], images: number): WordUsage {
  const ofSystem = new Set(predicted)
  let [humanCaptionCount, humanSquares, sharedCount, sharedImages] = [0, 0, 0, 0]
  for (let i = 0; i < word.images.length; i++) {
    const count = word.counts[i]
    humanCaptionCount += count
    humanSquares += count ** 2
    if (!ofSystem.has(word.images[i])) continue
    sharedCount += count
    sharedImages++
  }
  const usedImages = word.images.length + ofSystem.size - sharedImages
  return { images, captionCount: ofSystem.size, humanCaptionCount, usedImages, humanSquares, sharedCount }
}

/**
 * The rates of all words that the system or people use in {@link FEW_WORD_IMAGES} images or more; null for the others. The
 * intervals hold for all these words together, with a probability of 95 % (Bonferroni).
 *
 * @param captionsPerImage K
 */
export function wordRates(usages: readonly WordUsage[], captionsPerImage: number): (WordRate | null)[] {
  const isTested = ({ usedImages }: WordUsage) => usedImages >= FEW_WORD_IMAGES
  const beyond = TAIL / usages.filter(isTested).length
  return usages.map((usage) => (isTested(usage) ? wordRate(usage, captionsPerImage, beyond) : null))
}

/** @param beyond probability beyond each end of the interval */
export function wordRate(usage: WordUsage, captionsPerImage: number, beyond = TAIL): WordRate {
  const { images, captionCount, humanCaptionCount } = usage
  const [rate, humanRate] = [captionCount / images, humanCaptionCount / (images * captionsPerImage)]
  const interval = ratioInterval(usage, captionsPerImage, beyond)
  return {
    captionCount,
    humanCaptionCount,
    rate,
    humanRate,
    ratio: humanRate === 0 ? null : rate / humanRate,
    interval,
    use: useOf(interval),
  }
}

function useOf({ lower, upper }: RatioInterval): WordUse | null {
  if (lower > 1) return 'OVERUSED'
  return upper !== null && upper < 1 ? 'UNDERUSED' : null
}

function ratioInterval(usage: WordUsage, captionsPerImage: number, beyond: number): RatioInterval {
  const { images, captionCount, humanCaptionCount } = usage
  const captions = images * captionsPerImage
  const effect = designEffect(usage, captionsPerImage)
  const [own, people] = [captionCount / images, humanCaptionCount / captions]
  const ofSystem = shareInterval(captionCount, images, beyond)
  const ofPeople = shareInterval(humanCaptionCount / effect, captions / effect, beyond)
  const correlation = correlationOf(usage)
  /** The ratio r at which a limit of `own` − r · `people`, from an end of each, is 0. */
  const limit = (end: number, other: number, isLower: boolean) => {
    const square = other * (2 * people - other)
    const middle = own * people - correlation * (end - own) * (people - other)
    const constant = end * (2 * own - end)
    const root = Math.sqrt(Math.max(0, middle ** 2 - square * constant))
    return isLower ? constant / (middle + root) : (middle + root) / square
  }
  return {
    lower: ofSystem.lower === 0 ? 0 : limit(ofSystem.lower, ofPeople.upper, true),
    upper: ofPeople.lower === 0 ? null : limit(ofSystem.upper, ofPeople.lower, false),
  }
}

/** How many captions of people count as one, since those of one image depend on each other: 1..K. */
function designEffect(
  { images, humanCaptionCount, humanSquares }: WordUsage,
  captionsPerImage: number,
): number {
  const share = humanCaptionCount / (images * captionsPerImage)
  const independent = captionsPerImage * share * (1 - share)
  if (independent === 0) return 1
  const variance = (humanSquares - humanCaptionCount ** 2 / images) / (images - 1)
  return Math.min(captionsPerImage, Math.max(1, variance / independent))
}

/** Of the uses by the system and the number of uses by people, over images; 0 where one of them does not vary. */
function correlationOf({
  images,
  captionCount,
  humanCaptionCount,
  humanSquares,
  sharedCount,
}: WordUsage): number {
  const own = captionCount - captionCount ** 2 / images
  const people = humanSquares - humanCaptionCount ** 2 / images
  if (own <= 0 || people <= 0) return 0
  return (sharedCount - (captionCount * humanCaptionCount) / images) / Math.sqrt(own * people)
}
