import { quote } from '../../errors.js'
import { ID_NAMES } from '../captions/caption-format.js'
import { IMAGE_NAMES, valueAt } from '../captions/columns.js'
import { type CsvRow, type Delimiter, readRows } from '../io/csv.js'
import { type BegunFile, beginFile, type InputFile, nameOf } from '../io/files.js'
import { parseJsonLine } from '../io/json.js'
import { outlineJson } from '../io/json-outline.js'
import { readJsonArray, readJsonMembers } from '../io/json-stream.js'
import { readLines } from '../io/lines.js'
import {
  describeValue,
  externalId,
  invalidValue,
  type JsonObject,
  type Locate,
  locateElement,
  locateLine,
  requireCaption,
  requireObject,
  storableText,
  wrongShape,
  wrongValue,
} from '../io/values.js'

/**
 * A score that another program has given a caption: that of a system; one that people judged, by its text; or, without
 * system and caption, the human caption that a fold holds out. Without any of them: the caption of a system that the file does not
 * name.
 */
export interface GivenScore {
  /** The place of the score, or of a field of it. */
  readonly at: Locate
  readonly imageId: string
  /** Whether the file calls it an id. */
  readonly isId: boolean
  readonly system: string | null
  readonly caption: string | null
  /** From 1: the position of the human caption that is no reference; null against all references. */
  readonly fold: number | null
  readonly score: number
}

/** What a file calls the fields of a score: keys of JSON, paths of keys, or columns. Default: the usual names. */
export interface ScoreColumns {
  readonly image?: string
  readonly score?: string
  readonly system?: string
  readonly caption?: string
  readonly fold?: string
}

/** Lowest and highest possible score. */
export interface ScoreRange {
  readonly lowest: number
  readonly highest: number
}

/** The metric that gave the scores. */
interface ScoringMetric extends ScoreRange {
  readonly name: string
}

/**
 * Reads scores from JSON Lines, a JSON list, or CSV or TSV with a header, which are recognized by their content:
 *
 *     {"image_id", "system", "score"}            the caption of a system, against all references
 *     {"image_id", "system", "fold", "score"}    the same without the reference at the position `fold`, from 1
 *     {"image_id", "fold", "score"}              that human caption, against the other ones
 *     {"image_id", "caption", "score"}           a judged caption
 *     {"image_id", "score"}                      the caption of a system that the file does not name
 *
 * or from JSON of scores by image, as CLIPScore writes with `--save_per_instance`: `{"139": {"CLIPScore": 0.7, …}, …}`. The name
 * of the metric, in any case, can stand for `score`. Other names are those of `columns`.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON, INVALID_SHAPE, INVALID_VALUE and OUT_OF_RANGE with the place; DUPLICATE_ID for
 *   a second score of a caption
 */
export function readMetricScores(
  input: InputFile,
  metric: ScoringMetric,
  columns: ScoreColumns = {},
): GivenScore[] {
  const rows = [...readAny(input, { metric: metric.name, ...columns })]
  const lines = new Set<string>()
  for (const { at, imageId, system, caption, fold, score } of rows) {
    if (!(score >= metric.lowest && score <= metric.highest)) {
      const expected = `a number from ${metric.lowest} to ${metric.highest}, the range of the metric`
      throw wrongValue('OUT_OF_RANGE', 'invalid score', at('score'), expected, String(score))
    }
    const key = JSON.stringify([imageId, system, caption, fold])
    if (lines.has(key)) {
      const found = `another one of image ${quote(imageId)}`
      throw wrongValue('DUPLICATE_ID', 'a second score', at(), 'one score of each caption', found)
    }
    lines.add(key)
  }
  if (rows.length > 0) return rows
  throw wrongShape({ source: input }, 'at least one score', 'an empty file')
}

/** The names of the fields, and that of the metric. */
interface Names extends ScoreColumns {
  readonly metric: string
}

function readAny(input: InputFile, names: Names): Iterable<GivenScore> {
  const { text: beginning, file } = beginFile(input)
  const text = beginning.trimStart()
  if (text.startsWith('[')) return readList(file, names)
  if (text.startsWith('{')) {
    const { members, isFollowed } = outlineJson(text)
    const isRecord = isFollowed || [names.image, ...IMAGE_NAMES].some((name) => members.has(name ?? ''))
    return isRecord ? readJsonRecords(file, names) : readByImage(file, names.score ?? names.metric)
  }
  return readTable(file, text, names)
}

function* readJsonRecords(file: BegunFile, names: Names): Generator<GivenScore> {
  for (const line of readLines(file)) {
    const at = locateLine(file, line.number)
    yield ofRecord(requireObject(parseJsonLine(file, line), at), names, at)
  }
}

