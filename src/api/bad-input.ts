import { ApolloServerErrorCode } from '@apollo/server/errors'
import { GraphQLError } from 'graphql'

/** The error for input that is refused before anything is executed. */
export function badInput(message: string): GraphQLError {
  return refusal(message, ApolloServerErrorCode.BAD_USER_INPUT)
}

/** The error for an operation that is refused before anything is executed. */
export function refusal(message: string, code: string, status = 400): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } })
}
