import type { WordSearch } from '../store/caption-search.js'
import type { Dataset, System } from '../store/entities.js'
import { type CaptionText, countCaptions, pageOfCaptions } from '../store/images.js'
import { countSystemCaptions, pageOfSystemCaptions, type SystemCaptionText } from '../store/systems.js'
import type { Accord } from './accord.js'
import type { PagedList } from './paging.js'

export type { WordSearch } from '../store/caption-search.js'

/** Human captions of a dataset that contain words, by image and position. */
export function listCaptions(
  { database }: Accord,
  { id }: Dataset,
  search: WordSearch,
): PagedList<CaptionText> {
  return {
    order: 'captions',
    page: (request) => pageOfCaptions(database, id, search, request),
    count: () => countCaptions(database, id, search),
  }
}

/** Captions of a system that contain words, by image. */
export function listSystemCaptions(
  { database }: Accord,
  { id }: Pick<System, 'id'>,
  search: WordSearch,
): PagedList<SystemCaptionText> {
  return {
    order: 'captions of a system',
    page: (request) => pageOfSystemCaptions(database, id, search, request),
    count: () => countSystemCaptions(database, id, search),
  }
}
