import { AccordError, quote } from '../../errors.js'
import { type Delimiter, parseHeader } from '../io/csv.js'
import { type BegunFile, beginFile, type InputFile, nameOf, type ReadProgress } from '../io/files.js'
import { type JsonOutline, outlineJson } from '../io/json-outline.js'
import { describeBeginning, isText, type JsonObject, wrongValue } from '../io/values.js'
import {
  CAPTION_NAMES,
  type CaptionColumns,
  type ColumnNames,
  hasImageAt,
  IMAGE_NAMES,
  matching,
  namesOf,
  valueAt,
} from './columns.js'
import { unknownColumns } from './unknown-columns.js'

/** How captions are read. */
export interface CaptionReading {
  /** The id of the image of each line, for a file of captions in lines: one per line, or a JSON list. */
  readonly imageIds?: InputFile
  /** Whether the ids can be of another file, so that this one can have its own. Default: false. */
  readonly areIdsShared?: boolean
  /** Whether lines without image ids are of images that are called by their numbers, from 1. Default: false. */
  readonly areLinesNumbered?: boolean
  /** What the file calls images and captions. Default: the first of the names of `columns.ts` that it has. */
  readonly columns?: CaptionColumns
  /** Whether the columns can be those of another file, so that this one can have others. Default: false. */
  readonly areColumnsShared?: boolean
  /** Whether the captions that are read are those of people: some files have those of a system as well. Default: false. */
  readonly areOfPeople?: boolean
  /** For Karpathy's JSON: only images of this split. */
  readonly split?: string
  /** Further files of captions in lines, of the same images: each has another human caption of each. */
  readonly more?: readonly InputFile[]
  readonly onProgress?: ReadProgress
  /** Receives the name of the format, once it is known, and those of the named columns that it has; not of COCO's own formats. */
  readonly onFormat?: (format: string, columns: readonly string[]) => void
}

/** The format of a file of captions. */
export type CaptionFormat =
  /** COCO’s format of human captions: `images` and `annotations`. */
  | { readonly kind: 'COCO'; readonly names: ColumnNames }
  /** JSON records of images or captions. */
  | {
      readonly kind: 'RECORDS'
      /** The keys under which they are in an object; null if the file is their list. */
      readonly within: readonly string[] | null
      /** The name of the format; null for COCO’s format of a system’s captions. */
      readonly name: string | null
      readonly names: ColumnNames
      /** Whether the keys are the splits of the images. */
      readonly areSplits?: boolean
    }
  /** JSON of captions by image, of the whole file or of one of these keys; or of objects that have them. */
  | { readonly kind: 'OBJECT'; readonly within: readonly string[] | null; readonly caption?: string }
  /**
   * JSON of two lists, of images and of their captions in the same order, by their keys; without that of images, these are called
   * by their numbers from 1.
   */
  | { readonly kind: 'PARALLEL'; readonly image: string | null; readonly captions: string }
  /** `keys`: those of images and captions, where they are not the usual ones. */
  | {
      readonly kind: 'JSON_LINES'
      readonly names: ColumnNames
      readonly keys: readonly string[]
      /** Whether a record can have several lines, and a line several records. */
      readonly isConcatenated: boolean
    }
  | { readonly kind: 'FLICKR' | 'MSVD' }
  | {
      readonly kind: 'TABLE'
      readonly delimiter: Delimiter
      /** The name of the column of the image id, and those of captions; numbers where there is no header. */
      readonly imageColumn: string
      readonly captionColumns: readonly string[]
      readonly isHeadless?: boolean
      /** Whether these are MSVD's clips of videos, with descriptions in several languages. */
      readonly isMsvd?: boolean
      /** Whether `&&` separates the captions of an image, as in OFA's tables. */
      readonly isOfa?: boolean
    }
  /** Without image ids, images are called by the numbers of their lines. */
  | { readonly kind: 'LINES'; readonly imageIds: InputFile | null }

/** Names of images whose value is an id, never the name of a file without its extension. */
export const ID_NAMES: readonly string[] = ['image_id', 'cocoid', 'img_id']

/** Names of what is the name of a file where it is not the id. */
export const FILE_NAMES = ['file_name', 'filename', 'image_name', 'image', 'video'] as const

/** Names under which files have their captions among other things. */
const WRAPPERS = [
  'annotations',
  'predictions',
  'results',
  'data',
  'captions',
  'sentences',
  'logs',
  'imgToEval',
] as const

