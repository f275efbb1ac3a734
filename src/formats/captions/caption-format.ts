import { AccordError, quote } from '../../errors.js'
import { parseHeader } from '../io/csv.js'
import { type BegunFile, beginFile, type InputFile, nameOf, type ReadProgress } from '../io/files.js'

/** How captions are read. */
export interface CaptionReading {
  /** The id of the image of each line, for a file of captions in lines: one per line, or a JSON list. */
  readonly imageIds?: InputFile
  /** Whether the ids can be of another file, so that this one can have its own. Default: false. */
  readonly areIdsShared?: boolean
  /** For Karpathy's JSON: only images of this split. */
  readonly split?: string
  readonly onProgress?: ReadProgress
  /** Receives the name of the format, once it is known; not of COCO's formats. */
  readonly onFormat?: (format: string) => void
}

/** The format of a file of captions. */
export type CaptionFormat =
  /** The formats of COCO: of human captions, or of a system's captions. */
  | { readonly kind: 'COCO' }
  | { readonly kind: 'KARPATHY' | 'OBJECT' | 'JSON_LINES' | 'FLICKR' }
  | {
      readonly kind: 'TABLE'
      readonly delimiter: ',' | '\t'
      /** The name of the column of the image id, and of the caption. */
      readonly imageColumn: string
      readonly captionColumn: string
    }
  | { readonly kind: 'LINES'; readonly imageIds: InputFile }

/** Names of the image id in a record or a header, in order of preference. */
export const IMAGE_NAMES = ['image_id', 'image', 'id'] as const

/** The name of the format of captions in lines. */
export const LINES = 'a caption per line'

/** A caption of Flickr8k or Flickr30k: the name of the image's file, the number of the caption, a tab, the caption. */
export const FLICKR_LINE = /^([^\t]+)#\d+\t(.*)$/

/** Bytes of a file by which its format is recognized. */
const HEAD_BYTES = 64 * 1024

/**
 * Recognizes the format of a file by its beginning, never by its name.
 *
 * @returns the format, and the file, which is open and is to be read to close it
 * @throws AccordError FILE_NOT_FOUND; INVALID_SHAPE for another format; NOT_APPLICABLE for a split of another format than
 *   Karpathy's, and for image ids of another format than lines
 */
export function openCaptions(
  file: InputFile,
  { imageIds, areIdsShared, split }: CaptionReading,
): { readonly format: CaptionFormat; readonly file: BegunFile } {
  const { head, file: begun } = beginFile(file, HEAD_BYTES)
  try {
    const text = head.toString('utf8').replace(/^\ufeff/, '')
    const format =
      jsonFormatOf(text) ??
      tableOf(text) ??
      flickrOf(text) ??
      (imageIds === undefined ? undefined : ({ kind: 'LINES', imageIds } as const))
    if (format === undefined) throw unknownFormat(begun.name, text)
    if (split !== undefined && format.kind !== 'KARPATHY') throw noSplits(begun.name, describeFormat(format))
    if (imageIds !== undefined && !areIdsShared && format.kind !== 'LINES')
      throw needlessIds(nameOf(imageIds), `${describeFormat(format)} in ${begun.name}`)
    return { format, file: begun }
  } catch (error) {
    begun.source.close()
    throw error
  }
}

/** The name of a format, for people. */
export function describeFormat(format: CaptionFormat): string {
  switch (format.kind) {
    case 'COCO':
      return 'COCO’s JSON'
    case 'KARPATHY':
      return 'Karpathy’s JSON'
    case 'OBJECT':
      return 'JSON of captions by image'
    case 'JSON_LINES':
      return 'JSON Lines'
    case 'FLICKR':
      return 'lines of Flickr8k and Flickr30k'
    case 'TABLE':
      return `${format.delimiter === ',' ? 'CSV' : 'TSV'}, columns ${format.imageColumn}, ${format.captionColumn}`
    case 'LINES':
      return LINES
  }
}

