import { humanWordAgreement } from '../agreement/words.js'
import { AccordError } from '../errors.js'
import { type CaptionedImages, readCocoCaptions } from '../formats/coco-captions.js'
import { readVocabulary, type VocabularyWord } from '../formats/vocabulary.js'
import type { Database } from '../store/database.js'
import { assertNameFree, insertDataset, type NewWord } from '../store/datasets.js'
import { createTagger, type PartOfSpeech, type Tagger, tagWords } from '../text/part-of-speech.js'
import { type Corpus, sequence, toCorpus } from '../text/sequences.js'
import { countWords, histograms } from '../text/word-counts.js'
import { type Progress, part } from './progress.js'
import { tokenizeAll } from './tokenize.js'

/** Words reported by default where no vocabulary is given: the most used ones. */
const DEFAULT_VOCABULARY_SIZE = 1000

/** Counts of an image's captions are stored in a byte, with one value to spare. */
const MOST_CAPTIONS_PER_IMAGE = 254

export interface ImportCaptionsInput {
  /** A file in COCO captions format. */
  readonly file: string
  readonly dataset: string
  /** K; by default what most images have. */
  readonly captionsPerImage?: number
  /** A CSV file of words with their parts of speech; by default the 1,000 most used words. */
  readonly vocabulary?: string
}

export interface ImportCaptionsReport {
  readonly dataset: string
  readonly captionsPerImage: number
  readonly imageCount: number
  readonly captionCount: number
  readonly excludedImageCount: number
  readonly wordCount: number
  readonly vocabularySize: number
}

/**
 * Imports human captions as a new data set, with the statistics of every word.
 *
 * @throws AccordError for what is wrong with the files; NAME_TAKEN; OUT_OF_RANGE for `captionsPerImage`
 */
export async function importCaptions(
  database: Database,
  input: ImportCaptionsInput,
  progress: Progress,
): Promise<ImportCaptionsReport> {
  assertNameFree(database, input.dataset)
  const vocabulary = input.vocabulary === undefined ? undefined : readVocabulary(input.vocabulary)
  const reading = part(progress, 0, 0.2)
  const source = readCocoCaptions(input.file, (read, total) => reading(total ? read / total : 0, 'reading'))
  return importDataset(database, input, source, vocabulary, part(progress, 0.2, 1))
}

/** Imports captions that were read already. */
export async function importDataset(
  database: Database,
  { dataset: name, captionsPerImage: wanted }: Pick<ImportCaptionsInput, 'dataset' | 'captionsPerImage'>,
  { images, captions, firstCaption }: CaptionedImages,
  vocabulary: readonly VocabularyWord[] | undefined,
  progress: Progress,
): Promise<ImportCaptionsReport> {
  const captionsPerImage = chooseCaptionsPerImage(firstCaption, wanted)
  const corpus = toCorpus(tokenizeAll(captions, part(progress, 0, 0.3)))
  const texts = withVocabulary(corpus.texts, vocabulary)
  progress(0.3, 'counting words')
  const counts = countWords(corpus, firstCaption, captionsPerImage, texts.length)
  const excluded = countImagesBelow(firstCaption, captionsPerImage)
  const allHistograms = histograms(counts, captionsPerImage, images.length - excluded, texts.length)
  const tags = tagCorpus(corpus, await createTagger(), part(progress, 0.35, 0.6))
  const words = describeWords(texts, allHistograms, captionsPerImage, tags, vocabulary)
  progress(0.6, 'writing')
  insertDataset(database, {
    name,
    captionsPerImage,
    excludedImageCount: excluded,
    images,
    captions,
    firstCaption,
    sequences: corpus,
    words,
    counts,
  })
  progress(1, 'done')
  return {
    dataset: name,
    captionsPerImage,
    imageCount: images.length,
    captionCount: captions.length,
    excludedImageCount: excluded,
    wordCount: words.length,
    vocabularySize: words.filter((word) => word.vocabularyRank !== null).length,
  }
}

/**
 * K: as wanted, or else what most images have; of equally frequent numbers the smaller. At least one image has a
 * caption.
 */
