import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { type Interval, judgeSampleSize } from '../stats/interval.js'
import { scoreEstimates } from '../stats/jackknife.js'
import type { Scorer } from '../stats/measurement.js'
import type { BoxedImage, Description } from './scenes.js'

/**
 * The content selection metric (Wang & Gaizauskas 2015, "Generating Image Descriptions with Gold Standard
 * Visual Inputs", section 3.1). G_m is the set of boxes that human description m of an image mentions, S the set
 * of boxes that a system selects:
 *
 *     P = mean over m of |G_m ∩ S| / |S|     R = mean over m of |G_m ∩ S| / |G_m|     F = 2PR / (P + R)
 *
 * All three are in 0..1, higher is better. F is 0 if P + R is 0; all three are 0 if S is empty. A corpus score is
 * the mean over images, reported with the population standard deviation. Descriptions that mention no box are
 * excluded, because recall against them is undefined.
 */

/** The human descriptions of one image that mention boxes, as sets of box ids. At least one description. */
interface ImageReferences {
  readonly imageId: string
  readonly namedBoxes: readonly ReadonlySet<string>[]
}

/** The human descriptions that selections are scored against. */
export interface SelectionReferences {
  readonly images: readonly ImageReferences[]
  /** Number of excluded descriptions: those that mention no box. */
  readonly descriptionsWithoutMentions: number
  /** Number of excluded images: those without a description that mentions a box. */
  readonly imagesWithoutReferences: number
}

/** Scores per image: row `i` of `values`, {@link SCORE_WIDTH} numbers, holds the scores of `imageIds[i]`. */
export interface SelectionScores {
  readonly imageIds: readonly string[]
  /** Row-major: precision, recall, F. A corpus score is the mean of a column. */
  readonly values: Float64Array
  /** Number of images with references that were not scored because the system did not describe them. */
  readonly imagesLeftOut: number
}

/** Numbers per image in {@link SelectionScores}: precision, recall, F. */
export const SCORE_WIDTH = 3

/** Mean and population standard deviation over images. All null if there are no images. */
export interface SelectionSummary {
  readonly images: number
  readonly precision: number | null
  readonly recall: number | null
  readonly f: number | null
  readonly precisionSd: number | null
  readonly recallSd: number | null
  readonly fSd: number | null
  readonly undefinedReason: UndefinedReason | null
}

/**
 * Collects the human descriptions of each image, in the order of `images`. Descriptions of other images (for
 * example of another split) are ignored.
 */
export function collectReferences(
  images: readonly BoxedImage[],
  descriptions: readonly Description[],
): SelectionReferences {
  const namedBoxes = new Map<string, Set<string>[]>(images.map(({ imageId }) => [imageId, []]))
  let descriptionsWithoutMentions = 0
  for (const { imageId, mentions } of descriptions) {
    const ofImage = namedBoxes.get(imageId)
    if (ofImage === undefined) continue
    if (mentions.length === 0) descriptionsWithoutMentions++
    else ofImage.push(new Set(mentions))
  }
  const collected = [...namedBoxes].map(([imageId, ofImage]) => ({ imageId, namedBoxes: ofImage }))
  const scorable = collected.filter((image) => image.namedBoxes.length > 0)
  return {
    images: scorable,
    descriptionsWithoutMentions,
    imagesWithoutReferences: collected.length - scorable.length,
  }
}

/**
 * Scores the boxes that a system selects, by image id. Repeated boxes count once. Images without an entry in
 * `selections` are excluded and counted; images with an empty selection score 0.
 */
export function scoreSelections(
  references: SelectionReferences,
  selections: ReadonlyMap<string, readonly string[]>,
): SelectionScores {
  const images = references.images.filter(({ imageId }) => selections.has(imageId))
  const values = new Float64Array(images.length * SCORE_WIDTH)
  images.forEach(({ imageId, namedBoxes }, row) => {
    const selected = new Set(selections.get(imageId))
    const hits = namedBoxes.map((named) => countShared(named, selected))
    writeScores(namedBoxes, hits, selected.size, values, row * SCORE_WIDTH)
  })
  return {
    imageIds: images.map(({ imageId }) => imageId),
    values,
    imagesLeftOut: references.images.length - images.length,
  }
}

/**
 * Scores the first k boxes of a ranking per image id, for k = 1..`maxK`. Entry k − 1 of the result equals
 * {@link scoreSelections} for the first min(k, length) boxes. A ranking contains no box twice. R does not
 * decrease with k. P does not increase with k if boxes are ranked by the number of descriptions that mention
 * them; for other rankings it can increase.
 */
