import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { projectFile } from '../src/project.js'
import { createAccounts } from '../src/services/accounts/accounts.js'
import { openAccord } from '../src/services/open-accord.js'
import { ACCORD, type Figure, note, type Process, runAccord, sized, startProgram } from './measure.js'

/** Requests of Accord beside those of a plain Apollo Server with DataLoader on the same database. */

type Headers = Readonly<Record<string, string>>

const CONNECTIONS = 8
const WARM_UP_MS = sized(1500, 50)
const ROUND_MS = sized(2500, 100)
const ROUNDS = sized(3, 1)

const IMAGES = `{ dataset(name: "bench") { images(first: 100) {
  nodes { id externalId fileName url width height captions { externalId text } }
} } }`

/** What clients ask again and again. */
interface Asked {
  readonly what: string
  readonly query: string
  /** Whether they ask the same each time, so that a kept answer is sent; otherwise with another variable, which nothing uses. */
  readonly isKept?: boolean
  /** Whether the database is changed before each request: then nothing is in memory. */
  readonly isChanging?: boolean
  /** The ratio. */
  readonly asked: string
}

const QUERIES: readonly Asked[] = [
  { what: '100 images with their captions, kept', query: IMAGES, isKept: true, asked: '20 ×' },
  { what: 'the same, not kept', query: IMAGES, asked: '1.4 ×' },
  { what: 'the same, the database changed before each', query: IMAGES, isChanging: true, asked: '1.1 ×' },
  { what: '{ __typename }, kept', query: '{ __typename }', isKept: true, asked: '' },
  { what: '{ __typename }, not kept', query: '{ __typename }', asked: '1.0 ×' },
]

/** On SIGUSR2 a server writes the CPU time that it has used to stderr, in milliseconds: that of all its threads. */
const REPORT_CPU = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => {
    const { user, system } = process.cpuUsage()
    process.stderr.write((user + system) / 1000 + '\\n')
  })
`)}`

const PLAIN = projectFile('dist/bench/plain-server.js')

/** Measures the time of a request, of CPU and of the wall. @param database SQLite file */
export async function benchRequests(database: string): Promise<Figure[]> {
  note('requests beside a plain server')
  const writer = new BetterSqlite3(database)
  const change = () => void writer.exec('UPDATE dataset SET name = name')
  const plain = startProgram(PLAIN, [database], REPORT_CPU)
  const accord = startServer(database)
  try {
    const servers = { plain: await serverOf(plain), accord: await serverOf(accord) }
    const figures: Figure[] = []
    for (const { what, query, isKept, isChanging, asked } of QUERIES) {
      const times = await measureTimes(servers, isKept ? sameBody(query) : otherBodies(query), {
        prepare: isChanging ? change : undefined,
      })
      figures.push(
        { what: `${what}, ms per request`, measured: describeTime(times.accord), asked: '' },
        { what: '… plain Apollo Server', measured: describeTime(times.plain), asked: '' },
        {
          what: '… ratio',
          measured: `CPU ${times.ratio.cpu.toFixed(2)}, wall ${times.ratio.wall.toFixed(2)} ×`,
          asked,
        },
      )
    }
    return figures
  } finally {
    writer.close()
    for (const { child } of [plain, accord]) child.kill('SIGTERM')
    await Promise.allSettled([plain.ended, accord.ended])
  }
}

function startServer(database: string, ...options: readonly string[]): Process {
  const args = ['serve', '--port', '0', '--workers', '0', '--database', database, ...options]
  return startProgram(ACCORD, args, REPORT_CPU)
}

/** Measures requests of a signed-in user beside those of an open server. @param database SQLite file */
export async function benchAccounts(database: string): Promise<Figure[]> {
  note('requests of a signed-in user')
  const { token, session } = await createUser(database)
  const open = startServer(database)
  const accounts = startServer(database, '--accounts')
  try {
    const servers = { plain: await serverOf(open), accord: await serverOf(accounts) }
    const figures: Figure[] = []
    for (const { what, query } of QUERIES.filter(({ isKept, isChanging }) => !isKept && !isChanging)) {
      const credentials: Record<string, Headers> = {
        'a token': { authorization: `Bearer ${token}` },
        'a session': { cookie: `accord_session=${session}`, origin: new URL(servers.accord.url).origin },
      }
      for (const [how, headers] of Object.entries(credentials)) {
        const { ratio } = await measureTimes(servers, otherBodies(query), { rounds: sized(5, 1), headers })
        figures.push({
          what: `${what} with ${how}, CPU in addition to an open server`,
          measured: `${(100 * (1 / ratio.cpu - 1)).toFixed(1)} %`,
          asked: '15 %',
        })
      }
    }
    return figures
  } finally {
    for (const { child } of [open, accounts]) child.kill('SIGTERM')
    await Promise.allSettled([open.ended, accounts.ended])
  }
}

