import type { Rating } from '../../core/judgements/judgement.js'
import { IMAGE_NAMES, matching, valueAt } from '../captions/columns.js'
import { readListText } from '../captions/list-text.js'
import { type CsvRow, type Delimiter, readRows } from '../io/csv.js'
import type { InputFile } from '../io/files.js'
import { externalId, type JsonObject, requireCaption } from '../io/values.js'
import { type JudgementRecord, readJudgementRecords } from './judgement-records.js'
import {
  collectJudgements,
  type JudgementCollector,
  type JudgementFile,
  type JudgementReading,
  type RatingNames,
} from './judgements.js'

/** The columns of a table of ratings. */
export type RatingColumns =
  | {
      readonly kind: 'ONE'
      readonly image: string
      readonly caption: string
      /** One column, or one of each rater. */
      readonly ratings: readonly string[]
      readonly references?: string
      readonly system?: string
      readonly rater?: string
    }
  /** Several captions in a row: `Input.text1`, `Answer.choice1`, `Input.text2`, … */
  | { readonly kind: 'SEVERAL'; readonly count: number; readonly rater?: string }
  /** Two captions in a row, and which of them is better: the names of the fields of a record of a battle, and their columns. */
  | { readonly kind: 'PAIRS'; readonly fields: ReadonlyMap<string, string> }

/** Names of columns, in order of preference. `mt` is that of Polaris (Wada et al. 2024) and Nebula (Matsuda et al. 2024). */
const NAMES = {
  image: ['imgid', ...IMAGE_NAMES],
  caption: ['mt', 'cand', 'candidate', 'hyp', 'caption'],
  rating: ['score', 'human_score', 'rating', 'human'],
  references: ['refs', 'references'],
  system: ['system', 'model'],
  rater: ['workerid', 'rater', 'annotator'],
} as const

/** Names of columns of ratings, one of each rater. */
const RATERS = /^(?:rater|rating|annotator|expert|human|judge|worker|score)[ _-]?\d+$/

/** Columns of comparisons by the fields of a battle of captions, in order of preference. */
const PAIR_NAMES: Readonly<Record<string, readonly string[]>> = {
  image: ['image', 'img', ...NAMES.image],
  caption1: ['caption1', 'caption_1', 'caption_a', 'candidate1', 'candidate_1'],
  caption2: ['caption2', 'caption_2', 'caption_b', 'candidate2', 'candidate_2'],
  model1: ['model1', 'model_1', 'model_a', 'source1', 'system1', 'system_1', 'system_a'],
  model2: ['model2', 'model_2', 'model_b', 'source2', 'system2', 'system_2', 'system_b'],
  winner: ['winner', 'preference', 'preferred'],
  references: NAMES.references,
  category: ['category'],
  id: ['id'],
}

/** Columns of Composite (Aditya et al. 2015), tables of Mechanical Turk. */
const IMAGE_URL = 'input.image_url'
const textColumn = (number: number) => `input.text${number}`
const choiceColumn = (number: number) => `answer.choice${number}`

/** The columns of ratings in a header; undefined for that of another table. */
export function ratingColumnsOf(
  header: readonly string[],
  given: RatingNames = {},
): RatingColumns | undefined {
  const columns = header.map((name) => name.trim().toLowerCase())
  const findFirst = (names: readonly string[]) =>
    names.map((name) => name.toLowerCase()).find((name) => columns.includes(name))
  const find = (field: keyof RatingNames) => findFirst(namesOfField(given, field))
  const rater = find('rater')
  let count = 0
  while ([textColumn, choiceColumn].every((name) => columns.includes(name(count + 1)))) count++
  if (columns.includes(IMAGE_URL) && count > 0) return { kind: 'SEVERAL', count, rater }
  const pairs = new Map(
    Object.entries(PAIR_NAMES).flatMap(([field, names]) => {
      const column = findFirst(names)
      return column === undefined ? [] : [[field, column] as const]
    }),
  )
  if (['image', 'caption1', 'caption2', 'winner'].every((field) => pairs.has(field)))
    return { kind: 'PAIRS', fields: pairs }
  const [image, caption] = [find('image'), find('caption')]
  const ratings = namesOfField(given, 'rating').map((name) => matching(columns, name))
  const rated =
    ratings.find((found) => found.length > 0) ??
    (given.rating === undefined ? columns.filter((name) => RATERS.test(name)) : [])
  if (image === undefined || caption === undefined || rated.length === 0) return undefined
  return {
    kind: 'ONE',
    image,
    caption,
    ratings: rated,
    references: find('references'),
    system: find('system'),
    rater,
  }
}

/** The names of a field: the one that is given, or the usual ones. */
const namesOfField = (given: RatingNames, field: keyof RatingNames): readonly string[] => {
  const name = given[field]
  return name === undefined ? NAMES[field] : [name]
}

/** Whether a JSON record has one rating, or those of one caption, as Polaris has it in lines. */
export function isRatingRecord(record: JsonObject): boolean {
  const has = (field: keyof RatingNames) => NAMES[field].some((name) => record[name] !== undefined)
  return !('seg_id' in record) && typeof record.captions !== 'object' && has('caption') && has('rating')
}

/**
 * Reads ratings from JSON records, one in each, by the names of their fields; equal captions of an image as in a table.
 *
 * @throws AccordError INVALID_SHAPE and INVALID_VALUE with the place
 */
