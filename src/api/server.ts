import './production.js'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApolloServer } from '@apollo/server'
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled'
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer'
import { expressMiddleware } from '@as-integrations/express5'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { AccordError } from '../errors.js'
import { createEvaluations } from '../jobs/evaluations.js'
import { loadFamilies } from '../jobs/metric-families.js'
import { createRunner } from '../jobs/runner.js'
import { projectFile } from '../project.js'
import type { Database } from '../store/database.js'
import { interruptEvaluations } from '../store/evaluations.js'
import { type Context, createContext } from './context.js'
import { explorer } from './explorer.js'
import { formatError } from './format-error.js'
import { isLarge } from './large-body.js'
import { costLimit, LIMITS, validationRules } from './limits.js'
import { createRegistry } from './metric/registry.js'
import { resolvers } from './resolvers.js'

export interface ServeOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Largest body of a request, such as `20mb`. */
  readonly bodyLimit: string
  /** A METEOR data folder; the word lists that come with Accord where absent. */
  readonly meteorData?: string
}

/** A server that listens. */
export interface RunningServer {
  /** Where GraphQL is served. */
  readonly url: string
  /** Finishes the requests under way and stops listening; the database stays open. */
  close(): Promise<void>
}

/**
 * Serves GraphQL, and the explorer page to browsers, at `/graphql`.
 *
 * @throws AccordError NOT_APPLICABLE where the port is taken or may not be used
 */
export async function serve(database: Database, options: ServeOptions): Promise<RunningServer> {
  const metrics = createRegistry(loadFamilies(options.meteorData))
  const runner = createRunner(database.file)
  const queryRunner = createRunner(database.file)
  const evaluations = createEvaluations(database, runner, { meteorData: options.meteorData })
  const services = { database, runner, queryRunner, evaluations, metrics, meteorData: options.meteorData }
  const app = express().disable('x-powered-by')
  const http = createServer(app)
  const apollo = new ApolloServer<Context>({
    typeDefs: readFileSync(projectFile('schema.graphql'), 'utf8'),
    resolvers,
    validationRules,
    parseOptions: { maxTokens: LIMITS.tokens },
    plugins: [
      costLimit,
      ApolloServerPluginDrainHttpServer({ httpServer: http }),
      // It would look at every field of every answer.
      ApolloServerPluginCacheControlDisabled(),
    ],
    formatError,
    includeStacktraceInErrorResponses: false,
    introspection: true,
  })
  await apollo.start()
  app.use('/graphql', explorer())
  app.use(
    '/graphql',
    express.json({ limit: options.bodyLimit }),
    requireJson,
    // A body of megabytes took its time to read: others first.
    (request, _response, next) => (isLarge(request.headers['content-length']) ? setImmediate(next) : next()),
    expressMiddleware(apollo, { context: async () => createContext(services) }),
  )
  app.get('/', (_request, response) => response.redirect('/graphql'))
  app.use(bodyErrors(options.bodyLimit))
  try {
    await listen(http, options)
  } catch (error) {
    await apollo.stop()
    throw error
  }
  // Only now: where the port is taken, the evaluations under way may be those of the server that has it.
  await interruptEvaluations(database)
  const { port } = http.address() as AddressInfo
  return {
    url: `http://${hostInUrl(options.host)}:${port}/graphql`,
    async close() {
      const stopped = evaluations.stop()
      await Promise.all([runner.close(), queryRunner.close()])
      await stopped
      await apollo.stop()
    },
  }
}

function listen(http: Server, { host, port }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new AccordError('NOT_APPLICABLE', 'the server cannot listen here', {
          source: `${host}:${port}`,
          expected:
            error.code === 'EADDRNOTAVAIL'
              ? 'an address of this machine; --host takes another'
              : 'a free port; --port takes another',
          found: error.code ?? error.message,
        }),
      )
    })
    http.listen(port, host, resolve)
  })
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Express leaves a body of another type unread; Apollo would take that for a mistake of the server's. */
const requireJson: RequestHandler = (request, response, next) => {
  if (request.method !== 'POST' || request.is('json')) return next()
  const message = 'The request cannot be read: expected a JSON body with content-type application/json.'
  response.status(415).json({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] })
}

/** Bodies that cannot be read, answered in GraphQL's form. */
function bodyErrors(limit: string): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent || typeof error?.type !== 'string') return next(error)
    const tooLarge = error.type === 'entity.too.large'
    const message = tooLarge
      ? `The request is too large: expected at most ${limit}, found ${error.length} bytes. The server's --body-limit sets this.`
      : `The request cannot be read: ${error.message}.`
    const code = tooLarge ? 'BODY_TOO_LARGE' : 'BAD_REQUEST'
    response.status(error.status).json({ errors: [{ message, extensions: { code } }] })
  }
}
