import { subsetSize } from '../../core/stats/rarefaction.js'
import { judgeSampleSize } from '../../core/stats/sample-size.js'
import type { Dataset } from '../../store/schema/entities.js'
import { intervalNotes } from '../shared/intervals.js'
import type { UnscoredPhr } from './phr.js'

/** Shown beside every mean over words. */
export const WORD_MEAN_NOTE =
  'Means over words depend on the number of images: figures of words that few images use are biased, and words without a figure are left out. Compare only means over the same images.'

/** What rarefied means over the words of a dataset are. */
export function rarefactionNotes({ imageCount, excludedImageCount }: Dataset): string[] {
  const size = subsetSize(imageCount - excludedImageCount)
  if (size === null) return []
  return [
    `Rarefied means are expected for random subsets of ${size.toLocaleString('en')} images, whatever the number of images.`,
  ]
}

/** What to know when reading means over the words of a dataset. */
export function wordMeanNotes({ imageCount, excludedImageCount }: Dataset): string[] {
  return [WORD_MEAN_NOTE, ...intervalNotes([judgeSampleSize(imageCount - excludedImageCount)])]
}

/** What to know when reading the mean PHR of a system that leaves images without a score. */
export function unscoredNotes({ definedWordCount, wordCount, share }: UnscoredPhr): string[] {
  if (wordCount === 0 || share === null) return []
  const percent = (100 * share).toFixed(1)
  return [
    `${percent} % of the mean PHR comes from ${wordCount} of ${definedWordCount} words that reach human recall only together with the images that have no score for the word.`,
  ]
}
