import type { PartOfSpeech } from '../text/part-of-speech.js'
import { type Word, WordEntity } from './entities.js'
import { type Direction, type Order, type Page, type PageRequest, readPage } from './keyset.js'
import { find, findOne, mapRows } from './rows.js'
import type { Rows, Session } from './session.js'
import { among, raw, type Sql, sql, where } from './sql.js'

/** A word before it has an id; its image and caption counts are computed from the histogram. */
export type NewWord = Omit<Word, 'id' | 'datasetId' | 'imageCount' | 'captionCount' | 'histogram'> & {
  readonly histogram: readonly number[]
}

/** Conditions on words, combined by AND. Absent and null conditions are ignored. */
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

/** Reserves ids for words. @returns the first of `count` consecutive ids */
export function reserveWordIds(session: Session, count: number): Promise<number> {
  return session.reserveIds(WordEntity, count)
}

/** Writes words with the reserved ids `firstId`, `firstId` + 1, …. */
export function insertWords(
  session: Session,
  datasetId: number,
  firstId: number,
  words: Rows<NewWord>,
): Promise<void> {
  let id = firstId
  return session.insertMany(
    WordEntity,
    [
      'id',
      'datasetId',
      'tokenId',
      'text',
      'partOfSpeech',
      'vocabularyRank',
      'imageCount',
      'captionCount',
      'histogram',
      'humanPrecision',
      'humanRecall',
    ],
    mapRows(words, ({ tokenId, text, partOfSpeech, vocabularyRank, histogram, ...human }) => [
      id++,
      datasetId,
      tokenId,
      text,
      partOfSpeech,
      vocabularyRank,
      histogram.slice(1).reduce((sum, images) => sum + images, 0),
      histogram.reduce((sum, images, count) => sum + count * images, 0),
      histogram,
      human.humanPrecision,
      human.humanRecall,
    ]),
  )
}

/** The order of words by a field; words for which it is undefined are last in both directions. */
export function wordOrder(field: WordOrderField, direction?: Direction | null): Order {
  const chosen = direction ?? (field === 'RANK' || field === 'TEXT' ? 'ASC' : 'DESC')
  return { ...orderBy(field, chosen === 'ASC' ? 2 : -1), direction: chosen }
}

function orderBy(field: WordOrderField, undefinedValue: 2 | -1): Pick<Order, 'expression' | 'type'> {
  switch (field) {
    case 'RANK':
      return { expression: RANK, type: 'integer' }
    case 'TEXT':
      return { expression: sql`word.text`, type: 'text' }
    case 'IMAGE_COUNT':
      return { expression: sql`word.image_count`, type: 'integer' }
    case 'CAPTION_COUNT':
      return { expression: sql`word.caption_count`, type: 'integer' }
    case 'HUMAN_PRECISION':
      return { expression: raw(`COALESCE(word.human_precision, ${undefinedValue})`), type: 'double' }
    case 'HUMAN_RECALL':
      return { expression: raw(`COALESCE(word.human_recall, ${undefinedValue})`), type: 'double' }
  }
}

/** Words outside the vocabulary are after it, most used first. */
const RANK = sql`COALESCE(word.vocabulary_rank, 1000000000 - word.caption_count)`

/** A page of a dataset's words. */
export function pageOfWords(
  session: Session,
  datasetId: number,
  filter: WordFilter,
  order: Order,
  request: PageRequest,
): Promise<Page<Word>> {
  const conditions = conditionsIn(datasetId, filter)
  return readPage(session, { entity: WordEntity, conditions, order }, request)
}

export async function countWords(session: Session, datasetId: number, filter: WordFilter): Promise<number> {
  const [{ count }] = await session.all<{ count: number }>(
    sql`SELECT count(*) AS count FROM word ${where(conditionsIn(datasetId, filter))}`,
  )
  return count
}

/** All words that match a filter, in vocabulary order. */
export function listWords(session: Session, datasetId: number, filter: WordFilter): Promise<Word[]> {
  return find(session, WordEntity, sql`${where(conditionsIn(datasetId, filter))} ORDER BY ${RANK}, word.id`)
}

export function findWord(session: Session, datasetId: number, text: string): Promise<Word | null> {
  return findOne(session, WordEntity, sql`WHERE dataset_id = ${datasetId} AND text = ${text}`)
}

/** Words by id, in no particular order. */
export function findWords(session: Session, ids: readonly number[]): Promise<Word[]> {
  return find(session, WordEntity, sql`WHERE id ${among(ids)}`)
}

/** The words of a dataset with these tokens, in no particular order. */
export function findWordsOfTokens(
  session: Session,
  datasetId: number,
  tokenIds: readonly number[],
): Promise<Word[]> {
  return find(session, WordEntity, sql`WHERE dataset_id = ${datasetId} AND token_id ${among(tokenIds)}`)
}

/** Ids of all words of a dataset by text. */
export async function readWordIds(session: Session, datasetId: number): Promise<Map<string, number>> {
  const rows = await session.all<{ id: number; text: string }>(
    sql`SELECT id, text FROM word WHERE dataset_id = ${datasetId}`,
  )
  return new Map(rows.map(({ id, text }) => [text, id]))
}

/** A noncharacter, greater than all characters of texts. */
const LAST_CHARACTER = '\u{10ffff}'

/** Conditions of a filter on the table `word`. */
export function wordConditions(filter: WordFilter): Sql[] {
  const { inVocabulary, partOfSpeech, startsWith, texts, minImageCount, minCaptionCount } = filter
  const conditions: Sql[] = []
  if (inVocabulary != null) conditions.push(raw(`word.vocabulary_rank IS ${inVocabulary ? 'NOT ' : ''}NULL`))
  if (partOfSpeech != null) conditions.push(sql`word.part_of_speech ${among(partOfSpeech)}`)
  if (startsWith != null) {
    const end = `${startsWith}${LAST_CHARACTER}`
    conditions.push(sql`word.text >= ${startsWith} AND word.text < ${end}`)
  }
  if (texts != null) conditions.push(sql`word.text ${among(texts)}`)
  if (minImageCount != null) conditions.push(sql`word.image_count >= ${minImageCount}`)
  if (minCaptionCount != null) conditions.push(sql`word.caption_count >= ${minCaptionCount}`)
  return conditions
}

function conditionsIn(datasetId: number, filter: WordFilter): Sql[] {
  return [sql`word.dataset_id = ${datasetId}`, ...wordConditions(filter)]
}
