import { createResultsHash } from '../../compute/content-hash.js'
import { captioningWordAgreement } from '../../core/agreement/words.js'
import { WORD_REVISION } from '../../core/metrics/provenance.js'
import { otherLanguageNotes } from '../../core/text/choose-tokenization.js'
import { LANGUAGE_SAMPLE } from '../../core/text/languages.js'
import { createTokenNumbers } from '../../core/text/token-numbers.js'
import type { Tokenization } from '../../core/text/tokenization.js'
import { countWords, type WordCounts } from '../../core/text/word-counts.js'
import { readResults } from '../../formats/captions/caption-files.js'
import type { CaptionColumns } from '../../formats/captions/columns.js'
import { checkResults, type SubmittedCaption } from '../../formats/coco/coco-results.js'
import { type DescribedImages, type Matching, withoutFileNames } from '../../formats/coco/known-images.js'
import type { InputFile } from '../../formats/io/files.js'
import { Spool } from '../../formats/io/spool.js'
import { type Progress, part } from '../../progress.js'
import type { Match } from '../../shared/choices.js'
import type { Session } from '../../store/engine/session.js'
import { countCounted, readCountedImageIds, readDescribedImages } from '../../store/images.js'
import { BLOCK_BITS, readImageCounts, type WordUses } from '../../store/postings.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { SystemWord } from '../../store/schema/system-tables.js'
import * as systems from '../../store/systems.js'
import { saveTokens } from '../../store/tokens.js'
import { listWords } from '../../store/words.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { requireTokenizer, tokenizationOf } from '../shared/tokens.js'
import { type FileSource, type ImportContext, importJob } from '../uploads/import-job.js'
import { removeReplacedSystem, requireNewSystem } from '../uploads/requirements.js'

/** Number of captions between two progress reports. */
const CAPTIONS_PER_STEP = 1000

/** Maximum number of images or words that a report names. */
export const MAX_NAMED = 1000

/** What imports of systems have in common. */
export interface ImportSystemInput<File = FileSource> {
  readonly datasetId: number
  readonly file: File
  /** Name of the new system. */
  readonly system: string
  /** Accept a system without results for some images. */
  readonly isMissingAllowed: boolean
  /** Whether the system replaces the one of its name, with all its figures. Default: false. */
  readonly isReplaced?: boolean
}

interface ImportResultsInput<File = FileSource> extends ImportSystemInput<File> {
  /** For captions in lines: the id of the image of each line. */
  readonly imageIds?: File
  /** Whether the ids can be of another file. Default: false. */
  readonly areIdsShared?: boolean
  /** What the file calls images and captions. Default: the first of the usual names that it has. */
  readonly columns?: CaptionColumns
  /** Whether the columns can be those of another file. Default: false. */
  readonly areColumnsShared?: boolean
  /** Leave out captions of images that the dataset does not have. Default: false. */
  readonly isExtraAllowed?: boolean
  /** Remove markup of models from captions. Default: false. */
  readonly isMarkupStripped?: boolean
  /** The rule by which the file names images. Default: the first one that finds the most of them. */
  readonly match?: Match
  /** Evaluate the system by workers. */
  readonly evaluate?: boolean
}

export interface ImportSystemReport {
  readonly systemId: number
  readonly imageCount: number
  readonly missingImageCount: number
  /** External ids of the first images without a caption or scores of the system, in dataset order. */
  readonly missing: readonly string[]
}

export interface ImportResultsReport extends ImportSystemReport {
  readonly matching: Matching
  /** What to know of the captions; see `checkResults`. */
  readonly notes: readonly string[]
  /** The job that evaluates the system. */
  readonly evaluationId?: number
  /** How the file was recognized; null for COCO's format. */
  readonly format: string | null
  /** Those of the named columns by which it was read. */
  readonly columns: readonly string[]
}

/** Stores a captioning system of a file. Fails as {@link importResultsFile}. */
export const importResultsJob = importJob<ImportResultsInput, ImportResultsReport>(
  ({ follow, ...context }, { evaluate = false, ...input }) => {
    const finishWith = (write: (session: Session) => Promise<ImportResultsReport>) =>
      context.finishWith(async (session) => {
        const report = await write(session)
        if (!evaluate) return report
        const subject = { datasetId: input.datasetId, systemId: report.systemId }
        return { ...report, evaluationId: await follow(session, 'evaluate', subject) }
      })
    return importResultsFile({ ...context, finishWith }, input)
  },
)

