import { AccordError } from '../../errors.js'
import { countMatches, type SearchedCaptions, tokensOf, type WordSearch } from '../../store/caption-search.js'
import type { Database, Session } from '../../store/engine/session.js'
import { type CaptionText, pagedCaptions } from '../../store/images.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { pagedSystemCaptions, type SystemCaptionText } from '../../store/systems.js'
import type { Accord, Client } from '../accord.js'
import { type PagedList, pagedBy } from '../shared/paging.js'

/** Maximum number of distinct tokens of a search, and of characters of its words. */
const MAX_SEARCH_TOKENS = 32
const MAX_SEARCH_CHARACTERS = 2000

/** Time after which a search is interrupted, in milliseconds. */
const MAX_SEARCH_MS = 5000

/** Microseconds that a search takes for each caption that contains one of its tokens. */
const MATCH_MICROSECONDS = 0.3

/** Human captions of a dataset that contain words, by image and position. @throws AccordError OUT_OF_RANGE, TIMEOUT */
export function listCaptions(
  { database }: Accord,
  { id }: Dataset,
  search: WordSearch,
  client: Client = {},
): PagedList<CaptionText> {
  const read = createReader(database, 'caption', search, client)
  return pagedBy('captions', read, (session) => pagedCaptions(session, id, search))
}

/** Captions of a system that contain words, by image. @throws AccordError OUT_OF_RANGE, TIMEOUT */
export function listSystemCaptions(
  { database }: Accord,
  { id }: Pick<System, 'id'>,
  search: WordSearch,
  client: Client = {},
): PagedList<SystemCaptionText> {
  const read = createReader(database, 'systemCaption', search, client)
  return pagedBy('captions of a system', read, (session) => pagedSystemCaptions(session, id, search))
}

/** Reads the results of a search at the cost of its tokens. @throws AccordError OUT_OF_RANGE, TIMEOUT */
export function createReader(
  database: Database,
  kind: SearchedCaptions,
  search: WordSearch,
  { owner, signal, spend }: Client,
) {
  requireFewTokens(search)
  const limits = { milliseconds: MAX_SEARCH_MS, owner, signal }
  let matches: Promise<number> | undefined
  return async <Result>(read: (session: Session) => Promise<Result>): Promise<Result> => {
    matches ??= database.readAside(limits, (session) => countMatches(session, kind, search))
    spend?.((await matches) * MATCH_MICROSECONDS)
    return database.readAside(limits, read)
  }
}

function requireFewTokens(search: WordSearch): void {
  const words = [search.all, search.any, search.none].flatMap((list) => list ?? [])
  const characters = words.reduce((sum, word) => sum + word.length, 0)
  requireAtMost(MAX_SEARCH_CHARACTERS, 'characters', characters)
  requireAtMost(MAX_SEARCH_TOKENS, 'different tokens', tokensOf(search).length)
}

function requireAtMost(limit: number, what: string, found: number): void {
  if (found <= limit) return
  throw new AccordError('OUT_OF_RANGE', 'too many words to search for', {
    source: 'filter',
    expected: `at most ${limit} ${what}`,
    found: String(found),
  })
}
