import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors'
import type { GraphQLFormattedError } from 'graphql'
import { AccordError } from '../errors.js'

/**
 * Expected failures keep their message and code; of a surprise the client learns only that there was one, and
 * the operator gets all of it on stderr.
 */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error)
  if (original instanceof AccordError) {
    return { ...formatted, extensions: { ...formatted.extensions, code: original.code, ...original.detail } }
  }
  if (formatted.extensions?.code !== ApolloServerErrorCode.INTERNAL_SERVER_ERROR) return formatted
  console.error(original)
  return { ...formatted, message: 'Accord failed in a way it should not; its log says more.' }
}
