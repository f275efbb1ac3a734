import { quote } from '../../errors.js'
import { ID_NAMES } from '../captions/caption-format.js'
import { IMAGE_NAMES } from '../captions/columns.js'
import { type CsvRow, type Delimiter, readRows } from '../io/csv.js'
import { type BegunFile, beginFile, type InputFile, nameOf } from '../io/files.js'
import { parseJsonLine } from '../io/json.js'
import { outlineJson } from '../io/json-outline.js'
import { readJsonArray, readJsonMembers } from '../io/json-stream.js'
import { readLines } from '../io/lines.js'
import {
  describeValue,
  externalId,
  type JsonObject,
  type Locate,
  locateElement,
  locateLine,
  requireCaption,
  requireId,
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

/** Lowest and highest possible score. */
export interface ScoreRange {
  readonly lowest: number
  readonly highest: number
}

/** The metric that gave the scores. */
interface ScoringMetric extends ScoreRange {
  readonly name: string
}

/** Bytes of a file by which its format is recognized. */
const HEAD_BYTES = 64 * 1024

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
 * of the metric, in any case, can stand for `score`.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON, INVALID_SHAPE, INVALID_VALUE and OUT_OF_RANGE with the place; DUPLICATE_ID for
 *   a second score of a caption
 */
export function readMetricScores(input: InputFile, metric: ScoringMetric): GivenScore[] {
  const rows = [...readAny(input, metric.name)]
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

function readAny(input: InputFile, metric: string): Iterable<GivenScore> {
  const { head, file } = beginFile(input, HEAD_BYTES)
  const text = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  if (text.startsWith('[')) return readList(file, metric)
  if (text.startsWith('{')) {
    const { members, isFollowed } = outlineJson(text)
    const isRecord = isFollowed || IMAGE_NAMES.some((name) => members.has(name))
    return isRecord ? readJsonRecords(file, metric) : readByImage(file, metric)
  }
  return readTable(file, text, metric)
}

function* readJsonRecords(file: BegunFile, metric: string): Generator<GivenScore> {
  for (const line of readLines(file)) {
    const at = locateLine(file, line.number)
    yield ofRecord(requireObject(parseJsonLine(file, line), at), metric, at)
  }
}

function* readList(file: BegunFile, metric: string): Generator<GivenScore> {
  for (const { index, value } of readJsonArray(file)) {
    const at = locateElement(file, '', index)
    yield ofRecord(requireObject(value, at), metric, at)
  }
}

function ofRecord(record: JsonObject, metric: string, at: Locate): GivenScore {
  const idKey = IMAGE_NAMES.find((name) => record[name] !== undefined) ?? IMAGE_NAMES[0]
  const scoreKey = record.score === undefined ? (sameName(Object.keys(record), metric) ?? 'score') : 'score'
  return toScore(at, {
    imageId: requireId(record, idKey, at),
    isId: ID_NAMES.includes(idKey),
    system: isAbsent(record, 'system') ? null : requireId(record, 'system', at),
    caption: isAbsent(record, 'caption') ? null : requireCaption(record.caption, () => at('caption')),
    fold: isAbsent(record, 'fold') ? null : toFold(record.fold, at),
    score: requireNumber(record[scoreKey], () => at(scoreKey)),
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

function* readTable(file: BegunFile, text: string, metric: string): Generator<GivenScore> {
  const [header] = text.split(/[\r\n]/, 1)
  const delimiter = DELIMITERS.find((one) => header.includes(one)) ?? ','
  for (const row of readRows(file, { delimiter, trim: true })) yield ofRow(row, metric)
}

function ofRow({ at, line, has, value }: CsvRow, metric: string): GivenScore {
  const idColumn = IMAGE_NAMES.find(has)
  const scoreColumn = ['score', metric].find(has)
  if (idColumn === undefined || scoreColumn === undefined) {
    const missing = idColumn === undefined ? 'image_id' : 'score'
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
  if (imageId === null) throw wrongValue('INVALID_VALUE', 'empty id', at(idColumn), 'an id', '""')
  const fold = textOf('fold')
  const score = textOf(scoreColumn)
  if (score === null || Number.isNaN(Number(score))) {
    throw wrongShape(at(scoreColumn), 'a number', quote(score ?? ''))
  }
  return toScore(at, {
    imageId,
    isId: ID_NAMES.includes(idColumn),
    system: textOf('system'),
    caption: textOf('caption'),
    fold: fold === null ? null : toFold(Number(fold), at),
    score: Number(score),
  })
}

function requireNumber(value: unknown, at: Locate): number {
  if (typeof value === 'number') return value
  throw wrongShape(at(), 'a number', describeValue(value))
}

function isAbsent(record: JsonObject, key: string): boolean {
  return record[key] === undefined || record[key] === null
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
