import { AccordError, quote } from '../../errors.js'
import { type Delimiter, parseHeader } from '../io/csv.js'
import { type BegunFile, beginFile, type InputFile, nameOf, type ReadProgress } from '../io/files.js'
import { type JsonOutline, outlineJson } from '../io/json-outline.js'
import { describeBeginning } from '../io/values.js'

/** How captions are read. */
export interface CaptionReading {
  /** The id of the image of each line, for a file of captions in lines: one per line, or a JSON list. */
  readonly imageIds?: InputFile
  /** Whether the ids can be of another file, so that this one can have its own. Default: false. */
  readonly areIdsShared?: boolean
  /** For Karpathy's JSON: only images of this split. */
  readonly split?: string
  /** Further files of captions in lines, of the same images: each has another human caption of each. */
  readonly more?: readonly InputFile[]
  readonly onProgress?: ReadProgress
  /** Receives the name of the format, once it is known; not of COCO's own formats. */
  readonly onFormat?: (format: string) => void
}

/** The format of a file of captions. */
export type CaptionFormat =
  /** COCO’s format of human captions: `images` and `annotations`. */
  | { readonly kind: 'COCO' }
  /** JSON records of images or captions. */
  | {
      readonly kind: 'RECORDS'
      /** The keys under which they are in an object; null if the file is their list. */
      readonly within: readonly string[] | null
      /** The name of the format; null for COCO’s format of a system’s captions. */
      readonly name: string | null
    }
  /** JSON of captions by image, of the whole file or of one of these keys. */
  | { readonly kind: 'OBJECT'; readonly within: readonly string[] | null }
  | { readonly kind: 'JSON_LINES' | 'FLICKR' | 'MSVD' }
  | {
      readonly kind: 'TABLE'
      readonly delimiter: Delimiter
      /** The name of the column of the image id, and those of captions. */
      readonly imageColumn: string
      readonly captionColumns: readonly string[]
      /** Whether these are MSVD's clips of videos, with descriptions in several languages. */
      readonly isMsvd?: boolean
    }
  | { readonly kind: 'LINES'; readonly imageIds: InputFile }

/** Names of the image id in a record or a header, in order of preference. A video or a sound is an image of another name. */
export const IMAGE_NAMES = [
  'image_id',
  'cocoid',
  'img_id',
  'image',
  'video_id',
  'videoID',
  'video',
  'image_name',
  'file_name',
  'filename',
  'youtube_id',
  'id',
] as const

/** Those of them whose value is an id, never the name of a file without its extension. */
export const ID_NAMES: readonly string[] = ['image_id', 'cocoid', 'img_id']

/** Names of what is the name of a file where it is not the id. */
export const FILE_NAMES = ['file_name', 'filename', 'image_name', 'image', 'video'] as const

/** Names of a caption, or of a list of captions. */
export const CAPTION_NAMES = [
  'caption',
  'captions',
  'caption_str',
  'sentences',
  'sentence',
  'raw',
  'comment',
  'enCap',
] as const

/** Names under which files have their captions among other things. */
const WRAPPERS = ['annotations', 'predictions', 'results', 'data', 'captions', 'sentences'] as const

/** The name of the format of captions in lines. */
export const LINES = 'a caption per line'

/** A caption of Flickr8k or Flickr30k: the name of the image's file, the number of the caption, a tab, the caption. */
export const FLICKR_LINE = /^([^\t]+)#\d+\t(.*)$/

/** A caption of MSVD’s `AllVideoDescriptions.txt`: the video with its start and end in seconds, a space, the caption. */
export const MSVD_LINE = /^([\w-]{11}_\d+_\d+) (.*)$/

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
      jsonFormatOf(text, begun.name) ??
      tableOf(text) ??
      linesOf(text) ??
      (imageIds === undefined ? undefined : ({ kind: 'LINES', imageIds } as const))
    if (format === undefined) throw unknownFormat(begun.name, text)
    if (split !== undefined && !canHaveSplits(format)) throw noSplits(begun.name, describeFormat(format))
    if (imageIds !== undefined && !areIdsShared && format.kind !== 'LINES')
      throw needlessIds(nameOf(imageIds), `${describeFormat(format)} in ${begun.name}`)
    return { format, file: begun }
  } catch (error) {
    begun.source.close()
    throw error
  }
}

