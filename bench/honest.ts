import type { ChildProcess } from 'node:child_process'
import { once, setMaxListeners } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { getIntrospectionQuery } from 'graphql'
import { projectFile } from '../src/project.js'
import { openAccord } from '../src/services/open-accord.js'
import { addSubmissions } from './crowd.js'
import { ACCORD, describeRatio, type Figure, note, runAccord, sized, startProgram } from './measure.js'
import type { Pings } from './pings.js'
import { computedBy, TURNS } from './turns.js'

/** How long `{ __typename }` takes beside clients that repeat the most expensive requests that a server accepts. */

/** Numbers of clients. */
const CONNECTIONS = [8, 100]
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
  // No two are the same document: the answers of one are kept.
  'varied introspection': (number) =>
    getIntrospectionQuery().replace('IntrospectionQuery', `Introspection${number}`),
  // Each spreads the next one twice: 511 fields.
  'nested fragments': (number) => {
    const fragments = Array.from({ length: 9 }, (_, level) => {
      const next = `...f${level + 1}n${number}`
      return `fragment f${level}n${number} on Dataset { name ${level < 8 ? `${next} ${next}` : ''} }`
    })
    return `{ dataset(name: "bench") { ...f0n${number} } } ${fragments.join(' ')}`
  },
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

/** Answers of requests that are no operations alone. */
interface Answer {
  /** 0 if the signal was aborted. */
  readonly status: number
  /** Of the first error. */
  readonly code?: string
}

interface SendOptions {
  readonly agent?: Agent
  readonly signal?: AbortSignal
  readonly variables?: object
}

type Send = (url: string, number: number, options: SendOptions) => Promise<Answer>

/** What the other classes are compared with. */
const CONTROL = 'the control'

/** Other requests, accepted or refused: uploads, streams and changes. The dataset `annotated` is a collection. */
const REQUESTS: Readonly<Record<string, Send>> = {
  [CONTROL]: (url, _number, options) => send(url, '{ __typename }', options),
  'variables of 700 kB': (url, number, options) =>
    send(url, 'query ($name: String!) { dataset(name: $name) { name } }', {
      ...options,
      variables: { name: String(number).padEnd(700_000, 'x') },
    }),
  'trickled uploads': (url, number, options) => upload(url, [...TRICKLED, String(number)], options),
  'dropped streams': dropStream,
  annotations: async (url, number, options) => {
    const annotator = `annotator ${number}`
    const task = await ask(
      url,
      `mutation { takeTask(input: { collection: "annotated", annotator: "${annotator}" }) {
        ... on TakeTaskSuccess { task { id } } } }`,
      options,
    )
    const [, id] = /"id":"([^"]+)"/.exec(task.body) ?? []
    if (id === undefined) return task
    return send(
      url,
      `mutation { submitCaption(input: { task: "${id}", annotator: "${annotator}", caption: "A dog runs across a field with number ${number}." }) {
        __typename } }`,
      options,
    )
  },
  imports: async (url, number, options) => {
    const captions = [1, IMAGE_OF_VAL2017].map((image_id) => ({ image_id, caption: 'a dog' }))
    const stored = await upload(url, [JSON.stringify(captions)], options)
    const [, id] = /"id":"([^"]+)"/.exec(stored.body) ?? []
    if (id === undefined) return stored
    return send(
      url,
      `mutation { importResults(input: { dataset: "bench", system: "flood ${Date.now()} ${number}", upload: "${id}",
        isMissingAllowed: true, isExtraAllowed: true }) { __typename } }`,
      options,
    )
  },
}

const IMAGE_OF_VAL2017 = 139

/** Parts of a file, which are sent one by one. */
const TRICKLED = Array.from({ length: 20 }, () => ' '.repeat(2000))
const TRICKLE_MS = 50

/** The names of the classes. */
export const classNames: readonly string[] = Object.keys(CLASSES)

/** An operation of a class. */
export function operationOf(name: string, number: number): string {
  return CLASSES[name](number)
}

