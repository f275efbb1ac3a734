import { quote } from '../../errors.js'
import type { InputFile } from '../io/files.js'
import { type Locate, wrongValue } from '../io/values.js'

/** The images of a dataset by external id: a Set of ids, or a Map from them. */
export interface KnownImages {
  readonly size: number
  has(externalId: string): boolean
  keys(): Iterable<string>
}

/** Whether a submission may leave out images of the dataset. */
export interface Coverage {
  /** The file or the argument, for errors. */
  readonly source: InputFile
  readonly isMissingAllowed: boolean
}

/** Adds an image to those already submitted. @throws AccordError UNKNOWN_IMAGE; DUPLICATE_ID if it is one of them */
export function requireNewImage(imageId: string, images: KnownImages, seen: Set<string>, at: Locate): void {
  if (!images.has(imageId)) {
    const expected = 'the id of an image of the dataset'
    throw wrongValue('UNKNOWN_IMAGE', 'unknown image', at(), expected, quote(imageId))
  }
  if (seen.has(imageId)) {
    throw wrongValue('DUPLICATE_ID', 'duplicate image', at(), 'each image once', `${quote(imageId)} again`)
  }
  seen.add(imageId)
}

/**
 * The images that were not submitted, in the order of the dataset.
 *
 * @throws AccordError MISSING_IMAGES if there are any; with `isMissingAllowed` only if all of them are missing
 */
export function missingImages(
  images: KnownImages,
  seen: ReadonlySet<string>,
  { source, isMissingAllowed }: Coverage,
): string[] {
  const missing = [...images.keys()].filter((id) => !seen.has(id))
  if (missing.length > 0 && (!isMissingAllowed || seen.size === 0)) {
    const expected = `all ${images.size} images of the dataset`
    const found = `${seen.size}, without ${listIds(missing)}`
    throw wrongValue('MISSING_IMAGES', 'images are missing', { source }, expected, found)
  }
  return missing
}

function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ')
  return ids.length <= 3 ? shown : `${shown} and ${ids.length - 3} more`
}
