/**
 * The one list of error codes. An expected failure is an {@link AccordError}: it says where (a file or a
 * field, and the place in it), what was expected and what was found. The command line prints it on one line
 * and exits with 1; the API returns it as data. Anything else that is thrown is a defect of Accord.
 */
export const ERROR_CODES = [
  'FILE_NOT_FOUND',
  'INVALID_JSON',
  'INVALID_SHAPE',
  'INVALID_VALUE',
  'DUPLICATE_ID',
  'UNKNOWN_IMAGE',
  'UNKNOWN_BOX',
  'MISSING_IMAGES',
  'UNKNOWN_WORD',
  'UNKNOWN_DATASET',
  'UNKNOWN_SYSTEM',
  'UNKNOWN_METRIC',
  'UNKNOWN_EVALUATION',
  'NAME_TAKEN',
  'OUT_OF_RANGE',
  'INVALID_CURSOR',
  'NOT_APPLICABLE',
  'RESOURCE_MISSING',
  'CANCELLED',
  'BUSY',
  'TIMEOUT',
] as const

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Where and how an input is wrong. `expected` and `found` are short phrases without a full stop. */
export interface ErrorDetail {
  /** Path of the file as the user named it, or the name of an argument or input field. */
  readonly source?: string
  /** Place inside the source: `annotations[17].caption`, `line 12`, `byte 4096`. */
  readonly place?: string
  readonly expected?: string
  readonly found?: string
}

/** An expected failure, with a code and the place it happened. */
export class AccordError extends Error {
  readonly code: ErrorCode
  readonly summary: string
  readonly detail: ErrorDetail

  /** `summary` is a sentence without place, expectation or finding; those come from `detail`. */
  constructor(code: ErrorCode, summary: string, detail: ErrorDetail = {}) {
    super(describe(summary, detail))
    this.name = 'AccordError'
    this.code = code
    this.summary = summary
    this.detail = detail
  }
}

/** Quotes a value found in an input, shortened to 60 characters, for the `found` of an error. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

function describe(summary: string, { source, place, expected, found }: ErrorDetail): string {
  const where = [source, place].filter((part) => part !== undefined).join(': ')
  const what = [
    expected === undefined ? undefined : `expected ${expected}`,
    found === undefined ? undefined : `found ${found}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ')
  return `${where ? `${where}: ` : ''}${summary}${what ? `: ${what}` : ''}`
}
