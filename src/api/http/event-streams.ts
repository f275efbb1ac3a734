import type { ServerResponse } from 'node:http'
import { type ApolloServer, HeaderMap, type HTTPGraphQLRequest } from '@apollo/server'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  locatedError,
  parse,
  subscribe,
  validate,
} from 'graphql'
import type { Context } from '../execution/context.js'
import { LIMITS } from '../execution/limits.js'
import { formatResult, type Operations, type Request } from '../execution/operations.js'
import { type RequestErrorCode, refusal } from './bad-input.js'
import { type Parameters, parametersOf } from './parameters.js'

/**
 * Responses as server-sent events, in the protocol of graphql-sse (distinct connections mode). Subscriptions are checked
 * like other operations; queries and mutations are executed by Apollo Server.
 */
export interface EventStreams {
  /** Whether a request must be answered as an event stream. */
  accepts(request: HTTPGraphQLRequest): boolean
  /** Sends the results of an operation, until it ends or the signal of the client is aborted. */
  send(response: ServerResponse, request: HTTPGraphQLRequest, context: Context): Promise<void>
}

const EVENT_STREAM = 'text/event-stream'

/** Interval of comments that keep the connection open, in milliseconds. */
const KEEP_ALIVE_MS = 12_000

export function createEventStreams(
  schema: GraphQLSchema,
  apollo: ApolloServer<Context>,
  operations: Operations,
): EventStreams {
  const openStreams = new Map<string | undefined, number>()
  let openCount = 0

  /** @throws GraphQLError if too many streams are open */
  function reserve(owner: string | undefined): () => void {
    const ofOwner = openStreams.get(owner) ?? 0
    if (openCount >= LIMITS.streams || ofOwner >= LIMITS.streamsPerClient) {
      throw refusal('Too many event streams are open. Try again later.', 'TOO_MANY_STREAMS', 429)
    }
    openCount++
    openStreams.set(owner, ofOwner + 1)
    return () => {
      openCount--
      const left = (openStreams.get(owner) as number) - 1
      if (left > 0) openStreams.set(owner, left)
      else openStreams.delete(owner)
    }
  }

  /** The results of a request, each as JSON. */
  async function* resultsOf(request: HTTPGraphQLRequest, context: Context): AsyncGenerator<string> {
    const parameters = parametersOf(request)
    if (!mayBeSubscription(parameters)) return yield await complete(request, context)
    try {
      const subscription = prepare(schema, parameters, context)
      if (!subscription) return yield await complete(request, context)
      await operations.check(subscription)
      const results = await start(subscription)
      if (!(Symbol.asyncIterator in results)) return yield JSON.stringify(formatResult(results))
      for await (const result of results) yield JSON.stringify(formatResult(result))
    } catch (error) {
      yield JSON.stringify(formatResult({ errors: [toGraphQLError(error)] }))
    }
  }

  async function start({ document, operation, variables, context }: Request) {
    return subscribe({
      schema,
      document,
      operationName: operation.name?.value,
      variableValues: variables,
      contextValue: context,
    })
  }

  /** Executes a query or a mutation. */
  async function complete(request: HTTPGraphQLRequest, context: Context): Promise<string> {
    const headers = new HeaderMap(request.headers)
    headers.set('accept', 'application/json')
    const { body } = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { ...request, headers },
      context: async () => context,
    })
    if (body.kind !== 'complete') throw new Error('The server sends complete responses only.')
    return body.string.trimEnd()
  }

  return {
    accepts(request) {
      const accept = request.headers.get('accept') ?? ''
      if (!accept.includes(EVENT_STREAM)) return false
      return !/json|\*\//.test(accept) || mayBeSubscription(parametersOf(request))
    },

    async send(response, request, context) {
      const release = reserve(context.client.owner)
      const keepAlive = setInterval(() => response.write(':\n\n'), KEEP_ALIVE_MS)
      try {
        response.writeHead(200, {
          'content-type': `${EVENT_STREAM}; charset=utf-8`,
          'cache-control': 'no-store',
          // Proxies such as nginx would collect messages.
          'x-accel-buffering': 'no',
        })
        response.write(':\n\n')
        for await (const result of resultsOf(request, context)) {
          response.write(`event: next\ndata: ${result}\n\n`)
        }
        response.write('event: complete\ndata:\n\n')
      } finally {
        clearInterval(keepAlive)
        release()
        response.end()
      }
    },
  }
}

function mayBeSubscription({ query }: Parameters): boolean {
  return typeof query === 'string' && /\bsubscription\b/.test(query)
}

/**
 * The subscription of a request; null for queries and mutations.
 *
 * @throws GraphQLError if the document is invalid
 */
function prepare(
  schema: GraphQLSchema,
  { query, operationName, variables }: Parameters,
  context: Context,
): Request | null {
  const document = parseDocument(query as string)
  const operation = getOperationAST(document, typeof operationName === 'string' ? operationName : null)
  if (operation?.operation !== 'subscription') return null
  const [error] = validate(schema, document, undefined, { maxErrors: 1 })
  if (error) throw withCode(error, 'GRAPHQL_VALIDATION_FAILED')
  return { document, operation, variables: (variables ?? {}) as Request['variables'], context }
}

function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: LIMITS.tokens })
  } catch (error) {
    throw withCode(error as GraphQLError, 'GRAPHQL_PARSE_FAILED')
  }
}

/** Failures of the stream itself belong to no field. */
function toGraphQLError(error: unknown): GraphQLError {
  return error instanceof GraphQLError ? error : locatedError(error, undefined, [])
}

function withCode(error: GraphQLError, code: RequestErrorCode): GraphQLError {
  const { message, nodes, source, positions } = error
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } })
}
