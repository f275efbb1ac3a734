import { Agent, request } from 'node:http'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { projectFile } from '../src/project.js'
import { createAccounts } from '../src/services/accounts/accounts.js'
import { openAccord } from '../src/services/open-accord.js'
import {
  ACCORD,
  describeRatio,
  type Figure,
  note,
  type Process,
  runAccord,
  sized,
  startProgram,
} from './measure.js'

/** Requests of Accord beside those of a plain Apollo Server with DataLoader on the same database. */

type Headers = Readonly<Record<string, string>>

const CONNECTIONS = 8
const WARM_UP_MS = sized(1500, 50)
const ROUND_MS = sized(2500, 100)
const ROUNDS = sized(3, 1)

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

/** Measures requests of a signed-in user beside those of an open server. @param database SQLite file */
export async function benchAccounts(database: string): Promise<Figure[]> {
  note('requests of a signed-in user')
  const { token, session } = await createUser(database)
  const open = startProgram(ACCORD, ['serve', '--port', '0', '--workers', '0', '--database', database])
  const accounts = startProgram(ACCORD, [
    ...['serve', '--port', '0', '--workers', '0', '--database', database],
    '--accounts',
  ])
  try {
    const urls = { plain: await urlOf(open), accord: await urlOf(accounts) }
    const figures: Figure[] = []
    for (const { what, query } of QUERIES.filter(({ isChanging }) => !isChanging)) {
      const credentials: Record<string, Headers> = {
        'a token': { authorization: `Bearer ${token}` },
        'a session': { cookie: `accord_session=${session}`, origin: new URL(urls.accord).origin },
      }
      for (const [how, headers] of Object.entries(credentials)) {
        const rates = await measureRates(urls, query, () => {}, { rounds: sized(5, 1), headers })
        figures.push({
          what: `${what} with ${how}, in addition to an open server`,
          measured: `${(100 * (rates.ratio - 1)).toFixed(1)} %`,
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

async function urlOf({ firstOutput }: Process): Promise<string> {
  return (await firstOutput).split(' ').at(-1) as string
}

/** The medians of the rounds of each server, which take turns, and of the ratios within the rounds. */
async function measureRates(
  urls: Record<'plain' | 'accord', string>,
  query: string,
  prepare: () => void,
  { rounds = ROUNDS, headers = {} }: { readonly rounds?: number; readonly headers?: Headers } = {},
) {
  const rates = { plain: [] as number[], accord: [] as number[] }
  const ofAccord = { prepare, headers }
  await measureRate(urls.plain, query, WARM_UP_MS, { prepare })
  await measureRate(urls.accord, query, WARM_UP_MS, ofAccord)
  for (let round = 0; round < rounds; round++) {
    rates.plain.push(await measureRate(urls.plain, query, ROUND_MS, { prepare }))
    rates.accord.push(await measureRate(urls.accord, query, ROUND_MS, ofAccord))
  }
  const ratios = rates.plain.map((rate, round) => rate / rates.accord[round])
  return { plain: median(rates.plain), accord: median(rates.accord), ratio: median(ratios) }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]
}

/** Requests per second over {@link CONNECTIONS} connections. */
async function measureRate(
  url: string,
  query: string,
  milliseconds: number,
  { prepare, headers = {} }: { readonly prepare: () => void; readonly headers?: Headers },
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const body = JSON.stringify({ query })
  const start = performance.now()
  let count = 0
  const send = async () => {
    while (performance.now() - start < milliseconds) {
      prepare()
      await post(agent, url, body, headers)
      count++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  agent.destroy()
  return count / ((performance.now() - start) / 1000)
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
