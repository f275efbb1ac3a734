import { grouped } from '../../shared/numbers.js'
import { nameOf } from '../io/files.js'
import type { Locate } from '../io/values.js'
import {
  type Coverage,
  createImageFinder,
  type DescribedImages,
  MATCHES,
  type Match,
  missingImages,
  requireNewImage,
} from './known-images.js'

/** A system's caption before it is compared with the dataset. */
export interface SubmittedCaption {
  /** The id of the image, or another name of it that {@link createImageFinder} knows. */
  readonly imageId: string
  readonly text: string
  /** The place of the image id, for errors. Default: the source of the captions. */
  readonly at?: Locate
}

/** What to know of a system's captions. */
export interface CheckedResults {
  /** The external ids of the images without a caption, in the order of the dataset. */
  readonly missing: string[]
  /** How images were found, unless by their ids; how many captions are empty, an id of an image, or of other images. */
  readonly notes: readonly string[]
}

/**
 * Checks a system's captions against the images of a dataset. Images without human captions are not missing.
 *
 * @param consume called with each caption and the external id of its image, in the order of submission
 * @throws AccordError UNKNOWN_IMAGE unless other images are allowed; DUPLICATE_ID; MISSING_IMAGES if an image has no caption,
 *   with `isMissingAllowed` only if no image has one
 */
export function checkResults(
  submitted: Iterable<SubmittedCaption>,
  images: DescribedImages,
  coverage: Coverage & { readonly isExtraAllowed?: boolean },
  consume: (imageId: string, text: string) => void,
): CheckedResults {
  const seen = new Set<string>()
  const source: Locate = () => ({ source: nameOf(coverage.source) })
  const find = createImageFinder(images)
  const matches = new Map<Match, number>()
  let [extraCount, emptyCount, idCount] = [0, 0, 0]
  for (const { imageId: name, text, at = source } of submitted) {
    const found = find(name)
    if (found === undefined && coverage.isExtraAllowed) {
      extraCount++
      continue
    }
    const imageId = found?.imageId ?? name
    requireNewImage(imageId, images.ids, seen, at)
    if (found) matches.set(found.match, (matches.get(found.match) ?? 0) + 1)
    const shown = text.trim()
    if (shown === '') emptyCount++
    else if (shown === name || shown === imageId) idCount++
    consume(imageId, text)
  }
  return {
    missing: missingImages(images.ids, seen, coverage, images.uncaptioned),
    notes: [
      ...matchNotes(matches),
      ...countNote(emptyCount, 'caption is empty', 'captions are empty'),
      ...countNote(idCount, 'caption is the id of its image', 'captions are the ids of their images'),
      ...countNote(
        extraCount,
        'caption of an image that the dataset does not have was left out',
        'captions of images that the dataset does not have were left out',
      ),
    ],
  }
}

function matchNotes(matches: ReadonlyMap<Match, number>): string[] {
  const used = MATCHES.filter((match) => matches.has(match))
  if (used.every((match) => match === 'id')) return []
  const ways =
    used.length === 1 ? used : used.map((match) => `${match} (${grouped(matches.get(match) ?? 0)})`)
  return [`Images were found by their ${ways.join(', ')}.`]
}

const countNote = (count: number, one: string, several: string) =>
  count === 0 ? [] : [count === 1 ? `1 ${one}.` : `${grouped(count)} ${several}.`]
