import { createHash } from 'node:crypto'
import { heldOutWeights } from '../core/agreement/weights.js'
import type { PartOfSpeech } from '../shared/choices.js'
import { damaged } from './engine/blobs.js'
import { type Direction, type Order, type PagedRows, pagedRows } from './engine/keyset.js'
import { find, findOne, insertRows, mapRows, rowsBy, update } from './engine/rows.js'
import type { Rows, Session } from './engine/session.js'
import { among, join, perEngine, raw, type Sql, sql, where } from './engine/sql.js'
import { type Dataset, DatasetEntity, type Word, WordEntity } from './schema/dataset-tables.js'

/** A word before it has an id; its image and caption counts are computed from the histogram. */
export type NewWord = Omit<Word, 'id' | 'datasetId' | 'imageCount' | 'captionCount' | 'histogram'> & {
  readonly histogram: readonly number[]
}

/** Values from `min` to `max`, both included. */
export interface Range {
  readonly min?: number | null
  readonly max?: number | null
}

/** Conditions on words, combined by AND. Absent and null conditions are ignored. */
export interface WordFilter {
  /** Words of the vocabulary, others, or all. */
  readonly vocabulary?: 'IN' | 'OUT' | 'ALL'
  readonly partOfSpeech?: readonly PartOfSpeech[] | null
  readonly startsWith?: string | null
  readonly contains?: string | null
  readonly texts?: readonly string[] | null
  readonly imageCount?: Range | null
  readonly captionCount?: Range | null
  /** With K − 1 references. A range excludes undefined values. */
  readonly humanPrecision?: Range | null
  readonly humanRecall?: Range | null
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
  return insertRows(
    session,
    WordEntity,
    mapRows(words, ({ histogram, ...word }) => ({
      ...word,
      id: id++,
      datasetId,
      imageCount: histogram.slice(1).reduce((sum, images) => sum + images, 0),
      captionCount: histogram.reduce((sum, images, count) => sum + count * images, 0),
      histogram: [...histogram],
    })),
  )
}

/** A word of a vocabulary that replaces another. */
export type RankedWord = Pick<Word, 'id' | 'text' | 'partOfSpeech'>

/** Number of words that are updated by one statement. */
const WORDS_PER_UPDATE = 2_000

/** Replaces the vocabulary of a dataset. Call it in a transaction. @param words in the order of their ranks */
export async function replaceVocabulary(
  session: Session,
  datasetId: number,
  words: readonly RankedWord[],
): Promise<void> {
  await session.run(sql`UPDATE word SET vocabulary_rank = NULL WHERE dataset_id = ${datasetId}`)
  for (let start = 0; start < words.length; start += WORDS_PER_UPDATE) {
    const rows = words.slice(start, start + WORDS_PER_UPDATE)
    const list = join(
      rows.map(({ id, partOfSpeech }, index) => sql`(${id}, ${start + index + 1}, ${partOfSpeech})`),
      ', ',
    )
    await session.run(
      sql`WITH ranked (id, place, tag) AS (VALUES ${list})
          UPDATE word SET vocabulary_rank = CAST(ranked.place AS integer), part_of_speech = ranked.tag
          FROM ranked WHERE word.id = CAST(ranked.id AS integer)`,
    )
  }
  await storeVocabularyHash(session, datasetId, words)
}

type VocabularyWord = Pick<Word, 'text' | 'partOfSpeech'>

/** Stores what {@link listVocabulary} compares the words with. @param words in the order of their ranks */
export async function storeVocabularyHash(
  session: Session,
  datasetId: number,
  words: readonly VocabularyWord[],
): Promise<void> {
  await update(session, DatasetEntity, { vocabulary: hashOf(words) }, sql`id = ${datasetId}`)
}

function hashOf(words: readonly VocabularyWord[]): string {
  const entries = words.map(({ text, partOfSpeech }) => [text, partOfSpeech])
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex')
}

/** The words of a vocabulary by rank. @throws AccordError RESOURCE_MISSING for words that differ from their hash */
export async function listVocabulary(
  session: Session,
  { id, vocabulary }: Pick<Dataset, 'id' | 'vocabulary'>,
): Promise<Word[]> {
  const list = () => listWords(session, id, { vocabulary: 'IN' })
  const words = await list()
  if (vocabulary === null || vocabulary === hashOf(words)) return words
  // It may have been replaced since the dataset was read.
  const [now] = await session.all<{ vocabulary: string }>(
    sql`SELECT vocabulary FROM dataset WHERE id = ${id}`,
  )
  const wordsNow = await list()
  if (now?.vocabulary !== hashOf(wordsNow))
    throw damaged(WordEntity.name, 'the vocabulary', 'the words of its hash')
  return wordsNow
}

