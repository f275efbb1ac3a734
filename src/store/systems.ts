import type { SelectQueryBuilder } from 'typeorm'
import { AccordError } from '../errors.js'
import type { TokenSequences } from '../text/sequences.js'
import { renumber, sequence } from '../text/sequences.js'
import { toBlob, toSequences } from './blobs.js'
import { type Database, inTransaction } from './database.js'
import {
  type System,
  type SystemCaption,
  SystemCaptionEntity,
  SystemEntity,
  type SystemKind,
  type SystemWord,
  SystemWordEntity,
} from './entities.js'
import { insertRows } from './insert-rows.js'
import { type Order, type Page, type PageRequest, readPage } from './keyset.js'
import { saveTokens } from './tokens.js'
import { In } from './typeorm.js'
import { applyWordFilter, type WordFilter } from './words.js'

/** What captioning and word-score systems have in common before they have ids. */
interface NewSystem {
  readonly datasetId: number
  readonly name: string
  readonly imageCount: number
  readonly missingImageCount: number
  /** Results on each word; `systemId` is filled in when written. */
  readonly words: readonly Omit<SystemWord, 'systemId'>[]
}

export interface NewCaptionSystem extends NewSystem {
  /** Aligned to `sequences`. */
  readonly captions: readonly { readonly imageId: number; readonly text: string }[]
  readonly sequences: TokenSequences
  /** Text of each token in `sequences`. */
  readonly texts: readonly string[]
}

export interface NewScoreSystem extends NewSystem {
  /** Scores of one word for some images; words of a dense file share one array of image ids. */
  readonly scores: Iterable<{
    readonly wordId: number
    readonly imageIds: Int32Array
    readonly scores: Float32Array | Float64Array
  }>
}

/**
 * Writes a captioning system in one transaction.
 *
 * @returns the id of the system
 * @throws AccordError NAME_TAKEN; UNKNOWN_DATASET where the data set was removed meanwhile
 */
export function insertCaptionSystem(database: Database, system: NewCaptionSystem): number {
  return inTransaction(database, () => {
    const systemId = insertSystem(database, system, 'CAPTIONS')
    const numbered = renumber(system.sequences, saveTokens(database, system.texts))
    const insert = database.connection.prepare(
      'INSERT INTO system_caption (system_id, image_id, text, tokens) VALUES (?, ?, ?, ?)',
    )
    for (const [index, { imageId, text }] of system.captions.entries()) {
      insert.run(systemId, imageId, text, toBlob(sequence(numbered, index)))
    }
    insertSystemWords(database, systemId, system.words)
    return systemId
  })
}

/**
 * Writes a word-score system in one transaction.
 *
 * @returns the id of the system
 * @throws AccordError NAME_TAKEN; UNKNOWN_DATASET where the data set was removed meanwhile
 */
export function insertScoreSystem(database: Database, system: NewScoreSystem): number {
  return inTransaction(database, () => {
    const systemId = insertSystem(database, system, 'WORD_SCORES')
    const insertSet = database.connection.prepare(
      'INSERT INTO image_set (system_id, image_ids) VALUES (?, ?)',
    )
    const insertScores = database.connection.prepare(
      `INSERT INTO word_scores (system_id, word_id, image_set_id, bytes_per_score, scores)
       VALUES (?, ?, ?, ?, ?)`,
    )
    let previous: { imageIds: Int32Array; setId: number | bigint } | undefined
    for (const { wordId, imageIds, scores } of system.scores) {
      if (previous?.imageIds !== imageIds) {
        previous = { imageIds, setId: insertSet.run(systemId, toBlob(imageIds)).lastInsertRowid }
      }
      insertScores.run(systemId, wordId, previous.setId, scores.BYTES_PER_ELEMENT, toBlob(scores))
    }
    insertSystemWords(database, systemId, system.words)
    return systemId
  })
}

/** @throws AccordError NAME_TAKEN where the data set has a system of this name */
export function assertSystemNameFree(database: Database, datasetId: number, name: string): void {
  const taken = database.connection
    .prepare('SELECT 1 FROM system WHERE dataset_id = ? AND name = ?')
    .get(datasetId, name)
  if (taken) {
    throw new AccordError('NAME_TAKEN', 'the data set has a system of this name; remove it first', {
      source: 'system',
      expected: 'a new name',
      found: JSON.stringify(name),
    })
  }
}

/** All systems of a data set by name. */
export function listSystems(database: Database, datasetId: number): Promise<System[]> {
  return database.source.getRepository(SystemEntity).find({ where: { datasetId }, order: { name: 'ASC' } })
}

export function findSystem(database: Database, datasetId: number, name: string): Promise<System | null> {
  return database.source.getRepository(SystemEntity).findOneBy({ datasetId, name })
}

/** @throws AccordError UNKNOWN_SYSTEM, naming those that exist */
export async function requireSystem(database: Database, datasetId: number, name: string): Promise<System> {
  const system = await findSystem(database, datasetId, name)
  if (system) return system
  const names = (await listSystems(database, datasetId)).map((existing) => existing.name)
  throw new AccordError('UNKNOWN_SYSTEM', 'the data set has no such system', {
    source: 'system',
    expected: names.length > 0 ? `one of ${names.join(', ')}` : 'an imported system; it has none yet',
    found: JSON.stringify(name),
  })
}