function unknownFormat(source: string, text: string): AccordError {
  const line = firstLine(text.trimStart())
  return new AccordError('INVALID_SHAPE', 'unknown format', {
    source,
    place: 'line 1',
    expected:
      'JSON, JSON Lines, CSV or TSV with a header (image_id, image or id; caption), lines of Flickr30k (NAME.jpg#0, a tab, the caption), or lines with --ids',
    found: line === '' ? 'an empty file' : quote(line.length > 20 ? `${line.slice(0, 20)}…` : line),
  })
}

function noSplits(source: string, found: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the file has no splits', {
    source,
    expected: 'Karpathy’s JSON',
    found,
  })
}

/** The error of image ids without a file that needs them. */
export function needlessIds(source: string, found: string): AccordError {
  const expected = 'a file with a caption per line; other formats have the ids'
  return new AccordError('NOT_APPLICABLE', 'no file needs the image ids', { source, expected, found })
}

/** The format of a text that begins like JSON. */
function jsonFormatOf(text: string): CaptionFormat | undefined {
  const start = text.trimStart()
  if (/^\[\s*(?:$|[[\]{"\d])/.test(start)) return { kind: 'COCO' }
  if (!start.startsWith('{')) return undefined
  const { members, hasSentences, isFollowed } = outline(start)
  const isRecords = (key: string) => /^\[\{?$/.test(members.get(key) ?? '')
  if (hasSentences && isRecords('images')) return { kind: 'KARPATHY' }
  if (isRecords('images') || isRecords('annotations')) return { kind: 'COCO' }
  const isRecord =
    IMAGE_NAMES.some((name) => members.has(name)) && (members.has('caption') || members.has('captions'))
  if (isRecord || isFollowed) return { kind: 'JSON_LINES' }
  const isCaptioned = [...members.values()].some((value) => value === '"' || value === '["')
  return { kind: isCaptioned ? 'OBJECT' : 'COCO' }
}

/** What is seen of the first object of a text, which may be cut off. */
interface Outline {
  /** The keys of the object, with the first character of their values, two of arrays. */
  readonly members: ReadonlyMap<string, string>
  /** Whether there is the key `sentences` in objects in an array of the object. */
  readonly hasSentences: boolean
  /** Whether another object follows. */
  readonly isFollowed: boolean
}

function outline(text: string): Outline {
  const members = new Map<string, string>()
  let hasSentences = false
  let depth = 0
  const tokens = /"((?:[^"\\]|\\.?)*)(?:"|$)(?:\s*:\s*(\[\s*\S?|\S))?|[[\]{}]/gs
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    const [whole, name, value] = token
    if (whole === '{' || whole === '[') depth++
    else if (whole === '}' || whole === ']') depth--
    else if (value !== undefined) {
      if (depth === 1) members.set(name, value.replace(/\s/g, ''))
      hasSentences ||= depth === 3 && name === 'sentences'
      tokens.lastIndex -= value.length
    }
    if (depth === 0) {
      return { members, hasSentences, isFollowed: /^\s*\{/.test(text.slice(tokens.lastIndex)) }
    }
  }
  return { members, hasSentences, isFollowed: false }
}

/** The table whose header a text begins with. */
function tableOf(text: string): CaptionFormat | undefined {
  const line = firstLine(text)
  const delimiter = line.includes('\t') ? '\t' : ','
  const columns = parseHeader(line, delimiter)
  const column = (wanted: string) => columns.find((name) => name.toLowerCase() === wanted)
  const [imageColumn] = IMAGE_NAMES.flatMap((name) => column(name) ?? [])
  const captionColumn = column('caption')
  if (imageColumn === undefined || captionColumn === undefined) return undefined
  return { kind: 'TABLE', delimiter, imageColumn, captionColumn }
}

/** The format of a text whose first line is one of Flickr's. */
function flickrOf(text: string): CaptionFormat | undefined {
  return FLICKR_LINE.test(firstLine(text)) ? { kind: 'FLICKR' } : undefined
}

const firstLine = (text: string) => text.split(/[\r\n]/, 1)[0]
