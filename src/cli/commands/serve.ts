import type { Command } from 'commander'
import {
  accountsOption,
  allowHostOption,
  allowOriginOption,
  embeddingsOption,
  hostOption,
  imagesOption,
  invitedOption,
  logOption,
  meteorDataOption,
  metricsPortOption,
  openOption,
  pathPrefixOption,
  portOption,
  readOnlyOption,
  type ServeOptions,
  submissionLimitOption,
  trustProxyOption,
  uploadLimitOption,
  workersOption,
} from '../../config.js'
import { type Log, logAsJson } from '../../log.js'
import type { Accord } from '../../services/shared/accord.js'
import { withAccord } from '../accord.js'
import { example } from '../options.js'
import { stopSignal } from '../stop-signal.js'

/** `accord serve` */
export function register(program: Command): void {
  program
    .command('serve')
    .summary('serve GraphQL over HTTP')
    .description(
      'Serve a dashboard, and GraphQL over HTTP with a query editor, and execute imports and evaluations in worker' +
        ' threads. If the database has no dataset, the bundled dataset `scenes` is loaded and evaluated first.' +
        ' Ctrl-C stops the server after the current requests. With --workers 0, jobs are executed only by `accord worker`; without one, a query that needs a worker fails within 2 s. /health answers' +
        ' while the server runs, /ready while it can read the database.',
    )
    .addOption(hostOption())
    .addOption(portOption())
    .addOption(openOption())
    .addOption(accountsOption())
    .addOption(invitedOption())
    .addOption(readOnlyOption())
    .addOption(allowOriginOption())
    .addOption(allowHostOption())
    .addOption(trustProxyOption())
    .addOption(pathPrefixOption())
    .addOption(imagesOption('of datasets without a folder of their own').env('ACCORD_IMAGES'))
    .addOption(uploadLimitOption())
    .addOption(submissionLimitOption())
    .addOption(workersOption(0))
    .addOption(logOption())
    .addOption(metricsPortOption())
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addHelpText('after', example('accord serve --port 8080 --database coco.sqlite'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ServeOptions>()
      if (options.invitedOnly && !options.accounts)
        command.error('error: --invited-only requires --accounts; without accounts everybody is let in')
      const {
        database: location,
        meteorData: meteorFolder,
        embeddings: embeddingsFile,
        images: imagesFolder,
      } = options
      // A signal while the database is opened or seeded stops the server too.
      const stop = stopSignal()
      const { checkAddress } = await import('../../api/http/server.js')
      await checkAddress(options)
      const mayLackWorkers = options.workers === 0
      await withAccord(
        { location, hasWorkers: true, mayLackWorkers, meteorFolder, embeddingsFile, imagesFolder },
        (accord) => run(accord, options, stop),
      )
    })
}

async function run(accord: Accord, options: ServeOptions, stop: Promise<void>): Promise<void> {
  const { serve } = await import('../../api/http/server.js')
  const stopping = new AbortController()
  stop.then(() => stopping.abort())
  const untilReady = await loadSeedIfEmpty(accord, stopping.signal)
  if (stopping.signal.aborted) return
  const {
    allowOrigin: allowedOrigins,
    allowHost: allowedHosts,
    trustProxy: trustedProxies,
    open,
    readOnly,
    accounts: hasAccounts,
    invitedOnly,
    log: logFormat,
    metricsPort,
    ...rest
  } = options
  const metrics = metricsPort === undefined ? undefined : await openMetrics(accord, rest.host, metricsPort)
  const logs = [...(logFormat ? [logAsJson] : []), ...(metrics ? [metrics.log] : [])]
  const log: Log = (entry) => {
    for (const write of logs) write(entry)
  }
  const changes = readOnly ? 'NONE' : open ? 'ALL' : 'LOCAL'
  const accounts = hasAccounts && (invitedOnly ? 'INVITED' : 'OPEN')
  const origins = { allowedOrigins, allowedHosts, trustedProxies }
  const server = await serve(accord, {
    ...rest,
    ...origins,
    changes,
    accounts,
    ...(logs.length > 0 && { log }),
  })
  try {
    const workers = accord.database.isReadOnly ? undefined : await startWorkers(options, log)
    // The first board is complete. Jobs that are interrupted are executed at the next start.
    if (workers) await untilReady()
    const isReady = !stopping.signal.aborted
    if (isReady)
      process.stdout.write(
        `Accord serves a dashboard at ${new URL('.', server.url)} and GraphQL at ${server.url}\n`,
      )
    if (isReady && metrics) process.stderr.write(`Numbers for Prometheus are at ${metrics.url}\n`)
    if (isReady && !isLocalHost(options.host))
      process.stderr.write(`${accounts ? WITH_ACCOUNTS : EXPOSED[changes]}\n`)
    await stop
    await Promise.all([server.close(), workers?.close(isReady ? undefined : 0)])
  } catch (error) {
    await server.close()
    throw error
  }
}

/** What others can do if a server listens on more than an address of this machine. */
const EXPOSED = {
  ALL: 'The server is open: everybody who reaches it can import, change and remove data.',
  LOCAL:
    'Everybody who reaches the server can read all data. Only this machine can change them; --open lets everybody.',
  NONE: 'Everybody who reaches the server can read all data.',
} as const

/** The same of a server with accounts. */
const WITH_ACCOUNTS =
  'Everybody who reaches the server can read what is not private. Hosts and administrators change data.'

function isLocalHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

/** Loads the bundled dataset if there is none. @returns waits until workers have evaluated it, or until the signal */
async function loadSeedIfEmpty(accord: Accord, signal: AbortSignal): Promise<() => Promise<void>> {
  const { listDatasets } = await import('../../services/datasets/datasets.js')
  if (accord.database.isReadOnly || (await listDatasets(accord)).length > 0) return async () => {}
  const { SEED_DATASET } = await import('../../services/seed/seed.js')
  const { loadSeed, untilComputed } = await import('../../services/seed/seed.js')
  process.stderr.write(`Loading the bundled dataset ${SEED_DATASET} into the empty database.\n`)
  try {
    const jobs = await loadSeed(accord, () => signal.throwIfAborted())
    return () => untilComputed(accord, jobs, signal)
  } catch (error) {
    // Nothing was stored.
    if (signal.aborted) return async () => {}
    throw error
  }
}

async function openMetrics(accord: Accord, host: string, port: number) {
  const { serveMetrics } = await import('../../api/http/serve-metrics.js')
  const metrics = await serveMetrics(accord, { host, port })
  accord.beforeClose(metrics.close)
  return metrics
}

async function startWorkers(
  { database: location, workers: count, meteorData: meteorFolder, embeddings: embeddingsFile }: ServeOptions,
  log: Log,
) {
  if (count === 0) return undefined
  const { startWorkers: start } = await import('../../services/workers/workers.js')
  return start({ location, count, meteorFolder, embeddingsFile, log })
}
