/**
 * Sends mixed load to a server and prints its memory:
 *
 *     npm run soak -- --minutes 60
 *
 * After the first ten minutes of an hour, the memory of the process should be flat within 10 %.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { projectFile } from '../src/project.js'
import { classNames, operationOf, prepareBench, send } from './honest.js'
import { ACCORD, runAccord } from './measure.js'

const CLIENTS = 8

/** Interval of the lines that are printed, in seconds. */
const LINE_SECONDS = 30

/** Light operations between the expensive ones. */
const LIGHT: readonly ((number: number) => string)[] = [
  () => '{ __typename }',
  (number) =>
    `{ dataset(name: "bench") { words(first: 20) { nodes { text } } wordCount${number % 50}: name } }`,
  (number) =>
    `{ dataset(name: "bench") { images(first: ${1 + (number % 100)}) { nodes { externalId url } } } }`,
  () => '{ jobs(first: 5) { nodes { status } } datasets { nodes { name } } }',
]

/** Runs in the server, and writes its memory to a pipe every second. */
const REPORTER = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { isMainThread } from 'node:worker_threads'
  if (isMainThread) setInterval(() => writeSync(3, JSON.stringify(process.memoryUsage()) + '\\n'), 1000).unref()
`)}`

interface Memory {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
}

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: projectFile('../shared/data/coco') },
    minutes: { type: 'string', default: '60' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'accord-soak-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const database = await prepareBench(values.data, folder)
await runAccord('agreement', '--dataset', 'bench', '--references', '4', '--database', database)
await soak(database, 60 * Number(values.minutes))

async function soak(location: string, seconds: number): Promise<void> {
  const command = ['--import', REPORTER, ACCORD, 'serve', '--port', '0', '--database', location]
  const server = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] })
  process.on('exit', () => server.kill('SIGKILL'))
  let memory: Memory = { rss: 0, heapUsed: 0, external: 0 }
  server.stdio[3]?.on('data', (lines) => {
    memory = JSON.parse(String(lines).trim().split('\n').at(-1) as string)
  })
  const url = await new Promise<string>((resolve) => {
    server.stdout?.once('data', (line) => resolve(String(line).trim().split(' ').at(-1) as string))
  })
  const stop = new AbortController()
  const counts = { answers: 0, refusals: 0 }
  const clients = Array.from({ length: CLIENTS }, (_, client) => repeat(url, client, stop.signal, counts))
  const measured: number[] = []
  for (let time = LINE_SECONDS; time <= seconds; time += LINE_SECONDS) {
    await sleep(1000 * LINE_SECONDS)
    const { rss, heapUsed, external } = memory
    measured.push(rss)
    const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0).padStart(5)} MB`
    const sizes = `RSS ${megabytes(rss)}  heap ${megabytes(heapUsed)}  external ${megabytes(external)}`
    process.stdout.write(`${String(time).padStart(5)} s  ${sizes}  ${counts.answers} answers\n`)
  }
  stop.abort()
  await Promise.allSettled(clients)
  server.kill()
  process.stdout.write(describe(measured))
}

/** Clients disconnect now and then while they wait. */
async function repeat(
  url: string,
  client: number,
  stop: AbortSignal,
  counts: { answers: number; refusals: number },
): Promise<void> {
  for (let number = client; !stop.aborted; number += CLIENTS) {
    const expensive = classNames[Math.floor(number / (LIGHT.length + 1)) % classNames.length]
    const operations = [...LIGHT.map((light) => light(number)), operationOf(expensive, number)]
    const query = operations[number % operations.length]
    const leaves = number % 17 === 0
    const signal = leaves ? AbortSignal.any([stop, AbortSignal.timeout(200)]) : stop
    const { status } = await send(url, query, { signal })
    if (status === 200) counts.answers++
    else counts.refusals++
  }
}

/** Means of a sixth of the time each: single values differ by what the garbage collector has not collected yet. */
function describe(rss: readonly number[]): string {
  const size = Math.max(1, Math.floor(rss.length / 6))
  const means = Array.from({ length: Math.floor(rss.length / size) }, (_, index) => {
    const part = rss.slice(index * size, (index + 1) * size)
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
  const after = means.slice(1)
  const range = (100 * (Math.max(...after) / Math.min(...after) - 1)).toFixed(1)
  const megabytes = means.map((bytes) => (bytes / 2 ** 20).toFixed(0)).join(', ')
  return `mean RSS of each sixth of the time: ${megabytes} MB; after the first they differ by ${range} %\n`
}
