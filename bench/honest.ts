import { setMaxListeners } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getIntrospectionQuery } from 'graphql'
import { openAccord } from '../src/services/open-accord.js'
import { addSubmissions } from './crowd.js'
import { ACCORD, type Figure, note, runAccord, sized, startProgram } from './measure.js'

/** How long `{ __typename }` takes beside clients that repeat the most expensive operations that a server accepts. */

/** Numbers of clients. */
const CONNECTIONS = [8, 100]
const INTERVAL_MS = 5

/** Frequent words of captions. */
const WORDS = [
  ...[
    'a',
    'the',
    'dog',
    'cat',
    'man',
    'on',
    'street',
    'table',
    'bus',
    'train',
    'food',
    'water',
    'grass',
    'of',
  ],
  ...[
    'person',
    'sitting',
    'standing',
    'red',
    'white',
    'two',
    'people',
    'with',
    'in',
    'is',
    'and',
    'to',
    'at',
  ],
  ...['woman', 'holding', 'large', 'field'],
]

/**
 * Operations on the dataset `bench` with word scores of the system `scores` and the challenge `crowd`, by their number: no two
 * need be equal.
 */
const CLASSES: Readonly<Record<string, (number: number) => string>> = {
  boards: () =>
    '{ challenge(name: "crowd") { phase(name: "main") { board { rows { nodes { name scores { value } } } } } } }',
  '1,000 words': () =>
    ofDataset('words(first: 1000) { nodes { text imageCount agreement { precision recall } } }'),
  markdown: (number) => `{ markdownHtml(text: "${number}${'[[('.repeat(3330)}") }`,
  'caption filters': () =>
    ofDataset(
      aliases(12, (index) => {
        const rotated = [...WORDS.slice(index), ...WORDS.slice(0, index)]
        return `captions(first: 50, filter: { any: ${list(rotated)}, none: ["zebra"] }) { totalCount nodes { text } }`
      }),
    ),
  'refused documents': (number) => ofDataset(`${'name '.repeat(990)} absent${number}`),
  introspection: () => getIntrospectionQuery(),
  'signatures of 1,000 words': () =>
    ofDataset(`words(first: 1000) { nodes {
      agreement { signature } usageModel { signature } systemResult(system: "scores") { signature } } }`),
  'curves of 450 words': () =>
    ofDataset(`words(first: 450) { nodes {
      systemResult(system: "scores") { curve(points: 50) { recall precision } } } }`),
  'estimates of 1,000 words': () =>
    ofDataset(`words(first: 1000) { nodes { systemResult(system: "scores") { estimates {
      precisionAtHumanRecall { interval { lower } } gapToPeople { value } } } } }`),
  'scene graphs of 1,000 images': () =>
    ofDataset('images(first: 1000) { nodes { captions { sceneGraph { objects } } } }'),
  'images of words': () =>
    ofDataset(`words(first: 200) { nodes { images(first: 100) { nodes { externalId } } } }
      system(name: "scores") { words(first: 100) { nodes { mistakes(kind: FALSE_NEGATIVE) { totalCount } } } }`),
  comparisons: (number) =>
    ofDataset(`comparisons(words: [{ figure: PHR, partOfSpeech: [${partsOf(number)}] }], isHumanIncluded: true,
      references: ${1 + (Math.floor(number / 127) % 4)}) { difference }`),
  'intervals of 1,000 words': () =>
    ofDataset(`words(first: 1000) { nodes {
      agreement { precisionInterval { lower } recallInterval { lower } }
      usageModel(kind: BETA_BINOMIAL) { usageProbabilityInterval { lower } objectProbabilityInterval { lower } } } }`),
}

/** Codes of operations that are accepted: one that computes for too long ends with an error. */
const ACCEPTED: readonly (string | undefined)[] = [undefined, 'TIMEOUT', 'QUEUE_FULL']

function ofDataset(fields: string): string {
  return `{ dataset(name: "bench") { ${fields} } }`
}

