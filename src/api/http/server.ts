import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { ApolloServer, type ApolloServerOptions } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled'
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import { AccordError } from '../../errors.js'
import { createAccounts } from '../../services/accounts/accounts.js'
import { listMetrics } from '../../services/evaluations/metrics.js'
import { recoverLostJobs } from '../../services/jobs/jobs.js'
import type { Accord } from '../../services/shared/accord.js'
import { removeExpiredUploads } from '../../services/uploads/uploads.js'
import { createQuota, LIMITS } from '../schema/limits.js'
import { createOperations, formatError, type Operations, operationsPlugin } from '../schema/operations.js'
import { apiSchema } from '../schema/schema.js'
import { createSizes } from '../schema/weights.js'
import type { Context } from '../shared/context.js'
import { addressCheck, createClientNames } from './client-name.js'
import { createEventStreams } from './event-streams.js'
import { createHandler, type HttpOptions } from './http.js'
import { createKeptAnswers } from './kept-answers.js'
import { hostInUrl, listen } from './listen.js'
import { createDashboard, createDocumentation, createExplorer } from './pages.js'
import { stringifyInTurns } from './stringify.js'
import { UPLOAD_SECONDS } from './uploads.js'

export interface ServeOptions extends HttpOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
}

/** A server that accepts requests. */
export interface RunningServer {
  /** URL of the GraphQL endpoint. */
  readonly url: string
  /**
   * Stops accepting requests and waits for current ones. Requests that still wait for a job after 6 seconds receive an
   * error. Event streams end at once. The database stays open.
   */
  close(): Promise<void>
}

/**
 * Time after which requests that wait for a job are ended when the server stops. Longer than the workers' time to stop,
 * so that results of jobs that end in this time are delivered.
 */
const STOP_WAITING_MS = 6_000

/** What the dashboard shows of accounts. */
function accountsOf({ database }: Accord, { accounts, changes }: ServeOptions) {
  return accounts && (changes === 'NONE' || database.isReadOnly) ? 'READ_ONLY' : accounts
}

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
  const schema = apiSchema()
  const sizes = createSizes(accord, options.accounts !== undefined)
  await sizes()
  const operations = createOperations(schema, sizes)
  // The longest requests are uploads, which have time limits of their own.
  const http = createServer({
    requestTimeout: 1000 * UPLOAD_SECONDS,
    headersTimeout: 1000 * LIMITS.bodySeconds,
    connectionsCheckingInterval: 1000,
  })
  // The clients of others wait for their responses.
  http.setTimeout(1000 * LIMITS.bodySeconds, (socket) => {
    if (socket.writableLength > 0) socket.destroy()
  })
  const apollo = createApollo(http, schema, operations)
  await apollo.start()
  const [stopping, closing] = [new AbortController(), new AbortController()]
  // Requests that wait listen to them.
  for (const { signal } of [stopping, closing]) setMaxListeners(0, signal)
  const buffers = createQuota(LIMITS.buffers)
  const services = {
    accord,
    accounts: options.accounts ? createAccounts(accord, options.accounts === 'INVITED') : null,
    apollo,
    answers: createKeptAnswers(accord.database),
    operations,
    sizes,
    streams: createEventStreams({ schema, operations, apollo, buffers }),
    explorer: createExplorer(),
    documentation: createDocumentation(),
    dashboard: createDashboard(options.pathPrefix ?? '', accountsOf(accord, options)),
    isRefused: limitConnections(http, options.trustedProxies),
    requests: createQuota(LIMITS.requests),
    buffers,
    stopping: stopping.signal,
    closing: closing.signal,
  }
  http.on('request', createHandler(services, options))
  const stops = [removeExpiredUploads(accord), recoverLostJobs(accord)]
  const stopTasks = () => Promise.all(stops.map((stop) => stop()))
  try {
    await listen(http, options)
  } catch (error) {
    await stopTasks()
    await apollo.stop()
    throw error
  }
  const { port } = http.address() as AddressInfo
  return {
    url: `http://${hostInUrl(options.host)}:${port}${options.pathPrefix ?? ''}/graphql`,
    async close() {
      closing.abort(serverStopping())
      const timer = setTimeout(() => stopping.abort(serverStopping()), STOP_WAITING_MS)
      await apollo.stop()
      await stopTasks()
      clearTimeout(timer)
    },
  }
}

function createApollo(http: Server, schema: GraphQLSchema, operations: Operations): ApolloServer<Context> {
  return new ApolloServer<Context>({
    schema,
    documentStore: createDocumentStore(),
    stringifyResult: stringifyInTurns,
    validationOptions: { maxErrors: LIMITS.validationErrors },
    plugins: [
      operationsPlugin(operations),
      ApolloServerPluginDrainHttpServer({ httpServer: http }),
      // The plugin would visit every field of every response.
      ApolloServerPluginCacheControlDisabled(),
      // Nothing is reported to the vendor, whatever variables of the environment are set.
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
    ],
    formatError,
    includeStacktraceInErrorResponses: false,
    introspection: true,
    // The command handles signals: workers and the database are closed after the server.
    stopOnTerminationSignals: false,
  })
}

/** Characters of the documents that are cached, which take up to 240 times as many bytes once they are parsed. */
const CACHED_CHARACTERS = 500_000

/** Parsed documents by their hash, the least recently used ones removed first. */
function createDocumentStore(): ApolloServerOptions<Context>['documentStore'] {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: ({ loc }) => loc?.source.body.length as number,
  })
  return {
    get: async (key) => documents.get(key),
    set: async (key, document) => void documents.set(key, document),
    delete: async (key) => documents.delete(key),
  }
}

function serverStopping(): AccordError {
  return new AccordError('CANCELLED', 'the server is stopping')
}

/** Checks that a server can listen, before anything else is started. @throws AccordError NOT_APPLICABLE */
export async function checkAddress(options: Pick<ServeOptions, 'host' | 'port'>): Promise<void> {
  const probe = createServer()
  await listen(probe, options)
  await new Promise((resolve) => probe.close(resolve))
}

/** Time to send the request that is refused, in milliseconds. */
const REFUSAL_MS = 5_000

/**
 * Limits the connections of each client and of all. As many again are accepted for a short time, to be told that there are too
 * many; those beyond are closed when they are opened. Trusted proxies open connections for all clients.
 *
 * @returns whether a request must be refused because its connection is beyond the limits
 */
function limitConnections(
  http: Server,
  trustedProxies: readonly string[] = [],
): (request: IncomingMessage) => boolean {
  http.maxConnections = 2 * LIMITS.connections
  const [isProxy, nameOf] = [addressCheck(trustedProxies), createClientNames([])]
  const [places, refusals] = [createQuota(LIMITS.connections), createQuota(LIMITS.connections)]
  const refused = new WeakSet<Socket>()
  http.on('connection', (socket) => {
    // A client that is gone already has no address.
    if (socket.remoteAddress === undefined) return socket.destroy()
    // Each request on the connection listens to it.
    socket.setMaxListeners(0)
    const client = nameOf({ socket, headers: {} })
    const [place, refusal] = [places.open(client), refusals.open(client)]
    if (isProxy(socket.remoteAddress) || place.add(1)) return socket.once('close', place.release)
    if (!refusal.add(1)) return socket.destroy()
    refused.add(socket)
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS)
    return socket.once('close', () => {
      clearTimeout(timer)
      refusal.release()
    })
  })
  return ({ socket }) => refused.has(socket)
}
