import type { ServerResponse } from 'node:http'
import { type ApolloServer, HeaderMap, type HTTPGraphQLRequest } from '@apollo/server'
import * as graphql from 'graphql'
import type { Client } from '../../services/shared/accord.js'
import type { RequestErrorCode } from '../../shared/error-codes.js'
import { createQuota, LIMITS, overloaded, type Quota, refusal } from '../schema/limits.js'
import { formatResult, type Operations, type Request } from '../schema/operations.js'
import type { Context } from '../shared/context.js'
import { documentOf, type Parameters, parametersOf } from './parameters.js'
import { completeText } from './result.js'
import { stringifyInTurns } from './stringify.js'

/**
 * Responses as server-sent events, in the protocol of graphql-sse (distinct connections mode). Subscriptions are checked like
 * other operations.
 */
export interface EventStreams {
  /** Whether a request must be answered as an event stream. */
  accepts(request: HTTPGraphQLRequest): boolean
  /**
   * Sends the results of an operation, until it ends or the signal of the client is aborted.
   *
   * @param begin makes the context of the operation, and one for each event of a subscription, which reads anew what has changed
   * @throws GraphQLError with an HTTP status, before anything is sent
   */
  send(response: ServerResponse, request: HTTPGraphQLRequest, begin: () => Context): Promise<void>
}

/** What event streams use. */
export interface EventStreamOptions {
  readonly schema: graphql.GraphQLSchema
  readonly operations: Operations
  /** Answers queries and mutations. */
  readonly apollo: ApolloServer<Context>
  /** Holds events until they are sent. */
  readonly buffers: Quota
}

const EVENT_STREAM = 'text/event-stream'

/** Between checks whether the session or token of a stream is still valid. */
const CHECK_MS = 2000

/** Between comments that keep idle connections open. */
const PING_MS = 12_000

const PING = ':\n\n'

export function createEventStreams({
  schema,
  operations,
  apollo,
  buffers,
}: EventStreamOptions): EventStreams {
  const places = createQuota(LIMITS.streams)

  /** The JSON of the results of an operation, each with a line break. */
  async function* resultsOf(
    request: HTTPGraphQLRequest,
    context: Context,
    begin: () => Context,
  ): AsyncGenerator<string> {
    try {
      const parameters = parametersOf(request)
      if (mayBeSubscription(parameters.query)) {
        const subscription = toRequest(schema, parameters, context)
        if (subscription.operation.operation === 'subscription') {
          await operations.check(subscription)
          for await (const result of eventsOf(subscription, begin))
            yield await stringifyInTurns(formatResult(result))
          return
        }
      }
      // Pages of other origins can send GET requests.
      if (request.method === 'GET')
        throw refusal('Event streams of queries and mutations require POST.', 'BAD_REQUEST')
      const headers = new HeaderMap([...request.headers, ['accept', 'application/json']])
      yield completeText(
        await apollo.executeHTTPGraphQLRequest({
          httpGraphQLRequest: { ...request, headers },
          context: async () => context,
        }),
      )
    } catch (error) {
      yield failure(error)
    }
  }

  async function* eventsOf(
    { document, operation, variables, context }: Request,
    begin: () => Context,
  ): AsyncGenerator<graphql.ExecutionResult> {
    const common = { schema, document, operationName: operation.name?.value, variableValues: variables }
    const events = await graphql.createSourceEventStream({ ...common, contextValue: context })
    if (!(Symbol.asyncIterator in events)) return yield events
    const iterator = events[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await Promise.race([iterator.next(), context.givenUp])
        if (done) return
        const ofEvent = begin()
        const result = graphql.execute({ ...common, rootValue: value, contextValue: ofEvent })
        yield await Promise.race([result, ofEvent.givenUp, context.givenUp])
      }
    } finally {
      void iterator.return?.(undefined)
    }
  }

  /** Sends an event and waits until the client has read it: slow ones then get the state that is current. */
  async function sendEvent(response: ServerResponse, result: string, { owner, signal }: Client) {
    const held = buffers.open(owner)
    const bytes = eventOf(result)
    try {
      await written(response, held.add(bytes.length) ? bytes : eventOf(failure(overloaded())), signal)
    } finally {
      held.release()
    }
  }

  return {
    accepts(request) {
      const accept = request.headers.get('accept') ?? ''
      if (!accept.includes(EVENT_STREAM)) return false
      return !/json|\*\//.test(accept) || mayBeSubscription(documentOf(request))
    },

    async send(response, request, begin) {
      if (typeof documentOf(request) !== 'string') {
        throw refusal('The request has no document: expected the text `query`.', 'BAD_REQUEST')
      }
      const context = begin()
      const { client } = context
      const place = places.open(client.owner)
      if (!place.add(1)) {
        throw refusal('Too many event streams are open. Try again later.', 'TOO_MANY_STREAMS')
      }
      response.writeHead(200, {
        'content-type': `${EVENT_STREAM}; charset=utf-8`,
        'cache-control': 'no-store',
        // Proxies such as nginx would collect messages.
        'x-accel-buffering': 'no',
      })
      const isGone = () => response.req.socket.destroyed
      response.write(PING)
      const pings = setInterval(() => {
        if (response.writableLength === 0 && !isGone()) response.write(PING)
      }, PING_MS)
      // A check that fails, for example because the database cannot be reached, is repeated.
      const checks = setInterval(() => endWithCredential(context).catch(() => {}), CHECK_MS)
      try {
        for await (const result of resultsOf(request, context, begin)) {
          if (isGone()) return
          await sendEvent(response, result, client)
        }
        if (!isGone()) response.end('event: complete\ndata:\n\n')
      } finally {
        clearInterval(pings)
        clearInterval(checks)
        place.release()
      }
    },
  }
}