/** Imports the captions of a system of a file. @throws AccordError as {@link importResults} and `readResults` */
export async function importResultsFile<Ending>(
  context: ImportContext<ImportResultsReport, Ending>,
  {
    datasetId,
    file,
    imageIds,
    areIdsShared,
    columns,
    areColumnsShared,
    ...rest
  }: Omit<ImportResultsInput<InputFile>, 'evaluate'>,
): Promise<Ending> {
  const dataset = await requireDatasetById(context.database, datasetId)
  let format: string | null = null
  let usedColumns: readonly string[] = []
  const onFormat = (name: string, used: readonly string[]) => {
    format = name
    usedColumns = used
  }
  const finishWith = (
    write: (session: Session) => Promise<Omit<ImportResultsReport, 'format' | 'columns'>>,
  ) => context.finishWith(async (session) => ({ ...(await write(session)), format, columns: usedColumns }))
  const reading = { imageIds, areIdsShared, columns, areColumnsShared, onFormat }
  const captions = { ...rest, source: file, captions: readResults(file, reading) }
  return importResults({ ...context, finishWith }, dataset, captions)
}

interface SystemCaptions
  extends Pick<
    ImportResultsInput,
    'system' | 'isReplaced' | 'isMissingAllowed' | 'isExtraAllowed' | 'isMarkupStripped' | 'match'
  > {
  /** The file of the captions, for errors. */
  readonly source: InputFile
  readonly captions: Iterable<SubmittedCaption>
  /** Whether images are matched without the names of their files. Default: false. */
  readonly areFileNamesIgnored?: boolean
}

/**
 * Imports a system's captions, one per image, with the system's precision and recall of every word. Memory does not
 * grow with the captions, only with the image ids and words of the dataset.
 *
 * @throws AccordError NAME_TAKEN; errors of the caption reader and of `checkResults`; UNKNOWN_DATASET if the dataset
 *   was removed
 */
export async function importResults<Ending>(
  { database, progress, finishWith }: ImportContext<Omit<ImportResultsReport, 'format' | 'columns'>, Ending>,
  dataset: Dataset,
  { source, captions, system, isReplaced, areFileNamesIgnored = false, ...check }: SystemCaptions,
): Promise<Ending> {
  await requireNewSystem(database, dataset.id, system, isReplaced)
  const described = await readDescribedImages(database, dataset.id)
  const images: DescribedImages = areFileNamesIgnored ? withoutFileNames(described) : described
  const imageIds = described.ids
  const [firstImageId = 0] = imageIds.values()
  const spool = new SystemSpool(firstImageId, requireTokenizer(dataset))
  const content = createResultsHash()
  const sample: string[] = []
  try {
    let imageCount = 0
    const coverage = { source, ...check }
    const { missing, notes, matching } = checkResults(captions, images, coverage, (imageId, text) => {
      if (imageCount++ % CAPTIONS_PER_STEP === 0) progress((0.5 * imageCount) / imageIds.size, 'reading')
      spool.add(imageIds.get(imageId) as number, text)
      if (sample.length < LANGUAGE_SAMPLE) sample.push(text)
      content.addCaption(imageId, text)
    })
    const languageNotes = otherLanguageNotes(sample, tokenizationOf(dataset))
    return await finishWith(async (session) => {
      const counts = { imageCount, missingImageCount: missing.length }
      if (isReplaced) await removeReplacedSystem(session, dataset.id, system)
      const row = { datasetId: dataset.id, name: system, ...counts }
      const systemId = await systems.insertSystem(session, row, 'CAPTIONS')
      await write(session, systemId, dataset, spool, imageCount, part(progress, 0.5, 1))
      await systems.finishSystem(session, systemId, {
        content: content.digest(),
        wordRevision: WORD_REVISION,
        missingCountedCount: await countCounted(session, dataset.id, missing, imageIds),
      })
      progress(1, 'done')
      return {
        systemId,
        ...counts,
        matching,
        missing: missing.slice(0, MAX_NAMED),
        notes: [...notes, ...languageNotes],
      }
    })
  } finally {
    spool.close()
  }
}

