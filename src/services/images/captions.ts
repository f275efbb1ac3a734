import { AccordError } from '../../errors.js'
import type { WordSearch } from '../../store/caption-search.js'
import { type CaptionText, countCaptions, pageOfCaptions } from '../../store/images.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { countSystemCaptions, pageOfSystemCaptions, type SystemCaptionText } from '../../store/systems.js'
import type { Accord } from '../accord.js'
import type { PagedList } from '../shared/paging.js'

/** Maximum number of words of a search. */
export const MAX_SEARCH_WORDS = 100

/** Human captions of a dataset that contain words, by image and position. @throws AccordError OUT_OF_RANGE */
export function listCaptions(
  { database }: Accord,
  { id }: Dataset,
  search: WordSearch,
): PagedList<CaptionText> {
  requireFewWords(search)
  return {
    order: 'captions',
    page: (request) => pageOfCaptions(database, id, search, request),
    count: () => countCaptions(database, id, search),
  }
}

/** Captions of a system that contain words, by image. @throws AccordError OUT_OF_RANGE */
export function listSystemCaptions(
  { database }: Accord,
  { id }: Pick<System, 'id'>,
  search: WordSearch,
): PagedList<SystemCaptionText> {
  requireFewWords(search)
  return {
    order: 'captions of a system',
    page: (request) => pageOfSystemCaptions(database, id, search, request),
    count: () => countSystemCaptions(database, id, search),
  }
}

function requireFewWords({ all, any, none }: WordSearch): void {
  const count = [all, any, none].reduce((sum, words) => sum + (words?.length ?? 0), 0)
  if (count <= MAX_SEARCH_WORDS) return
  throw new AccordError('OUT_OF_RANGE', 'too many words to search for', {
    source: 'filter',
    expected: `at most ${MAX_SEARCH_WORDS}`,
    found: String(count),
  })
}