/** What a client notices of others. */
export interface Delay {
  /** Of `{ __typename }`, in milliseconds. */
  readonly durations: readonly number[]
  /** Answers that the other clients received, and those of them that are errors. */
  readonly answers: number
  readonly refusals: number
}

/** The delay beside clients that repeat requests of a class. */
export async function delayBeside(
  url: string,
  what: string,
  seconds: number,
  connections = CONNECTIONS[0],
): Promise<Delay> {
  const stop = new AbortController()
  // Each client listens to it.
  setMaxListeners(0, stop.signal)
  let [sent, answers, refusals] = [0, 0, 0]
  const repeat = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!stop.signal.aborted) {
      const { status, code } = await sendOne(url, what, sent++, { agent, signal: stop.signal })
      if (status === 0) break
      answers++
      if (code !== undefined) refusals++
    }
    agent.destroy()
  }
  await sendOne(url, what, sent++, {})
  const clients = Promise.all(Array.from({ length: connections }, repeat))
  clients.catch(() => {})
  const durations = await durationsOf(url, seconds)
  stop.abort()
  await clients
  return { durations, answers, refusals }
}

/** Throws for an error that is not expected. */
async function sendOne(url: string, what: string, number: number, options: SendOptions): Promise<Answer> {
  const isOperation = what in CLASSES
  const answer = isOperation
    ? await send(url, operationOf(what, number), options)
    : await REQUESTS[what](url, number, options)
  const { status, code } = answer
  const expected = what === 'refused documents' ? ['GRAPHQL_VALIDATION_FAILED'] : ACCEPTED
  const isExpected = isOperation ? expected.includes(code) : code !== 'INTERNAL_SERVER_ERROR'
  if (status !== 0 && !isExpected) throw new Error(`${what}: status ${status}, ${code}`)
  return answer
}

/** How long `{ __typename }` takes, sent again and again by a thread of its own. */
async function durationsOf(url: string, seconds: number): Promise<number[]> {
  const worker = new Worker(projectFile('dist/bench/pings.js'), {
    workerData: { url, seconds } satisfies Pings,
  })
  const [durations] = await once(worker, 'message')
  return durations
}

function percentileOf(durations: readonly number[]): number {
  return durations.toSorted((one, other) => one - other)[Math.ceil(0.99 * durations.length) - 1]
}

/** Sends an operation. @returns the status, 0 if the signal was aborted, and the code of the first error */
export async function send(url: string, query: string, options: SendOptions = {}): Promise<Answer> {
  const { status, code } = await ask(url, query, options)
  return code === undefined ? { status } : { status, code }
}

/** An answer with the start of its body. */
type AnswerWithBody = Answer & { readonly body: string }

/** Requests that were sent. */
let asked = 0

/** Asks with a variable that nothing uses, another one each time: no answer is one that the server has kept. */
function ask(url: string, query: string, { variables, ...options }: SendOptions): Promise<AnswerWithBody> {
  return post(url, [JSON.stringify({ query, variables: { ...variables, asked: asked++ } })], options)
}

/** Sends a file in parts, with pauses between them. */
function upload(url: string, parts: readonly string[], options: SendOptions): Promise<AnswerWithBody> {
  return post(String(new URL('uploads', url)), parts, options)
}

function post(
  url: string,
  parts: readonly string[],
  { agent, signal }: SendOptions,
): Promise<AnswerWithBody> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const outgoing = request(url, { agent, signal, method: 'POST', headers }, (response) => {
      let body = ''
      response.on('data', (data) => {
        if (body.length < 1000) body += data
      })
      response.on('error', () => resolve({ status: 0, body }))
      response.on('end', () => {
        const [, code] = /"code":"([A-Z_]+)"/.exec(body) ?? []
        resolve({ status: response.statusCode ?? 0, code, body })
      })
    })
    outgoing.on('error', (error) => (signal?.aborted ? resolve({ status: 0, body: '' }) : reject(error)))
    const write = async () => {
      for (const part of parts.slice(0, -1)) {
        outgoing.write(part)
        await sleep(TRICKLE_MS)
      }
      outgoing.end(parts.at(-1))
    }
    void write()
  })
}

