import { wellFormed } from '../../core/text/well-formed.js'
import { AccordError, type ErrorDetail, quote } from '../../errors.js'
import type { ErrorCode } from '../../shared/error-codes.js'
import { type InputFile, nameOf } from './files.js'

/**
 * Checks of single values, shared by all formats. Checks take a {@link Locate} function instead of a place, so that
 * place strings are created only for errors.
 */

/** Returns the place of a record or of one of its keys: `annotations[17]`, `annotations[17].caption`. */
export type Locate = (key?: string) => Pick<ErrorDetail, 'source' | 'place'>

/** Places in an array of a file: `array[index].key`. */
export function locateElement(file: InputFile, array: string, index: number): Locate {
  return (key) => ({ source: nameOf(file), place: `${array}[${index}]${key === undefined ? '' : `.${key}`}` })
}

/** Places in an array of a record: `images[3].boxes[2].bbox`. */
export function locateNested(at: Locate, array: string, index: number): Locate {
  return (key) => at(`${array}[${index}]${key === undefined ? '' : `.${key}`}`)
}

/** Places in a file of lines: `line 12, key`. Lines are counted from 1. */
export function locateLine(file: InputFile, line: number): Locate {
  return (key) => ({ source: nameOf(file), place: `line ${line}${key === undefined ? '' : `, ${key}`}` })
}

/** Describes a value for the `found` of an error: `null`, `an array`, `the number 4`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return `the string ${quote(value)}`
  return `the ${typeof value} ${quote(value)}`
}

/** Describes the beginning of a file for the `found` of an error: its first characters, unless it is no text. */
export function describeBeginning(text: string): string {
  const [line] = text.trimStart().split(/[\r\n]/, 1)
  if (line === '') return 'an empty file'
  if (!isText(line)) return 'binary data'
  return quote(line.length > 20 ? `${line.slice(0, 20)}…` : line)
}

/** Whether a text, by its first characters, is one, and not binary data or nothing. */
export function isText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that no text has
  return text.trim() !== '' && !/[\0-\x08\x0e-\x1f\ufffd]/.test(text.slice(0, 200))
}

/** Lists keys in a message: `"a"`, `"a" and "b"`, `"a", "b" and "c"`. */
export function listKeys(keys: readonly string[]): string {
  const quoted = keys.map((key) => quote(key))
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}

/** A file, or a place in it. */
interface Place {
  readonly source?: InputFile
  readonly place?: string
}

/** Creates the error for a missing value or a value of the wrong type. */
export function wrongShape(at: Place, expected: string, found: string): AccordError {
  return wrongValue('INVALID_SHAPE', 'wrong shape', at, expected, found)
}

/** Creates the error for a value of the right type that is not allowed. */
export function invalidValue(summary: string, at: Place, expected: string, found: string): AccordError {
  return wrongValue('INVALID_VALUE', summary, at, expected, found)
}

/** The same with a code of its own. */
export function wrongValue(
  code: ErrorCode,
  summary: string,
  { source, place }: Place,
  expected: string,
  found: string,
): AccordError {
  return new AccordError(code, summary, { source: source && nameOf(source), place, expected, found })
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Returns the value if it is an object. @throws AccordError INVALID_SHAPE otherwise */
export function requireObject(value: unknown, at: Locate): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongShape(at(), 'an object', describeValue(value))
  }
  return value as JsonObject
}

/**
 * Returns the string at `key` as {@link storableText}.
 *
 * @throws AccordError INVALID_SHAPE for other types; INVALID_VALUE
 */
export function requireString(record: JsonObject, key: string, at: Locate): string {
  const value = record[key]
  if (typeof value !== 'string') throw wrongShape(at(key), 'a string', describeValue(value))
  return storableText(value, () => at(key))
}

/**
 * Converts a text to well-formed Unicode.
 *
 * @throws AccordError INVALID_VALUE for a text with the character U+0000, which PostgreSQL cannot store
 */
export function storableText(text: string, at: Locate): string {
  if (text.includes('\0')) {
    const found = `it at index ${text.indexOf('\0')}`
    throw invalidValue('a null character', at(), 'text without the character U+0000', found)
  }
  return wellFormed(text)
}

