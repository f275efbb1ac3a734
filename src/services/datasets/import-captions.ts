import { createDatasetHash } from '../../compute/content-hash.js'
import { humanWordAgreement } from '../../core/agreement/words.js'
import { WORD_REVISION } from '../../core/metrics/provenance.js'
import {
  checkLanguage,
  chooseTokenization,
  type LanguageOptions,
  unfitTokensNotes,
} from '../../core/text/choose-tokenization.js'
import { createTagger, tagWords } from '../../core/text/part-of-speech.js'
import { recordTokens, suitsEnglishTools, type Tokenization } from '../../core/text/tokenization.js'
import { addToHistograms, emptyHistograms } from '../../core/text/word-counts.js'
import { readReferences } from '../../formats/captions/caption-files.js'
import type { CaptionColumns } from '../../formats/captions/columns.js'
import type { CaptionConsumer, DescribedImage, HumanCaption } from '../../formats/coco/coco-captions.js'
import { readLexicon, readTaggerModel } from '../../formats/english/english.js'
import type { InputFile } from '../../formats/io/files.js'
import { wrongValue } from '../../formats/io/values.js'
import { requireFolder } from '../../formats/pictures/picture-folder.js'
import { readVocabulary, type VocabularyWord } from '../../formats/words/vocabulary.js'
import { type Progress, part } from '../../progress.js'
import type { PartOfSpeech } from '../../shared/choices.js'
import { createDataset, finishDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import {
  insertCaptions,
  insertImages,
  type NewCaption,
  type NewImage,
  reserveImageIds,
} from '../../store/images.js'
import { insertPostings, toPostings } from '../../store/postings.js'
import { saveTokens } from '../../store/tokens.js'
import { insertWords, type NewWord, reserveWordIds, storeVocabularyHash } from '../../store/words.js'
import { type FileSource, type ImportContext, importJob } from '../uploads/import-job.js'
import { removeReplacedDataset, requireNewDataset } from '../uploads/requirements.js'
import { CaptionSpool, type SpooledCaption } from './caption-spool.js'
import { BlockCounter, createTaggingSample } from './import-words.js'
import { chooseCaptionsPerImage } from './references.js'
import { mostUsed } from './vocabulary.js'

/** Maximum number of different words, which are in memory with their statistics. */
const MAX_WORDS = 300_000

/** Records between two calls of `progress`. */
const RECORDS_PER_STEP = 1000

export interface ImportCaptionsInput<File = FileSource> extends NewDataset {
  /** In a format of `readReferences`. */
  readonly file: File
  /** For captions in lines: the id of the image of each line. */
  readonly imageIds?: File
  /** Whether the ids can be of another file. Default: false. */
  readonly areIdsShared?: boolean
  /** What the file calls images and captions. Default: the first of the usual names that it has. */
  readonly columns?: CaptionColumns
  /** Whether the columns can be those of another file. Default: false. */
  readonly areColumnsShared?: boolean
  /** For Karpathy's JSON: only images of this split. */
  readonly split?: string
  /** Further files of captions in lines, each with another human caption of each image. */
  readonly more?: readonly File[]
  /** CSV of words with their parts of speech. Default: the 1,000 most used words. */
  readonly vocabulary?: File
}

interface NewDataset extends LanguageOptions {
  /** Its name. */
  readonly dataset: string
  /** Whether it replaces the dataset of its name, with all its systems. Default: false. */
  readonly isReplaced?: boolean
  /** K. Default: the number of captions that most images have. */
  readonly captionsPerImage?: number
  /** Whether only hosts and administrators see it, on a server with accounts. Default: everybody does. */
  readonly isPrivate?: boolean
  /** Folder of its pictures, on this machine. Default: it has none. */
  readonly imagesFolder?: string
}

export interface ImportCaptionsReport {
  readonly datasetId: number
  readonly captionsPerImage: number
  readonly imageCount: number
  readonly captionCount: number
  readonly excludedImageCount: number
  readonly wordCount: number
  readonly vocabularySize: number
  /** BCP 47. */
  readonly language: string
  /** With its version. */
  readonly tokenizer: string
  /** What to know of the language of the captions. */
  readonly languageNotes: readonly string[]
  /** How the file was recognized; null for COCO's format, and for captions that are not of a file. */
  readonly format: string | null
  /** Those of the named columns by which it was read. */
  readonly columns: readonly string[]
}

/** An image with its human captions, in order. */
export interface CaptionedImage extends DescribedImage {
  readonly captions: readonly HumanCaption[]
}

/**
 * Imports human captions as a new dataset, with the statistics of every word. The file is read once; memory does not
 * grow with it, except for about 30 bytes per id of an image or annotation and for the distinct words.
 *
 * @throws AccordError the errors of the readers of the files; NAME_TAKEN; OUT_OF_RANGE for `captionsPerImage`, and for more
 *   than 300,000 different words
 */
export async function importCaptions<Ending>(
  context: CaptionsContext<Ending>,
  input: ImportCaptionsInput<InputFile>,
): Promise<Ending> {
  await requireNewDataset(context.database, input.dataset, input.isReplaced)
  const imagesFolder = input.imagesFolder === undefined ? undefined : await requireFolder(input.imagesFolder)
  const vocabulary = input.vocabulary === undefined ? undefined : readVocabulary(input.vocabulary)
  const reading = part(context.progress, 0, 0.3)
  const rest = { ...context, progress: part(context.progress, 0.3, 1) }
  checkLanguage(input)
  return withSpool(input, (spool, languageNotes) => {
    const consumer: CaptionConsumer = {
      addImage: (image) => spool.addImage(image),
      addAnnotation(annotation) {
        spool.addAnnotation(annotation)
        requireFewWords(spool, input.file)
      },
    }
    let format: string | null = null
    let columns: readonly string[] = []
    const imageOfKey = readReferences(input.file, consumer, {
      imageIds: input.imageIds,
      areIdsShared: input.areIdsShared,
      columns: input.columns,
      areColumnsShared: input.areColumnsShared,
      split: input.split,
      more: input.more,
      onProgress: (share) => reading(share, 'reading'),
      onFormat: (name, used) => {
        format = name
        columns = used
      },
    })
    spool.choose()
    requireFewWords(spool, input.file)
    return importSpool(rest, { ...input, imagesFolder }, spool, imageOfKey, vocabulary, {
      format,
      columns,
      languageNotes: [
        ...languageNotes,
        ...unfitTokensNotes(spool.shortCaptionCount, spool.captionCount, spool.tokenization),
      ],
    })
  })
}

function requireFewWords({ texts }: CaptionSpool, file: InputFile): void {
  if (texts.length <= MAX_WORDS) return
  const expected = `captions of at most ${MAX_WORDS} different words`
  throw wrongValue('OUT_OF_RANGE', 'too many different words', { source: file }, expected, 'more')
}

/** Creates a dataset from a file. Fails as {@link importCaptions}. */
export const importCaptionsJob = importJob<ImportCaptionsInput, ImportCaptionsReport>(importCaptions)

type CaptionsContext<Ending> = ImportContext<ImportCaptionsReport, Ending>

/** Imports captions that are in memory; see {@link importCaptions}. */
export function importDataset<Ending>(
  context: CaptionsContext<Ending>,
  input: NewDataset,
  images: readonly CaptionedImage[],
): Promise<Ending> {
  return withSpool(input, (spool, languageNotes) => {
    for (const [imageKey, image] of images.entries()) {
      spool.addImage(image)
      for (const [rank, caption] of image.captions.entries()) {
        spool.addAnnotation({ imageKey, rank, ...caption })
      }
    }
    const imageOfKey = Int32Array.from(images, (_, index) => index)
    return importSpool(context, input, spool, imageOfKey, undefined, {
      format: null,
      columns: [],
      languageNotes,
    })
  })
}

async function withSpool<Result>(
  language: LanguageOptions,
  work: (spool: CaptionSpool, languageNotes: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const languageNotes: string[] = []
  const spool = new CaptionSpool((captions) => {
    const { notes, ...tokenization } = chooseTokenization(language, captions)
    languageNotes.push(...notes)
    return tokenization
  })
  try {
    return await work(spool, languageNotes)
  } finally {
    spool.close()
  }
}

/** Images and captions that are ready to be written. */
interface PreparedCaptions {
  readonly spool: CaptionSpool
  /** Captions of each image. */
  readonly captionCounts: Int32Array
  readonly captionsPerImage: number
  readonly excludedImageCount: number
  /** The words by first use, then those that only the vocabulary has. */
  readonly words: readonly string[]
  /** The word that each token of the spool is. */
  readonly wordOfToken: Int32Array
  /** The most frequent part of speech of each word that a caption uses. */
  readonly tags: ReadonlyMap<string, PartOfSpeech>
  readonly vocabulary: readonly VocabularyWord[] | undefined
  readonly recognized: Recognized
}

/** How a file was recognized. */
type Recognized = Pick<ImportCaptionsReport, 'format' | 'columns' | 'languageNotes'>

async function importSpool<Ending>(
  { progress, finishWith }: CaptionsContext<Ending>,
  { captionsPerImage: requested, ...dataset }: NewDataset,
  spool: CaptionSpool,
  imageOfKey: Int32Array,
  vocabulary: readonly VocabularyWord[] | undefined,
  recognized: Recognized,
): Promise<Ending> {
  progress(0, 'grouping captions')
  const captionCounts = spool.group(imageOfKey)
  const captionsPerImage = chooseCaptionsPerImage(captionCounts, requested)
  const numbered = numberAndTagWords(spool, part(progress, 0.1, 0.5))
  const words = withVocabulary(numbered.words, vocabulary)
  const excludedImageCount = captionCounts.reduce((sum, count) => sum + (count < captionsPerImage ? 1 : 0), 0)
  progress(0.5, 'writing')
  return finishWith((session) =>
    write(
      session,
      dataset,
      {
        spool,
        captionCounts,
        captionsPerImage,
        excludedImageCount,
        vocabulary,
        recognized,
        ...numbered,
        words,
      },
      part(progress, 0.5, 1),
    ),
  )
}

/** Numbers the words by their first use, and finds the most frequent part of speech of each, in English alone. */
function numberAndTagWords(
  spool: CaptionSpool,
  progress: Progress,
): Pick<PreparedCaptions, 'words' | 'wordOfToken' | 'tags'> {
  const { texts, captionCount } = spool
  const words: string[] = []
  const wordOfToken = new Int32Array(texts.length).fill(-1)
  const isSampled = createTaggingSample(texts.length)
  function* sentences() {
    let index = 0
    for (const captions of spool.partitions()) {
      for (const { tokens } of captions) {
        if (index++ % RECORDS_PER_STEP === 0) progress(index / captionCount, 'tagging parts of speech')
        const sentence: string[] = []
        for (let i = 0; i < tokens.length; i++) {
          const token = tokens[i]
          if (wordOfToken[token] < 0) wordOfToken[token] = words.push(texts[token]) - 1
          sentence.push(texts[token])
        }
        if (isSampled(tokens)) yield sentence
      }
    }
  }
  const tags = tagSentences(sentences(), spool.tokenization)
  return { words, wordOfToken, tags }
}

function tagSentences(
  sentences: Iterable<readonly string[]>,
  tokenization: Tokenization,
): ReadonlyMap<string, PartOfSpeech> {
  if (!suitsEnglishTools(tokenization)) {
    for (const _ of sentences);
    return new Map()
  }
  const lexicon = readLexicon()
  return tagWords(createTagger(readTaggerModel(), lexicon), lexicon, sentences)
}

function withVocabulary(
  words: readonly string[],
  vocabulary: readonly VocabularyWord[] = [],
): readonly string[] {
  const used = new Set(words)
  return [...words, ...vocabulary.map(({ word }) => word).filter((word) => !used.has(word))]
}

async function write(
  session: Session,
  { dataset: name, isReplaced, isPrivate, imagesFolder }: NewDataset,
  prepared: PreparedCaptions,
  progress: Progress,
): Promise<ImportCaptionsReport> {
  const { spool, words, captionsPerImage, excludedImageCount, recognized } = prepared
  const { imageCount, captionCount } = spool
  const tokens = recordTokens(spool.tokenization)
  if (isReplaced) await removeReplacedDataset(session, name)
  const datasetId = await createDataset(session, name, { isPrivate, imagesFolder, ...tokens })
  const tokenIds = await saveTokens(session, words)
  const firstImageId = await reserveImageIds(session, imageCount)
  await insertImages(session, datasetId, firstImageId, newImages(prepared, part(progress, 0, 0.2)))
  const firstWordId = await reserveWordIds(session, words.length)
  const { histograms, revision } = await writeCaptions(
    session,
    prepared,
    { firstImageId, tokenIds, firstWordId },
    part(progress, 0.2, 0.9),
  )
  progress(0.9, 'writing')
  const described = describeWords(prepared, histograms, tokenIds)
  await insertWords(session, datasetId, firstWordId, described)
  const counts = { captionsPerImage, imageCount, captionCount, excludedImageCount }
  const wordRevision = captionsPerImage > 0 ? WORD_REVISION : null
  await finishDataset(session, datasetId, { ...counts, revision, wordRevision })
  const vocabulary = described
    .filter(({ vocabularyRank }) => vocabularyRank !== null)
    .sort((one, other) => (one.vocabularyRank as number) - (other.vocabularyRank as number))
  await storeVocabularyHash(session, datasetId, vocabulary)
  progress(1, 'done')
  return {
    datasetId,
    ...counts,
    ...tokens,
    wordCount: words.length,
    vocabularySize: vocabulary.length,
    ...recognized,
  }
}

/** Images with the number of their captions. */
function* newImages({ spool, captionCounts }: PreparedCaptions, progress: Progress): Generator<NewImage> {
  let index = 0
  for (const image of spool.describedImages()) {
    if (index % RECORDS_PER_STEP === 0) progress(index / captionCounts.length, 'writing')
    yield { ...image, fields: image.fields ?? null, captionCount: captionCounts[index++] }
  }
}

/** Ids of what was written before the captions. */
interface WrittenIds {
  /** Image `i` has the id `firstImageId + i`. */
  readonly firstImageId: number
  /** The token of each word. */
  readonly tokenIds: Int32Array
  readonly firstWordId: number
}

/** Writes captions and postings. @returns the histograms of all words, and the hash of the dataset */
async function writeCaptions(
  session: Session,
  prepared: PreparedCaptions,
  { firstImageId, tokenIds, firstWordId }: WrittenIds,
  progress: Progress,
): Promise<{ readonly histograms: Int32Array; readonly revision: string }> {
  const { spool, captionCounts, captionsPerImage, excludedImageCount, words, wordOfToken } = prepared
  const tokenIdOfToken = wordOfToken.map((word) => tokenIds[word])
  let written = 0
  function* rows(captions: readonly SpooledCaption[]): Generator<NewCaption> {
    let previous = -1
    let position = 0
    for (const { image, externalId, text, tokens } of captions) {
      if (written++ % RECORDS_PER_STEP === 0) progress(written / spool.captionCount, 'writing')
      position = image === previous ? position + 1 : 0
      previous = image
      const ids = tokens.map((token) => tokenIdOfToken[token])
      yield { imageId: firstImageId + image, position, externalId, text, tokens: ids }
    }
  }
  const histograms = emptyHistograms(captionsPerImage, spool.imageCount - excludedImageCount, words.length)
  const counter = new BlockCounter(captionsPerImage, wordOfToken, words.length)
  const writeBlock = async () => {
    const { counts, imageIds } = counter.takeBlock()
    addToHistograms(histograms, counts, captionsPerImage)
    await insertPostings(session, toPostings(counts, firstWordId, imageIds))
  }
  const content = createDatasetHash()
  const externalIds = externalIdsOf(spool)
  let image = 0
  for (const captions of spool.partitions()) {
    await insertCaptions(session, rows(captions))
    for (const [last, group] of groupByImage(captions)) {
      for (; image < last; image++) content.addImage(externalIds.next().value as string, [])
      content.addImage(externalIds.next().value as string, group)
      image++
    }
    for (const { image, tokens } of captions) {
      if (captionCounts[image] < captionsPerImage) continue
      const imageId = firstImageId + image
      if (counter.isBeyondBlock(imageId)) await writeBlock()
      counter.add(imageId, tokens)
    }
  }
  await writeBlock()
  for (const externalId of externalIds) content.addImage(externalId, [])
  return { histograms, revision: content.digest(captionsPerImage) }
}

function* externalIdsOf(spool: CaptionSpool): Generator<string> {
  for (const { externalId } of spool.describedImages()) yield externalId
}

/** Captions in the order of their images, by image. */
function* groupByImage(captions: readonly SpooledCaption[]): Generator<[number, readonly SpooledCaption[]]> {
  for (let start = 0, end = 0; start < captions.length; start = end) {
    const { image } = captions[start]
    while (end < captions.length && captions[end].image === image) end++
    yield [image, captions.slice(start, end)]
  }
}

function describeWords(
  { words: texts, captionsPerImage, tags, vocabulary }: PreparedCaptions,
  allHistograms: Int32Array,
  tokenIds: Int32Array,
): NewWord[] {
  const width = captionsPerImage + 1
  const words = texts.map((text, index) => ({
    text,
    histogram: Array.from(allHistograms.subarray(index * width, (index + 1) * width)),
  }))
  const given = new Map(vocabulary?.map(({ word, partOfSpeech }) => [word, partOfSpeech]))
  const captionsWith = (histogram: readonly number[]) =>
    histogram.reduce((sum, images, count) => sum + count * images, 0)
  const used = words.map(({ text, histogram }) => ({ text, captionCount: captionsWith(histogram) }))
  const reported = vocabulary ? [...given.keys()] : mostUsed(used)
  const ranks = new Map(reported.map((word, index) => [word, index + 1]))
  return words.map(({ text, histogram }, index) => {
    const human = captionsPerImage < 2 ? undefined : humanWordAgreement(histogram, captionsPerImage - 1)
    return {
      tokenId: tokenIds[index],
      text,
      partOfSpeech: given.get(text) ?? tags.get(text) ?? 'OTHER',
      vocabularyRank: ranks.get(text) ?? null,
      histogram,
      humanPrecision: human?.precision ?? null,
      humanRecall: human?.recall ?? null,
    }
  })
}
