/** A thread that sends `{ __typename }` again and again, and posts how long each took: clients in the same thread would delay it. */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** What the thread is started with. */
export interface Pings {
  readonly url: string
  readonly seconds: number
}

const INTERVAL_MS = 5

const { url, seconds }: Pings = workerData
const agent = new Agent({ keepAlive: true })
const durations: number[] = []
for (const end = performance.now() + 1000 * seconds; performance.now() < end; ) {
  const start = performance.now()
  await ping()
  durations.push(performance.now() - start)
  await sleep(INTERVAL_MS)
}
agent.destroy()
parentPort?.postMessage(durations)

function ping(): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const outgoing = request(url, { agent, method: 'POST', headers }, (response) => {
      response.on('error', reject).on('end', resolve).resume()
    })
    outgoing.on('error', reject).end(JSON.stringify({ query: '{ __typename }' }))
  })
}