/** Maximum length of a caption. */
const MAX_CAPTION_CHARACTERS = 10_000
const MAX_CAPTION_WORDS = 2_000

/** Whether a value is text that pandas writes for a missing one. */
export function isNan(value: unknown): value is string {
  return typeof value === 'string' && /^\s*nan\s*$/i.test(value)
}

/** A list of strings of Python, NumPy or JSON. */
const LIST_TEXT = /^\s*\[\s*(?:'.*'|".*")\s*,?\s*\]\s*$/s

/**
 * Returns the value if it is a caption that is not blank, as {@link captionText}.
 *
 * @throws AccordError INVALID_SHAPE for other types; INVALID_VALUE; OUT_OF_RANGE
 */
export function requireCaption(value: unknown, at: Locate): string {
  if (typeof value !== 'string') throw wrongShape(at(), 'a string', describeValue(value))
  if (value.trim() !== '') return captionText(value, at)
  throw invalidValue('empty caption', at(), 'text', `the string ${quote(value)}`)
}

/**
 * A caption as {@link storableText}.
 *
 * @throws AccordError INVALID_VALUE; INVALID_SHAPE for a list of quoted captions as text; OUT_OF_RANGE for more than 10,000
 *   characters or 2,000 words between white space
 */
export function captionText(text: string, at: Locate): string {
  if (LIST_TEXT.test(text)) throw wrongShape(at(), 'one caption', `a list as text, ${quote(text)}`)
  if (text.length > MAX_CAPTION_CHARACTERS) {
    throw captionTooLong(at, `${MAX_CAPTION_CHARACTERS} characters`, String(text.length))
  }
  // Between words there is at least one character.
  const words = text.length < 2 * MAX_CAPTION_WORDS ? 0 : (text.match(/\S+/g)?.length ?? 0)
  if (words > MAX_CAPTION_WORDS) throw captionTooLong(at, `${MAX_CAPTION_WORDS} words`, String(words))
  return storableText(text, at)
}

function captionTooLong(at: Locate, limit: string, found: string): AccordError {
  return wrongValue('OUT_OF_RANGE', 'the caption is too long', at(), `at most ${limit}`, found)
}

/** Returns the array at `key`. @throws AccordError INVALID_SHAPE otherwise */
export function requireArray(record: JsonObject, key: string, at: Locate): readonly unknown[] {
  const value = record[key]
  if (Array.isArray(value)) return value
  throw wrongShape(at(key), 'an array', describeValue(value))
}

/** Returns the string at `key`, or null if it is missing or null. @throws AccordError INVALID_SHAPE otherwise */
export function optionalString(record: JsonObject, key: string, at: Locate): string | null {
  return record[key] === undefined || record[key] === null ? null : requireString(record, key, at)
}

/**
 * Returns the number of pixels at `key`, or null if it is missing or null.
 *
 * @throws AccordError INVALID_SHAPE for other types; INVALID_VALUE unless it is a positive integer
 */
export function optionalPixels(record: JsonObject, key: string, at: Locate): number | null {
  const value = record[key]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number') throw wrongShape(at(key), 'a number of pixels', describeValue(value))
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw invalidValue('invalid size', at(key), 'a positive integer number of pixels', quote(value))
  }
  return value
}

/** Returns the id at `key`, see {@link externalId}. */
export function requireId(record: JsonObject, key: string, at: Locate): string {
  return externalId(record[key], () => at(key))
}

/**
 * Converts an id in an input to a string. Integers and strings are equivalent: 139 is "139".
 *
 * @throws AccordError INVALID_SHAPE for other types; INVALID_VALUE for a non-integer, an integer that is not safe in
 *   JavaScript, an empty string, or a string with the character U+0000
 */
export function externalId(value: unknown, at: Locate): string {
  if (typeof value === 'string') {
    if (value === '') throw invalidValue('empty id', at(), 'an integer or a string', '""')
    return storableText(value, at)
  }
  if (typeof value !== 'number') throw wrongShape(at(), 'an integer or a string', describeValue(value))
  if (!Number.isSafeInteger(value)) {
    const found = quote(value)
    throw invalidValue('invalid id', at(), 'an integer of at most 9007199254740991 or a string', found)
  }
  return String(value)
}