/** The name of the format of captions in lines. */
export const LINES = 'a caption per line'

/**
 * A caption of Flickr8k or Flickr30k: the name of the image's file, the number of the caption, a tab, the caption. Those of other
 * languages have one more part, as Flickr8k-CN and COCO-CN (`1.jpg#zhc#0`), and maybe a space.
 */
export const FLICKR_LINE = /^([^\t]+?)(?:#[a-z]+)?#\d+(?:\t|(?<=#[a-z]+#\d+) )(.*)$/

/** A caption of MSVD’s `AllVideoDescriptions.txt`: the video with its start and end in seconds, a space, the caption. */
export const MSVD_LINE = /^([\w-]{11}_\d+_\d+) (.*)$/

/**
 * Recognizes the format of a file by its beginning, never by its name.
 *
 * @returns the format, and the file, which is open and is to be read to close it
 * @throws AccordError FILE_NOT_FOUND; INVALID_SHAPE for another format; NOT_APPLICABLE for a split of another format than
 *   Karpathy's, and for image ids of another format than lines; INVALID_SHAPE as `unknownColumns`
 */
export function openCaptions(
  file: InputFile,
  reading: CaptionReading,
): { readonly format: CaptionFormat; readonly file: BegunFile } {
  const { imageIds, areIdsShared, split } = reading
  const { text, file: begun } = beginFile(file)
  try {
    const format =
      jsonFormatOf(text, begun.name, reading) ??
      tableOf(text, reading) ??
      linesOf(text) ??
      (imageIds === undefined ? undefined : ({ kind: 'LINES', imageIds } as const)) ??
      unknownTable(begun.name, text, reading) ??
      (reading.areLinesNumbered && isText(text) ? ({ kind: 'LINES', imageIds: null } as const) : undefined)
    if (format === undefined) throw unknownFormat(begun.name, text)
    if (format instanceof AccordError) throw format
    if (split !== undefined && !canHaveSplits(format)) throw noSplits(begun.name, describeFormat(format))
    if (imageIds !== undefined && !areIdsShared && format.kind !== 'LINES')
      throw needlessIds(nameOf(imageIds), `${describeFormat(format)} in ${begun.name}`)
    return { format, file: begun }
  } catch (error) {
    begun.source.close()
    throw error
  }
}

/** Those of the columns that were named by which a file is read. */
export function usedColumns(
  format: CaptionFormat,
  { columns, areOfPeople = false }: CaptionReading,
): string[] {
  if (columns === undefined) return []
  const { image, captions } = namesOf(columns, areOfPeople)
  const asked = [...(columns.image === undefined ? [] : image), ...(captions.length === 1 ? captions : [])]
  const own = columnsIn(format)
  return asked.filter((name) => own.some((column) => matching([column], name).length > 0 || column === name))
}

function columnsIn(format: CaptionFormat): readonly string[] {
  switch (format.kind) {
    case 'TABLE':
      return [format.imageColumn, ...format.captionColumns]
    case 'PARALLEL':
      return [...(format.image === null ? [] : [format.image]), format.captions]
    case 'OBJECT':
      return format.caption === undefined ? [] : [format.caption]
    case 'RECORDS':
    case 'JSON_LINES':
      return [...format.names.image, ...format.names.captions]
    default:
      return []
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
    case 'PARALLEL':
      return `JSON of parallel lists, ${format.image === null ? 'key ' : `keys ${format.image}, `}${format.captions}`
    case 'JSON_LINES':
      return `${format.isConcatenated ? 'concatenated JSON' : 'JSON Lines'}${format.keys.length === 0 ? '' : `, keys ${format.keys.join(', ')}`}`
    case 'FLICKR':
      return 'lines of Flickr8k and Flickr30k'
    case 'MSVD':
      return 'lines of MSVD'
    case 'TABLE':
      if (format.isMsvd) return 'MSVD’s CSV, its English captions'
      if (format.isOfa) return 'OFA’s TSV'
      return `${TABLES[format.delimiter]}, columns ${[format.imageColumn, ...format.captionColumns].join(', ')}`
    case 'LINES':
      return format.imageIds === null ? `${LINES}, of images 1, 2, 3, …` : LINES
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
    found: /^.NUMPY/.test(text)
      ? 'an array of NumPy (word scores: accord import scores; captions: save array.tolist() as JSON)'
      : describeBeginning(text),
  })
}