function* readList(file: BegunFile, names: Names): Generator<GivenScore> {
  for (const { index, value } of readJsonArray(file)) {
    const at = locateElement(file, '', index)
    yield ofRecord(requireObject(value, at), names, at)
  }
}

function ofRecord(record: JsonObject, names: Names, at: Locate): GivenScore {
  const { system = 'system', caption = 'caption', fold = 'fold' } = names
  const idKey = names.image ?? IMAGE_NAMES.find((name) => record[name] !== undefined) ?? IMAGE_NAMES[0]
  const usual =
    record.score === undefined ? (sameName(Object.keys(record), names.metric) ?? 'score') : 'score'
  const scoreKey = names.score ?? usual
  const has = (name: string) => valueAt(record, name) != null
  return toScore(at, {
    imageId: externalId(valueAt(record, idKey), () => at(idKey)),
    isId: ID_NAMES.includes(idKey),
    system: has(system) ? externalId(valueAt(record, system), () => at(system)) : null,
    caption: has(caption) ? requireCaption(valueAt(record, caption), () => at(caption)) : null,
    fold: has(fold) ? toFold(valueAt(record, fold), at) : null,
    score: requireNumber(valueAt(record, scoreKey), () => at(scoreKey)),
  })
}

/** Scores by image; where an image has those of several metrics, those of the one that is named. */
function* readByImage(file: BegunFile, metric: string): Generator<GivenScore> {
  const source = nameOf(file)
  for (const { key, value } of readJsonMembers(file, null)) {
    const at: Locate = () => ({ source, place: quote(key) })
    yield {
      at,
      imageId: externalId(key, at),
      isId: false,
      system: null,
      caption: null,
      fold: null,
      score: requireNumber(typeof value === 'number' ? value : ofMetric(value, metric, at), at),
    }
  }
}

function ofMetric(value: unknown, metric: string, at: Locate): unknown {
  const scores = requireObject(value, at)
  const names = Object.keys(scores)
  const name = sameName(names, metric) ?? (names.length === 1 ? names[0] : undefined)
  if (name !== undefined) return scores[name]
  throw wrongShape(at(), `the metric ${quote(metric)}`, names.length === 0 ? 'no metric' : names.join(', '))
}

const sameName = (names: readonly string[], name: string) =>
  names.find((one) => one.toLowerCase() === name.toLowerCase())

/** What separates the columns of a table, in the order in which they are tried. */
const DELIMITERS: readonly Delimiter[] = ['\t', ',', ';']

function* readTable(file: BegunFile, text: string, names: Names): Generator<GivenScore> {
  const [header] = text.split(/[\r\n]/, 1)
  const delimiter = DELIMITERS.find((one) => header.includes(one)) ?? ','
  for (const row of readRows(file, { delimiter, trim: true })) yield ofRow(row, names)
}

function ofRow({ at, line, has, value }: CsvRow, names: Names): GivenScore {
  const idColumn = (names.image === undefined ? IMAGE_NAMES : [names.image]).find(has)
  const scoreColumn = (names.score === undefined ? ['score', names.metric] : [names.score]).find(has)
  if (idColumn === undefined || scoreColumn === undefined) {
    const missing = idColumn === undefined ? (names.image ?? 'image_id') : (names.score ?? 'score')
    throw wrongShape(
      { source: at().source, place: 'line 1' },
      `the column ${missing}`,
      `none (row in line ${line})`,
    )
  }
  const textOf = (column: string) => {
    const text = has(column) ? storableText(value(column), () => at(column)) : ''
    return text === '' ? null : text
  }
  const imageId = textOf(idColumn)
  if (imageId === null) throw invalidValue('empty id', at(idColumn), 'an id', '""')
  const fold = textOf(names.fold ?? 'fold')
  const score = textOf(scoreColumn)
  if (score === null || Number.isNaN(Number(score))) {
    throw wrongShape(at(scoreColumn), 'a number', quote(score ?? ''))
  }
  return toScore(at, {
    imageId,
    isId: ID_NAMES.includes(idColumn),
    system: textOf(names.system ?? 'system'),
    caption: textOf(names.caption ?? 'caption'),
    fold: fold === null ? null : toFold(Number(fold), at),
    score: Number(score),
  })
}

function requireNumber(value: unknown, at: Locate): number {
  if (typeof value === 'number') return value
  throw wrongShape(at(), 'a number', describeValue(value))
}

function toFold(value: unknown, at: Locate): number {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number
  throw wrongShape(at('fold'), 'a position from 1', describeValue(value))
}

function toScore(at: Locate, given: Omit<GivenScore, 'at'>): GivenScore {
  const { system, caption, fold } = given
  if (caption !== null && (system !== null || fold !== null)) {
    throw wrongShape(at(), 'caption without system and fold', 'more than the caption')
  }
  return { at, ...given }
}
