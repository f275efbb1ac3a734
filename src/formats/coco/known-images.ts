import { quote } from '../../errors.js'
import type { InputFile } from '../io/files.js'
import { type Locate, wrongValue } from '../io/values.js'

/** The images of a dataset, with what captions of a system are matched by. */
export interface DescribedImages {
  /** By external id. */
  readonly ids: KnownImages
  /** The names of the files of those images that have one, by external id. */
  readonly fileNames: ReadonlyMap<string, string>
  /** External ids of the images without human captions, of which a system may have a caption or not. */
  readonly uncaptioned: ReadonlySet<string>
}

/** How an image is found, in the order in which it is tried. */
export const MATCHES = [
  'id',
  'file name',
  'name without folder and extension',
  'number at the end of the name',
] as const

export type Match = (typeof MATCHES)[number]

interface FoundImage {
  /** The external id. */
  readonly imageId: string
  readonly match: Match
}

/**
 * Returns a function that finds an image by what a file calls it: by its id; the name of its file; either without folder and
 * extension; or the number at its end, `139` for `000000000139`, `139.0` (as pandas writes it) and
 * `COCO_val2014_000000000139.jpg`. Each but the id finds only images that it tells apart. Numbers need names that are alike but
 * for the number: all those of the dataset, and all those of the file.
 */
export function createImageFinder({
  ids,
  fileNames,
}: DescribedImages): (name: string) => FoundImage | undefined {
  const tables = lazily(() => ({
    byFile: indexImages(fileNames, (fileName) => fileName),
    byStem: indexImages([...fileNames, ...Array.from(ids.keys(), (id) => [id, id] as const)], stemOf),
    byId: numberImages(Array.from(ids.keys(), (id) => [id, id] as const)),
    byFileNumber: fileNames.size === ids.size ? numberImages([...fileNames]) : null,
  }))
  /** What precedes the number in the names of the file. */
  let before: string | undefined
  const findNumber = (name: string) => {
    const parts = numberOf(name)
    if (parts === undefined || (before !== undefined && before !== parts.before)) return undefined
    const { byId, byFileNumber } = tables()
    // Ids that are numbers say nothing of names, whose numbers are those of the names of the dataset's files.
    const isId = parts.before === '' && byId?.before === ''
    const table = isId ? byId : (byFileNumber ?? byId)
    const imageId = table?.images.get(parts.number)
    if (imageId) before = parts.before
    return imageId
  }
  return (name) => {
    if (ids.has(name)) return { imageId: name, match: 'id' }
    const { byFile, byStem } = tables()
    const found = [byFile.get(name), byStem.get(stemOf(name)), findNumber(name)]
    const index = found.findIndex((imageId) => imageId)
    return index < 0 ? undefined : { imageId: found[index] as string, match: MATCHES[index + 1] }
  }
}

/** Images by a key that is made of their names; null for a key of several images. */
function indexImages(
  names: Iterable<readonly [imageId: string, name: string]>,
  toKey: (name: string) => string,
): Map<string, string | null> {
  const images = new Map<string, string | null>()
  for (const [imageId, name] of names) {
    const key = toKey(name)
    const other = images.get(key)
    images.set(key, other === undefined || other === imageId ? imageId : null)
  }
  return images
}

/** Images by the numbers at the ends of their names; null if the names differ before the numbers. */
function numberImages(names: readonly (readonly [imageId: string, name: string])[]) {
  const parts = names.map(([, name]) => numberOf(name))
  const before = parts[0]?.before
  if (before === undefined || parts.some((part) => part?.before !== before)) return null
  return { before, images: indexImages(names, (name) => numberOf(name)?.number as string) }
}

/** `img_101` for `val2014/img_101.jpg`. */
function stemOf(name: string): string {
  return name.replace(/^.*[/\\]/, '').replace(/(.)\.[a-z][a-z\d]{1,4}$/i, '$1')
}

/** The number at the end of a name, and what precedes it; parts of COCO have different names for the images of one dataset. */
function numberOf(name: string): { readonly before: string; readonly number: string } | undefined {
  const parts = /^(.*?)0*(\d+)$/.exec(stemOf(name).replace(/^(\d+)\.0+$/, '$1'))
  return parts
    ? { before: parts[1].replace(/^COCO_(?:train|val|test)\d+_$/, 'COCO_'), number: parts[2] }
    : undefined
}

function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= make()
    return value
  }
}

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
 * The images that were not submitted, in the order of the dataset, but for optional ones.
 *
 * @throws AccordError MISSING_IMAGES if there are any; with `isMissingAllowed` only if all of them are missing
 */
export function missingImages(
  images: KnownImages,
  seen: ReadonlySet<string>,
  { source, isMissingAllowed }: Coverage,
  optional: ReadonlySet<string> = new Set(),
): string[] {
  const missing = [...images.keys()].filter((id) => !seen.has(id) && !optional.has(id))
  if (seen.size === 0 || (missing.length > 0 && !isMissingAllowed)) {
    const captioned = optional.size === 0 ? '' : ' with captions'
    const expected = `all ${images.size - optional.size} images of the dataset${captioned}`
    const found = `${images.size - optional.size - missing.length}, without ${listIds(missing)}`
    throw wrongValue('MISSING_IMAGES', 'images are missing', { source }, expected, found)
  }
  return missing
}

function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ')
  return ids.length <= 3 ? shown : `${shown} and ${ids.length - 3} more`
}
