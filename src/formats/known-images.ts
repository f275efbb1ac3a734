import { AccordError, quote } from '../errors.js'
import { type Locate, wrongValue } from './values.js'

/** The images of a data set by external id: a Set of ids, or a Map from them. */
export interface KnownImages {
  readonly size: number
  has(externalId: string): boolean
  keys(): Iterable<string>
}

/** Whether images of the data set may be missing from what a system hands in. */
export interface Coverage {
  /** The file or the argument, for errors. */
  readonly source: string
  readonly allowMissing: boolean
}

/** Adds an image to those seen. Throws UNKNOWN_IMAGE, or DUPLICATE_ID where it was seen before. */
export function requireNewImage(imageId: string, images: KnownImages, seen: Set<string>, at: Locate): void {
  if (!images.has(imageId)) {
    const expected = 'the id of an image of the data set'
    throw wrongValue('UNKNOWN_IMAGE', 'unknown image', at(), expected, quote(imageId))
  }
  if (seen.has(imageId)) {
    throw wrongValue('DUPLICATE_ID', 'duplicate image', at(), 'each image once', `${quote(imageId)} again`)
  }
  seen.add(imageId)
}

/** The images not seen. Throws MISSING_IMAGES where there are any (or all, with `allowMissing`). */
export function missingImages(
  images: KnownImages,
  seen: ReadonlySet<string>,
  { source, allowMissing }: Coverage,
): string[] {
  const missing = [...images.keys()].filter((id) => !seen.has(id))
  if (missing.length > 0 && (!allowMissing || seen.size === 0)) {
    throw new AccordError('MISSING_IMAGES', 'images are missing', {
      source,
      expected: `all ${images.size} images of the data set`,
      found: `${seen.size}, without ${listIds(missing)}`,
    })
  }
  return missing
}

function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ')
  return ids.length <= 3 ? shown : `${shown} and ${ids.length - 3} more`
}