/** Systems by id, in no particular order. */
export function findSystems(database: Database, ids: readonly number[]): Promise<System[]> {
  return database.source.getRepository(SystemEntity).findBy({ id: In(ids) })
}

/** Removes a system with all that belongs to it. */
export function deleteSystem(database: Database, systemId: number): void {
  inTransaction(database, () => {
    database.connection.prepare('DELETE FROM system WHERE id = ?').run(systemId)
  })
}

/** Systems' captions of images, by image and name of the system; of all systems where `names` is absent. */
export function readSystemCaptions(
  database: Database,
  imageIds: readonly number[],
  names?: readonly string[],
): Promise<SystemCaption[]> {
  const query = database.source
    .getRepository(SystemCaptionEntity)
    .createQueryBuilder('caption')
    .addSelect('caption.tokens')
    .innerJoin('system', 'system', 'system.id = caption.systemId')
    .where('caption.imageId IN (SELECT value FROM json_each(:ids))', { ids: JSON.stringify(imageIds) })
    .orderBy('caption.imageId')
    .addOrderBy('system.name')
  if (names)
    query.andWhere('system.name IN (SELECT value FROM json_each(:names))', { names: JSON.stringify(names) })
  return query.getMany()
}

/** A system's captions as token ids, one sequence for each of the image ids, which ascend. */
export function readSystemSequences(
  database: Database,
  systemId: number,
): { readonly imageIds: Int32Array; readonly sequences: TokenSequences } {
  const rows = database.connection
    .prepare('SELECT image_id, tokens FROM system_caption WHERE system_id = ? ORDER BY image_id')
    .raw()
    .all(systemId) as [number, Buffer][]
  return {
    imageIds: Int32Array.from(rows, ([imageId]) => imageId),
    sequences: toSequences(rows.map(([, tokens]) => tokens)),
  }
}

/** A system's results on words, in no particular order; on all its words where `wordIds` is absent. */
export function readSystemWords(
  database: Database,
  systemId: number,
  referenceCount: number,
  wordIds?: readonly number[],
): Promise<SystemWord[]> {
  const query = systemWords(database, systemId, referenceCount)
  if (wordIds)
    query.andWhere('result.wordId IN (SELECT value FROM json_each(:ids))', { ids: JSON.stringify(wordIds) })
  return query.getMany()
}

/** A page of the words that a system has results on. */
export function pageOfSystemWords(
  database: Database,
  systemId: number,
  referenceCount: number,
  filter: WordFilter,
  order: Order,
  request: PageRequest,
): Promise<Page<SystemWord>> {
  return readPage(systemWordsWhere(database, systemId, referenceCount, filter), 'word', order, request)
}

export function countOfSystemWords(
  database: Database,
  systemId: number,
  referenceCount: number,
  filter: WordFilter,
): Promise<number> {
  return systemWordsWhere(database, systemId, referenceCount, filter).getCount()
}

/**
 * Writes a system without what it gave; call inside the transaction that writes that.
 *
 * @returns the id of the system
 * @throws AccordError NAME_TAKEN; UNKNOWN_DATASET where the data set is removed meanwhile
 */
export function insertSystem(database: Database, system: Omit<NewSystem, 'words'>, kind: SystemKind): number {
  assertSystemNameFree(database, system.datasetId, system.name)
  if (!database.connection.prepare('SELECT 1 FROM dataset WHERE id = ?').get(system.datasetId)) {
    throw new AccordError('UNKNOWN_DATASET', 'the data set was removed', { source: 'dataset' })
  }
  const { lastInsertRowid } = database.connection
    .prepare(
      `INSERT INTO system (dataset_id, name, kind, image_count, missing_image_count, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(
      system.datasetId,
      system.name,
      kind,
      system.imageCount,
      system.missingImageCount,
      new Date().toISOString(),
    )
  return Number(lastInsertRowid)
}

function insertSystemWords(
  database: Database,
  systemId: number,
  words: readonly Omit<SystemWord, 'systemId'>[],
): void {
  function* rows() {
    for (const word of words) {
      yield [
        systemId,
        word.referenceCount,
        word.wordId,
        word.precisionAtHumanRecall,
        word.averagePrecision,
        word.precision,
        word.recall,
        word.undefinedReason,
      ]
    }
  }
  insertRows(
    database,
    'system_word',
    [
      'system_id',
      'reference_count',
      'word_id',
      'precision_at_human_recall',
      'average_precision',
      '"precision"',
      'recall',
      'undefined_reason',
    ],
    rows(),
  )
}

function systemWordsWhere(
  database: Database,
  systemId: number,
  referenceCount: number,
  filter: WordFilter,
): SelectQueryBuilder<SystemWord> {
  return applyWordFilter(
    systemWords(database, systemId, referenceCount).innerJoin('word', 'word', 'word.id = result.wordId'),
    filter,
  )
}

function systemWords(
  database: Database,
  systemId: number,
  referenceCount: number,
): SelectQueryBuilder<SystemWord> {
  return database.source
    .getRepository(SystemWordEntity)
    .createQueryBuilder('result')
    .where('result.systemId = :systemId AND result.referenceCount = :referenceCount', {
      systemId,
      referenceCount,
    })
}
