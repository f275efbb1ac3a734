import { Agent, request } from 'node:http'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { projectFile } from '../src/project.js'
import { ACCORD, describeRatio, type Figure, note, type Process, runAccord, startProgram } from './measure.js'

/** Requests of Accord beside those of a plain Apollo Server with DataLoader on the same database. */

const CONNECTIONS = 8
const WARM_UP_MS = 1500
const ROUND_MS = 2500
const ROUNDS = 3

const IMAGES = `{ dataset(name: "bench") { images(first: 100) {
  nodes { id externalId fileName url width height captions { externalId text } }
} } }`

const QUERIES = [
  { what: '100 images with their captions', query: IMAGES, asked: '2.3 ×' },
  // Accord keeps captions in memory while the database is unchanged.
  { what: 'the same, the database changed before each request', query: IMAGES, isChanging: true, asked: '' },
  { what: '{ __typename }', query: '{ __typename }', asked: '0.9 ×' },
]

const PLAIN = projectFile('dist/bench/plain-server.js')

/** Measures requests per second. @param database SQLite file */
export async function benchRequests(database: string): Promise<Figure[]> {
  note('requests beside a plain server')
  const writer = new BetterSqlite3(database)
  const change = () => void writer.exec('UPDATE dataset SET name = name')
  const plain = startProgram(PLAIN, [database])
  const accord = startProgram(ACCORD, ['serve', '--port', '0', '--workers', '0', '--database', database])
  try {
    const urls = { plain: await urlOf(plain), accord: await urlOf(accord) }
    const figures: Figure[] = []
    for (const { what, query, isChanging = false, asked } of QUERIES) {
      const rates = await measureRates(urls, query, isChanging ? change : () => {})
      figures.push(
        { what: `${what}, requests per second`, measured: rates.accord.toFixed(0), asked: '' },
        { what: '… plain Apollo Server', measured: rates.plain.toFixed(0), asked: '' },
        { what: '… ratio', measured: describeRatio(rates.accord, rates.plain), asked },
      )
    }
    return figures
  } finally {
    writer.close()
    for (const { child } of [plain, accord]) child.kill('SIGTERM')
    await Promise.allSettled([plain.ended, accord.ended])
  }
}

/** Imports captions for these requests alone. @returns the SQLite file */
export async function importCaptions(source: string, folder: string): Promise<string> {
  const database = join(folder, 'requests.sqlite')
  await runAccord('import', 'captions', source, '--dataset', 'bench', '--database', database)
  return database
}

async function urlOf({ firstOutput }: Process): Promise<string> {
  return (await firstOutput).split(' ').at(-1) as string
}

/** The median of the rounds of each server; the servers take turns. */
async function measureRates(urls: Record<'plain' | 'accord', string>, query: string, prepare: () => void) {
  const rates = { plain: [] as number[], accord: [] as number[] }
  for (const url of Object.values(urls)) await measureRate(url, query, WARM_UP_MS, prepare)
  for (let round = 0; round < ROUNDS; round++) {
    rates.plain.push(await measureRate(urls.plain, query, ROUND_MS, prepare))
    rates.accord.push(await measureRate(urls.accord, query, ROUND_MS, prepare))
  }
  return { plain: median(rates.plain), accord: median(rates.accord) }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]
}

/** Requests per second over {@link CONNECTIONS} connections. */
async function measureRate(
  url: string,
  query: string,
  milliseconds: number,
  prepare: () => void,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const body = JSON.stringify({ query })
  const start = performance.now()
  let count = 0
  const send = async () => {
    while (performance.now() - start < milliseconds) {
      prepare()
      await post(agent, url, body)
      count++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  agent.destroy()
  return count / ((performance.now() - start) / 1000)
}

function post(agent: Agent, url: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const outgoing = request(url, { agent, method: 'POST', headers }, (response) => {
      response.on('data', () => {})
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      )
    })
    outgoing.on('error', reject).end(body)
  })
}
