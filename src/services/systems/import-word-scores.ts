import { createScoresHash, type ScoresHash } from '../../compute/content-hash.js'
import { emptyCounts, type ImageCounts, rankScores, wordScoreResults } from '../../core/agreement/phr.js'
import { WORD_REVISION } from '../../core/metrics/provenance.js'
import type { KnownImages } from '../../formats/coco/known-images.js'
import type { InputFile } from '../../formats/io/files.js'
import { readVocabulary } from '../../formats/words/vocabulary.js'
import * as wordScores from '../../formats/words/word-scores.js'
import { type Progress, part } from '../../progress.js'
import type { Session } from '../../store/engine/session.js'
import { countCounted, readCountedImageIds, readImageIds } from '../../store/images.js'
import { readImageCounts } from '../../store/postings.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { SystemWord } from '../../store/schema/system-tables.js'
import { finishSystem, insertSystem, insertSystemWords } from '../../store/systems.js'
import { insertWordScores, type NewWordScores } from '../../store/word-scores.js'
import { listWords } from '../../store/words.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { type FileSource, type ImportContext, importJob } from '../uploads/import-job.js'
import { removeReplacedSystem, requireNewSystem } from '../uploads/requirements.js'
import { type ImportSystemInput, type ImportSystemReport, MAX_NAMED } from './import-results.js'

/** Size of the scores and postings that are in memory together, in bytes. */
const BATCH_BYTES = 1 << 24

/** Number of columns between two progress reports. */
const COLUMNS_PER_STEP = 20

/** Bytes per image in the postings of a word. */
const BYTES_PER_POSTING = 5

export interface ImportWordScoresInput<File = FileSource> extends ImportSystemInput<File> {
  /** CSV with the word of each column of an `.npy` file. */
  readonly vocabulary?: File
  /** JSON with the image id of each row of an `.npy` file. */
  readonly imageIds?: File
}

export interface ImportWordScoresReport extends ImportSystemReport {
  /** Number of scored words of the dataset. */
  readonly wordCount: number
  /** Number of scored words that no caption of the dataset uses, which are excluded. */
  readonly unknownWordCount: number
  /** The first of them. */
  readonly unknownWords: readonly string[]
}

/** Stores a word-score system of a file. Fails as {@link importWordScoresFile}. */
export const importWordScoresJob = importJob<ImportWordScoresInput, ImportWordScoresReport>(
  importWordScoresFile,
)

/** Imports the word scores of a system of a file. @throws AccordError as {@link importWordScores} and its reader */
export async function importWordScoresFile<Ending>(
  context: ImportContext<ImportWordScoresReport, Ending>,
  { datasetId, file, system, isMissingAllowed, isReplaced, ...lists }: ImportWordScoresInput<InputFile>,
): Promise<Ending> {
  const dataset = await requireDatasetById(context.database, datasetId)
  const labels = readLabels(lists)
  const read: SystemScores['read'] = (images, reading) =>
    wordScores.readWordScores(file, labels, images, isMissingAllowed, (share) => reading(share, 'reading'))
  return importWordScores(context, dataset, { source: file, system, isReplaced, read })
}

function readLabels({
  vocabulary,
  imageIds,
}: Pick<ImportWordScoresInput<InputFile>, 'vocabulary' | 'imageIds'>): wordScores.MatrixLabels | undefined {
  if (vocabulary === undefined || imageIds === undefined) return undefined
  return { imageIdsFile: imageIds, words: readVocabulary(vocabulary).map(({ word }) => word) }
}

export interface SystemScores extends Pick<ImportSystemInput, 'system' | 'isReplaced'> {
  /** The file of the scores, for errors. */
  readonly source: InputFile
  /** Reads the scores and checks them against the dataset's images; the import closes them. */
  readonly read: (images: KnownImages, progress: Progress) => wordScores.WordScores
}

/**
 * Imports a system's word scores, with PHR and AP of every word for every number of references. Memory does not grow
 * with the scores, only with the image ids and words of the dataset.
 *
 * @throws AccordError NAME_TAKEN; UNKNOWN_WORD if no word is in the dataset; errors of `read`; UNKNOWN_DATASET if the
 *   dataset was removed
 */
export async function importWordScores<Ending>(
  { database, progress, finishWith }: ImportContext<ImportWordScoresReport, Ending>,
  dataset: Dataset,
  { source, read, system, isReplaced }: SystemScores,
): Promise<Ending> {
  await requireNewSystem(database, dataset.id, system, isReplaced)
  const imageIds = await readImageIds(database, dataset.id)
  const words = new Map((await listWords(database, dataset.id, {})).map((word) => [word.text, word]))
  const scores = read(imageIds, part(progress, 0, 0.3))
  try {
    const { known, unknown } = wordScores.splitWords(scores, words, source)
    return await finishWith(async (session) => {
      const counts = { imageCount: scores.imageIds.length, missingImageCount: scores.missing.length }
      if (isReplaced) await removeReplacedSystem(session, dataset.id, system)
      const row = { datasetId: dataset.id, name: system, ...counts }
      const systemId = await insertSystem(session, row, 'WORD_SCORES')
      const unscored = unscoredWords(scores, words)
      const columnCount = known.length + unscored.length
      const columns = countColumns(
        concatenate(numberImages(scores, known, imageIds, words), unscored.map(emptyColumn)),
        columnCount,
        part(progress, 0.3, 1),
      )
      const [firstImageId = 0] = imageIds.values()
      const content = createScoresHash(firstImageId)
      await insertWordScores(session, systemId, rankColumns(session, dataset, systemId, columns, content))
      await finishSystem(session, systemId, {
        content: content.digest(),
        wordRevision: WORD_REVISION,
        missingCountedCount: await countCounted(session, dataset.id, scores.missing, imageIds),
      })
      progress(1, 'done')
      return {
        systemId,
        ...counts,
        missing: scores.missing.slice(0, MAX_NAMED),
        wordCount: known.length,
        unknownWordCount: unknown.length,
        unknownWords: unknown.slice(0, MAX_NAMED),
      }
    })
  } finally {
    scores.close()
  }
}

