import { GraphQLError } from 'graphql'
import type { ErrorCode } from '../../errors.js'

/** Codes of requests that are refused or fail, in addition to those of AccordError. Some are given by Apollo Server. */
export const REQUEST_ERROR_CODES = [
  'BODY_TOO_LARGE',
  'TOO_MANY_STREAMS',
  'OVERLOADED',
  'UNKNOWN_HOST',
  'NOT_FOUND',
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'INTERNAL_SERVER_ERROR',
] as const

/** One of {@link REQUEST_ERROR_CODES}. */
export type RequestErrorCode = (typeof REQUEST_ERROR_CODES)[number]

/** The error for input that is refused before anything is executed. */
export function badInput(message: string): GraphQLError {
  return refusal(message, 'BAD_USER_INPUT')
}

/** The error for an operation that is refused before anything is executed. */
export function refusal(message: string, code: RequestErrorCode | ErrorCode, status = 400): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } })
}

/**
 * The error for a mutation or an upload of a client that may only read.
 *
 * @param isReadOnly whether the server has accounts and accepts no changes of anybody
 */
export function forbidden(isReadOnly = false): GraphQLError {
  return refusal(
    isReadOnly
      ? 'This server is read-only (`accord serve --read-only`): nothing can be changed, and nobody can sign in, because a session is stored.'
      : 'This server accepts no changes of this client: see `accord serve --open`, and `--allow-origin` for pages of other sites.',
    'FORBIDDEN',
    403,
  )
}

/** The error for a request that is refused because others use the memory or the time of the server. */
export function overloaded(): GraphQLError {
  return refusal('The server has too much to do. Try again later.', 'OVERLOADED', 503)
}
