/**
 * The mean word precision of captions, for a system as for a person: caption f of each image is held out, and the captions
 * are scored against the others. A person's captions are those held out; a system's are scored without each of them in
 * turn. The mean over words is over those that the captions use and that one of the others uses in some image; the figure
 * is the mean over f. A person as a system therefore has the figure of people, apart from chance, which is not so for means
 * over all words of one side, or against a different number of captions. COCO Captions (Chen et al. 2015), section 4.2,
 * for one word.
 */
import { createReplicateMean, type ImageGroups, type Replicates } from '../stats/jackknife.js'
import { heldOutPredictionWeights } from './weights.js'
import type { WordImages } from './word-replicates.js'

/** A word with the captions of people that use it. */
export interface PeopleOfWord extends WordImages {
  /** Entry f: positions of the images whose f-th caption uses the word, f = 0 … K − 1. */
  readonly users: readonly ArrayLike<number>[]
}

export interface HeldOutPrecision {
  /** @param predicted positions of the images whose caption by the system contains the word; null for people */
  add(word: PeopleOfWord, predicted: ArrayLike<number> | null): void
  /** 0..1, without each group of images in turn; NaN where no word has a precision. */
  mean(): Replicates
  /** Number of words that have a precision in one of the folds. */
  readonly wordCount: number
}

/** @param captionsPerImage K @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1 */
export function createHeldOutPrecision(
  groups: ImageGroups,
  captionsPerImage: number,
  references: number,
): HeldOutPrecision {
  const { truePositive, falsePositive } = heldOutPredictionWeights(captionsPerImage, references)
  const { groupOf, partitions, sizes } = groups
  const means = Array.from({ length: captionsPerImage }, () => createReplicateMean(groups))
  /** Per image, how many of the captions that are not held out use the current word; 0 between calls. */
  const others = new Uint8Array(groupOf.length / partitions)
  let wordCount = 0

  // Sums over all images, then over those of each group; 0 between calls.
  const [used, predictions, hits, misses] = Array.from(
    { length: 4 },
    () => new Float64Array(sizes.length + 1),
  )
  /** Precisions of the last call. */
  const values = new Float64Array(sizes.length + 1)

  function computeValues(images: ArrayLike<number>, predicted: ArrayLike<number>): void {
    for (let i = 0; i < images.length; i++) {
      if (others[images[i]] === 0) continue
      const first = images[i] * partitions
      used[0]++
      for (let cell = first; cell < first + partitions; cell++) used[groupOf[cell] + 1]++
    }
    for (let i = 0; i < predicted.length; i++) {
      const first = predicted[i] * partitions
      const hit = truePositive[others[predicted[i]]]
      const miss = falsePositive[others[predicted[i]]]
      predictions[0]++
      hits[0] += hit
      misses[0] += miss
      for (let cell = first; cell < first + partitions; cell++) {
        const group = groupOf[cell] + 1
        predictions[group]++
        hits[group] += hit
        misses[group] += miss
      }
    }
    // Without a group that has none of these images, it is the same as over all of them.
    values.fill(precisionWithout(0, 0, 0, 0))
    for (let group = 1; group < values.length; group++) {
      if (used[group] === 0 && predictions[group] === 0) continue
      values[group] = precisionWithout(used[group], predictions[group], hits[group], misses[group])
    }
    for (const sums of [used, predictions, hits, misses]) sums.fill(0)
  }

  /** Without the images of a group, whose sums these are. */
  function precisionWithout(ofUsed: number, ofPredictions: number, ofHits: number, ofMisses: number): number {
    if (predictions[0] === ofPredictions || used[0] === ofUsed) return Number.NaN
    const sum = hits[0] - ofHits
    return sum / (sum + (misses[0] - ofMisses))
  }

  return {
    add({ images, counts, users }, predicted) {
      let hasPrecision = false
      for (let i = 0; i < images.length; i++) others[images[i]] = counts[i]
      users.forEach((held, fold) => {
        const captions = predicted ?? held
        if (captions.length === 0) return
        for (let i = 0; i < held.length; i++) others[held[i]]--
        computeValues(images, captions)
        for (let i = 0; i < held.length; i++) others[held[i]]++
        if (Number.isNaN(values[0])) return
        hasPrecision = true
        means[fold].add(values)
      })
      for (let i = 0; i < images.length; i++) others[images[i]] = 0
      if (hasPrecision) wordCount++
    },
    mean() {
      const folds = means.map((mean) => mean.mean())
      return folds[0].map((_, replicate) => {
        const values = folds.map((fold) => fold[replicate])
        return values.reduce((sum, value) => sum + value, 0) / values.length
      })
    },
    get wordCount() {
      return wordCount
    },
  }
}