/** Asks for the words of a dataset as an event stream, and leaves when it begins. */
function dropStream(url: string, _number: number, { signal }: SendOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
    const outgoing = request(url, { signal, method: 'POST', headers }, (response) => {
      response.on('error', () => {})
      response.destroy()
      resolve({ status: response.statusCode ?? 0 })
    })
    outgoing.on('error', (error) => (signal?.aborted ? resolve({ status: 0 }) : reject(error)))
    outgoing.end(JSON.stringify({ query: operationOf('1,000 words', 0) }))
  })
}

/** Of each measurement, and how often it is repeated. */
const SECONDS = sized(2, 0.1)
const ROUNDS = 3

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

/**
 * What other clients notice of expensive requests: p99 beside each class as a ratio to p99 beside as many clients that repeat
 * `{ __typename }`, measured in turn, and the CPU time of the thread that answers.
 *
 * @param database with the dataset `bench`
 */
export async function benchHonest(database: string): Promise<Figure[]> {
  await createCollection(database)
  const server = startProgram(ACCORD, ['serve', '--port', '0', '--database', database], TURNS)
  const figures: Figure[] = [loadFigure('before')]
  try {
    const url = (await server.firstOutput).split(' ').at(-1) as string
    for (let warmUp = 0; warmUp < 20; warmUp++) await send(url, '{ __typename }')
    figures.push({
      what: 'p99 of { __typename } alone',
      measured: `${percentileOf(await durationsOf(url, SECONDS)).toFixed(1)} ms`,
      asked: '',
    })
    for (const what of [...classNames, ...Object.keys(REQUESTS).filter((name) => name !== CONTROL)]) {
      for (const connections of CONNECTIONS) {
        note(`{ __typename } beside ${connections} clients that repeat ${what}`)
        figures.push(await compareWithControl(server.child, url, what, connections))
      }
    }
    return [...figures, loadFigure('after')]
  } finally {
    server.child.kill()
    await server.ended
  }
}

/** Rounds of the control and of the class in turn: the machine may be busy for a while. */
async function compareWithControl(
  server: ChildProcess,
  url: string,
  what: string,
  connections: number,
): Promise<Figure> {
  const durations: Record<'control' | 'beside', number[]> = { control: [], beside: [] }
  let [answers, refusals, longest, sum] = [0, 0, 0, 0]
  for (let round = 0; round < sized(ROUNDS, 1); round++) {
    const control = await delayBeside(url, CONTROL, SECONDS, connections)
    await computedBy(server)
    const beside = await delayBeside(url, what, SECONDS, connections)
    const computed = await computedBy(server)
    durations.control.push(...control.durations)
    durations.beside.push(...beside.durations)
    answers += beside.answers
    refusals += beside.refusals
    longest = Math.max(longest, computed.longest)
    sum += computed.sum
  }
  const milliseconds = percentileOf(durations.beside)
  return {
    what: `… beside ${connections} clients that repeat ${what}; answers, refused; CPU time; longest piece`,
    measured: [
      `${milliseconds.toFixed(0)} ms, ${describeRatio(milliseconds, percentileOf(durations.control))}`,
      `${answers}, ${refusals}`,
      `${(sum / 1000).toFixed(1)} s`,
      `${longest.toFixed(0)} ms`,
    ].join('; '),
    asked: '',
  }
}

function loadFigure(when: string): Figure {
  return { what: `load average of the machine ${when}`, measured: loadavg()[0].toFixed(1), asked: '' }
}

/** The collection `annotated`. */
async function createCollection(database: string): Promise<void> {
  const file = `${database}.images.csv`
  const images = Array.from({ length: sized(20_000, 100) }, (_, id) => `${id},https://example.org/${id}.jpg`)
  writeFileSync(file, ['id,url', ...images].join('\n'))
  await runAccord('collect', 'create', '--dataset', 'annotated', '--images', file, '--database', database)
}
