import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type ApolloServer, HeaderMap, type HTTPGraphQLRequest } from '@apollo/server'
import compression from 'compression'
import cors from 'cors'
import { GraphQLError } from 'graphql'
import { yieldToEventLoop } from '../../event-loop.js'
import type { Log } from '../../log.js'
import { VERSION } from '../../project.js'
import type { Accounts } from '../../services/accounts/accounts.js'
import { findDatabaseProblem } from '../../services/shared/accord.js'
import { createContext } from '../schema/create-context.js'
import { overloaded, type Quota, refusal } from '../schema/limits.js'
import type { Context, Identity } from '../shared/context.js'
import { createClientNames } from './client-name.js'
import type { EventStreams } from './event-streams.js'
import { type ExportServices, SIGNATURE_HEADER, sendExport } from './exports.js'
import { type Asker, createIdentities, type IdentityOptions } from './identity.js'
import type { KeptAnswers } from './kept-answers.js'
import { logRequest, noteCode, noteOperation, noteResult, REQUEST_ID_HEADER } from './log-requests.js'
import { isDashboardPage, type Pages, wantsPage } from './pages.js'
import { checkParameters } from './parameters.js'
import { sendPicture } from './pictures.js'
import { readBody } from './request-body.js'
import { sendAnswer, toAnswer } from './result.js'
import { senderOf, type WhenGone, watchRequest } from './sender.js'
import { fileRules, receiveUpload, type SizeLimits, toLimit } from './uploads.js'

export interface HttpOptions extends IdentityOptions {
  /** Maximum size of a file that is sent to be imported, for example `2gb`. */
  readonly uploadLimit: string
  /** The same for users who are no hosts. */
  readonly submissionLimit: string
  /** Names of this server in the Host header, beside localhost and IP addresses. */
  readonly allowedHosts?: readonly string[]
  /** Receives each request that has ended. */
  readonly log?: Log
}

/** What answers requests. */
export interface Services extends ExportServices {
  /** Null on a server without accounts. */
  readonly accounts: Accounts | null
  readonly apollo: ApolloServer<Context>
  readonly answers: KeptAnswers
  readonly streams: EventStreams
  readonly explorer: Pages
  readonly documentation: Pages
  readonly dashboard: Pages
  /** Whether a request came on a connection beyond the limits. */
  readonly isRefused: (request: IncomingMessage) => boolean
  /** Requests that are not answered yet. */
  readonly requests: Quota
  /** Bytes of their bodies and of responses that are not sent yet. */
  readonly buffers: Quota
  /** Aborted when requests that wait for a job must end. */
  readonly stopping: AbortSignal
  /** Aborted when no new requests are accepted. */
  readonly closing: AbortSignal
}

/** Seconds for which browsers cache the permission of an origin. */
const PREFLIGHT_SECONDS = 600

/** Seconds after which clients that were refused should try again. */
const RETRY_SECONDS = 1

/** Time for which a database that does not answer keeps a probe of readiness waiting. */
const READY_MS = 800

const METHODS = 'GET, POST, OPTIONS'

const VERSION_HEADER = 'accord-version'

/** Headers of responses that pages of allowed origins read. */
const EXPOSED_HEADERS = [VERSION_HEADER, REQUEST_ID_HEADER, SIGNATURE_HEADER, 'etag', 'retry-after']

const NO_WEBSOCKET =
  'There are no WebSockets: subscriptions are event streams (GraphQL over SSE), sent to the same address with accept: text/event-stream.'

/** A request on its way. */
interface Exchange extends Asker {
  readonly whenGone: WhenGone
}

