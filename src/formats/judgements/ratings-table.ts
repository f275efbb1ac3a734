import type { Rating } from '../../core/judgements/judgement.js'
import { IMAGE_NAMES } from '../captions/columns.js'
import { readListText } from '../captions/list-text.js'
import { type CsvRow, type Delimiter, readRows } from '../io/csv.js'
import type { InputFile } from '../io/files.js'
import { externalId, requireCaption } from '../io/values.js'
import {
  collectJudgements,
  type JudgementCollector,
  type JudgementFile,
  type JudgementReading,
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
export function ratingColumnsOf(header: readonly string[]): RatingColumns | undefined {
  const columns = header.map((name) => name.trim().toLowerCase())
  const find = (names: readonly string[]) =>
    names.map((name) => name.toLowerCase()).find((name) => columns.includes(name))
  const rater = find(NAMES.rater)
  let count = 0
  while ([textColumn, choiceColumn].every((name) => columns.includes(name(count + 1)))) count++
  if (columns.includes(IMAGE_URL) && count > 0) return { kind: 'SEVERAL', count, rater }
  const [image, caption, rating] = [find(NAMES.image), find(NAMES.caption), find(NAMES.rating)]
  if (image === undefined || caption === undefined || rating === undefined) return undefined
  return {
    kind: 'ONE',
    image,
    caption,
    rating,
    references: find(NAMES.references),
    system: find(NAMES.system),
    rater,
  }
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