/** Gives up an operation whose session or token has ended, or whose user has lost rights. */
async function endWithCredential({ account, giveUp }: Context): Promise<void> {
  if (account === null || (await account.isCurrent())) return
  giveUp(refusal('The session or token of the event stream is not valid any more.', 'UNAUTHENTICATED'))
}

/** The JSON of a result that is an error. */
function failure(error: unknown): string {
  const errors = [error instanceof graphql.GraphQLError ? error : graphql.locatedError(error, undefined, [])]
  return `${JSON.stringify(formatResult({ errors }))}\n`
}

function eventOf(result: string): Buffer {
  return Buffer.from(`event: next\ndata: ${result}\n`)
}

/** Resolves when the client has read what is written, or the signal is aborted. */
function written(response: ServerResponse, bytes: Buffer, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      signal?.removeEventListener('abort', end)
      resolve()
    }
    signal?.addEventListener('abort', end)
    response.write(bytes, end)
  })
}

function mayBeSubscription(query: unknown): boolean {
  return typeof query === 'string' && /\bsubscription\b/.test(query)
}

/** @throws GraphQLError if the document is invalid */
function toRequest(
  schema: graphql.GraphQLSchema,
  { query, operationName, variables }: Parameters,
  context: Context,
): Request {
  const document = parseDocument(query)
  const [error] = graphql.validate(schema, document, undefined, { maxErrors: 1 })
  if (error) throw withCode(error, 'GRAPHQL_VALIDATION_FAILED')
  const operation = graphql.getOperationAST(document, operationName)
  if (!operation) {
    const message = 'The document has several operations: expected the operationName of one.'
    throw refusal(message, 'OPERATION_RESOLUTION_FAILURE')
  }
  if (operation.operation === 'subscription' && hasDirectives(operation.selectionSet, document)) {
    throw refusal('The field of a subscription cannot have directives.', 'BAD_REQUEST')
  }
  return { document, operation, variables, context }
}

/** Whether a selection has directives, which could leave out all of its fields. */
function hasDirectives({ selections }: graphql.SelectionSetNode, document: graphql.DocumentNode): boolean {
  return selections.some((selection) => {
    if (selection.directives?.length) return true
    if (selection.kind === graphql.Kind.FIELD) return false
    if (selection.kind === graphql.Kind.INLINE_FRAGMENT)
      return hasDirectives(selection.selectionSet, document)
    const fragment = document.definitions.find(
      (definition): definition is graphql.FragmentDefinitionNode =>
        definition.kind === graphql.Kind.FRAGMENT_DEFINITION &&
        definition.name.value === selection.name.value,
    )
    return fragment !== undefined && hasDirectives(fragment.selectionSet, document)
  })
}

function parseDocument(query: string) {
  try {
    return graphql.parse(query)
  } catch (error) {
    throw withCode(error as graphql.GraphQLError, 'GRAPHQL_PARSE_FAILED')
  }
}

function withCode(error: graphql.GraphQLError, code: RequestErrorCode): graphql.GraphQLError {
  const { message, nodes, source, positions } = error
  return new graphql.GraphQLError(message, { nodes, source, positions, extensions: { code } })
}