/** Writes the captions of a system and its results on words. */
async function write(
  session: Session,
  systemId: number,
  dataset: Dataset,
  spool: SystemSpool,
  captionCount: number,
  progress: Progress,
): Promise<void> {
  progress(0, 'writing')
  const tokenIds = await saveTokens(session, spool.texts)
  const words = await listWords(session, dataset.id, {})
  const histograms = new SystemHistograms(words, tokenIds, dataset.captionsPerImage)
  const counted = new Set(await readCountedImageIds(session, dataset.id))
  let written = 0
  function* rows(captions: readonly SpooledSystemCaption[]): Generator<systems.NewSystemCaption> {
    for (const { imageId, text, tokens } of captions) {
      if (written++ % CAPTIONS_PER_STEP === 0) progress((0.8 * written) / captionCount, 'writing')
      yield { imageId, text, tokens: tokens.map((token) => tokenIds[token]) }
    }
  }
  for (const captions of spool.partitions()) {
    await systems.insertSystemCaptions(session, systemId, rows(captions))
    await histograms.addBlock(
      session,
      captions.filter(({ imageId }) => counted.has(imageId)),
    )
  }
  progress(0.8, 'comparing words')
  const results = wordResults(words, histograms, dataset.captionsPerImage, part(progress, 0.8, 1))
  await systems.insertSystemWords(session, systemId, results)
}

/**
 * For each word that a system uses, s_0 … s_K: s_c is the number of images in which the system's caption and exactly c
 * of the K human captions use it.
 */
class SystemHistograms {
  /** Index in `words` of the word of each token, −1 for tokens that no human caption uses. */
  private readonly wordOfToken: Int32Array
  private readonly cells: Int32Array
  private readonly indexOfId = new Map<number, number>()

  constructor(
    private readonly words: readonly Word[],
    tokenIds: Int32Array,
    private readonly captionsPerImage: number,
  ) {
    const wordOfTokenId = new Map(words.map(({ tokenId }, index) => [tokenId, index]))
    this.wordOfToken = tokenIds.map((id) => wordOfTokenId.get(id) ?? -1)
    this.cells = new Int32Array(words.length * (captionsPerImage + 1))
    for (const [index, { id }] of words.entries()) this.indexOfId.set(id, index)
  }

  /** The histogram of the word `words[index]`. */
  of(index: number): Int32Array {
    const width = this.captionsPerImage + 1
    return this.cells.subarray(index * width, (index + 1) * width)
  }

  /** Adds captions by image id; the images have K human captions and are in one block of postings. */
  async addBlock(session: Session, captions: readonly SpooledSystemCaption[]): Promise<void> {
    if (captions.length === 0) return
    const imageIds = Int32Array.from(captions, ({ imageId }) => imageId)
    const used = groupByWord(this.countUse(captions))
    const wordIds = Array.from(used.keys(), (index) => this.words[index].id)
    const range = { first: imageIds[0], last: imageIds[imageIds.length - 1] }
    const counts = await readImageCounts(session, wordIds, range)
    for (const [index, images] of used) {
      const histogram = this.of(index)
      histogram[0] += images.length
      const human = counts.get(this.words[index].id)
      if (human)
        addOverlap(
          histogram,
          images.map((image) => imageIds[image]),
          human,
        )
    }
  }

  private countUse(captions: readonly SpooledSystemCaption[]): WordCounts {
    const offsets = new Int32Array(captions.length + 1)
    const known = captions.map(({ tokens }) =>
      tokens.map((token) => this.wordOfToken[token]).filter((word) => word >= 0),
    )
    for (const [index, { length }] of known.entries()) offsets[index + 1] = offsets[index] + length
    const tokens = new Int32Array(offsets[captions.length])
    for (const [index, words] of known.entries()) tokens.set(words, offsets[index])
    const firstCaption = Int32Array.from(offsets, (_, index) => index)
    return countWords({ tokens, offsets }, firstCaption, 1, this.words.length)
  }
}

