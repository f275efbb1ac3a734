import type { SelectQueryBuilder } from 'typeorm'
import type { PartOfSpeech } from '../text/part-of-speech.js'
import type { Database } from './database.js'
import { type Word, WordEntity } from './entities.js'
import { type Direction, type Order, type Page, type PageRequest, readPage } from './keyset.js'

/** What words to list; all conditions hold, absent ones and nulls restrict nothing. */
export interface WordFilter {
  readonly inVocabulary?: boolean | null
  readonly partOfSpeech?: readonly PartOfSpeech[] | null
  readonly startsWith?: string | null
  readonly texts?: readonly string[] | null
  readonly minImageCount?: number | null
  readonly minCaptionCount?: number | null
}

export type WordOrderField =
  | 'RANK'
  | 'TEXT'
  | 'IMAGE_COUNT'
  | 'CAPTION_COUNT'
  | 'HUMAN_PRECISION'
  | 'HUMAN_RECALL'

/** The order of words by a field; words where it is undefined come last in either direction. */
export function wordOrder(field: WordOrderField, direction?: Direction | null): Order {
  const chosen = direction ?? (field === 'RANK' || field === 'TEXT' ? 'ASC' : 'DESC')
  return { expression: orderExpression(field, chosen === 'ASC' ? 2 : -1), direction: chosen }
}

function orderExpression(field: WordOrderField, undefinedValue: number): string {
  switch (field) {
    case 'RANK':
      return 'COALESCE(word.vocabularyRank, 1000000000 - word.captionCount)'
    case 'TEXT':
      return 'word.text'
    case 'IMAGE_COUNT':
      return 'word.imageCount'
    case 'CAPTION_COUNT':
      return 'word.captionCount'
    case 'HUMAN_PRECISION':
      return `COALESCE(word.humanPrecision, ${undefinedValue})`
    case 'HUMAN_RECALL':
      return `COALESCE(word.humanRecall, ${undefinedValue})`
  }
}

/** A page of a data set's words. */
export function pageOfWords(
  database: Database,
  datasetId: number,
  filter: WordFilter,
  order: Order,
  request: PageRequest,
): Promise<Page<Word>> {
  return readPage(wordsWhere(database, datasetId, filter), 'word', order, request)
}

export function countOfWords(database: Database, datasetId: number, filter: WordFilter): Promise<number> {
  return wordsWhere(database, datasetId, filter).getCount()
}

/** All words that pass a filter, in vocabulary order. */
export function listWords(database: Database, datasetId: number, filter: WordFilter): Promise<Word[]> {
  return wordsWhere(database, datasetId, filter)
    .addSelect(orderExpression('RANK', 0), 'sort_value')
    .orderBy('sort_value')
    .addOrderBy('word.id')
    .getMany()
}

export function findWord(database: Database, datasetId: number, text: string): Promise<Word | null> {
  return database.source.getRepository(WordEntity).findOneBy({ datasetId, text })
}

/** Words by id, in no particular order. */
export function findWords(database: Database, ids: readonly number[]): Promise<Word[]> {
  return words(database)
    .where('word.id IN (SELECT value FROM json_each(:ids))', { ids: JSON.stringify(ids) })
    .getMany()
}

/** The words that tokens are in a data set, in no particular order. */
export function findWordsOfTokens(
  database: Database,
  datasetId: number,
  tokenIds: readonly number[],
): Promise<Word[]> {
  return words(database)
    .where('word.datasetId = :datasetId', { datasetId })
    .andWhere('word.tokenId IN (SELECT value FROM json_each(:ids))', { ids: JSON.stringify(tokenIds) })
    .getMany()
}

/** Ids of all words of a data set by text. */
export function readWordIds(database: Database, datasetId: number): Map<string, number> {
  const rows = database.connection
    .prepare('SELECT text, id FROM word WHERE dataset_id = ?')
    .raw()
    .all(datasetId)
  return new Map(rows as [string, number][])
}

/** No text goes on with it: it is no character. */
const LAST_CHARACTER = '\u{10ffff}'

/** Conditions of a filter on the alias `word`. */
export function applyWordFilter<Row extends object>(
  query: SelectQueryBuilder<Row>,
  filter: WordFilter,
): SelectQueryBuilder<Row> {
  const { inVocabulary, partOfSpeech, startsWith, texts, minImageCount, minCaptionCount } = filter
  if (inVocabulary != null) query.andWhere(`word.vocabularyRank IS ${inVocabulary ? 'NOT ' : ''}NULL`)
  if (partOfSpeech != null) query.andWhere('word.partOfSpeech IN (:...partOfSpeech)', { partOfSpeech })
  if (startsWith != null) {
    query.andWhere('word.text >= :startsWith AND word.text < :behind', {
      startsWith,
      behind: `${startsWith}${LAST_CHARACTER}`,
    })
  }
  if (texts != null) {
    query.andWhere('word.text IN (SELECT value FROM json_each(:texts))', { texts: JSON.stringify(texts) })
  }
  if (minImageCount != null) query.andWhere('word.imageCount >= :minImageCount', { minImageCount })
  if (minCaptionCount != null) query.andWhere('word.captionCount >= :minCaptionCount', { minCaptionCount })
  return query
}

function wordsWhere(database: Database, datasetId: number, filter: WordFilter): SelectQueryBuilder<Word> {
  return applyWordFilter(words(database).where('word.datasetId = :datasetId', { datasetId }), filter)
}

function words(database: Database): SelectQueryBuilder<Word> {
  return database.source.getRepository(WordEntity).createQueryBuilder('word')
}
