import { wordScoreResults } from '../agreement/phr.js'
import { emptyCounts, rankScores } from '../agreement/word-scores.js'
import { splitWords, type WordScores } from '../formats/word-scores.js'
import type { Database } from '../store/database.js'
import type { Dataset, SystemWord, Word } from '../store/entities.js'
import { readCountedImageIds, readImageCounts, readImageIds } from '../store/images.js'
import { assertSystemNameFree, insertScoreSystem } from '../store/systems.js'
import { listWords } from '../store/words.js'
import type { ImportSystemReport } from './import-results.js'
import { type Progress, part } from './progress.js'

export interface ImportScoresInput {
  /** Where the scores came from: a file, or the name of an argument. */
  readonly source: string
  /** Reads the scores against the external ids of the data set's images. */
  readonly read: (imageIds: ReadonlyMap<string, number>, progress: Progress) => WordScores
  readonly system: string
}

export interface ImportScoresReport extends ImportSystemReport {
  /** Words of the data set that the system scored. */
  readonly wordCount: number
  /** Scored words that no caption of the data set uses: left out. */
  readonly unknownWords: readonly string[]
}

/**
 * Imports a system's word scores, with PHR and AP of every word for every number of references.
 *
 * @throws AccordError NAME_TAKEN, UNKNOWN_WORD where the data set knows none of the words, and what `read` throws
 */
export async function importScores(
  database: Database,
  dataset: Dataset,
  { source, read, system }: ImportScoresInput,
  progress: Progress,
): Promise<ImportScoresReport> {
  assertSystemNameFree(database, dataset.id, system)
  const imageIds = readImageIds(database, dataset.id)
  const scores = read(imageIds, part(progress, 0, 0.3))
  const words = new Map((await listWords(database, dataset.id, {})).map((word) => [word.text, word]))
  const { known, unknown } = splitWords(scores, words, source)
  const columns = [...numberImages(scores, known, imageIds, words), ...unscoredColumns(scores, words)]
  const results = rankAll(database, dataset, columns, part(progress, 0.3, 0.8))
  progress(0.8, 'writing')
  const systemId = insertScoreSystem(database, {
    datasetId: dataset.id,
    name: system,
    imageCount: scores.imageIds.length,
    missingImageCount: scores.missing.length,
    scores: columns.map(({ word, ...column }) => ({ wordId: word.id, ...column })),
    words: results,
  })
  progress(1, 'done')
  return {
    systemId,
    imageCount: scores.imageIds.length,
    missing: scores.missing,
    wordCount: known.length,
    unknownWords: unknown,
  }
}

interface NumberedColumn {
  readonly word: Word
  readonly imageIds: Int32Array
  readonly scores: Float32Array | Float64Array
}

/** Columns of the known words, with image ids for positions; words that share positions share the ids too. */
function numberImages(
  scores: WordScores,
  known: readonly number[],
  imageIds: ReadonlyMap<string, number>,
  words: ReadonlyMap<string, Word>,
): NumberedColumn[] {
  const ids = Int32Array.from(scores.imageIds, (externalId) => imageIds.get(externalId) as number)
  let shared: { positions: Int32Array; ids: Int32Array } | undefined
  return known.map((index) => {
    const column = scores.column(index)
    if (shared?.positions !== column.images) {
      shared = { positions: column.images, ids: column.images.map((position) => ids[position]) }
    }
    return { word: words.get(scores.words[index]) as Word, imageIds: shared.ids, scores: column.scores }
  })
}

/**
 * Words of the vocabulary that the system scored in no image: all images tie, as unscored images do, so that the
 * means over a vocabulary are over the same words for every system.
 */
function unscoredColumns(scores: WordScores, words: ReadonlyMap<string, Word>): NumberedColumn[] {
  const scored = new Set(scores.words)
  const none = { imageIds: new Int32Array(0), scores: new Float32Array(0) }
  return [...words.values()]
    .filter((word) => word.vocabularyRank !== null && !scored.has(word.text))
    .map((word) => ({ word, ...none }))
}

function rankAll(
  database: Database,
  dataset: Dataset,
  columns: readonly NumberedColumn[],
  progress: Progress,
): Omit<SystemWord, 'systemId'>[] {
  const template = emptyCounts(readCountedImageIds(database, dataset.id))
  const imageCounts = { firstId: template.firstId, counts: template.counts.slice() }
  return columns.flatMap(({ word, imageIds, scores }, index) => {
    if (index % 20 === 0) progress(index / columns.length, 'ranking images')
    imageCounts.counts.set(template.counts)
    for (const [imageId, count] of readImageCounts(database, word.id)) {
      imageCounts.counts[imageId - imageCounts.firstId] = count
    }
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
  })
}
