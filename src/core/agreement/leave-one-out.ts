/**
 * Human agreement on captions: COCO Captions (Chen et al. 2015), section 4.1 and Table I. Each of K captions
 * of an image is held out in turn as the candidate, and is compared with others as a system's caption would be.
 */
import { AccordError } from '../../errors.js'
import type { Trial } from '../metrics/metric.js'
import type { ReferenceLists } from '../metrics/reference-lists.js'
import { requireReferences } from './weights.js'

/** The trials of the K folds, over the images that have K captions. */
interface LeaveOneOutTrials {
  /** Trial f: the f-th caption of every image is the candidate. */
  readonly trials: readonly Trial[]
  /** Positions, in the lists given, of the images of the trials. */
  readonly images: Int32Array
  /** How many images were left out for having fewer than K captions. */
  readonly excludedImageCount: number
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
  if (images.length === 0) throw noFolds(captionsPerImage)
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

/** That no image has K captions. */
export function noFolds(captionsPerImage: number): AccordError {
  return new AccordError('NOT_APPLICABLE', 'no image has enough captions to hold one out', {
    expected: `images with ${captionsPerImage} captions`,
    found: 'none',
  })
}

/** How human scores grow with the number of references, extrapolated beyond the number that was measured. */

/** A score with k references. */
interface ScoreWithReferences {
  readonly references: number
  readonly mean: number
}

/** A score with more references than were measured: not a measurement. */
export interface Extrapolation {
  readonly references: number
  readonly value: number
  readonly method: typeof EXTRAPOLATION_METHOD
  /** By how much the same method, without the last point, misses the score of that point. */
  readonly error: number
}

/** Each further reference adds less than the one before: scores grow about as the logarithm of their number. */
export const EXTRAPOLATION_METHOD = 'line through the last two points, over ln k'

/** Two for the line and one to see how far it is off. */
const MIN_POINTS = 3

/**
 * Extrapolates scores with 1, 2 … references to another number of references. The next one or two are a fair guess, 40 are
 * not: a score is bounded, ln k is not.
 *
 * @param points by number of references, ascending
 * @returns null for fewer than 3 points
 */
export function extrapolate(
  points: readonly ScoreWithReferences[],
  references: number,
): Extrapolation | null {
  if (points.length < MIN_POINTS) return null
  const [before, previous, last] = points.slice(-MIN_POINTS)
  return {
    references,
    value: continueLine(previous, last, references),
    method: EXTRAPOLATION_METHOD,
    error: Math.abs(continueLine(before, previous, last.references) - last.mean),
  }
}

function continueLine(first: ScoreWithReferences, second: ScoreWithReferences, references: number): number {
  const slope = (second.mean - first.mean) / Math.log(second.references / first.references)
  return second.mean + slope * Math.log(references / second.references)
}
