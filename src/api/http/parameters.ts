import type { HTTPGraphQLRequest } from '@apollo/server'
import * as graphql from 'graphql'
import { LIMITS, refusal } from '../schema/limits.js'
import { parseJson } from './request-body.js'

/** What a request names. */
export interface Parameters {
  readonly query: string
  readonly operationName?: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** The document of a request, in the body of a POST request or in the address of others; its type is not checked yet. */
export function documentOf({ method, search, body }: HTTPGraphQLRequest): unknown {
  if (method !== 'POST') return new URLSearchParams(search).get('query')
  return typeof body === 'object' && body !== null && 'query' in body ? body.query : undefined
}

/**
 * The parameters of a request that has a document. Apollo Server reads those of operations that are no subscriptions.
 *
 * @throws GraphQLError BAD_REQUEST
 */
export function parametersOf(request: HTTPGraphQLRequest): Parameters {
  const { operationName, variables } =
    request.method === 'POST' ? (request.body as Record<string, unknown>) : parametersOfAddress(request)
  if (operationName != null && typeof operationName !== 'string') throw wrong('operationName', 'a text')
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables)))
    throw wrong('variables', 'an object')
  return {
    query: documentOf(request) as string,
    operationName: operationName ?? undefined,
    variables: { ...variables },
  }
}

function parametersOfAddress({ search }: HTTPGraphQLRequest): Record<string, unknown> {
  const { operationName, variables } = Object.fromEntries(new URLSearchParams(search))
  try {
    return { operationName, variables: variables === undefined ? undefined : parseJson(variables) }
  } catch (error) {
    throw error instanceof SyntaxError ? wrong('variables', 'JSON') : error
  }
}

function wrong(name: string, expected: string) {
  return refusal(`The parameter ${name} cannot be read: expected ${expected}.`, 'BAD_REQUEST')
}

/**
 * Checks the sizes of the document and of the JSON in an address before they are parsed. The JSON in a body was checked when
 * it was read.
 *
 * @throws GraphQLError
 */
export function checkParameters(request: HTTPGraphQLRequest): void {
  if (request.method === 'POST') {
    const text = documentOf(request)
    if (typeof text === 'string') checkDocumentSize(text)
    return
  }
  for (const [name, value] of new URLSearchParams(request.search)) {
    if (name === 'query') checkDocumentSize(value)
    if (name === 'variables' || name === 'extensions') checkJson(value)
  }
}

/** Syntax errors are left to Apollo Server. */
function checkJson(text: string): void {
  try {
    parseJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
}

/**
 * Checks the size of a document in linear time. The time and the memory for its validation grow faster than its size, so it
 * is measured first. Syntax errors are left to the parser.
 *
 * @throws GraphQLError BAD_USER_INPUT for too many characters, GRAPHQL_VALIDATION_FAILED for too many tokens or selections
 */
function checkDocumentSize(text: string): void {
  if (text.length > LIMITS.document) {
    const message = `The document is too long: expected at most ${LIMITS.document} characters, found ${text.length}.`
    throw refusal(message, 'BAD_USER_INPUT')
  }
  const tokens = countTokens(text)
  if (tokens > LIMITS.tokens) throw tooLarge(`at most ${LIMITS.tokens} tokens`)
  // A selection has at least one token.
  if (tokens > LIMITS.selections) checkSelections(text)
}

/** The number of tokens, including comments; documents keep those too. */
function countTokens(text: string): number {
  const lexer = new graphql.Lexer(new graphql.Source(text))
  let count = 0
  try {
    do {
      // The token before may be a comment, which the lexer passes over.
      for (let token = lexer.advance().prev; token?.kind === graphql.TokenKind.COMMENT; token = token.prev)
        count++
      count++
    } while (lexer.token.kind !== graphql.TokenKind.EOF && count <= LIMITS.tokens)
  } catch {
    // A syntax error.
  }
  return count
}

function checkSelections(text: string): void {
  let document: graphql.DocumentNode
  try {
    document = graphql.parse(text, { noLocation: true })
  } catch {
    return
  }
  graphql.visit(document, {
    [graphql.Kind.SELECTION_SET]({ selections }: graphql.SelectionSetNode) {
      if (selections.length > LIMITS.selections) {
        throw tooLarge(`at most ${LIMITS.selections} fields and fragments in one selection set`)
      }
    },
  })
}

function tooLarge(expected: string) {
  return refusal(`The document is too large: expected ${expected}, found more.`, 'GRAPHQL_VALIDATION_FAILED')
}