/** The scores for one word of the dataset. */
interface NumberedColumn extends NewWordScores {
  readonly word: Word
}

/** Columns of the known words, with image ids instead of positions; columns that share positions share the ids. */
function* numberImages(
  scores: wordScores.WordScores,
  known: readonly number[],
  imageIds: ReadonlyMap<string, number>,
  words: ReadonlyMap<string, Word>,
): Generator<NumberedColumn> {
  const ids = Int32Array.from(scores.imageIds, (externalId) => imageIds.get(externalId) as number)
  let shared: { positions: Int32Array; ids: Int32Array } | undefined
  for (const column of scores.columns(new Set(known))) {
    if (shared?.positions !== column.images) {
      shared = { positions: column.images, ids: column.images.map((position) => ids[position]) }
    }
    const word = words.get(scores.words[column.word]) as Word
    yield { word, wordId: word.id, imageIds: shared.ids, scores: column.scores }
  }
}

/** Words of the vocabulary without scores. */
function unscoredWords(scores: wordScores.WordScores, words: ReadonlyMap<string, Word>): Word[] {
  const scored = new Set(scores.words)
  return [...words.values()].filter((word) => word.vocabularyRank !== null && !scored.has(word.text))
}

const NO_IMAGES = new Int32Array(0)

/** A column without scores, so that all images tie: means over a vocabulary include the same words for all systems. */
function emptyColumn(word: Word): NumberedColumn {
  return { word, wordId: word.id, imageIds: NO_IMAGES, scores: new Float32Array(0) }
}

function* concatenate<Item>(...lists: readonly Iterable<Item>[]): Generator<Item> {
  for (const list of lists) yield* list
}

function* countColumns(
  columns: Iterable<NumberedColumn>,
  count: number,
  progress: Progress,
): Generator<NumberedColumn> {
  let index = 0
  for (const column of columns) {
    if (index % COLUMNS_PER_STEP === 0) progress(index / count, 'ranking images')
    index++
    yield column
  }
}

/** Writes the results of each column, adds it to the hash, and passes it on. */
async function* rankColumns(
  session: Session,
  dataset: Dataset,
  systemId: number,
  columns: Iterable<NumberedColumn>,
  content: ScoresHash,
): AsyncGenerator<NumberedColumn> {
  const template = emptyCounts(await readCountedImageIds(session, dataset.id))
  const imageCounts = { firstId: template.firstId, counts: template.counts.slice() }
  for (const batch of batchesOf(columns)) {
    const wordIds = batch.map(({ wordId }) => wordId)
    const used = await readImageCounts(session, wordIds)
    const results = batch.flatMap((column) => {
      imageCounts.counts.set(template.counts)
      content.addWord(column.word.text, column)
      const { imageIds, captionCounts } = used.get(column.wordId) ?? NOT_USED
      for (let i = 0; i < imageIds.length; i++) {
        imageCounts.counts[imageIds[i] - imageCounts.firstId] = captionCounts[i]
      }
      return wordResults(column, imageCounts)
    })
    await insertSystemWords(session, systemId, results)
    yield* batch
  }
}

const NOT_USED = { imageIds: NO_IMAGES, captionCounts: new Uint8Array(0) }

/** Batches of one column, or of columns with scores and postings of at most {@link BATCH_BYTES} bytes. */
function* batchesOf(columns: Iterable<NumberedColumn>): Generator<NumberedColumn[]> {
  let batch: NumberedColumn[] = []
  let bytes = 0
  for (const column of columns) {
    const size = column.scores.byteLength + column.word.imageCount * BYTES_PER_POSTING
    if (batch.length > 0 && bytes + size > BATCH_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(column)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

function wordResults(
  { word, imageIds, scores }: NumberedColumn,
  imageCounts: ImageCounts,
): Omit<SystemWord, 'systemId'>[] {
  const ranking = rankScores(imageIds, scores, imageCounts, word.histogram)
  return wordScoreResults(ranking).map((result) => ({
    referenceCount: result.references,
    wordId: word.id,
    precisionAtHumanRecall: result.precisionAtHumanRecall,
    averagePrecision: result.averagePrecision,
    precision: null,
    recall: null,
    undefinedReason: result.undefinedReason,
  }))
}
