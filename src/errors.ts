import type { ErrorCode } from './shared/error-codes.js'
import { nearNames } from './shared/near-names.js'

/** Details of an invalid input. `expected` and `found` are short phrases without a period. */
export interface ErrorDetail {
  /** Path of the file as given by the user, or the name of an argument or input field. */
  readonly source?: string
  /** Place in the source, for example `annotations[17].caption`, `line 12` or `byte 4096`. */
  readonly place?: string
  readonly expected?: string
  readonly found?: string
  /** The existing name that was probably meant. */
  readonly suggestion?: string
  /** What `columns` must be for the file to be read. */
  readonly columns?: string
}

/** An expected failure with a code, a summary and details: source, place, what was expected and what was found. */
export class AccordError extends Error {
  readonly code: ErrorCode
  readonly summary: string
  readonly detail: ErrorDetail

  /** `summary` is a short phrase. Source, place, expected and found are appended from `detail`. */
  constructor(code: ErrorCode, summary: string, detail: ErrorDetail = {}) {
    super(describe(summary, detail))
    this.name = 'AccordError'
    this.code = code
    this.summary = summary
    this.detail = detail
  }
}

/** An error as plain data, for other threads and for the database: an {@link AccordError}, or a bug. */
export interface ErrorData {
  readonly code: ErrorCode | 'INTERNAL'
  readonly message: string
  readonly summary: string
  readonly detail: ErrorDetail
}

export function toErrorData(error: unknown): ErrorData {
  if (error instanceof AccordError) {
    const { code, message, summary, detail } = error
    return { code, message, summary, detail }
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 'INTERNAL', message, summary: message, detail: {} }
}

export function fromErrorData({ code, message, summary, detail }: ErrorData): Error {
  return code === 'INTERNAL' ? new Error(message) : new AccordError(code, summary, detail)
}

/** Whether something thrown is an expected failure with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is AccordError {
  return error instanceof AccordError && error.code === code
}

/**
 * The value, if it is an integer from `least` to `most`.
 *
 * @param source name of the argument or field
 * @throws AccordError OUT_OF_RANGE
 */
export function requireInteger(
  value: number,
  least: number,
  most: number,
  source: string,
  summary = 'number out of range',
): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  const expected = `an integer from ${least} to ${most}`
  throw new AccordError('OUT_OF_RANGE', summary, { source, expected, found: String(value) })
}

/** The result of work; null where it fails with this code. */
export async function nullFor<Result>(code: ErrorCode, work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, code)) return null
    throw error
  }
}

/** What is named, and what names exist. */
interface UnknownName {
  readonly source: string
  /** Existing names. */
  readonly known: readonly string[]
  /** What is expected where there are no names. */
  readonly none?: string
  /** What is expected. Default: one of the existing names. */
  readonly expected?: string
  readonly found: string
}

/** The error for a name that does not exist, with the name that was probably meant. */
export function unknownName(
  code: ErrorCode,
  summary: string,
  { source, known, none, expected, found }: UnknownName,
): AccordError {
  const names = known.length === 0 && none !== undefined ? none : `one of ${known.join(', ')}`
  return new AccordError(code, summary, {
    source,
    expected: expected ?? names,
    found: quote(found),
    suggestion: nearNames(found, known).at(0),
  })
}

/** The error for a name that exists. @param source where it was given */
export function nameTaken(summary: string, source: string, name: string): AccordError {
  return new AccordError('NAME_TAKEN', summary, {
    source,
    expected: 'a new name',
    found: JSON.stringify(name),
  })
}

/** The error for a dataset or system that was removed after it was found. */
export function wasRemoved(source: 'dataset' | 'system'): AccordError {
  const code = source === 'dataset' ? 'UNKNOWN_DATASET' : 'UNKNOWN_SYSTEM'
  return new AccordError(code, `the ${source} was removed`, { source })
}

/** Quotes a value for the `found` of an error, truncated to 60 characters. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** Maximum length of a message, and of parts of it: what was expected is shortened so that the others remain. */
const MAX_MESSAGE_LENGTH = 300
const MAX_PART_LENGTH = 120

function describe(summary: string, { source, place, expected, found, suggestion }: ErrorDetail): string {
  const shortSource =
    source && source.length > MAX_PART_LENGTH ? `…${source.slice(1 - MAX_PART_LENGTH)}` : source
  const where = [shortSource, place && shorten(place, MAX_PART_LENGTH)].filter((part) => part !== undefined)
  const beginning = where.length > 0 ? `${where.join(': ')}: ${summary}` : summary
  const end = found === undefined ? undefined : `found ${shorten(found, MAX_PART_LENGTH)}`
  const question = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  const room = MAX_MESSAGE_LENGTH - beginning.length - (end?.length ?? 0) - question.length - ': , '.length
  const what = [expected && shorten(`expected ${expected}`, Math.max(room, 20)), end].filter(
    (part) => part !== undefined,
  )
  const message = what.length > 0 ? `${beginning}: ${what.join(', ')}` : beginning
  return shorten(escapeControls(message + question), MAX_MESSAGE_LENGTH)
}

function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}

/** Writes characters that would change how a terminal shows a message, or its lines, as in `\u001b`. */
function escapeControls(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
