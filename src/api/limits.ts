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
import { DEFAULT_PAGE, LARGEST_PAGE } from './connection.js'
import type { Context } from './context.js'
import { isLarge } from './large-body.js'
import { MOST_POINTS } from './references.js'

/** What a request may ask for. The page size is limited in connection.ts, the time in context.ts. */
export const LIMITS = {
  /** Fields inside fields. */
  depth: 12,
  aliases: 50,
  /** Lexical tokens of the document. */
  tokens: 5000,
  /** Fields of the answer, list members counted: 1,000 words with 100 fields each. */
  cost: 100_000,
} as const

/** Members that a list without a page size is taken to have. */
const TYPICAL_LIST = 5

/** Rules that look at the document alone. */
export const validationRules: ValidationRule[] = [
  maxDepthRule({ n: LIMITS.depth, flattenFragments: true, ...reporting() }) as unknown as ValidationRule,
  maxAliasesRule({ n: LIMITS.aliases, ...reporting() }) as unknown as ValidationRule,
]

/** The rules would throw, as if the server had failed, and speak of a syntax error. */
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

/** Refuses operations whose answer could have more than {@link LIMITS.cost} fields; pages depend on variables. */
export const costLimit: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ schema, document, request }) {
        // Variables of megabytes are checked here and again when the operation runs: others may go in between.
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
            `The query is too costly: expected at most ${LIMITS.cost} fields in the answer, found up to ${cost}; ask for smaller pages.`,
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
    // Variables that do not fit, or a document whose fragments multiply beyond counting.
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
  // What is out of range is not computed: its resolver refuses it, and says more about it than a cost could.
  if (isConnection(getNamedType(field.type))) {
    return clamp(Number(args.first ?? args.last ?? DEFAULT_PAGE), LARGEST_PAGE)
  }
  // The page size was counted at the connection itself.
  if (isConnection(parent)) return 1
  if (typeof args.points === 'number') return clamp(args.points, MOST_POINTS)
  return isListType(getNullableType(field.type)) ? TYPICAL_LIST : 1
}

function clamp(members: number, most: number): number {
  return Math.min(Math.max(1, members), most)
}

function isConnection(type: GraphQLNamedType): boolean {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}