export function scoreOrders(
  references: SelectionReferences,
  orders: ReadonlyMap<string, readonly string[]>,
  maxK: number,
): SelectionScores[] {
  const images = references.images.filter(({ imageId }) => orders.has(imageId))
  const imageIds = images.map(({ imageId }) => imageId)
  const imagesLeftOut = references.images.length - images.length
  const curve = Array.from({ length: maxK }, () => ({
    imageIds,
    values: new Float64Array(images.length * SCORE_WIDTH),
    imagesLeftOut,
  }))
  images.forEach(({ imageId, namedBoxes }, row) => {
    const order = orders.get(imageId)!
    const hits = new Array<number>(namedBoxes.length).fill(0)
    for (let k = 1; k <= maxK; k++) {
      if (k <= order.length) {
        for (let m = 0; m < hits.length; m++) if (namedBoxes[m].has(order[k - 1])) hits[m]++
      }
      writeScores(namedBoxes, hits, Math.min(k, order.length), curve[k - 1].values, row * SCORE_WIDTH)
    }
  })
  return curve
}

/**
 * Computes the human bound (section 5): each description in turn is the selection and the other descriptions of
 * its image are the references. The scores are averaged within the image. Images with fewer than two
 * descriptions that mention a box are excluded and counted in `imagesLeftOut`.
 */
export function scoreHumans(references: SelectionReferences): SelectionScores {
  const images = references.images.filter(({ namedBoxes }) => namedBoxes.length >= 2)
  const values = new Float64Array(images.length * SCORE_WIDTH)
  const scores = new Float64Array(SCORE_WIDTH)
  images.forEach(({ namedBoxes }, row) => {
    for (const [heldOut, selected] of namedBoxes.entries()) {
      const others = namedBoxes.filter((_, m) => m !== heldOut)
      const hits = others.map((named) => countShared(named, selected))
      writeScores(others, hits, selected.size, scores, 0)
      for (let s = 0; s < SCORE_WIDTH; s++) values[row * SCORE_WIDTH + s] += scores[s]
    }
    for (let s = 0; s < SCORE_WIDTH; s++) values[row * SCORE_WIDTH + s] /= namedBoxes.length
  })
  return {
    imageIds: images.map(({ imageId }) => imageId),
    values,
    imagesLeftOut: references.images.length - images.length,
  }
}

/** Mean and population standard deviation of the three scores over images. */
export function summarizeScores({ imageIds, values }: SelectionScores): SelectionSummary {
  const images = imageIds.length
  const [precision, precisionSd] = meanAndDeviation(values, 0)
  const [recall, recallSd] = meanAndDeviation(values, 1)
  const [f, fSd] = meanAndDeviation(values, 2)
  const undefinedReason = images === 0 ? 'NO_IMAGES' : null
  return { images, precision, recall, f, precisionSd, recallSd, fSd, undefinedReason }
}

/** Writes P, R and F, given the number of selected boxes that each reference mentions. */
function writeScores(
  namedBoxes: readonly ReadonlySet<string>[],
  hits: readonly number[],
  selected: number,
  scores: Float64Array,
  offset: number,
): void {
  let precision = 0
  let recall = 0
  if (selected > 0) {
    for (let m = 0; m < hits.length; m++) {
      precision += hits[m] / selected
      recall += hits[m] / namedBoxes[m].size
    }
    precision /= hits.length
    recall /= hits.length
  }
  scores[offset] = precision
  scores[offset + 1] = recall
  scores[offset + 2] = precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0
}

function countShared(named: ReadonlySet<string>, selected: ReadonlySet<string>): number {
  let shared = 0
  for (const box of selected) if (named.has(box)) shared++
  return shared
}

function meanAndDeviation(values: Float64Array, column: number): [number, number] | [null, null] {
  const images = values.length / SCORE_WIDTH
  if (images === 0) return [null, null]
  let sum = 0
  for (let i = column; i < values.length; i += SCORE_WIDTH) sum += values[i]
  const mean = sum / images
  let squares = 0
  for (let i = column; i < values.length; i += SCORE_WIDTH) squares += (values[i] - mean) ** 2
  return [mean, Math.sqrt(squares / images)]
}

/** 95 % intervals of the means over images; null for a value that is the same for all images. */
export interface SelectionIntervals {
  readonly precision: Interval | null
  readonly recall: Interval | null
  readonly f: Interval | null
}

/** Intervals of mean precision, recall and F by the jackknife over images; null for too few images. */
export function selectionIntervals({ values }: SelectionScores): SelectionIntervals | null {
  if (judgeSampleSize(values.length / SCORE_WIDTH).undefinedReason !== null) return null
  const estimates = scoreEstimates({ family: meansOverImages, trials: [values] })
  const [precision, recall, f] = estimates.map((estimate) => estimate?.interval ?? null)
  return { precision, recall, f }
}

/** Corpus scores are means of the per-image scores. */
const meansOverImages: Scorer = {
  width: SCORE_WIDTH,
  metrics: Array.from({ length: SCORE_WIDTH }, () => ({ highest: 1 })),
  corpusScores: {
    from: 'sums',
    score(sums, images, scores) {
      for (let s = 0; s < SCORE_WIDTH; s++) scores[s] = sums[s] / images
    },
  },
}
