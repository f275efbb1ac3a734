import { unwrapResolverError } from '@apollo/server/errors'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { AccordError } from '../../errors.js'
import { shortenQuotes } from './limits.js'
import { publicErrorLogged } from './public-error.js'

/**
 * Adds code and details to expected failures. Bugs are written to stderr and hidden from clients.
 */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error)
  if (original instanceof AccordError) {
    const { message, ...details } = publicErrorLogged(original)
    return { ...formatted, message, extensions: { ...formatted.extensions, ...details } }
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
