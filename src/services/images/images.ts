import { AccordError, quote } from '../../errors.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { countMatches, type SearchedCaptions, tokensOf, type WordSearch } from '../../store/caption-search.js'
import { findDatasets } from '../../store/datasets.js'
import type { PagedRows } from '../../store/engine/keyset.js'
import type { Database, Session } from '../../store/engine/session.js'
import * as images from '../../store/images.js'
import { type CaptionText, pagedCaptions } from '../../store/images.js'
import type { Dataset, Image, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import {
  findSystemCaptions,
  pagedSystemCaptions,
  readSystemCaptions,
  readSystemCaptionTokens,
  type SystemCaptionText,
} from '../../store/systems.js'
import { type CaptionTokens, readTexts } from '../../store/tokens.js'
import { findWordsOfTokens } from '../../store/words.js'
import type { Accord, Client } from '../shared/accord.js'
import { createRowCache } from '../shared/cache.js'
import { groupBy, groupedRows, idsOf, keyBy, keyedRows, pagedBy } from '../shared/groups.js'
import { tokenizationOf } from '../shared/tokens.js'

export interface ImageWord {
  readonly word: Word
  /** Number of the image's first K captions that use the word. */
  readonly captionCount: number
}

export function findImage({ database }: Accord, { id }: Dataset, externalId: string): Promise<Image | null> {
  return images.findImage(database, id, externalId)
}

/** @throws AccordError UNKNOWN_IMAGE */
export async function requireImage(accord: Accord, dataset: Dataset, externalId: string): Promise<Image> {
  const image = await findImage(accord, dataset, externalId)
  if (image) return image
  throw new AccordError('UNKNOWN_IMAGE', 'unknown image', {
    source: 'image',
    expected: `the id of an image of ${quote(dataset.name)}`,
    found: quote(externalId),
  })
}

export const imagesById = keyedRows(images.findImages, ({ id }) => id)

/** Memory for captions of a database, in bytes. */
const MAX_CAPTION_BYTES = 64 * 1024 * 1024

/** Bytes of a caption beside its texts. */
const CAPTION_BYTES = 160

const keptCaptions = createRowCache<readonly images.CaptionText[]>(MAX_CAPTION_BYTES, (captions) =>
  captions.reduce(
    (sum, { externalId, text }) => sum + CAPTION_BYTES + 2 * (externalId.length + text.length),
    CAPTION_BYTES,
  ),
)

/** Human captions of images, by position. */
export function captionsByImage(
  { database }: Accord,
  imageIds: readonly number[],
): Promise<ReadonlyMap<number, readonly images.CaptionText[]>> {
  return keptCaptions(database, imageIds, async (ids) =>
    groupBy(await images.readCaptions(database, ids), ({ imageId }) => imageId),
  )
}

/**
 * Systems' captions of images, by name of the system.
 *
 * @param systems default: all but the captions of upper bounds
 */
export const systemCaptionsByImage = groupedRows(readSystemCaptions, ({ imageId }) => imageId)
export const captionsById = keyedRows(images.findCaptions, ({ id }) => id)
export const systemCaptionsById = keyedRows(findSystemCaptions, ({ id }) => id)

/** Texts of the tokens of human captions, by id of the caption. */
export const tokensOfCaptions = readerOfTexts(images.readCaptionTokens)

/** Texts of the tokens of systems' captions, by id of the caption. */
export const tokensOfSystemCaptions = readerOfTexts(readSystemCaptionTokens)

/** Captions whose tokens are read between two turns of the event loop: a few milliseconds. */
const CAPTIONS_PER_PIECE = 250

/** Thousands of captions are read in pieces, between which other requests are answered. A text is read once. */
function readerOfTexts(read: (session: Session, captionIds: readonly number[]) => Promise<CaptionTokens[]>) {
  return async ({ database }: Accord, captionIds: readonly number[]): Promise<Map<number, string[]>> => {
    const texts = new Map<number, string>()
    const textOf = (token: number) => texts.get(token) ?? ''
    const textsOf = new Map<number, string[]>()
    for (let start = 0; start < captionIds.length; start += CAPTIONS_PER_PIECE) {
      await yieldToEventLoop()
      const captions = await read(database, captionIds.slice(start, start + CAPTIONS_PER_PIECE))
      const used = captions.flatMap(({ tokens }) => [...tokens])
      const unknown = new Set(used.filter((token) => !texts.has(token)))
      for (const [token, text] of await readTexts(database, [...unknown])) texts.set(token, text)
      for (const { id, tokens } of captions) textsOf.set(id, Array.from(tokens, textOf))
    }
    return textsOf
  }
}

/** Words of the first K captions of images, most used first. */
export async function wordsByImage(
  accord: Accord,
  wanted: readonly Image[],
): Promise<Map<number, ImageWord[]>> {
  const captions = groupBy(
    await images.readTokensOfImages(accord.database, idsOf(wanted)),
    ({ imageId }) => imageId,
  )
  const words = new Map<number, ImageWord[]>()
  for (const [datasetId, members] of groupBy(wanted, (image) => image.datasetId)) {
    const [{ captionsPerImage }] = await findDatasets(accord.database, [datasetId])
    const counts = new Map<number, Map<number, number>>()
    for (const { id } of members) {
      await yieldToEventLoop()
      counts.set(id, countTokens(captions.get(id)?.slice(0, captionsPerImage) ?? []))
    }
    const tokenIds = new Set([...counts.values()].flatMap((count) => [...count.keys()]))
    const byToken = keyBy(
      await findWordsOfTokens(accord.database, datasetId, [...tokenIds]),
      ({ tokenId }) => tokenId,
    )
    for (const [imageId, count] of counts) {
      await yieldToEventLoop()
      words.set(imageId, rankWords(count, byToken))
    }
  }
  return words
}

/** The number of captions that contain each token. */
function countTokens(captions: readonly CaptionTokens[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { tokens } of captions) {
    for (const token of new Set(tokens)) counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  return counts
}

function rankWords(counts: ReadonlyMap<number, number>, wordOfToken: ReadonlyMap<number, Word>): ImageWord[] {
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .flatMap(([token, captionCount]) => {
      const word = wordOfToken.get(token)
      return word ? [{ word, captionCount }] : []
    })
}

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
  dataset: Dataset,
  words: WordSearch,
  client: Client = {},
): PagedRows<CaptionText> {
  const search = { ...words, tokenization: tokenizationOf(dataset) }
  const { captionCount } = dataset
  const read = createReader(database, [{ kind: 'caption', search, captionCount }], client)
  return pagedBy(read, (session) => pagedCaptions(session, dataset.id, search))
}

/** Which captions of a system are meant: those that contain words, of some images. */
export interface SystemCaptionChoice extends WordSearch {
  /** Default: of all images. */
  readonly externalIds?: readonly string[] | null
}

/** Captions of a system of a dataset, by image. @throws AccordError OUT_OF_RANGE, TIMEOUT */
export function listSystemCaptions(
  { database }: Accord,
  dataset: Dataset,
  { id }: Pick<System, 'id'>,
  { externalIds, ...words }: SystemCaptionChoice,
  client: Client = {},
): PagedRows<SystemCaptionText> {
  const search = { ...words, tokenization: tokenizationOf(dataset) }
  const captionCount = dataset.imageCount
  const read = createReader(database, [{ kind: 'systemCaption', search, captionCount }], client)
  return pagedBy(read, (session) => pagedSystemCaptions(session, id, search, externalIds ?? undefined))
}

export interface Search {
  readonly kind: SearchedCaptions
  readonly search: WordSearch
  /** Number of captions that are read where no index tells which are meant. */
  readonly captionCount: number
}

/** Reads the results of searches at the cost of their tokens; at once without any. @throws AccordError OUT_OF_RANGE, TIMEOUT */
export function createReader(
  database: Database,
  searches: readonly Search[],
  { owner, signal, spend }: Client,
) {
  for (const { search } of searches) requireFewTokens(search)
  const limits = { milliseconds: MAX_SEARCH_MS, owner, signal }
  const count = async (session: Session) => {
    let sum = 0
    for (const { kind, search, captionCount } of searches)
      sum += tokensOf(search).length > 0 ? await countMatches(session, kind, search) : captionCount
    return sum
  }
  let matches: Promise<number> | undefined
  return async <Result>(read: (session: Session) => Promise<Result>): Promise<Result> => {
    if (searches.length === 0) return read(database)
    matches ??= database.readLong(limits, count)
    spend?.((await matches) * MATCH_MICROSECONDS)
    return database.readLong(limits, read)
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
