/** What follows from a code: the status of an HTTP response, and the exit code of a command. */
interface Consequences {
  readonly status: number
  /**
   * 2 where an argument was wrong: what it names does not exist, or must not exist, is a file of another kind, or a number is out of
   * its range. What is wrong at a place of a file has 1 in any case.
   */
  readonly exitCode: 1 | 2
  /** Whether the server, its files or its database failed: clients see no names of these. */
  readonly isOfServer?: boolean
}

const INVALID: Consequences = { status: 400, exitCode: 1 }
const WRONG_ARGUMENT: Consequences = { ...INVALID, exitCode: 2 }
const NOT_FOUND: Consequences = { status: 404, exitCode: 2 }
const GONE: Consequences = { ...NOT_FOUND, exitCode: 1 }
const NOT_APPLICABLE: Consequences = { status: 403, exitCode: 1 }
const UNAVAILABLE: Consequences = { status: 503, exitCode: 1 }
const TOO_MANY: Consequences = { ...UNAVAILABLE, status: 429 }
const TOO_LARGE: Consequences = { ...UNAVAILABLE, status: 400 }

/**
 * All codes of expected failures. The command line prints such a failure on one line; the API returns it as data. Any other error
 * that is thrown is a bug in Accord.
 */
export const ERRORS = {
  FILE_NOT_FOUND: { ...UNAVAILABLE, exitCode: 2, isOfServer: true },
  INVALID_JSON: INVALID,
  INVALID_SHAPE: WRONG_ARGUMENT,
  INVALID_VALUE: WRONG_ARGUMENT,
  DUPLICATE_ID: INVALID,
  UNKNOWN_IMAGE: WRONG_ARGUMENT,
  UNKNOWN_BOX: INVALID,
  MISSING_IMAGES: INVALID,
  UNKNOWN_WORD: WRONG_ARGUMENT,
  UNKNOWN_DATASET: NOT_FOUND,
  UNKNOWN_SYSTEM: NOT_FOUND,
  UNKNOWN_METRIC: NOT_FOUND,
  LANGUAGE_NOT_SUPPORTED: NOT_APPLICABLE,
  UNKNOWN_JOB: NOT_FOUND,
  UNKNOWN_UPLOAD: GONE,
  UNKNOWN_COLLECTION: NOT_FOUND,
  UNKNOWN_TASK: GONE,
  UNKNOWN_CHALLENGE: NOT_FOUND,
  UNKNOWN_SUBMISSION: NOT_FOUND,
  NO_SUBMISSIONS_LEFT: NOT_APPLICABLE,
  NAME_TAKEN: { status: 409, exitCode: 2 },
  UNKNOWN_USER: NOT_FOUND,
  UNKNOWN_TEAM: NOT_FOUND,
  UNKNOWN_TOKEN: NOT_FOUND,
  UNAUTHENTICATED: { status: 401, exitCode: 1 },
  FORBIDDEN: { status: 403, exitCode: 1 },
  OUT_OF_RANGE: WRONG_ARGUMENT,
  INVALID_CURSOR: INVALID,
  NOT_APPLICABLE,
  RESOURCE_MISSING: { ...UNAVAILABLE, status: 507, isOfServer: true },
  CANCELLED: UNAVAILABLE,
  DIVERGED: NOT_APPLICABLE,
  BUSY: { ...UNAVAILABLE, isOfServer: true },
  DATABASE_UNAVAILABLE: { ...UNAVAILABLE, isOfServer: true },
  QUEUE_FULL: UNAVAILABLE,
  TOO_MANY_UPLOADS: TOO_MANY,
  TOO_MANY_ATTEMPTS: TOO_MANY,
  WORKER_LOST: UNAVAILABLE,
  NO_WORKER: UNAVAILABLE,
  TIMEOUT: { ...UNAVAILABLE, status: 408 },
  TOO_MANY_OBJECTS: TOO_LARGE,
  TOO_COSTLY: TOO_LARGE,
} as const satisfies Record<string, Consequences>

/** One of {@link ERRORS}. */
export type ErrorCode = keyof typeof ERRORS

export function consequencesOf(code: ErrorCode): Consequences {
  return ERRORS[code]
}

/** Codes of requests that are refused, or fail because of a bug, with their status. Some are given by Apollo Server. */
export const REQUEST_ERRORS = {
  BODY_TOO_LARGE: 413,
  TOO_MANY_STREAMS: 429,
  OVERLOADED: 503,
  UNKNOWN_HOST: 421,
  NOT_FOUND: 404,
  BAD_REQUEST: 400,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  BAD_USER_INPUT: 400,
  OPERATION_RESOLUTION_FAILURE: 400,
  PERSISTED_QUERY_NOT_FOUND: 400,
  INTERNAL_SERVER_ERROR: 500,
} as const satisfies Record<string, number>

/** One of {@link REQUEST_ERRORS}. */
export type RequestErrorCode = keyof typeof REQUEST_ERRORS

/** The status of an HTTP response that is an error. */
export function statusOf(code: ErrorCode | RequestErrorCode): number {
  return code in ERRORS ? consequencesOf(code as ErrorCode).status : REQUEST_ERRORS[code as RequestErrorCode]
}