/** Whether records can say of which split they are. */
const canHaveSplits = ({ kind }: CaptionFormat) =>
  kind === 'RECORDS' || kind === 'JSON_LINES' || kind === 'TABLE'

/** The name of a format, for people. */
export function describeFormat(format: CaptionFormat): string {
  switch (format.kind) {
    case 'COCO':
      return 'COCO’s JSON'
    case 'RECORDS':
      return format.name ?? 'COCO’s JSON'
    case 'OBJECT':
      return 'JSON of captions by image'
    case 'JSON_LINES':
      return 'JSON Lines'
    case 'FLICKR':
      return 'lines of Flickr8k and Flickr30k'
    case 'MSVD':
      return 'lines of MSVD'
    case 'TABLE':
      if (format.isMsvd) return 'MSVD’s CSV, its English captions'
      return `${TABLES[format.delimiter]}, columns ${[format.imageColumn, ...format.captionColumns].join(', ')}`
    case 'LINES':
      return LINES
  }
}

/** Names of tables by what separates their fields, in the order in which they are tried. */
const TABLES: Readonly<Record<Delimiter, string>> = {
  '\t': 'TSV',
  ',': 'CSV',
  ';': 'CSV with semicolons',
  '|': 'CSV with bars',
}

function unknownFormat(source: string, text: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'unknown format', {
    source,
    place: 'line 1',
    expected:
      'JSON, JSON Lines, CSV or TSV with a header (image_id, image or file_name; caption), lines of Flickr30k (NAME.jpg#0, a tab, the caption), or lines with --ids',
    found: describeBeginning(text),
  })
}

function noSplits(source: string, found: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the file has no splits', {
    source,
    expected: 'Karpathy’s JSON, or records with "split"',
    found,
  })
}

/** The error of image ids without a file that needs them. */
export function needlessIds(source: string, found: string): AccordError {
  const expected = 'a file with a caption per line; other formats have the ids'
  return new AccordError('NOT_APPLICABLE', 'no file needs the image ids', { source, expected, found })
}

/**
 * The format of a text that begins like JSON.
 *
 * @throws AccordError INVALID_SHAPE for an object whose keys are names of fields, and for segments of videos
 */