function aliases(count: number, field: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${field(index)}`).join(' ')
}

function list(words: readonly string[]): string {
  return `[${words.map((word) => `"${word}"`).join(', ')}]`
}

const PARTS = ['NN', 'VB', 'JJ', 'IN', 'PRP', 'DT', 'OTHER']

/** Parts of speech, others for each of 127 numbers. */
function partsOf(number: number): string {
  return PARTS.filter((_, bit) => (((number % 127) + 1) >> bit) % 2 === 1).join(' ')
}

/** The names of the classes. */
export const classNames: readonly string[] = Object.keys(CLASSES)

/** An operation of a class. */
export function operationOf(name: string, number: number): string {
  return CLASSES[name](number)
}

/** The 99th percentile of the duration of `{ __typename }`, in milliseconds. */
export interface Delay {
  /** The class of operations that run beside it; null if there are none. */
  readonly what: string | null
  readonly milliseconds: number
  /** Milliseconds that one of the operations takes alone. */
  readonly alone: number
  /** Answers that the other clients received. */
  readonly answers: number
  /** Number of the other clients. */
  readonly connections: number
}

/** The delay without other clients, then beside each class of operations. @param seconds of each measurement */
async function* delaysOf(url: string, seconds: number): AsyncGenerator<Delay> {
  for (let warmUp = 0; warmUp < 20; warmUp++) await send(url, '{ __typename }')
  const quiet = async (): Promise<Delay> => {
    const milliseconds = await percentileOf(url, seconds)
    return { what: null, milliseconds, alone: 0, answers: 0, connections: 0 }
  }
  yield quiet()
  for (const what of classNames)
    for (const connections of CONNECTIONS) yield await delayBeside(url, what, seconds, connections)
}

/** The delay beside clients that repeat operations of a class. */
export async function delayBeside(
  url: string,
  what: string,
  seconds: number,
  connections = CONNECTIONS[0],
): Promise<Delay> {
  const stop = new AbortController()
  // Each client listens to it.
  setMaxListeners(0, stop.signal)
  let [sent, answers] = [0, 0]
  await send(url, operationOf(what, sent++))
  const start = performance.now()
  await send(url, operationOf(what, sent++))
  const alone = performance.now() - start
  const repeat = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!stop.signal.aborted) {
      const { status, code } = await send(url, operationOf(what, sent++), { agent, signal: stop.signal })
      if (status === 0) break
      const expected = what === 'refused documents' ? ['GRAPHQL_VALIDATION_FAILED'] : ACCEPTED
      if (!expected.includes(code)) throw new Error(`${what}: status ${status}, ${code}`)
      answers++
    }
    agent.destroy()
  }
  const clients = Promise.all(Array.from({ length: connections }, repeat))
  clients.catch(() => {})
  const milliseconds = await percentileOf(url, seconds)
  stop.abort()
  await clients
  return { what, milliseconds, alone, answers, connections }
}

async function percentileOf(url: string, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const durations: number[] = []
  for (const end = performance.now() + 1000 * seconds; performance.now() < end; ) {
    const start = performance.now()
    await send(url, '{ __typename }', { agent })
    durations.push(performance.now() - start)
    await sleep(INTERVAL_MS)
  }
  agent.destroy()
  return durations.sort((one, other) => one - other)[Math.ceil(0.99 * durations.length) - 1]
}

/** Sends an operation. @returns the status, 0 if the signal was aborted, and the code of the first error */
export function send(
  url: string,
  query: string,
  options: { readonly agent?: Agent; readonly signal?: AbortSignal } = {},
): Promise<{ status: number; code?: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const outgoing = request(url, { ...options, method: 'POST', headers }, (response) => {
      let start = ''
      response.on('data', (data) => {
        if (start.length < 1000) start += data
      })
      response.on('error', () => resolve({ status: 0 }))
      response.on('end', () => {
        const [, code] = /"code":"([A-Z_]+)"/.exec(start) ?? []
        resolve({ status: response.statusCode ?? 0, code })
      })
    })
    outgoing.on('error', (error) => (options.signal?.aborted ? resolve({ status: 0 }) : reject(error)))
    outgoing.end(JSON.stringify({ query }))
  })
}

const SECONDS = sized(8, 0.1)

/** The dataset `bench` with word scores and two evaluated systems. @returns the SQLite file */
export async function prepareBench(data: string, folder: string): Promise<string> {
  const location = join(folder, 'honest.sqlite')
  const file = (name: string) => join(data, name)
  const run = (...args: string[]) => runAccord(...args, '--dataset', 'bench', '--database', location)
  const vocabulary = ['--vocabulary', file('vocabulary_1000.csv')]
  await run('import', 'captions', file('captions_val2017.json'), ...vocabulary)
  const imageIds = ['--image-ids', file('word_scores_val2017_image_ids.json')]
  const scores = file('word_scores_val2017_ensemble9.npy')
  await run('import', 'scores', scores, '--system', 'scores', ...vocabulary, ...imageIds)
  for (const system of ['wu-2016', 'shetty-2016']) {
    await run('import', 'results', file(`captions_val2017_${system}_results.json`), '--system', system)
    await run('evaluate', '--system', system, '--metrics', 'BLEU-4')
  }
  await addChallenge(location)
  return location
}

/** The challenge `crowd` on the dataset `bench`, with a board of 1,000 teams. */
export async function addChallenge(location: string): Promise<void> {
  const accord = await openAccord({ location })
  await addSubmissions(accord, 'bench', {
    submissions: 1000,
    teams: 1000,
    method: 'We describe images. '.repeat(500),
  })
  await accord.close()
}

/** What other clients notice of expensive operations. @param database with the dataset `bench` */
export async function benchHonest(database: string): Promise<Figure[]> {
  const server = startProgram(ACCORD, ['serve', '--port', '0', '--database', database])
  try {
    const url = (await server.firstOutput).split(' ').at(-1) as string
    const figures: Figure[] = []
    let quiet = 0
    for await (const { what, milliseconds, answers, connections } of delaysOf(url, SECONDS)) {
      note(`{ __typename } beside ${what ?? 'nothing'}: ${milliseconds.toFixed(1)} ms`)
      if (what === null) quiet = milliseconds
      const beside =
        what === null ? 'alone' : `beside ${connections} clients that repeat ${what} (${answers})`
      figures.push({
        what: `p99 of { __typename } ${beside}`,
        measured: `${milliseconds.toFixed(1)} ms`,
        asked: what === null ? '' : `${(3 * quiet + 50).toFixed(0)} ms`,
      })
    }
    return figures
  } finally {
    server.child.kill()
    await server.ended
  }
}