function noSplits(source: string, found: string): AccordError {
  const expected = 'Karpathy’s JSON, or records with "split"'
  return wrongValue('NOT_APPLICABLE', 'the file has no splits', { source }, expected, found)
}

/** The error of image ids without a file that needs them. */
export function needlessIds(source: string, found: string): AccordError {
  const expected = 'a file with a caption per line; other formats have the ids'
  return wrongValue('NOT_APPLICABLE', 'no file needs the image ids', { source }, expected, found)
}

/**
 * The format of a text that begins like JSON.
 *
 * @throws AccordError INVALID_SHAPE for an object whose keys are names of fields, and for segments of videos; as `unknownColumns`
 */
function jsonFormatOf(text: string, source: string, reading: CaptionReading): CaptionFormat | undefined {
  const start = text.trimStart()
  const list = /^\[\s*(?=$|[[\]{"\d])/.exec(start)
  const usual = namesOf(undefined, reading.areOfPeople === true)
  if (list) {
    const records = start.slice(list[0].length)
    const { members } = outlineJson(records)
    if (members.get('regions') === '[{') throw partsOnly(source, 'regions of images')
    const isCoco = members.size === 0 || (members.has('image_id') && members.get('caption') === '"')
    if (isCoco && reading.columns === undefined)
      return { kind: 'RECORDS', within: null, name: null, names: usual }
    const { names, keys } = chooseNames(
      firstOf(records, members),
      { source, place: '[0]' },
      'a JSON list',
      reading,
    )
    return { kind: 'RECORDS', within: null, name: `JSON, keys ${keys.join(', ')}`, names }
  }
  if (!start.startsWith('{')) return undefined
  const { members, hasSentences, isFollowed, isOnLine } = outlineJson(start)
  const isRecords = (key: string) => /^\[\{?$/.test(members.get(key) ?? '')
  if (hasSentences && isRecords('images')) {
    return { kind: 'RECORDS', within: ['images'], name: 'Karpathy’s JSON', names: usual }
  }
  const asked = namesOf(reading.columns, reading.areOfPeople === true)
  if (VIST_ALBUMS.test(start) && (isRecords('images') || members.get('annotations') === '[[')) {
    return { kind: 'RECORDS', within: ['annotations'], name: 'VIST’s JSON', names: VIST_NAMES }
  }
  if (isRecords('images') || isRecords('annotations')) return { kind: 'COCO', names: usual }
  const isOfLists = members.size > 1 && [...members.values()].every((value) => value.startsWith('['))
  const [image, captions] = [asked.image, asked.captions].map(([name]) => name)
  if (reading.columns && isOfLists && members.has(image) && members.has(captions)) {
    return { kind: 'PARALLEL', image, captions }
  }
  const first = firstOf(start, members)
  const isRecord =
    asked.image.some((name) => hasImageAt(first, name)) &&
    asked.captions.some((name) => valueAt(first, name) !== undefined)
  if (isFollowed || (isRecord && !isOfLists)) {
    const chosen = chooseNames(first, { source, place: 'line 1' }, 'JSON Lines', reading)
    const isUsual = chosen.keys.every((key) => USUAL_KEYS.has(key))
    return {
      kind: 'JSON_LINES',
      names: chosen.names,
      keys: isUsual ? [] : chosen.keys,
      isConcatenated: !isOnLine,
    }
  }
  if (members.has('predictions') && members.has('references')) {
    const key = reading.areOfPeople ? 'references' : 'predictions'
    return isOfLists ? { kind: 'PARALLEL', image: null, captions: key } : { kind: 'OBJECT', within: [key] }
  }
  const wrapper = WRAPPERS.find((name) => isRecords(name) || members.get(name) === '{')
  if (wrapper !== undefined && members.get(wrapper) === '{') return { kind: 'OBJECT', within: [wrapper] }
  if (wrapper !== undefined || isRecords('videos')) {
    return { kind: 'RECORDS', within: WRAPPERS, name: 'JSON of a list of captions', names: asked }
  }
  if (SEGMENTS.test(start)) throw partsOnly(source, 'segments of videos')
  const keys = [...members.keys()]
  const values = [...members.values()]
  if (reading.columns?.caption !== undefined && values.every((value) => value === '{')) {
    return { kind: 'OBJECT', within: null, caption: captions }
  }
  const isCaptioned = values.includes('"') || values.includes('["') || NAMED_CAPTION.test(start)
  const isOfFields = keys.every((key) => WORD.test(key)) && keys.some((key) => FIELDS.test(key))
  const isOfSplits = keys.length > 0 && keys.every((key) => SPLITS.test(key))
  if (isOfSplits && values.includes('[{') && values.every((value) => /^\[[{\]]$/.test(value))) {
    return { kind: 'RECORDS', within: keys, name: 'JSON of lists by split', names: asked, areSplits: true }
  }
  if (isOfLists && isOfFields && !isOfSplits) {
    throw unknownColumns({ source }, 'JSON of parallel lists', firstElements(start, keys), reading)
  }
  if (isOfSplits || (isCaptioned && isOfFields)) throw noImages(source, describeFields(members))
  return isCaptioned ? { kind: 'OBJECT', within: null } : { kind: 'COCO', names: usual }
}

/** The keys of JSON Lines that need not be told. */
const USUAL_KEYS: ReadonlySet<string> = new Set([
  ...IMAGE_NAMES.filter((name) => name !== 'question_id'),
  ...CAPTION_NAMES,
])

/** The names by which a record has an image and captions, and those of them that it has. @throws AccordError as `unknownColumns` */
function chooseNames(
  record: JsonObject,
  at: { readonly source: string; readonly place: string },
  kind: string,
  reading: CaptionReading,
): { readonly names: ColumnNames; readonly keys: readonly string[] } {
  const usual = namesOf(undefined, reading.areOfPeople === true)
  const asked = namesOf(reading.columns, reading.areOfPeople === true)
  const hasImage = (name: string) => hasImageAt(record, name)
  const hasCaption = (name: string) => valueAt(record, name) !== undefined
  const others = reading.areColumnsShared ? usual : asked
  const names = {
    image: asked.image.some(hasImage) ? asked.image : others.image,
    captions: asked.captions.some(hasCaption) ? asked.captions : others.captions,
  }
  const keys = [names.image.find(hasImage), names.captions.find(hasCaption)].filter(
    (key) => key !== undefined,
  )
  if (keys.length === 2 || Object.keys(record).length === 0) return { names, keys }
  throw unknownColumns(at, kind, Object.entries(record), reading)
}

/** The first object of a text; of one that is cut off, its keys. */
function firstOf(text: string, members: JsonOutline['members']): JsonObject {
  let depth = 0
  const tokens = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === '{' || token[0] === '[') depth++
    else if (token[0] === '}' || token[0] === ']') depth--
    if (depth === 0) {
      const value = parsed(text.slice(text.indexOf('{'), tokens.lastIndex))
      if (value !== null) return value
      break
    }
  }
  return Object.fromEntries(Array.from(members.keys(), (key) => [key, '…']))
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}

/** The first elements of parallel lists, by their keys. */
function firstElements(text: string, keys: readonly string[]): [string, unknown][] {
  return keys.map((key) => {
    const [, element = '…'] =
      new RegExp(
        `${JSON.stringify(key).replaceAll(/[.*+?^$()|[\]]/g, '\\$&')}\\s*:\\s*\\[\\s*("(?:[^"\\\\]|\\\\.)*"|[\\d.]+)`,
      ).exec(text) ?? []
    return [key, element.startsWith('"') ? JSON.parse(element) : element]
  })
}

/** A key of the photos of VIST (Huang et al. 2016), whose annotations are lists of one record each, and the names in these. */
const VIST_ALBUMS = /"album_id"\s*:/
const VIST_NAMES: ColumnNames = { image: ['photo_flickr_id'], captions: ['original_text', 'text'] }

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
  const expected =
    'captions by image, {"139": ["…"]}, or a list of records, [{"image_id": 139, "caption": "…"}], or one file for each split'
  return wrongValue('INVALID_SHAPE', 'the keys of the object are not images', { source }, expected, found)
}

/** The error of captions of parts of images, which are not references of the whole. */
function partsOnly(source: string, found: string): AccordError {
  const expected =
    'captions of whole images or videos; or a list with each part as an image of its own, [{"image_id": "v1_0_15", "caption": "…"}]'
  return wrongValue('INVALID_SHAPE', 'the captions are of parts', { source }, expected, found)
}

/** The key of a caption. */
const NAMED_CAPTION = new RegExp(`"(?:${CAPTION_NAMES.join('|')})"\\s*:`)

/** Columns of MSVD's CSV (Chen and Dolan 2011). */
const MSVD_COLUMNS = ['VideoID', 'Start', 'End', 'Language', 'Description']

/** The table whose header a text begins with, or of which columns are named by numbers. */
function tableOf(text: string, reading: CaptionReading): CaptionFormat | undefined {
  const line = firstLine(text)
  for (const delimiter of Object.keys(TABLES) as Delimiter[]) {
    if (!line.includes(delimiter)) continue
    const columns = parseHeader(line, delimiter)
    if (reading.columns === undefined && MSVD_COLUMNS.every((name) => columns.includes(name))) {
      return {
        kind: 'TABLE',
        delimiter,
        imageColumn: 'VideoID',
        captionColumns: ['Description'],
        isMsvd: true,
      }
    }
    const usual = namesOf(undefined, reading.areOfPeople === true)
    const asked = namesOf(reading.columns, reading.areOfPeople === true)
    const [imageColumn] = columnsOf(columns, asked.image, reading.areColumnsShared ? usual.image : [])
    const captionColumns = columnsOf(columns, asked.captions, reading.areColumnsShared ? usual.captions : [])
    if (imageColumn !== undefined && captionColumns.length > 0) {
      return { kind: 'TABLE', delimiter, imageColumn, captionColumns }
    }
    if (
      delimiter === '\t' &&
      columns.length >= 5 &&
      reading.columns === undefined &&
      PICTURE.test(columns[4])
    ) {
      return {
        kind: 'TABLE',
        delimiter,
        imageColumn: '1',
        captionColumns: ['2'],
        isHeadless: true,
        isOfa: true,
      }
    }
    const isNumbered = [asked.image, asked.captions].every(
      ([name]) => /^\d+$/.test(name) && Number(name) < columns.length,
    )
    if (isNumbered) {
      const [image, caption] = [asked.image[0], asked.captions[0]]
      return { kind: 'TABLE', delimiter, imageColumn: image, captionColumns: [caption], isHeadless: true }
    }
  }
  return undefined
}

/** The beginning of a JPEG or PNG file in base64: the fifth column of OFA's tables (Wang et al. 2022). */
const PICTURE = /^(?:\/9j\/|iVBORw0KGgo)/

/** The columns of a header by the first of some names that it has; captions may be numbered. */
function columnsOf(
  columns: readonly string[],
  names: readonly string[],
  others: readonly string[],
): string[] {
  const candidates = [...names, ...others]
  for (const name of candidates) {
    const found = matching(columns, name)
    if (found.length > 0) return found
  }
  return candidates.includes('captions') ? columns.filter((name) => NUMBERED.test(name)) : []
}

/** Names of columns of several captions. */
const NUMBERED = /^(?:captions?|caption_?references?|references?|refs?)[ _]?\d+$/i

/** The error for a table without columns of images and captions; undefined for what does not look like a table. */
function unknownTable(source: string, text: string, reading: CaptionReading): AccordError | undefined {
  const [header, row] = text.split(/\r?\n|\r/, 2)
  for (const delimiter of Object.keys(TABLES) as Delimiter[]) {
    if (row === undefined || !header.includes(delimiter)) continue
    // Commas of sentences.
    if (delimiter !== '|' && header.includes(`${delimiter} `)) continue
    const [names, values] = [parseHeader(header, delimiter), parseHeader(row, delimiter)]
    const at = { source, place: 'line 1' }
    if (values.length === names.length && names.some((name) => VALUE.test(name))) {
      const fields = names.map((value, index): [string, unknown] => [String(index), value])
      return unknownColumns(at, `${TABLES[delimiter]} without a header`, fields, reading)
    }
    if (values.length < names.length || !names.every((name) => /^[\w .#/:-]{1,60}$/.test(name))) continue
    const fields = names.map((name, index): [string, unknown] => [name, values[index]])
    return unknownColumns(at, TABLES[delimiter], fields, reading)
  }
  return undefined
}

/** What is a caption, a file of a picture, an address or a number, and no name of a column. */
const VALUE = /^\S+(?:\s+\S+){3}|\.(?:jpe?g|png|gif|tiff?|webp|bmp)$|^https?:\/\/|^\d+$/i

/** The format of a text whose first line, after comments, is one of Flickr's or MSVD's. */
function linesOf(text: string): CaptionFormat | undefined {
  if (FLICKR_LINE.test(firstLine(text))) return { kind: 'FLICKR' }
  const line = firstLine(text.replace(/^(?:#[^\n]*\n|\s+)+/, ''))
  return MSVD_LINE.test(line) ? { kind: 'MSVD' } : undefined
}

const firstLine = (text: string) => text.split(/[\r\n]/, 1)[0]