/** The images of each word, ascending. */
function groupByWord({ words, images }: WordCounts): Map<number, Int32Array> {
  const groups = new Map<number, Int32Array>()
  for (let start = 0, end = 0; start < words.length; start = end) {
    while (end < words.length && words[end] === words[start]) end++
    groups.set(words[start], images.subarray(start, end))
  }
  return groups
}

/** Moves images in which human captions use the word from s_0 to s_c. Both lists of ids ascend. */
function addOverlap(histogram: Int32Array, imageIds: Int32Array, human: WordUses): void {
  let i = 0
  for (const imageId of imageIds) {
    while (i < human.imageIds.length && human.imageIds[i] < imageId) i++
    if (human.imageIds[i] !== imageId) continue
    histogram[0]--
    histogram[human.captionCounts[i]]++
  }
}

function* wordResults(
  words: readonly Word[],
  histograms: SystemHistograms,
  captionsPerImage: number,
  progress: Progress,
): Generator<Omit<SystemWord, 'systemId'>> {
  for (let references = 1; references < captionsPerImage; references++) {
    progress((references - 1) / captionsPerImage, 'comparing words')
    for (const [index, word] of words.entries()) {
      const agreement = captioningWordAgreement(histograms.of(index), word.histogram, references)
      yield {
        referenceCount: references,
        wordId: word.id,
        precisionAtHumanRecall: null,
        averagePrecision: null,
        precision: agreement.precision,
        recall: agreement.recall,
        undefinedReason: agreement.undefinedReason,
      }
    }
  }
}

interface SpooledSystemCaption {
  readonly imageId: number
  readonly text: string
  /** Indices into the texts of the spool. */
  readonly tokens: Int32Array
}

/** Tokenized captions of a system in a temporary file: added in any order, read by image id. */
class SystemSpool {
  private readonly tokens: ReturnType<typeof createTokenNumbers>
  private readonly spool = new Spool()
  private lastPartition = -1

  /** @param firstImageId lower bound of image ids */
  constructor(
    private readonly firstImageId: number,
    tokenization: Tokenization,
  ) {
    this.tokens = createTokenNumbers(tokenization)
  }

  /** The distinct tokens by first use. */
  get texts(): readonly string[] {
    return this.tokens.texts
  }

  add(imageId: number, text: string): void {
    const tokens = this.tokens.numbersOf(text)
    const record = Buffer.allocUnsafe(TOKENS + 4 * tokens.length + Buffer.byteLength(text))
    record.writeInt32LE(imageId, IMAGE_ID)
    record.writeUInt32LE(tokens.length, TOKEN_COUNT)
    for (let i = 0; i < tokens.length; i++) record.writeInt32LE(tokens[i], TOKENS + 4 * i)
    record.write(text, TOKENS + 4 * tokens.length)
    const partition = this.partitionOf(imageId)
    this.lastPartition = Math.max(this.lastPartition, partition)
    this.spool.append(partition, record)
  }

  /** All captions by image id, those of one block of postings (see postings.ts) at a time. */
  *partitions(): Generator<readonly SpooledSystemCaption[]> {
    for (let partition = 0; partition <= this.lastPartition; partition++) {
      const captions = Array.from(this.spool.records(partition), decode)
      if (captions.length > 0) yield captions.sort((one, other) => one.imageId - other.imageId)
    }
  }

  close(): void {
    this.spool.close()
  }

  private partitionOf(imageId: number): number {
    return (imageId >> BLOCK_BITS) - (this.firstImageId >> BLOCK_BITS)
  }
}

// A record: the image id and the number of tokens, then the tokens and the text.
const IMAGE_ID = 0
const TOKEN_COUNT = 4
const TOKENS = 8

function decode(record: Buffer): SpooledSystemCaption {
  const tokens = new Int32Array(record.readUInt32LE(TOKEN_COUNT))
  for (let i = 0; i < tokens.length; i++) tokens[i] = record.readInt32LE(TOKENS + 4 * i)
  return {
    imageId: record.readInt32LE(IMAGE_ID),
    text: record.toString('utf8', TOKENS + 4 * tokens.length),
    tokens,
  }
}