/** Answers `/graphql`, `/uploads`, `/health` and `/ready`, and sends exports, pictures and the pages of the dashboard. */
export function createHandler(services: Services, options: HttpOptions): RequestListener {
  const prefix = options.pathPrefix ?? ''
  const isAllowedHost = hostCheck(options.allowedHosts ?? [])
  const allowOrigin = originCheck(options.allowedOrigins ?? [])
  const findProblem = createReadiness(services)
  const compress = compression({ filter: isCompressible })
  const nameOf = createClientNames(options.trustedProxies ?? [])
  const identify = createIdentities(services.accounts, options)
  const limits = {
    ofHosts: toLimit('--upload-limit', options.uploadLimit),
    ofParticipants: toLimit('--submission-limit', options.submissionLimit),
  }

  async function route(exchange: Exchange, path: string): Promise<void> {
    const { request, response, whenGone } = exchange
    switch (path) {
      case '/graphql':
        // `?query=` is opened in a tab.
        return wantsPage(request)
          ? services.explorer.sendPage(response)
          : answer(services, exchange, await identify(exchange), limits)
      case '/uploads': {
        const sender = senderOf(request, whenGone, await identify(exchange), services.closing)
        return sendJson(response, 201, await receiveUpload(services.accord, request, sender, limits))
      }
      case '/schema.graphql':
        return services.documentation.sendFile(response, path)
      case '/health':
        return sendJson(response, 200, { status: 'ok' })
      case '/ready':
        return sendReadiness(response, await findProblem())
    }
    if (path.startsWith('/pictures/')) {
      const { viewer } = await identify(exchange)
      return sendPicture(services.accord, request, response, viewer, path.slice('/pictures'.length))
    }
    if (path.startsWith('/export/')) {
      const sender = senderOf(request, whenGone, await identify(exchange), services.stopping)
      const buffers = services.buffers.open(sender.owner)
      whenGone(() => buffers.release())
      return sendExport(services, request, response, sender, path.slice('/export'.length), buffers)
    }
    if (path === '/docs') {
      // Addresses in the pages are relative.
      response.writeHead(302, { location: `${prefix}/docs/` }).end()
      return
    }
    if (path === '/docs/') return services.documentation.sendPage(response)
    if (path.startsWith('/docs/')) return services.documentation.sendFile(response, path.slice(5))
    if (path.startsWith('/graphql/')) return services.explorer.sendFile(response, path.slice(8))
    if (isDashboardPage(path)) return services.dashboard.sendPage(response)
    if (path === '/favicon.svg' || path.startsWith('/assets/')) {
      return services.dashboard.sendFile(response, path)
    }
    if (wantsPage(request)) return services.dashboard.sendPage(response, 404)
    sendError(response, refusal(`Nothing is served at ${prefix}${path}.`, 'NOT_FOUND'))
  }

  function handle(exchange: Exchange): void {
    const { request, response } = exchange
    const path = (request.url as string).split('?', 1)[0]
    if (/\bwebsocket\b/i.test(request.headers.upgrade ?? '')) {
      sendError(response, refusal(NO_WEBSOCKET, 'BAD_REQUEST'))
    } else if (request.method === 'OPTIONS') {
      response.writeHead(204, { allow: METHODS }).end()
    } else if (path !== prefix && !path.startsWith(`${prefix}/`)) {
      sendError(response, refusal(`Nothing is served at ${path}.`, 'NOT_FOUND'))
    } else {
      route(exchange, path.slice(prefix.length)).catch((error) => sendError(response, error))
    }
  }

  return (request, response) => {
    // Requests that the client sent before it has gone.
    if (request.socket.destroyed) return
    if (options.log) logRequest(options.log, request, response)
    response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader(VERSION_HEADER, VERSION)
    if (services.isRefused(request)) {
      response.setHeader('connection', 'close')
      return sendError(response, overloaded())
    }
    const name = nameOf(request)
    const place = services.requests.open(name)
    if (!place.add(1)) return refuseConnection(request, response)
    const exchange = { request, response, name, whenGone: watchRequest(request, response) }
    exchange.whenGone(() => place.release())
    if (!isAllowedHost(request.headers.host)) return refuseHost(request, response)
    allowOrigin(request, response, () => {
      if (request.headers['accept-encoding'] === undefined) return handle(exchange)
      compress(request as never, response as never, () => handle(exchange))
    })
  }
}

/** Whether a Host header names this server: a web page under another name could otherwise reach it (DNS rebinding). */
function hostCheck(allowed: readonly string[]): (header: string | undefined) => boolean {
  const names = new Set(['localhost', ...allowed.map((name) => name.toLowerCase())])
  return (header = '') => {
    const host = header.toLowerCase().replace(/:\d*$/, '')
    return names.has(host) || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0
  }
}

/** Ends a connection on which no request is answered any more. Those that wait behind others would be kept until then. */
function refuseConnection(request: IncomingMessage, response: ServerResponse): void {
  if (response.socket === null) {
    request.socket.destroy()
    return
  }
  response.setHeader('connection', 'close')
  sendError(response, overloaded())
}

