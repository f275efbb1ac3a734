import { AccordError, type ErrorCode, type ErrorDetail, quote } from '../errors.js'
import { wellFormed } from '../text/well-formed.js'

/**
 * Checks of single values, shared by all formats. A check gets a {@link Locate} instead of a place, so that
 * places are spelled out only when something is wrong.
 */

/** Says where a record stands, or one of its keys: `annotations[17]`, `annotations[17].caption`. */
export type Locate = (key?: string) => Pick<ErrorDetail, 'source' | 'place'>

/** Places in an array: `array[index].key`. `source` is a file, or absent where the array came by value. */
export function locateElement(source: string | undefined, array: string, index: number): Locate {
  return (key) => ({ source, place: `${array}[${index}]${key === undefined ? '' : `.${key}`}` })
}

/** Places in a file of lines, counted from 1: `line 12, key`. */
export function locateLine(source: string, line: number): Locate {
  return (key) => ({ source, place: `line ${line}${key === undefined ? '' : `, ${key}`}` })
}

/** What kind of value this is, as the `found` of an error: `null`, `an array`, `the number 4`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return `the string ${quote(value)}`
  return `the ${typeof value} ${quote(value)}`
}

/** `"a"`, `"a" and "b"`, `"a", "b" and "c"`. */
export function listKeys(keys: readonly string[]): string {
  const quoted = keys.map((key) => quote(key))
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}

/** A value of the wrong type, or missing. */
export function wrongShape(
  at: Pick<ErrorDetail, 'source' | 'place'>,
  expected: string,
  found: string,
): AccordError {
  return new AccordError('INVALID_SHAPE', 'wrong shape', { ...at, expected, found })
}

/** A value of the right type that may not stand here. */
export function wrongValue(
  code: ErrorCode,
  summary: string,
  at: Pick<ErrorDetail, 'source' | 'place'>,
  expected: string,
  found: string,
): AccordError {
  return new AccordError(code, summary, { ...at, expected, found })
}

export type JsonObject = Readonly<Record<string, unknown>>

/** The value as an object with keys; INVALID_SHAPE for anything else. */
export function requireObject(value: unknown, at: Locate): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongShape(at(), 'an object', describeValue(value))
  }
  return value as JsonObject
}

/** The string under `key`, made well-formed; INVALID_SHAPE for anything else. */
export function requireString(record: JsonObject, key: string, at: Locate): string {
  const value = record[key]
  if (typeof value !== 'string') throw wrongShape(at(key), 'a string', describeValue(value))
  return wellFormed(value)
}

/** The string under `key`, null where there is none; INVALID_SHAPE for anything else. */
export function optionalString(record: JsonObject, key: string, at: Locate): string | null {
  return record[key] === undefined || record[key] === null ? null : requireString(record, key, at)
}

/** The whole number of pixels under `key`, null where there is none; INVALID_VALUE unless it is above 0. */
export function optionalPixels(record: JsonObject, key: string, at: Locate): number | null {
  const value = record[key]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number') throw wrongShape(at(key), 'a number of pixels', describeValue(value))
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw wrongValue('INVALID_VALUE', 'not a size', at(key), 'a whole number of pixels above 0', quote(value))
  }
  return value
}

/** The id under `key`: see {@link externalId}. */
export function requireId(record: JsonObject, key: string, at: Locate): string {
  return externalId(record[key], () => at(key))
}

/**
 * An id as users write it, as a string: integers and strings name the same thing, 139 is "139". INVALID_SHAPE
 * for another type; INVALID_VALUE for a fraction, an integer that JavaScript cannot hold, an empty string.
 */
export function externalId(value: unknown, at: Locate): string {
  if (typeof value === 'string') {
    if (value === '') throw wrongValue('INVALID_VALUE', 'empty id', at(), 'an integer or a string', '""')
    return wellFormed(value)
  }
  if (typeof value !== 'number') throw wrongShape(at(), 'an integer or a string', describeValue(value))
  if (!Number.isSafeInteger(value)) {
    const found = quote(value)
    throw wrongValue(
      'INVALID_VALUE',
      'not an id',
      at(),
      'an integer up to 9007199254740991 or a string',
      found,
    )
  }
  return String(value)
}