function jsonFormatOf(text: string, source: string): CaptionFormat | undefined {
  const start = text.trimStart()
  const list = /^\[\s*(?=$|[[\]{"\d])/.exec(start)
  if (list) {
    const { members } = outlineJson(start.slice(list[0].length))
    const isCoco = members.size === 0 || (members.has('image_id') && members.get('caption') === '"')
    return { kind: 'RECORDS', within: null, name: isCoco ? null : nameKeys(members) }
  }
  if (!start.startsWith('{')) return undefined
  const { members, hasSentences, isFollowed } = outlineJson(start)
  const isRecords = (key: string) => /^\[\{?$/.test(members.get(key) ?? '')
  if (hasSentences && isRecords('images')) {
    return { kind: 'RECORDS', within: ['images'], name: 'Karpathy’s JSON' }
  }
  if (isRecords('images') || isRecords('annotations')) return { kind: 'COCO' }
  const isRecord = (names: readonly string[]) => names.some((name) => members.has(name))
  if (isFollowed || (isRecord(IMAGE_NAMES) && isRecord(CAPTION_NAMES))) return { kind: 'JSON_LINES' }
  if (members.has('predictions') && members.has('references'))
    throw noImages(source, 'predictions and references')
  const wrapper = WRAPPERS.find((name) => isRecords(name) || members.get(name) === '{')
  if (wrapper !== undefined && members.get(wrapper) === '{') return { kind: 'OBJECT', within: [wrapper] }
  if (wrapper !== undefined || isRecords('videos')) {
    return { kind: 'RECORDS', within: WRAPPERS, name: 'JSON of a list of captions' }
  }
  if (SEGMENTS.test(start)) throw noImages(source, 'segments of videos, not captions of the whole')
  const keys = [...members.keys()]
  const values = [...members.values()]
  const isCaptioned = values.includes('"') || values.includes('["') || NAMED_CAPTION.test(start)
  const isOfFields = keys.every((key) => WORD.test(key)) && keys.some((key) => FIELDS.test(key))
  const isOfSplits = keys.length > 0 && keys.every((key) => SPLITS.test(key))
  if (isOfSplits || (isCaptioned && isOfFields)) throw noImages(source, describeFields(members))
  return isCaptioned ? { kind: 'OBJECT', within: null } : { kind: 'COCO' }
}

/** The keys of times of captions. */
const SEGMENTS = /"(?:timestamps|segments)"\s*:\s*\[/

const WORD = /^[a-z]+(?:[ _-]?[a-z]+)*$/i

const SPLITS = /^(?:train|training|val|valid|validation|dev|test|restval)$/i

/** Keys of what files say of captions and images, and of splits: no names of images. */
const FIELDS = new RegExp(
  `^(?:(?:image|img|file|video)[ _-]?(?:id|key|path|url|name|file)s?|(?:${[...IMAGE_NAMES, ...CAPTION_NAMES].join('|')})s?|` +
    `(?:prediction|reference|ref|hypothes[ie]s|candidate|answer|text|url|path|split|annotation|result)s?)$|${SPLITS.source}`,
  'i',
)

function describeFields(members: JsonOutline['members']): string {
  const keys = [...members.keys()]
  const kind = keys.every((key) => SPLITS.test(key))
    ? 'splits'
    : [...members.values()].every((value) => value.startsWith('['))
      ? 'parallel lists'
      : 'fields'
  return `${kind}: ${keys.slice(0, 6).map(quote).join(', ')}${keys.length > 6 ? ' …' : ''}`
}

function noImages(source: string, found: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'the keys of the object are not images', {
    source,
    expected:
      'captions by image, {"139": ["…"]}, or a list of records, [{"image_id": 139, "caption": "…"}], or one file for each split',
    found,
  })
}

/** The key of a caption. */
const NAMED_CAPTION = new RegExp(`"(?:${CAPTION_NAMES.join('|')})"\\s*:`)

function nameKeys(members: JsonOutline['members']): string {
  const keys = [IMAGE_NAMES, CAPTION_NAMES].flatMap((names) => names.find((name) => members.has(name)) ?? [])
  return `JSON, keys ${keys.join(', ')}`
}

/** Columns of MSVD's CSV (Chen and Dolan 2011). */
const MSVD_COLUMNS = ['VideoID', 'Start', 'End', 'Language', 'Description']

/** The table whose header a text begins with. */
function tableOf(text: string): CaptionFormat | undefined {
  const line = firstLine(text)
  for (const delimiter of Object.keys(TABLES) as Delimiter[]) {
    if (!line.includes(delimiter)) continue
    const columns = parseHeader(line, delimiter)
    if (MSVD_COLUMNS.every((name) => columns.includes(name))) {
      return {
        kind: 'TABLE',
        delimiter,
        imageColumn: 'VideoID',
        captionColumns: ['Description'],
        isMsvd: true,
      }
    }
    const column = (wanted: string) => columns.find((name) => name.toLowerCase() === wanted.toLowerCase())
    const [imageColumn] = IMAGE_NAMES.flatMap((name) => column(name) ?? [])
    const [captionColumn] = CAPTION_NAMES.flatMap((name) => column(name) ?? [])
    const numbered = columns.filter((name) => /^captions?[ _]?\d+$/i.test(name))
    const captionColumns = captionColumn === undefined ? numbered : [captionColumn]
    if (imageColumn !== undefined && captionColumns.length > 0) {
      return { kind: 'TABLE', delimiter, imageColumn, captionColumns }
    }
  }
  return undefined
}

/** The format of a text whose first line, after comments, is one of Flickr's or MSVD's. */
function linesOf(text: string): CaptionFormat | undefined {
  if (FLICKR_LINE.test(firstLine(text))) return { kind: 'FLICKR' }
  const line = firstLine(text.replace(/^(?:#[^\n]*\n|\s+)+/, ''))
  return MSVD_LINE.test(line) ? { kind: 'MSVD' } : undefined
}

const firstLine = (text: string) => text.split(/[\r\n]/, 1)[0]
