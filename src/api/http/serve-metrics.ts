import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Log } from '../../log.js'
import { countOpenJobs } from '../../services/jobs/jobs.js'
import type { Accord } from '../../services/shared/accord.js'
import { hostInUrl, listen } from './listen.js'

/** Numbers of what a server does, in the text format of Prometheus. */
export interface ServedMetrics {
  /** Where they are served. */
  readonly url: string
  /** Counts a request or a job that has ended. */
  readonly log: Log
  close(): Promise<void>
}

/** Upper ends in seconds: of answers from memory, and of trainings. */
const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600, 3600]

/**
 * Serves `/metrics` on a port of its own, which an operator need not show to others: requests and jobs by their outcome and duration,
 * jobs that wait and run, and what Node knows of the process. Nothing in it names a person or a dataset.
 *
 * @throws AccordError NOT_APPLICABLE if the port is in use or the address is not available
 */
export async function serveMetrics(
  accord: Accord,
  address: { readonly host: string; readonly port: number },
): Promise<ServedMetrics> {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const requests = new Histogram({
    name: 'accord_request_seconds',
    help: 'Requests that have ended. 499: the client has gone.',
    labelNames: ['method', 'status'],
    buckets: SECONDS,
    registers: [register],
  })
  const jobs = new Histogram({
    name: 'accord_job_seconds',
    help: 'Jobs that workers of this process have ended. code: of the error, empty where there is none.',
    labelNames: ['kind', 'code'],
    buckets: SECONDS,
    registers: [register],
  })
  new Gauge({
    name: 'accord_jobs',
    help: 'Jobs of the database that wait for a worker, and that run.',
    labelNames: ['status'],
    registers: [register],
    async collect() {
      for (const [status, count] of Object.entries(await countOpenJobs(accord))) this.set({ status }, count)
    },
  })
  const http = createServer(async ({ url, method }, response) => {
    if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(404).end()
      return
    }
    try {
      const text = await register.metrics()
      response.writeHead(200, { 'content-type': register.contentType }).end(text)
    } catch {
      // The database cannot be read.
      response.writeHead(503).end()
    }
  })
  await listen(http, address, '--metrics-port')
  const { port } = http.address() as AddressInfo
  return {
    url: `http://${hostInUrl(address.host)}:${port}/metrics`,
    log(entry) {
      const seconds = entry.ms / 1000
      if (entry.event === 'request') requests.observe({ method: entry.method, status: entry.status }, seconds)
      else jobs.observe({ kind: entry.kind, code: entry.code ?? '' }, seconds)
    },
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
