import type { HTTPGraphQLRequest } from '@apollo/server'
import { LIMITS } from '../execution/limits.js'
import { badInput } from './bad-input.js'

/** What a request asks for; the types are not checked yet. */
export interface Parameters {
  readonly query?: unknown
  readonly operationName?: unknown
  readonly variables?: unknown
}

/** What a POST request has in its body, or a GET request in its address. */
export function parametersOf({ method, search, body }: HTTPGraphQLRequest): Parameters {
  if (method === 'POST') return typeof body === 'object' && body !== null ? body : {}
  const { query, operationName, variables } = Object.fromEntries(new URLSearchParams(search))
  try {
    return { query, operationName, variables: variables && JSON.parse(variables) }
  } catch {
    return {}
  }
}

/**
 * Checks the size of a document before it is parsed.
 *
 * @throws GraphQLError BAD_USER_INPUT
 */
export function checkDocument({ query }: Parameters): void {
  if (typeof query !== 'string' || query.length <= LIMITS.document) return
  throw badInput(
    `The document is too long: expected at most ${LIMITS.document} characters, found ${query.length}.`,
  )
}
