import type { Rating } from '../../core/judgements/judgement.js'
import { IMAGE_NAMES, valueAt } from '../captions/columns.js'
import { readListText } from '../captions/list-text.js'
import { type CsvRow, type Delimiter, readRows } from '../io/csv.js'
import type { InputFile } from '../io/files.js'
import { externalId, requireCaption } from '../io/values.js'
import type { JudgementRecord } from './judgement-records.js'
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
      readonly rating: string
      readonly references?: string
      readonly system?: string
      readonly rater?: string
    }
  /** Several captions in a row: `Input.text1`, `Answer.choice1`, `Input.text2`, … */
  | { readonly kind: 'SEVERAL'; readonly count: number; readonly rater?: string }

/** Names of columns, in order of preference. `mt` is that of Polaris (Wada et al. 2024) and Nebula (Matsuda et al. 2024). */
const NAMES = {
  image: ['imgid', ...IMAGE_NAMES],
  caption: ['mt', 'cand', 'candidate', 'hyp', 'caption'],
  rating: ['score', 'human_score', 'rating', 'human'],
  references: ['refs', 'references'],
  system: ['system', 'model'],
  rater: ['workerid', 'rater', 'annotator'],
} as const

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
  const find = (field: keyof RatingNames) =>
    namesOfField(given, field)
      .map((name) => name.toLowerCase())
      .find((name) => columns.includes(name))
  const rater = find('rater')
  let count = 0
  while ([textColumn, choiceColumn].every((name) => columns.includes(name(count + 1)))) count++
  if (columns.includes(IMAGE_URL) && count > 0) return { kind: 'SEVERAL', count, rater }
  const [image, caption, rating] = [find('image'), find('caption'), find('rating')]
  if (image === undefined || caption === undefined || rating === undefined) return undefined
  return {
    kind: 'ONE',
    image,
    caption,
    rating,
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
    const ratings = collector.readRating(read('rating'), rater === undefined ? null : String(rater), () =>
      at(keyOf('rating')),
    )
    collector.addToRatings({ image, caption: read('caption'), system: read('system'), ratings }, (key) =>
      at(keyOf(key === 'system' ? 'system' : 'caption')),
    )
  }
  return collector.finish(file)
}

/**
 * Reads ratings from a table, one in each row, or those of several captions as in Composite. Equal captions of an image, by the
 * same system, are one caption with several ratings. References are a list as text. An image is the end of its address.
 *
 * @throws AccordError the errors of `readRows`; INVALID_SHAPE and INVALID_VALUE with the line and the column
 */
export function readRatingsTable(
  file: InputFile,
  delimiter: Delimiter,
  columns: RatingColumns,
  { onProgress }: JudgementReading = {},
): JudgementFile {
  const collector = collectJudgements()
  const lists = new Map<string, readonly string[]>()
  for (const row of readRows(file, { delimiter, trim: true, onProgress })) {
    if (columns.kind === 'SEVERAL') addSeveral(collector, row, columns)
    else addOne(collector, row, columns, lists)
  }
  return collector.finish(file)
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
  const ratings = readRating(collector, row, columns.rating, columns.rater)
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
