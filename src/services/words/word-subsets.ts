import * as wordAgreement from '../../core/agreement/words.js'
import { requireDataset } from '../../store/datasets.js'
import { readCaptionCounts } from '../../store/image-ranges.js'
import { readImageCounts } from '../../store/postings.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import { readSubsets } from '../datasets/image-subsets.js'
import { chooseReferences } from '../datasets/references.js'
import { readVocabularyWords, type VocabularyOptions } from '../datasets/vocabulary.js'
import type { Accord } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { requireWord } from './word-places.js'

/** A word on the images of a subset. */
export interface WordOfSubset extends wordAgreement.WordAgreement, wordAgreement.WordIntervals {
  /** The value of the field. */
  readonly subset: string
  /** Images of the subset with K captions. */
  readonly imageCount: number
  readonly word: string
  readonly partOfSpeech: Word['partOfSpeech']
  /** h_0 … h_K over the images of the subset. */
  readonly histogram: readonly number[]
  /** Whether it is used in fewer than 20 images of the subset. */
  readonly isRare: boolean
}

/** Words of each subset that are listed where none are named. */
const TOP = 10

/** Words whose images are in memory at once. */
const WORDS_PER_READ = 200

export interface SubsetWordOptions extends VocabularyOptions {
  readonly dataset: string
  /** The field by whose values images are subsets. */
  readonly field: string
  /** Texts of the words to list, in the vocabulary or not. Default: those of the vocabulary that most images of the subset use. */
  readonly words?: readonly string[]
  /** Maximum number of words of each subset. Default: 10, or all that are named. */
  readonly top?: number
}

/**
 * Human precision and recall of words on the subsets of the images of a dataset, from those with K captions. By subset, then the words
 * that are named, in their order, or those that most of its images use.
 *
 * @throws AccordError as `readSubsets`; UNKNOWN_DATASET, UNKNOWN_WORD; OUT_OF_RANGE for `references`
 */
export async function wordsOfSubsets(
  { database }: Accord,
  { dataset: name, field, words: texts, top, references: wanted, ...choice }: SubsetWordOptions,
): Promise<WordOfSubset[]> {
  const dataset = await requireDataset(database, name)
  const references = chooseReferences(dataset, wanted)
  const subsets = await readSubsets(database, dataset, field)
  const { imageIds } = await readCaptionCounts(database, {
    datasetId: dataset.id,
    minCaptionCount: dataset.captionsPerImage,
  })
  const hasAllCaptions = new Set(imageIds)
  const kept = subsets.map(({ value, images }) => ({
    value,
    images: images.filter((id) => hasAllCaptions.has(id)),
  }))
  const subsetOf = new Map(kept.flatMap(({ images }, index) => images.map((id) => [id, index] as const)))
  const words = texts
    ? await Promise.all(texts.map((text) => requireWord(database, dataset, text)))
    : await readVocabularyWords(database, dataset, choice)
  const histograms = new Map<number, number[][]>()
  for (let start = 0; start < words.length; start += WORDS_PER_READ) {
    const ids = idsOf(words.slice(start, start + WORDS_PER_READ))
    const uses = await readImageCounts(database, ids)
    for (const id of ids) {
      const used = uses.get(id)
      const own = kept.map(({ images }) => emptyHistogram(dataset, images.length))
      used?.imageIds.forEach((imageId, place) => {
        const histogram = own[subsetOf.get(imageId) ?? -1]
        if (histogram === undefined) return
        histogram[0]--
        histogram[used.captionCounts[place]]++
      })
      histograms.set(id, own)
    }
  }
  return kept.flatMap(({ value: subset, images }, index) => {
    if (images.length === 0) return []
    const rows = words.map((word) => ({ word, histogram: (histograms.get(word.id) as number[][])[index] }))
    const listed = texts
      ? rows
      : rows
          .filter(({ histogram }) => histogram[0] < images.length)
          .sort((one, other) => one.histogram[0] - other.histogram[0])
    return listed
      .slice(0, top ?? (texts ? undefined : TOP))
      .map(({ word, histogram }) => ({
        subset,
        imageCount: images.length,
        word: word.text,
        partOfSpeech: word.partOfSpeech,
        histogram,
        ...wordAgreement.humanWordAgreement(histogram, references),
        ...wordAgreement.humanWordIntervals(histogram, references),
        isRare: wordAgreement.isRareWord(histogram),
      }))
  })
}

const emptyHistogram = ({ captionsPerImage }: Dataset, imageCount: number): number[] => [
  imageCount,
  ...new Array<number>(captionsPerImage).fill(0),
]
