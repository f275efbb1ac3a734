import { isUtf8 } from 'node:buffer'
import { JSONParser } from '@streamparser/json'
import { AccordError, quote } from '../../errors.js'
import { UTF8_TEXT } from './encodings.js'
import { type InputFile, nameOf, readWhole } from './files.js'
import type { Line } from './lines.js'
import { type Locate, locateLine, wrongValue } from './values.js'

/** Maximum depth of arrays and objects in JSON. */
export const MAX_JSON_DEPTH = 64

/** How JSON is read. */
export interface JsonDialect {
  /** Read `NaN`, which Python writes for a missing number, as null. Default: it is not JSON. */
  readonly isNanNull?: boolean
}

/**
 * Parses a JSON text in which no key of an object occurs twice.
 *
 * @param at the place of the text; its keys are paths, `words.dog`
 * @throws SyntaxError as `JSON.parse`; AccordError INVALID_JSON for a duplicate key, or arrays and objects more than
 *   {@link MAX_JSON_DEPTH} deep
 */
export function parseJson(source: string, at: Locate, { isNanNull = false }: JsonDialect = {}): unknown {
  const text = isNanNull ? withoutNan(source) : source
  const { depth, members } = measure(text)
  if (depth > MAX_JSON_DEPTH) throw tooDeep(at())
  const value = parseMembers(text, members)
  if (value !== undefined) return value
  const place = at(findDuplicate(text))
  throw wrongValue('INVALID_JSON', 'duplicate key', place, 'unique keys in an object', 'it twice')
}

/**
 * Parses a JSON text that is not too deep.
 *
 * @param members number of colons outside strings
 * @returns undefined if a key of an object occurs twice
 * @throws SyntaxError as `JSON.parse`
 */
export function parseMembers(text: string, members: number): unknown {
  const value: unknown = JSON.parse(text)
  return countMembers(value) === members ? value : undefined
}

/** The text with null for `NaN` outside strings. */
export function withoutNan(text: string): string {
  if (!text.includes('NaN')) return text
  return text.replace(/"(?:[^"\\]|\\.)*"|\bNaN\b/gs, (token) => (token === 'NaN' ? 'null' : token))
}

/** The error for JSON that is too deep. */
export function tooDeep(at: ReturnType<Locate>): AccordError {
  return wrongValue(
    'INVALID_JSON',
    'too deep',
    at,
    `at most ${MAX_JSON_DEPTH} nested arrays and objects`,
    'more',
  )
}

/** The depth of a text and the number of its colons outside strings: each follows a key. */
function measure(text: string): { readonly depth: number; readonly members: number } {
  let [open, depth, members] = [0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i)
        break
      case 0x3a: // :
        members++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++open > depth) depth = open
        break
      case 0x5d: // ]
      case 0x7d: // }
        open--
    }
  }
  return { depth, members }
}

/** The index of the quotation mark that ends the string that starts here. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22) return i
  }
  return text.length
}

/** The number of members of the objects in a parsed value. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item)
    return count
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    count++
    if (typeof member === 'object') count += countMembers(member)
  }
  return count
}

/** The path of the first key that occurs twice in an object of a valid text. */
function findDuplicate(text: string): string {
  const open: { readonly keys?: Set<string>; step: string | number }[] = []
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    const inner = open.at(-1)
    if (character === '{') open.push({ keys: new Set(), step: '' })
    else if (character === '[') open.push({ step: 0 })
    else if (character === '}' || character === ']') open.pop()
    else if (character === ',' && typeof inner?.step === 'number') inner.step++
    else if (character === '"') {
      const start = i
      i = endOfString(text, start)
      if (!inner?.keys || !isBeforeColon(text, i + 1)) continue
      const key: string = JSON.parse(text.slice(start, i + 1))
      inner.step = key
      if (inner.keys.has(key)) break
      inner.keys.add(key)
    }
  }
  return open
    .map(({ step }) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
}

function isBeforeColon(text: string, start: number): boolean {
  let i = start
  while (' \t\n\r'.includes(text[i])) i++
  return text[i] === ':'
}

/** Returns the index of the first byte that makes the text invalid JSON, undefined if it is a valid prefix. */
export function firstInvalidByte(text: Buffer): number | undefined {
  const chunk = firstRejected(text, 0, 4096)
  return chunk === undefined ? undefined : firstRejected(text, chunk, 1)
}

/** Returns the start of the first chunk of `step` bytes, starting at `from`, that the parser rejects. */
function firstRejected(text: Buffer, from: number, step: number): number | undefined {
  const parser = new JSONParser()
  parser.onValue = () => {}
  parser.write(text.subarray(0, from))
  for (let i = from; i < text.length; i += step) {
    try {
      parser.write(text.subarray(i, i + step))
    } catch {
      return i
    }
  }
  return undefined
}

/** Quotes the first characters of the bytes for an error message. */
export function excerpt(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, Math.min(bytes.length, 120))
  return quote(text.length > 20 ? `${text.slice(0, 20)}…` : text)
}

/**
 * Reads a JSON file that is held in memory.
 *
 * @throws AccordError FILE_NOT_FOUND; OUT_OF_RANGE for more than `maxBytes`; INVALID_JSON with the byte or the path
 */
export function readJsonFile(file: InputFile, maxBytes: number): unknown {
  const bytes = readWhole(file, maxBytes)
  if (!isUtf8(bytes)) {
    throw wrongValue('INVALID_JSON', 'not UTF-8', { source: file }, UTF8_TEXT, 'other bytes')
  }
  try {
    return parseJson(bytes.toString('utf8').replace(/^\ufeff/, ''), (place) => ({
      source: nameOf(file),
      place,
    }))
  } catch (error) {
    if (error instanceof AccordError) throw error
    const wrong = firstInvalidByte(bytes) ?? bytes.length
    const found = wrong < bytes.length ? excerpt(bytes.subarray(wrong)) : 'the end of the file'
    throw wrongValue(
      'INVALID_JSON',
      'not JSON',
      { source: file, place: `byte ${wrong}` },
      'valid JSON',
      found,
    )
  }
}

/** The value of a line of a JSON Lines file. @throws AccordError INVALID_JSON with the number of the line */
export function parseJsonLine(file: InputFile, { number, text }: Line, dialect?: JsonDialect): unknown {
  try {
    return parseJson(text, locateLine(file, number), dialect)
  } catch (error) {
    if (error instanceof AccordError) throw error
    const bytes = Buffer.from(text)
    const wrong = firstInvalidByte(bytes)
    if (wrong === undefined) {
      throw wrongValue(
        'INVALID_JSON',
        'the line is truncated',
        locateLine(file, number)(),
        'the rest of the object',
        'the end of the line',
      )
    }
    const column = bytes.toString('utf8', 0, wrong).length + 1
    const at = locateLine(file, number)(`column ${column}`)
    throw wrongValue('INVALID_JSON', 'not JSON', at, 'valid JSON', excerpt(bytes.subarray(wrong)))
  }
}
