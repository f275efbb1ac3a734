import { quote } from '../../errors.js'
import { type CsvRow, readCsv } from '../io/csv.js'
import { type InputFile, nameOf } from '../io/files.js'
import { parseJsonLine } from '../io/json-lines.js'
import { readLines } from '../io/lines.js'
import {
  describeValue,
  type JsonObject,
  type Locate,
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
 * system and caption, the human caption that a fold holds out.
 */
export interface GivenScore {
  /** The place of the score, or of a field of it. */
  readonly at: Locate
  readonly imageId: string
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

/**
 * Reads scores from JSON Lines, or from CSV with a header if the name ends in `.csv`:
 *
 *     {"image_id", "system", "score"}            the caption of a system, against all references
 *     {"image_id", "system", "fold", "score"}    the same without the reference at the position `fold`, from 1
 *     {"image_id", "fold", "score"}              that human caption, against the other ones
 *     {"image_id", "caption", "score"}           a judged caption
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON, INVALID_SHAPE, INVALID_VALUE and OUT_OF_RANGE with the number of the
 *   line; DUPLICATE_ID for a second score of a caption
 */
export function readMetricScores(file: InputFile, range: ScoreRange): GivenScore[] {
  const rows = nameOf(file).endsWith('.csv') ? readCsv(file, ['image_id', 'score'], ofRow) : readJson(file)
  const lines = new Set<string>()
  for (const { at, imageId, system, caption, fold, score } of rows) {
    if (!(score >= range.lowest && score <= range.highest)) {
      const expected = `a number from ${range.lowest} to ${range.highest}, the range of the metric`
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
  throw wrongShape({ source: file }, 'at least one score', 'an empty file')
}

function readJson(file: InputFile): GivenScore[] {
  return Array.from(readLines(file), (line) => {
    const at = locateLine(file, line.number)
    const record = requireObject(parseJsonLine(file, line), at)
    const { score, fold } = record
    if (typeof score !== 'number') throw wrongShape(at('score'), 'a number', describeValue(score))
    return toScore(at, {
      imageId: requireId(record, 'image_id', at),
      system: isAbsent(record, 'system') ? null : requireId(record, 'system', at),
      caption: isAbsent(record, 'caption') ? null : requireCaption(record.caption, () => at('caption')),
      fold: isAbsent(record, 'fold') ? null : toFold(fold, at),
      score,
    })
  })
}

function ofRow({ at, has, value }: CsvRow): GivenScore {
  const textOf = (column: string) => {
    const text = has(column) ? storableText(value(column), () => at(column)) : ''
    return text === '' ? null : text
  }
  const imageId = textOf('image_id')
  if (imageId === null) throw wrongValue('INVALID_VALUE', 'empty id', at('image_id'), 'an id', '""')
  const fold = textOf('fold')
  const score = textOf('score')
  if (score === null || Number.isNaN(Number(score))) {
    throw wrongShape(at('score'), 'a number', quote(score ?? ''))
  }
  return toScore(at, {
    imageId,
    system: textOf('system'),
    caption: textOf('caption'),
    fold: fold === null ? null : toFold(Number(fold), at),
    score: Number(score),
  })
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
  if (caption === null && system === null && fold === null) {
    throw wrongShape(at(), 'a system, a caption or a fold', 'none of them')
  }
  return { at, ...given }
}