export function readRatingRecords(
  records: Iterable<JudgementRecord>,
  file: InputFile,
  given: RatingNames,
): JudgementFile {
  const collector = collectJudgements()
  for (const { record, at } of records) {
    const keyOf = (field: keyof RatingNames) =>
      namesOfField(given, field).find((name) => valueAt(record, name) !== undefined) ??
      namesOfField(given, field)[0]
    const read = (field: keyof RatingNames) => valueAt(record, keyOf(field))
    const list = [read('references') ?? []].flat()
    const references = list.map((text, index) =>
      requireCaption(text, () => at(`${keyOf('references')}[${index}]`)),
    )
    const imageId = externalId(read('image'), () => at(keyOf('image')))
    const image = collector.imageOf(imageId, references.length === 0 ? null : references, at)
    const rater = read('rater')
    const ratings = [read('rating')]
      .flat()
      .flatMap((rating: unknown) =>
        collector.readRating(rating, rater === undefined ? null : String(rater), () => at(keyOf('rating'))),
      )
    collector.addToRatings({ image, caption: read('caption'), system: read('system'), ratings }, (key) =>
      at(keyOf(key === 'system' ? 'system' : 'caption')),
    )
  }
  return collector.finish(file)
}

/**
 * Reads ratings from a table, one in each row, or those of several captions as in Composite. Equal captions of an image, by the
 * same system, are one caption with several ratings. References are a list as text. An image is the end of its address. Rows of two
 * captions, and which of them is better, are preferences.
 *
 * @throws AccordError the errors of `readRows`; INVALID_SHAPE and INVALID_VALUE with the line and the column
 */
export function readRatingsTable(
  file: InputFile,
  delimiter: Delimiter,
  columns: RatingColumns,
  { onProgress }: JudgementReading = {},
): JudgementFile {
  if (columns.kind === 'PAIRS')
    return readJudgementRecords(recordsOfPairs(file, delimiter, columns.fields, onProgress), file, undefined)
  const collector = collectJudgements()
  const lists = new Map<string, readonly string[]>()
  for (const row of readRows(file, { delimiter, trim: true, onProgress })) {
    if (columns.kind === 'SEVERAL') addSeveral(collector, row, columns)
    else addOne(collector, row, columns, lists)
  }
  return collector.finish(file)
}

/** The rows of a table of comparisons as records of battles. `preferred` is the number of the caption from 0, as in JSON. */
function* recordsOfPairs(
  file: InputFile,
  delimiter: Delimiter,
  fields: ReadonlyMap<string, string>,
  onProgress: JudgementReading['onProgress'],
): Generator<JudgementRecord> {
  for (const { at, value } of readRows(file, { delimiter, trim: true, onProgress })) {
    const record = Object.fromEntries(
      Array.from(fields, ([field, column]): [string, unknown] => {
        const text = value(column)
        if (field === 'references') return [field, readListText(text) ?? [text]]
        if (column === 'preferred' && /^[01]$/.test(text)) return [field, `caption${Number(text) + 1}`]
        return [field, text]
      }),
    )
    yield { record, at: (key) => at(key === undefined ? key : (fields.get(key) ?? key)) }
  }
}

function addOne(
  collector: JudgementCollector,
  row: CsvRow,
  columns: Extract<RatingColumns, { readonly kind: 'ONE' }>,
  lists: Map<string, readonly string[]>,
): void {
  const { at, value } = row
  const imageId = externalId(value(columns.image), () => at(columns.image))
  const references = columns.references === undefined ? null : readReferences(row, columns.references, lists)
  const image = collector.imageOf(imageId, references, at)
  const system = columns.system === undefined ? undefined : value(columns.system)
  const ratings = columns.ratings.flatMap((column) =>
    columns.ratings.length === 1
      ? readRating(collector, row, column, columns.rater)
      : collector.readRating(value(column), column, () => at(column)),
  )
  collector.addToRatings({ image, caption: value(columns.caption), system, ratings }, (key) =>
    at(key === 'system' ? columns.system : columns.caption),
  )
}

function addSeveral(
  collector: JudgementCollector,
  row: CsvRow,
  { count, rater }: Extract<RatingColumns, { readonly kind: 'SEVERAL' }>,
): void {
  const { at, value } = row
  const name = value(IMAGE_URL)
    .replace(/[?#].*$/, '')
    .replace(/^.*[/\\]/, '')
  const imageId = externalId(name, () => at(IMAGE_URL))
  const image = collector.imageOf(imageId, null, at)
  for (let number = 1; number <= count; number++) {
    const ratings = readRating(collector, row, choiceColumn(number), rater)
    const caption = value(textColumn(number))
    collector.addToRatings({ image, caption, system: undefined, ratings }, () => at(textColumn(number)))
  }
}

function readRating(
  collector: JudgementCollector,
  { at, value }: CsvRow,
  column: string,
  rater: string | undefined,
): Rating[] {
  const name = rater === undefined ? '' : value(rater)
  return collector.readRating(value(column), name === '' ? null : name, () => at(column))
}

/** The references of a row. Equal texts of rows are read once. */
function readReferences(
  { at, value }: CsvRow,
  column: string,
  lists: Map<string, readonly string[]>,
): readonly string[] {
  const text = value(column)
  let references = lists.get(text)
  if (references === undefined) {
    references = (readListText(text) ?? [text]).map((reference, index) =>
      requireCaption(reference, () => at(`${column}[${index}]`)),
    )
    lists.set(text, references)
  }
  return references
}
