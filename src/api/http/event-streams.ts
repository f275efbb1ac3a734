import type { ServerResponse } from 'node:http'
import type { HTTPGraphQLRequest } from '@apollo/server'
import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  locatedError,
  parse,
  subscribe,
  validate,
} from 'graphql'
import { createHandler, type RequestParams } from 'graphql-sse'
import type { Context } from '../execution/context.js'
import { LIMITS } from '../execution/limits.js'
import { type FormattedResult, formatResult, type Operations, type Request } from '../execution/operations.js'
import { type RequestErrorCode, refusal } from './bad-input.js'
import { documentOf } from './parameters.js'
import { createShare } from './share.js'
import { stringifyInTurns } from './stringify.js'

/**
 * Responses as server-sent events, by graphql-sse in distinct connections mode. Operations are checked like those of
 * other requests.
 */
export interface EventStreams {
  /** Whether a request must be answered as an event stream. */
  accepts(request: HTTPGraphQLRequest): boolean
  /** Sends the results of an operation, until it ends or the signal of the client is aborted. */
  send(response: ServerResponse, request: HTTPGraphQLRequest, context: Context): Promise<void>
}

const EVENT_STREAM = 'text/event-stream'

export function createEventStreams(schema: GraphQLSchema, operations: Operations): EventStreams {
  const places = createShare(LIMITS.streams)

  const handle = createHandler<HTTPGraphQLRequest, Context>({
    authenticate: () => null,
    onSubscribe: ({ method, context }, parameters) => respond(method, parameters, context),
  })

  /** The events of a subscription, or the whole answer to another operation, which graphql-sse would write in one piece. */
  async function respond(method: string, parameters: RequestParams, context: Context) {
    try {
      const request = toRequest(schema, parameters, context)
      const isSubscription = request.operation.operation === 'subscription'
      // Pages of other origins can send GET requests.
      if (method === 'GET' && !isSubscription) {
        throw refusal('Event streams of queries and mutations require POST.', 'BAD_REQUEST')
      }
      await operations.check(request)
      if (isSubscription) return eventsOf(request) as AsyncGenerator<ExecutionResult>
      return onlyEvent(await stringifyInTurns(await operations.execute(request)))
    } catch (error) {
      return onlyEvent(`${JSON.stringify(failure(error))}\n`)
    }
  }

  /** The results of a subscription. Failures of the stream itself are its last result. */
  async function* eventsOf({
    document,
    operation,
    variables,
    context,
  }: Request): AsyncGenerator<FormattedResult> {
    try {
      const results = await subscribe({
        schema,
        document,
        operationName: operation.name?.value,
        variableValues: variables,
        contextValue: context,
      })
      if (!(Symbol.asyncIterator in results)) return yield formatResult(results)
      try {
        for (;;) {
          const { done, value } = await Promise.race([results.next(), context.givenUp])
          if (done) return
          yield formatResult(value)
        }
      } finally {
        void results.return(undefined)
      }
    } catch (error) {
      yield failure(error)
    }
  }

  return {
    accepts(request) {
      const accept = request.headers.get('accept') ?? ''
      if (!accept.includes(EVENT_STREAM)) return false
      return !/json|\*\//.test(accept) || mayBeSubscription(documentOf(request))
    },

    async send(response, request, context) {
      const place = places.open(context.client.owner)
      if (!place.add(1)) {
        throw refusal('Too many event streams are open. Try again later.', 'TOO_MANY_STREAMS', 429)
      }
      try {
        const [body, { status, headers }] = await handle({
          method: request.method,
          url: request.search,
          headers: { get: (name) => (name === 'accept' ? EVENT_STREAM : request.headers.get(name)) },
          body: request.body as Record<string, unknown>,
          raw: request,
          context,
        })
        // Proxies such as nginx would collect messages.
        response.setHeader('x-accel-buffering', 'no')
        response.writeHead(status, { ...headers, 'cache-control': 'no-store' })
        if (body === null || typeof body === 'string') {
          response.end(body)
          return
        }
        response.once('close', body.return)
        for await (const message of body) {
          // A client that reads slowly gets the states that are current then.
          if (!response.write(message)) await untilDrained(response)
        }
        response.end()
      } finally {
        place.release()
      }
    },
  }
}

/** A stream of one result. @param text its JSON and a line break */
function onlyEvent(
  text: string,
): [string, { status: number; statusText: string; headers: Record<string, string> }] {
  const headers = { 'content-type': `${EVENT_STREAM}; charset=utf-8` }
  return [
    `event: next\ndata: ${text}\nevent: complete\ndata:\n\n`,
    { status: 200, statusText: 'OK', headers },
  ]
}

function failure(error: unknown): FormattedResult {
  return formatResult({
    errors: [error instanceof GraphQLError ? error : locatedError(error, undefined, [])],
  })
}

/** Waits until the client has read what was written, or is gone. */
function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off('drain', end).off('close', end)
      resolve()
    }
    response.once('drain', end).once('close', end)
  })
}

function mayBeSubscription(query: unknown): boolean {
  return typeof query === 'string' && /\bsubscription\b/.test(query)
}

/** @throws GraphQLError if the document is invalid */
function toRequest(
  schema: GraphQLSchema,
  { query, operationName, variables }: RequestParams,
  context: Context,
): Request {
  const document = parseDocument(query)
  const [error] = validate(schema, document, undefined, { maxErrors: 1 })
  if (error) throw withCode(error, 'GRAPHQL_VALIDATION_FAILED')
  const operation = getOperationAST(document, operationName)
  if (!operation) {
    const message = 'The document has several operations: expected the operationName of one.'
    throw refusal(message, 'OPERATION_RESOLUTION_FAILURE')
  }
  return { document, operation, variables: variables ?? {}, context }
}

function parseDocument(query: string) {
  try {
    return parse(query)
  } catch (error) {
    throw withCode(error as GraphQLError, 'GRAPHQL_PARSE_FAILED')
  }
}

function withCode(error: GraphQLError, code: RequestErrorCode): GraphQLError {
  const { message, nodes, source, positions } = error
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } })
}