/** A user who is no host: what is asked for is checked. */
async function createUser(location: string): Promise<{ token: string; session: string }> {
  const accord = await openAccord({ location })
  try {
    const accounts = createAccounts(accord)
    const session = await accounts.signUp({ name: 'bench', password: 'correct horse 1' }, 'bench')
    const { secret } = await accounts.createToken(session, { name: 'bench', scope: 'read', days: 1 })
    return { token: secret, session }
  } finally {
    await accord.close()
  }
}

/** Imports captions for these requests alone. @returns the SQLite file */
export async function importCaptions(source: string, folder: string): Promise<string> {
  const database = join(folder, 'requests.sqlite')
  await runAccord('import', 'captions', source, '--dataset', 'bench', '--database', database)
  return database
}

/** A server that is measured. */
interface MeasuredServer {
  readonly url: string
  /** Milliseconds of CPU time that it has used. */
  readonly cpuTime: () => Promise<number>
}

async function serverOf({ child, firstOutput }: Process): Promise<MeasuredServer> {
  return {
    url: (await firstOutput).split(' ').at(-1) as string,
    async cpuTime() {
      const line = once(child.stderr as NodeJS.ReadableStream, 'data')
      child.kill('SIGUSR2')
      return Number(await line)
    },
  }
}

/** Milliseconds per request. */
interface Times {
  readonly cpu: number
  readonly wall: number
}

function describeTime({ cpu, wall }: Times): string {
  return `CPU ${cpu.toFixed(3)}, wall ${wall.toFixed(3)}`
}

/** The bodies of requests. */
type Bodies = () => string

function sameBody(query: string): Bodies {
  const body = JSON.stringify({ query })
  return () => body
}

function otherBodies(query: string): Bodies {
  let number = 0
  return () => JSON.stringify({ query, variables: { number: number++ } })
}

interface Rounds {
  /** Called before each request. */
  readonly prepare?: () => void
  readonly rounds?: number
  /** Of requests to Accord. */
  readonly headers?: Headers
}

/** The medians of the rounds of each server, which take turns, and of the ratios within the rounds: how much longer the plain one takes. */
async function measureTimes(
  servers: Record<'plain' | 'accord', MeasuredServer>,
  bodies: Bodies,
  { prepare, rounds = ROUNDS, headers = {} }: Rounds,
): Promise<Record<'plain' | 'accord' | 'ratio', Times>> {
  const times = { plain: [] as Times[], accord: [] as Times[] }
  const options = { plain: { prepare }, accord: { prepare, headers } }
  const measure = (name: 'plain' | 'accord', milliseconds: number) =>
    measureTime(servers[name], bodies, milliseconds, options[name])
  for (const name of ['plain', 'accord'] as const) await measure(name, WARM_UP_MS)
  for (let round = 0; round < rounds; round++) {
    for (const name of ['plain', 'accord'] as const) times[name].push(await measure(name, ROUND_MS))
  }
  const ratios = times.plain.map((plain, round) => ({
    cpu: plain.cpu / times.accord[round].cpu,
    wall: plain.wall / times.accord[round].wall,
  }))
  return { plain: medians(times.plain), accord: medians(times.accord), ratio: medians(ratios) }
}

function medians(times: readonly Times[]): Times {
  return { cpu: median(times.map(({ cpu }) => cpu)), wall: median(times.map(({ wall }) => wall)) }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]
}

/** The time per request over {@link CONNECTIONS} connections. */
async function measureTime(
  { url, cpuTime }: MeasuredServer,
  bodies: Bodies,
  milliseconds: number,
  { prepare = () => {}, headers = {} }: Rounds,
): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const cpuBefore = await cpuTime()
  const start = performance.now()
  let count = 0
  const send = async () => {
    while (performance.now() - start < milliseconds) {
      prepare()
      await post(agent, url, bodies(), headers)
      count++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  const wall = performance.now() - start
  agent.destroy()
  return { cpu: ((await cpuTime()) - cpuBefore) / count, wall: wall / count }
}

function post(agent: Agent, url: string, body: string, given: Headers): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...given,
    }
    const outgoing = request(url, { agent, method: 'POST', headers }, (response) => {
      response.on('data', () => {})
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      )
    })
    outgoing.on('error', reject).end(body)
  })
}