/** Says what to do: to browsers as a page. */
function refuseHost(request: IncomingMessage, response: ServerResponse): void {
  const host = (request.headers.host ?? '').slice(0, 100)
  const message = `The server does not answer as ${JSON.stringify(host)}. Name the host with --allow-host.`
  if (!(request.headers.accept ?? '').includes('text/html')) {
    sendError(response, refusal(message, 'UNKNOWN_HOST'))
    return
  }
  const name = host.replace(/:\d*$/, '').replaceAll(/[^\w.-]/g, '')
  response.writeHead(421, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
  response.end(`<!doctype html>
<html lang="en">
<title>Accord</title>
<p>This is Accord, but it does not answer under the name <code>${name}</code>, so that no page of another server can reach it.</p>
<p>If the name is yours, start the server with it: <code>accord serve --allow-host ${name}</code></p>
`)
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/** Sends the headers by which browsers let pages of these origins read responses, and answers preflights. */
function originCheck(allowed: readonly string[]): Middleware {
  if (allowed.length === 0) return (_request, _response, next) => next()
  return cors({
    origin: allowed.includes('*') ? '*' : [...allowed],
    methods: METHODS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  })
}

/** Event streams are sent message by message. The library does not know the types of JSON Lines and Arrow. */
function isCompressible(request: unknown, response: { getHeader(name: string): unknown }): boolean {
  const type = String(response.getHeader('content-type'))
  if (type.startsWith('text/event-stream')) return false
  return (
    /^application\/(jsonl|vnd\.apache\.arrow)/.test(type) ||
    compression.filter(request as never, response as never)
  )
}

/** Characters of documents that are parsed and validated within a turn. */
const SHORT_DOCUMENT = 2000

/** Introspections are short texts that take longer to validate. */
const isShort = (document: unknown) =>
  typeof document === 'string' && document.length <= SHORT_DOCUMENT && !document.includes('__schema')

/** Answers a GraphQL request. */
async function answer(
  services: Services,
  { request, response, whenGone }: Exchange,
  identity: Identity,
  limits: SizeLimits,
): Promise<void> {
  const { accord, apollo, answers, streams } = services
  const sender = senderOf(request, whenGone, identity, services.stopping)
  const buffers = services.buffers.open(sender.owner)
  whenGone(() => buffers.release())
  const body = request.method === 'POST' ? await readBody(request, buffers) : undefined
  await yieldToEventLoop(isShort((body as { readonly query?: unknown } | undefined)?.query))
  // The client has gone while the request waited for its turn.
  if (!sender.isConnected()) return
  const begin = () => createContext(accord, sender, fileRules(limits, sender.viewer))
  const graphQLRequest: HTTPGraphQLRequest = {
    method: request.method as string,
    headers: toHeaderMap(request.headers),
    search: (request.url as string).slice((request.url as string).indexOf('?') >>> 0),
    body,
  }
  noteOperation(response, graphQLRequest)
  if (streams.accepts(graphQLRequest)) {
    checkParameters(graphQLRequest)
    const ends = AbortSignal.any([services.closing, sender.signal])
    return streams.send(response, graphQLRequest, () => {
      const context = begin()
      return { ...context, client: { ...context.client, signal: ends } }
    })
  }
  const given = await answers.answer(graphQLRequest, identity, async () => {
    checkParameters(graphQLRequest)
    const result = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: graphQLRequest,
      context: async () => begin(),
    })
    noteResult(response, result)
    return toAnswer(result)
  })
  sendAnswer(request, response, given, buffers)
}

function toHeaderMap(headers: IncomingMessage['headers']): HeaderMap {
  const map = new HeaderMap()
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return map
}

/**
 * Checks the database, once at a time: a check may wait for a database that does not answer.
 *
 * @returns why the server is not ready
 */
function createReadiness({ accord, closing }: Services): () => Promise<string | undefined> {
  let check: Promise<string | undefined> | undefined
  return async () => {
    if (closing.aborted) return 'the server stops'
    check ??= findDatabaseProblem(accord).finally(() => {
      check = undefined
    })
    return Promise.race([check, setTimeout(READY_MS, 'the database does not answer', { ref: false })])
  }
}

function sendReadiness(response: ServerResponse, reason: string | undefined): void {
  if (reason === undefined) sendJson(response, 200, { status: 'ready' })
  else sendJson(response, 503, { status: 'not ready', reason })
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const { message, extensions } = error instanceof GraphQLError ? error : internalError(error)
  const { code, http } = extensions as { code: string; http: { status: number } }
  noteCode(response, code)
  // The rest of the request is not read.
  if (!response.req.complete) response.setHeader('connection', 'close')
  if (http.status === 503 || http.status === 429) response.setHeader('retry-after', RETRY_SECONDS)
  sendJson(response, http.status, { errors: [{ message, extensions: { code } }] })
}

function internalError(error: unknown): GraphQLError {
  console.error(error)
  return refusal('Internal error. The log of the server has the details.', 'INTERNAL_SERVER_ERROR')
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('cache-control', 'no-store')
  response.end(JSON.stringify(value))
}
