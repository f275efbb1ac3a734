import type { BoxedImage, Description } from './types.js'

/**
 * The content selection metric (Wang & Gaizauskas 2015, "Generating Image Descriptions with Gold Standard
 * Visual Inputs", section 3.1). G_m is the set of boxes that human description m of an image names, S the
 * set of boxes that a system selects:
 *
 *     P = mean over m of |G_m ∩ S| / |S|     R = mean over m of |G_m ∩ S| / |G_m|     F = 2PR / (P + R)
 *
 * All three lie in 0..1, higher is better. F is 0 where P + R is 0; with S empty all three are 0. A corpus
 * has the mean and the population standard deviation over its images. Descriptions that name no box are left
 * out: the recall against them is not defined.
 */

/** The human descriptions of one image that name a box, each as its set of boxes; at least one. */
export interface ImageReferences {
  readonly imageId: string
  readonly namedBoxes: readonly ReadonlySet<string>[]
}

/** What selections are held against. */
export interface SelectionReferences {
  readonly images: readonly ImageReferences[]
  /** Left out: descriptions that name no box. */
  readonly descriptionsWithoutMentions: number
  /** Left out: images none of whose descriptions names a box. */
  readonly imagesWithoutReferences: number
}

/** Scores per image: row `i` of `values`, {@link SCORE_WIDTH} numbers, belongs to `imageIds[i]`. */
export interface SelectionScores {
  readonly imageIds: readonly string[]
  /** Row-major: precision, recall, F. A corpus score is the mean of a column. */
  readonly values: Float64Array
  /** Images with references that were not scored, because the system did not describe them. */
  readonly imagesLeftOut: number
}

/** Numbers per image in {@link SelectionScores}: precision, recall, F. */
export const SCORE_WIDTH = 3

/** Mean and population standard deviation over images; all `null` where there is no image. */
export interface SelectionSummary {
  readonly images: number
  readonly precision: number | null
  readonly recall: number | null
  readonly f: number | null
  readonly precisionSd: number | null
  readonly recallSd: number | null
  readonly fSd: number | null
  readonly undefinedReason: 'NO_IMAGES' | null
}

/**
 * Collects the human descriptions of each image, in the order of `images`. Descriptions of other images
 * (of another split, say) are not looked at.
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
 * Scores the boxes a system selects, per image id. Repeats count once. An image that is not in `selections`
 * is left out and counted; one whose selection is empty scores 0.
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
 * Scores the first k boxes of an order of boxes per image id, for k = 1..`largest`: entry k − 1 of the
 * result is what {@link scoreSelections} gives for the first min(k, length) boxes. An order holds no box
 * twice. R never falls as k rises. P never
 * rises where the order is by how many descriptions name the box; in any other order it may, because a later
 * box may be named more often than those before it.
 */
export function scoreOrders(
  references: SelectionReferences,
  orders: ReadonlyMap<string, readonly string[]>,
  largest: number,
): SelectionScores[] {
  const images = references.images.filter(({ imageId }) => orders.has(imageId))
  const imageIds = images.map(({ imageId }) => imageId)
  const imagesLeftOut = references.images.length - images.length
  const curve = Array.from({ length: largest }, () => ({
    imageIds,
    values: new Float64Array(images.length * SCORE_WIDTH),
    imagesLeftOut,
  }))
  images.forEach(({ imageId, namedBoxes }, row) => {
    const order = orders.get(imageId)!
    const hits = new Array<number>(namedBoxes.length).fill(0)
    for (let k = 1; k <= largest; k++) {
      if (k <= order.length) {
        for (let m = 0; m < hits.length; m++) if (namedBoxes[m].has(order[k - 1])) hits[m]++
      }
      writeScores(namedBoxes, hits, Math.min(k, order.length), curve[k - 1].values, row * SCORE_WIDTH)
    }
  })
  return curve
}

/**
 * How well people select content (section 5): each description in turn is the selection and the others of
 * its image are the references; the three scores are averaged within the image. Images with fewer than two
 * descriptions that name a box are left out and counted in `imagesLeftOut`.
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

/** Writes P, R and F from the number of selected boxes that each reference names. */
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
