import { unwrapResolverError } from '@apollo/server/errors'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { AccordError, type ErrorDetail } from '../../errors.js'
import { shortenQuotes } from './limits.js'

/** What clients see of the details of an error: the location in a file, or the argument or field itself. */
export function toPublicDetail({ source, place = source, expected, found }: ErrorDetail) {
  return { place, expected, found }
}

/**
 * Adds code and details to expected failures. Bugs are written to stderr and hidden from clients.
 */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error)
  if (original instanceof AccordError) {
    return {
      ...formatted,
      extensions: { ...formatted.extensions, code: original.code, ...toPublicDetail(original.detail) },
    }
  }
  if (formatted.extensions?.code !== 'INTERNAL_SERVER_ERROR') {
    return { ...formatted, message: shortenQuotes(formatted.message) }
  }
  // Apollo Server gives no code to a request whose persisted query has another hash.
  if (original instanceof GraphQLError && original.extensions.http !== undefined) {
    return { ...formatted, extensions: { ...formatted.extensions, code: 'BAD_REQUEST' } }
  }
  console.error(original)
  return { ...formatted, message: 'Internal error. The log of the server has the details.' }
}
