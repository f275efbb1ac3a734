import { judgeSampleSize } from '../../core/stats/interval.js'
import { subsetSize } from '../../core/stats/rarefaction.js'
import { quote } from '../../errors.js'
import { counted, grouped } from '../../shared/numbers.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { WordChoice } from '../datasets/vocabulary.js'
import { intervalNotes } from '../shared/intervals.js'
import type { UnscoredPhr } from './phr.js'

const countedImages = ({ imageCount, excludedImageCount }: Dataset) => imageCount - excludedImageCount

/** Shown beside every mean over words. */
export const WORD_MEAN_NOTE =
  'Means over words depend on the number of images: figures of words that few images use are biased, and words without a figure are left out. Compare only means over the same images.'

/** Beside comparisons of means over words. */
export const WORD_DIFFERENCE_NOTE =
  'Intervals and tests of differences of means over words are conservative: two equally good detectors are told apart in 1 to 3 % of samples instead of 5 %.'

/** Up to this number of images {@link USUAL_WORD_NOTE} is shown; below 30 images all intervals are approximate. */
const FEW_IMAGES_OF_USUAL_WORDS = 200

const USUAL_WORD_NOTE =
  'With fewer than 200 images, intervals of PHR and AP of words that most images use are wider than necessary: they contain the figure in 97 to 98 % of samples.'

/** Beside the mean word precision of captioning systems and people, whose words differ. */
export const OWN_WORDS_NOTE =
  'The mean word precision is over all words that the captions use, in the vocabulary or not, or over the words of a vocabulary that was given or is that of other captions. One caption of people is held out, so that a person as a system has the figure of people; words that people chose by using them most would favour the system. A system of few, usual words is above people without being better.'

const PHR_NOTE =
  'A mean PHR is over the words with human recall above 0 on the same images: they are chosen by the outcome. To choose them without these images, name a dataset whose vocabulary they must be in too.'

/** What rarefied means over the words of a dataset are. */
function rarefactionNotes(dataset: Dataset): string[] {
  const size = subsetSize(countedImages(dataset))
  return size === null ? [] : [rarefiedNote(size)]
}

/** @param size m */
export function rarefiedNote(size: number): string {
  return `Rarefied means are expected for random subsets of ${counted(size, 'image')}, whatever the number of images.`
}

/** What to know when reading means over the words of a dataset. */
export function wordMeanNotes(dataset: Dataset): string[] {
  const size = judgeSampleSize(countedImages(dataset))
  const isFew = countedImages(dataset) < FEW_IMAGES_OF_USUAL_WORDS
  return [
    WORD_MEAN_NOTE,
    ...rarefactionNotes(dataset),
    ...intervalNotes([size]),
    ...(isFew && size.undefinedReason === null && !size.isSmall ? [USUAL_WORD_NOTE] : []),
  ]
}

/** What to know when reading a mean PHR. @param unscored of a system that leaves images without a score */
export function phrMeanNotes(
  dataset: Dataset,
  { vocabularyOf }: WordChoice,
  unscored: UnscoredPhr | null | undefined,
): string[] {
  return [
    ...wordMeanNotes(dataset),
    ...phrWordNotes(vocabularyOf),
    ...(unscored ? unscoredNotes(unscored) : []),
  ]
}

/** How the words of a mean PHR were chosen. */
export function phrWordNotes(vocabularyOf: string | null | undefined): string[] {
  if (vocabularyOf == null) return [PHR_NOTE]
  return [
    `Only words that the vocabulary of ${quote(vocabularyOf)} has too, which was chosen without these images. A word with human recall 0 on these images has no PHR.`,
  ]
}

/** What to know when reading the mean PHR of a system that leaves images without a score. */
export function unscoredNotes({ definedWordCount, wordCount, share }: UnscoredPhr): string[] {
  if (wordCount === 0 || share === null) return []
  const percent = (100 * share).toFixed(1)
  return [
    `${percent} % of the mean PHR comes from ${grouped(wordCount)} of ${counted(definedWordCount, 'word')} that reach human recall only together with the images that have no score for the word.`,
  ]
}
