import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApolloServerPlugin } from '@apollo/server'
import { ApolloServerErrorCode } from '@apollo/server/errors'
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import {
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type ValidationContext,
  type ValidationRule,
} from 'graphql'
import { type ComplexityEstimator, getComplexity } from 'graphql-query-complexity'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './connection.js'
import type { Context } from './context.js'
import { isLarge } from './large-body.js'
import { MAX_POINTS } from './points.js'

/** Limits of one request. The page size is limited in connection.ts, the time in context.ts. */
export const LIMITS = {
  /** Levels of nested fields. */
  depth: 12,
  aliases: 50,
  /** Lexical tokens of the document. */
  tokens: 5000,
  /** Number of fields in the response: for example 1,000 words with 100 fields each. */
  cost: 100_000,
} as const

/** Assumed length of a list without a page size. */
const TYPICAL_LIST = 5

/** Rules that do not depend on the variables. */
export const validationRules: ValidationRule[] = [
  maxDepthRule({ n: LIMITS.depth, flattenFragments: true, ...reporting() }) as unknown as ValidationRule,
  maxAliasesRule({ n: LIMITS.aliases, ...reporting() }) as unknown as ValidationRule,
]

/** Reports violations. By default the rules throw an internal error with the message of a syntax error. */
function reporting() {
  return {
    exposeLimits: true,
    propagateOnRejection: false,
    onReject: [
      (context: ValidationContext | null, { message }: GraphQLError) =>
        context?.reportError(new GraphQLError(message.replace('Syntax Error: ', ''))),
    ],
  }
}

/** Rejects operations whose response could have more than {@link LIMITS.cost} fields. */
export const costLimit: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ schema, document, request }) {
        // Large variables are checked here and again when the operation is executed: handle other requests in between.
        const wait = isLarge(request.http?.headers.get('content-length')) ? nextTurn : undefined
        await wait?.()
        const cost = costOf({
          schema,
          query: document,
          variables: request.variables,
          operationName: request.operationName,
          estimators: [fieldsOfAnswer],
        })
        if (cost > LIMITS.cost) {
          throw new GraphQLError(
            `The query is too expensive: expected at most ${LIMITS.cost} fields in the response, found up to ${cost}. Request smaller pages.`,
            { extensions: { code: 'TOO_COSTLY', http: { status: 400 } } },
          )
        }
        await wait?.()
      },
    }
  },
}

function costOf(options: Parameters<typeof getComplexity>[0]): number {
  try {
    return getComplexity(options)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    // Invalid variables, or fragments whose expansion is too large to be counted.
    throw new GraphQLError(error.message, {
      nodes: error.nodes,
      extensions: { code: ApolloServerErrorCode.BAD_USER_INPUT, http: { status: 400 } },
    })
  }
}

const fieldsOfAnswer: ComplexityEstimator = ({ type, field, args, childComplexity }) =>
  1 + childComplexity * membersOf(type, field, args)

function membersOf(
  parent: GraphQLCompositeType,
  field: GraphQLField<unknown, unknown>,
  args: Record<string, unknown>,
): number {
  // Page sizes out of range are rejected by the resolver, with a better message.
  if (isConnection(getNamedType(field.type))) {
    return clamp(Number(args.first ?? args.last ?? DEFAULT_PAGE_SIZE), MAX_PAGE_SIZE)
  }
  // The page size was counted at the connection itself.
  if (isConnection(parent)) return 1
  if (typeof args.points === 'number') return clamp(args.points, MAX_POINTS)
  return isListType(getNullableType(field.type)) ? TYPICAL_LIST : 1
}

function clamp(members: number, max: number): number {
  return Math.min(Math.max(1, members), max)
}

function isConnection(type: GraphQLNamedType): boolean {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}
