import { ENGLISH, type Tokenization } from '../core/text/tokenization.js'
import { createTokenizer } from '../core/text/tokenizers.js'
import { entity, integer, text } from './engine/columns.js'
import { count } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { continues, raw, type Sql, sql } from './engine/sql.js'
import { CaptionEntity } from './schema/dataset-tables.js'
import { SystemCaptionEntity } from './schema/system-tables.js'
import { type CaptionTokens, findTokens, readTokens } from './tokens.js'
import { inRange, type Range } from './words.js'

/**
 * Text search in captions: FTS5 on SQLite, `tsvector` with a GIN index on PostgreSQL. Both index the token ids of captions,
 * as digits separated by spaces, so that they find the same captions. The tables are created by a migration and are not
 * among the entities: their rows are derived from the captions and removed with them.
 */

/** Images from one id to another, both included. */
export interface ImageRange {
  readonly first: number
  readonly last: number
}

/** Words that captions contain: all of some, any of some, none of some; and how long they are. Each condition is optional. */
export interface WordSearch {
  readonly all?: readonly string[] | null
  readonly any?: readonly string[] | null
  readonly none?: readonly string[] | null
  readonly tokenCount?: Range | null
  /** Of the captions. Default: English. */
  readonly tokenization?: Tokenization
}

/** Number of captions that are indexed together. */
const CAPTIONS_PER_READ = 20_000

/** Tables with captions, and the indices of their tokens. */
const SEARCHED = {
  caption: { source: CaptionEntity, index: searchEntity('caption_search') },
  systemCaption: { source: SystemCaptionEntity, index: searchEntity('system_caption_search') },
}

/** Kinds of captions. */
export type SearchedCaptions = keyof typeof SEARCHED

function searchEntity(name: string) {
  return entity(name, [], { id: integer('rowid'), tokens: text('tokens') })
}

/** A range of images that {@link extend} widens. */
export function emptyRange(): { first: number; last: number } {
  return { first: Number.POSITIVE_INFINITY, last: 0 }
}

export function extend(range: { first: number; last: number }, imageId: number): void {
  range.first = Math.min(range.first, imageId)
  range.last = Math.max(range.last, imageId)
}

/** Indexes the human captions of a range of images. */
export async function indexCaptions(session: Session, { first, last }: ImageRange): Promise<void> {
  if (first <= last) await indexTokens(session, 'caption', sql`image_id BETWEEN ${first} AND ${last}`)
}

/** Indexes a system's captions of a range of images. */
export async function indexSystemCaptions(
  session: Session,
  systemId: number,
  { first, last }: ImageRange,
): Promise<void> {
  if (first > last) return
  const condition = sql`system_id = ${systemId} AND image_id BETWEEN ${first} AND ${last}`
  await indexTokens(session, 'systemCaption', condition)
}

/** Indexes all captions of a database without an index of them. */
export async function indexAllCaptions(session: Session): Promise<void> {
  await indexTokens(session, 'caption', sql`TRUE`)
  await indexTokens(session, 'systemCaption', sql`TRUE`)
}

async function indexTokens(session: Session, kind: SearchedCaptions, condition: Sql): Promise<void> {
  const { source, index } = SEARCHED[kind]
  for (let after = sql`TRUE`; ; ) {
    const rows = await readTokens(
      session,
      source,
      sql`WHERE ${condition} AND ${after} ORDER BY image_id, id LIMIT ${CAPTIONS_PER_READ}`,
    )
    const indexed = rows.filter(({ tokens }) => tokens.length > 0)
    if (indexed.length > 0) await session.insertMany(index, ['id', 'tokens'], toTexts(indexed))
    if (rows.length < CAPTIONS_PER_READ) return
    const { id, imageId } = rows[rows.length - 1]
    after = sql`(image_id, id) > (${imageId}, ${id})`
  }
}

function* toTexts(rows: readonly CaptionTokens[]) {
  for (const { id, tokens } of rows) yield [id, tokens.join(' ')]
}

/** The distinct tokens of the words of a search. */
export function tokensOf({ all, any, none, tokenization = ENGLISH }: WordSearch): string[] {
  const tokenize = createTokenizer(tokenization)
  return [...new Set([all, any, none].flatMap((words) => words ?? []).flatMap(tokenize))]
}

/** The number of captions, of all datasets, that contain a token, summed over the tokens of a search. */
export async function countMatches(
  session: Session,
  kind: SearchedCaptions,
  search: WordSearch,
): Promise<number> {
  const { index } = SEARCHED[kind]
  const ids = await findTokens(session, tokensOf(search))
  let sum = 0
  for (const id of ids.values()) {
    const matches = matchOf(kind, session, [[id]])
    sum += await count(session, sql`FROM ${raw(index.name)} WHERE ${matches}`)
  }
  return sum
}

/**
 * Conditions on captions of a kind. A word that has several tokens requires all of them; a word that no caption has is in
 * none.
 */
export async function searchConditions(
  session: Session,
  kind: SearchedCaptions,
  search: WordSearch,
): Promise<Sql[]> {
  const { all, any, none, tokenCount, tokenization = ENGLISH } = search
  const tokenize = createTokenizer(tokenization)
  const ids = await findTokens(session, tokensOf(search))
  /** Words as token ids, each word once; null for one with an unknown token. */
  const known = (words: readonly string[]) => {
    const found = words.map((word) => {
      const tokens = [...new Set(tokenize(word))].map((token) => ids.get(token))
      return tokens.length === 0 || tokens.includes(undefined) ? null : (tokens as number[]).sort()
    })
    return [...new Map(found.map((tokens) => [String(tokens), tokens])).values()]
  }
  const conditions: Sql[] = [continues(`${SEARCHED[kind].source.name}.id`)]
  const required = known(all ?? [])
  if (required.includes(null)) conditions.push(sql`1 = 0`)
  else if (required.length > 0) {
    conditions.push(among(kind, session, [[...new Set((required as number[][]).flat())]], 'IN'))
  }
  if (any != null) {
    const found = known(any).filter((tokens) => tokens !== null)
    conditions.push(found.length === 0 ? sql`1 = 0` : among(kind, session, found, 'IN'))
  }
  const refused = known(none ?? []).filter((tokens) => tokens !== null)
  if (refused.length > 0) conditions.push(among(kind, session, refused, 'NOT IN'))
  const { name } = SEARCHED[kind].source
  return [...conditions, ...inRange(raw(`length(${name}.tokens) / 4`), tokenCount)]
}

/** A condition on captions that have all tokens of one of the words. */
function among(
  kind: SearchedCaptions,
  session: Session,
  words: readonly (readonly number[])[],
  membership: 'IN' | 'NOT IN',
): Sql {
  const { source, index } = SEARCHED[kind]
  const matches = matchOf(kind, session, words)
  return sql`${raw(`${source.name}.id ${membership}`)} (SELECT rowid FROM ${raw(index.name)} WHERE ${matches})`
}

/** A condition on the index. */
function matchOf(kind: SearchedCaptions, { engine }: Session, words: readonly (readonly number[])[]): Sql {
  const [and, or] = engine === 'sqlite' ? [' AND ', ' OR '] : [' & ', ' | ']
  const query = words.map((tokens) => `(${tokens.map((id) => `"${id}"`).join(and)})`).join(or)
  const matches =
    engine === 'sqlite'
      ? sql`${raw(SEARCHED[kind].index.name)} MATCH ${query}`
      : sql`tokens @@ ${query.replaceAll('"', "'")}::tsquery`
  return sql`${matches} AND ${continues('rowid')}`
}
