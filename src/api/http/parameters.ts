import type { HTTPGraphQLRequest } from '@apollo/server'
import { checkDocumentSize } from '../execution/document-size.js'
import { parseJson } from './json.js'

/** The document of a request, in the body of a POST request or in the address of others; its type is not checked yet. */
export function documentOf({ method, search, body }: HTTPGraphQLRequest): unknown {
  if (method !== 'POST') return new URLSearchParams(search).get('query')
  return typeof body === 'object' && body !== null && 'query' in body ? body.query : undefined
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