function chooseCaptionsPerImage(firstCaption: Int32Array, wanted: number | undefined): number {
  const frequencies = new Map<number, number>()
  for (let image = 0; image + 1 < firstCaption.length; image++) {
    const captions = firstCaption[image + 1] - firstCaption[image]
    if (captions > 0) frequencies.set(captions, (frequencies.get(captions) ?? 0) + 1)
  }
  const [[usual]] = [...frequencies].sort(
    ([captions, images], [otherCaptions, otherImages]) => otherImages - images || captions - otherCaptions,
  )
  if (wanted === undefined) return Math.min(usual, MOST_CAPTIONS_PER_IMAGE)
  const most = Math.max(...frequencies.keys())
  const highest = Math.min(most, MOST_CAPTIONS_PER_IMAGE)
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= highest) return wanted
  const summary =
    wanted > most ? 'no image has this many captions' : 'statistics cannot use this many captions per image'
  throw new AccordError('OUT_OF_RANGE', summary, {
    source: 'captions per image',
    expected: `1 to ${highest}`,
    found: String(wanted),
  })
}

function countImagesBelow(firstCaption: Int32Array, captionsPerImage: number): number {
  let images = 0
  for (let image = 0; image + 1 < firstCaption.length; image++) {
    if (firstCaption[image + 1] - firstCaption[image] < captionsPerImage) images++
  }
  return images
}

/** The corpus's words, then those that only the vocabulary has. */
function withVocabulary(
  texts: readonly string[],
  vocabulary: readonly VocabularyWord[] = [],
): readonly string[] {
  const used = new Set(texts)
  return [...texts, ...vocabulary.map(({ word }) => word).filter((word) => !used.has(word))]
}

function tagCorpus(corpus: Corpus, tagger: Tagger, progress: Progress): ReadonlyMap<string, PartOfSpeech> {
  const captionCount = corpus.offsets.length - 1
  function* captions() {
    for (let index = 0; index < captionCount; index++) {
      if (index % 1000 === 0) progress(index / captionCount, 'tagging parts of speech')
      yield Array.from(sequence(corpus, index), (token) => corpus.texts[token])
    }
  }
  return tagWords(tagger, captions())
}

function describeWords(
  texts: readonly string[],
  allHistograms: Int32Array,
  captionsPerImage: number,
  tags: ReadonlyMap<string, PartOfSpeech>,
  vocabulary: readonly VocabularyWord[] | undefined,
): NewWord[] {
  const histogramOf = (word: number) =>
    Array.from(allHistograms.subarray(word * (captionsPerImage + 1), (word + 1) * (captionsPerImage + 1)))
  const words = texts.map((text, index) => ({ text, histogram: histogramOf(index) }))
  const given = new Map(vocabulary?.map(({ word, partOfSpeech }) => [word, partOfSpeech]))
  const reported = vocabulary ? [...given.keys()] : mostUsed(words)
  const ranks = new Map(reported.map((word, index) => [word, index + 1]))
  return words.map(({ text, histogram }) => {
    const human = captionsPerImage < 2 ? undefined : humanWordAgreement(histogram, captionsPerImage - 1)
    return {
      text,
      partOfSpeech: given.get(text) ?? tags.get(text) ?? 'OTHER',
      vocabularyRank: ranks.get(text) ?? null,
      histogram,
      humanPrecision: human?.precision ?? null,
      humanRecall: human?.recall ?? null,
    }
  })
}

function mostUsed(words: readonly { text: string; histogram: number[] }[]): string[] {
  const captionsWith = ({ histogram }: { histogram: number[] }) =>
    histogram.reduce((sum, images, count) => sum + count * images, 0)
  return words
    .map((word) => ({ text: word.text, captions: captionsWith(word) }))
    .filter(({ captions }) => captions > 0)
    .sort((one, other) => other.captions - one.captions || (one.text < other.text ? -1 : 1))
    .slice(0, DEFAULT_VOCABULARY_SIZE)
    .map(({ text }) => text)
}
