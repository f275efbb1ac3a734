import './production.js'
import { setMaxListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApolloServer } from '@apollo/server'
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled'
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer'
import { expressMiddleware } from '@as-integrations/express5'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { AccordError } from '../errors.js'
import { projectFile } from '../project.js'
import type { Accord } from '../services/accord.js'
import { listMetrics } from '../services/scores.js'
import { type Context, createContext } from './context.js'
import { explorer } from './explorer.js'
import { formatError } from './format-error.js'
import { isLarge } from './large-body.js'
import { costLimit, LIMITS, validationRules } from './limits.js'
import { resolvers } from './resolvers.js'

export interface ServeOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Maximum size of a request body, for example `20mb`. */
  readonly bodyLimit: string
}

/** A server that accepts requests. */
export interface RunningServer {
  /** URL of the GraphQL endpoint. */
  readonly url: string
  /**
   * Stops accepting requests and waits for current ones. Requests that still wait for a job after 6 seconds receive an
   * error; the job is not affected. The database stays open.
   */
  close(): Promise<void>
}

/**
 * Time after which requests that wait for a job are ended when the server stops. Longer than the workers' time to stop,
 * so that results of jobs that end in this time are delivered.
 */
const STOP_WAITING_MS = 6_000

/**
 * Serves GraphQL, and a query editor for browsers, at `/graphql`. Jobs are executed by workers, which are started
 * separately.
 *
 * @throws AccordError NOT_APPLICABLE if the port is in use or the address is not available; errors of the METEOR
 * folder
 */
export async function serve(accord: Accord, options: ServeOptions): Promise<RunningServer> {
  // Loads the resources of all metrics now instead of during a request.
  await listMetrics(accord)
  const app = express().disable('x-powered-by')
  const http = createServer(app)
  const apollo = createApollo(http)
  await apollo.start()
  const stopping = new AbortController()
  // Every request that waits for a job listens to it.
  setMaxListeners(0, stopping.signal)
  mount(app, apollo, (owner) => createContext(accord, { owner, signal: stopping.signal }), options)
  try {
    await listen(http, options)
  } catch (error) {
    await apollo.stop()
    throw error
  }
  const { port } = http.address() as AddressInfo
  return {
    url: `http://${hostInUrl(options.host)}:${port}/graphql`,
    async close() {
      const timer = setTimeout(() => stopping.abort(serverStopping()), STOP_WAITING_MS)
      await apollo.stop()
      clearTimeout(timer)
    },
  }
}

function createApollo(http: Server): ApolloServer<Context> {
  return new ApolloServer<Context>({
    typeDefs: readFileSync(projectFile('schema.graphql'), 'utf8'),
    resolvers,
    validationRules,
    parseOptions: { maxTokens: LIMITS.tokens },
    plugins: [
      costLimit,
      ApolloServerPluginDrainHttpServer({ httpServer: http }),
      // The plugin would visit every field of every response.
      ApolloServerPluginCacheControlDisabled(),
    ],
    formatError,
    includeStacktraceInErrorResponses: false,
    introspection: true,
    // The command handles signals: workers and the database are closed after the server.
    stopOnTerminationSignals: false,
  })
}

function mount(
  app: Express,
  apollo: ApolloServer<Context>,
  context: (owner: string | undefined) => Context,
  { bodyLimit }: ServeOptions,
): void {
  app.use('/graphql', explorer())
  app.use(
    '/graphql',
    express.json({ limit: bodyLimit }),
    requireJson,
    // Parsing a large body takes long: handle other requests first.
    (request, _response, next) => (isLarge(request.headers['content-length']) ? setImmediate(next) : next()),
    expressMiddleware(apollo, { context: async ({ req }) => context(req.ip) }),
  )
  app.get('/', (_request, response) => response.redirect('/graphql'))
  app.use(bodyErrors(bodyLimit))
}

function serverStopping(): AccordError {
  return new AccordError('CANCELLED', 'the server is stopping; the job that the request waits for continues')
}

function listen(http: Server, { host, port }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    http.listen(port, host, resolve)
  })
}

function listenError({ code, message }: NodeJS.ErrnoException, host: string, port: number): AccordError {
  switch (code) {
    case 'EADDRINUSE':
      return new AccordError('NOT_APPLICABLE', `port ${port} is in use; try --port`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AccordError('NOT_APPLICABLE', `${host} is not an address of this machine; try --host`)
    case 'EACCES':
      return new AccordError('NOT_APPLICABLE', `port ${port} requires more permissions; try --port`)
    default:
      return new AccordError('NOT_APPLICABLE', 'the server cannot listen', {
        source: `${host}:${port}`,
        found: code ?? message,
      })
  }
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Express does not parse bodies of other types, which Apollo would report as an error of the server. */
const requireJson: RequestHandler = (request, response, next) => {
  if (request.method !== 'POST' || request.is('json')) return next()
  const message = 'The request cannot be read: expected a JSON body with content-type application/json.'
  response.status(415).json({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] })
}

/** Sends GraphQL errors for bodies that cannot be parsed. */
function bodyErrors(limit: string): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent || typeof error?.type !== 'string') return next(error)
    const tooLarge = error.type === 'entity.too.large'
    const message = tooLarge
      ? `The request is too large: expected at most ${limit}, found ${error.length} bytes. The option --body-limit of the server sets the maximum.`
      : `The request cannot be read: ${error.message}.`
    const code = tooLarge ? 'BODY_TOO_LARGE' : 'BAD_REQUEST'
    response.status(error.status).json({ errors: [{ message, extensions: { code } }] })
  }
}