/** The order of words by a field; words for which it is undefined are last in both directions. */
export function wordOrder(field: WordOrderField, direction?: Direction | null): Order {
  const chosen = direction ?? (field === 'RANK' || field === 'TEXT' ? 'ASC' : 'DESC')
  return { ...orderBy(field, chosen), direction: chosen }
}

function orderBy(field: WordOrderField, direction: Direction): Pick<Order, 'expression' | 'type'> {
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
      return undefinedLast(raw('word.human_precision'), direction)
    case 'HUMAN_RECALL':
      return undefinedLast(raw('word.human_recall'), direction)
  }
}

/** Orders by a value from −1 to 1 that can be null. */
export function undefinedLast(value: Sql, direction: Direction): Pick<Order, 'expression' | 'type'> {
  return { expression: sql`COALESCE(${value}, ${raw(direction === 'ASC' ? '2' : '-2')})`, type: 'double' }
}

/** Human precision of words with k references, from 0 to 1. Null if it is undefined. */
export function humanPrecision(captionsPerImage: number, references: number): Sql {
  if (references === captionsPerImage - 1) return raw('word.human_precision')
  const { truePositive, falsePositive } = heldOutWeights(captionsPerImage, references)
  const predictions = truePositive.map((weight, count) => weight + falsePositive[count])
  return sql`(1.0 * (${overImages(truePositive)}) / NULLIF(${overImages(predictions)}, 0))`
}

/** The sum of weights of the images of a word, by the number of captions that use it. */
function overImages(weights: Float64Array): Sql {
  const terms = Array.from(weights, (weight, count) => {
    const images = perEngine({
      sqlite: `(word.histogram ->> ${count})`,
      postgres: `(word.histogram::json ->> ${count})::double precision`,
    })
    return sql`${raw(String(weight))} * ${images}`
  })
  return join(terms, ' + ')
}

/** Words outside the vocabulary are after it, most used first. */
const RANK = sql`COALESCE(word.vocabulary_rank, 1000000000 - word.caption_count)`

/** A dataset's words, page by page. */
export function pagedWords(
  session: Session,
  datasetId: number,
  filter: WordFilter,
  order: Order,
): PagedRows<Word> {
  return pagedRows(session, { entity: WordEntity, conditions: conditionsIn(datasetId, filter), order })
}

/** All words that match a filter, in vocabulary order. */
export function listWords(session: Session, datasetId: number, filter: WordFilter): Promise<Word[]> {
  return find(session, WordEntity, sql`${where(conditionsIn(datasetId, filter))} ORDER BY ${RANK}, word.id`)
}

/** A word of a dataset, written in any case: words are tokens, which are lower case. */
export function findWord(session: Session, datasetId: number, text: string): Promise<Word | null> {
  return findOne(session, WordEntity, sql`WHERE dataset_id = ${datasetId} AND text = ${text.toLowerCase()}`)
}

export const findWords = rowsBy(WordEntity, 'id')

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

/** Conditions of a filter on the table `word`. Texts are in any case. */
export function wordConditions(filter: WordFilter): Sql[] {
  const { vocabulary = 'ALL', partOfSpeech, startsWith, contains, texts } = filter
  const conditions: Sql[] = []
  if (vocabulary === 'IN') conditions.push(raw('word.vocabulary_rank IS NOT NULL'))
  if (vocabulary === 'OUT') conditions.push(raw('word.vocabulary_rank IS NULL'))
  if (partOfSpeech != null) conditions.push(sql`word.part_of_speech ${among(partOfSpeech)}`)
  if (startsWith != null) {
    const start = startsWith.toLowerCase()
    const end = `${start}${LAST_CHARACTER}`
    conditions.push(sql`word.text >= ${start} AND word.text < ${end}`)
  }
  if (contains != null) conditions.push(sql`${POSITION}(word.text, ${contains.toLowerCase()}) > 0`)
  if (texts != null) conditions.push(sql`word.text ${among(texts.map((text) => text.toLowerCase()))}`)
  return [
    ...conditions,
    ...inRange(raw('word.image_count'), filter.imageCount),
    ...inRange(raw('word.caption_count'), filter.captionCount),
    ...inRange(raw('word.human_precision'), filter.humanPrecision),
    ...inRange(raw('word.human_recall'), filter.humanRecall),
  ]
}

const POSITION = perEngine({ sqlite: 'instr', postgres: 'strpos' })

/** Conditions on a value; null is in no range. */
export function inRange(value: Sql, range: Range | null | undefined): Sql[] {
  return [
    ...(range?.min == null ? [] : [sql`${value} >= ${range.min}`]),
    ...(range?.max == null ? [] : [sql`${value} <= ${range.max}`]),
  ]
}

function conditionsIn(datasetId: number, filter: WordFilter): Sql[] {
  return [sql`word.dataset_id = ${datasetId}`, ...wordConditions(filter)]
}
