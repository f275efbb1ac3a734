import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, inject } from 'vitest'
import { type ServeOptions, serve } from '../../src/api/http/server.js'
import { readResults } from '../../src/formats/captions/caption-files.js'
import { readWordScores } from '../../src/formats/words/word-scores.js'
import { reportAgreement } from '../../src/services/agreement/agreement.js'
import { requireDataset } from '../../src/services/datasets/datasets.js'
import { importCaptions, importDataset } from '../../src/services/datasets/import-captions.js'
import { openAccord } from '../../src/services/open-accord.js'
import { evaluateSystem, evaluateSystems } from '../../src/services/scoring/evaluate.js'
import { SEED_DATASET, writeSeed } from '../../src/services/seed/seed.js'
import type { Accord } from '../../src/services/shared/accord.js'
import { importResults } from '../../src/services/systems/import-results.js'
import { importWordScores, type SystemScores } from '../../src/services/systems/import-word-scores.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import { startWorkers } from '../../src/services/workers/workers.js'
import type { PartOfSpeech } from '../../src/shared/choices.js'
import { copyRows } from '../../src/store/copy.js'
import { openDatabase } from '../../src/store/database.js'
import type { Database } from '../../src/store/engine/session.js'
import type { EngineName } from '../../src/store/engine/sql.js'
import type { Dataset } from '../../src/store/schema/dataset-tables.js'
import { cocoCaptions, cocoResults, scoreLines, vocabulary } from './coco.js'
import { createTestDatabase } from './databases.js'
import './run-setup.js'
import { sendFile } from './uploads.js'

/**
 * Creates databases with data, and servers for them:
 *
 *     const world = await initWorld()
 *     const pets = await world.dataset('pets', { images: { 1: ['A dog.', 'The dog.'] } })
 *     await pets.captionSystem('parrot', { 1: 'A dog.' })
 *     const api = await world.serve()
 *     const { dataset } = await api.ask('{ dataset(name: "pets") { imageCount } }')
 *
 * Call `initWorld` at the top of a file or of a `describe`. Everything that it opens is closed and removed afterwards.
 * For both engines:
 *
 *     describe.each(ENGINES)('pets on %s', async (engine) => {
 *       const world = await initWorld({ engine })
 */
export async function initWorld({ engine = 'sqlite' }: { engine?: EngineName } = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'accord-world-'))
  const { location, remove } = await createTestDatabase(engine)
  const statements: string[] = []
  const options = { location, threadCount: 1, onStatement: (text: string) => statements.push(text) }
  const accord = await openAccord(options)
  const remote = await openAccord({ ...options, hasWorkers: true })
  const servers: Api[] = []
  afterAll(async () => {
    for (const server of servers) await server.close()
    await remote.close()
    await accord.close()
    await remove()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    location,
    accord,
    remote,
    database: accord.database,
    dataset: (name, content) => importContent(accord, folder, name, content),
    async statementsOf(act) {
      const before = statements.length
      await act()
      return statements.slice(before).filter((text) => !LOOKS_FOR_LOST_JOBS.test(text))
    },
    async serve(options = {}) {
      const api = await startServer({ accord: remote, ...options }, location)
      servers.push(api)
      return api
    },
  }
}

/** The statement of the timer that looks for jobs of lost workers: it belongs to no request. */
const LOOKS_FOR_LOST_JOBS =
  /^SELECT id FROM job\s+WHERE status = 'RUNNING' AND worker IS NOT NULL AND lease_until </

/**
 * Maximum difference in the number of statements between two executions of a query: two fields with the same loader
 * share a statement or use one each, depending on when their rows arrive.
 */
export const SPLIT_BATCHES = 3

export interface World {
  /** Folder for files of the tests. */
  readonly folder: string
  /** Location of the database, for `--database`. */
  readonly location: string
  readonly accord: Accord
  /** The same database for a server: workers execute its jobs. */
  readonly remote: Accord
  /** The database of `accord`. */
  readonly database: Database
  dataset(name: string, content: DatasetContent): Promise<SeededDataset>
  /** The SQL statements that `accord` executes during `act`; workers have other connections. */
  statementsOf(act: () => Promise<unknown>): Promise<string[]>
  /** A server on a free port. */
  serve(options?: Partial<ApiOptions>): Promise<Api>
}

export interface ApiOptions extends ServeOptions {
  /** Default: that of the world. */
  readonly accord: Accord
  /** Number of worker threads. Default: 0. */
  readonly workers: number
}

/** Loads the bundled dataset and its figures into an empty database. The files of a run compute them once. */
export async function loadEvaluatedSeed({ database }: Accord): Promise<void> {
  const from = await openDatabase(await evaluatedSeed(), { mustExist: true })
  await copyRows(from, database, () => {})
  await from.close()
}

/** @returns a SQLite file, which the first caller makes */
async function evaluatedSeed(): Promise<string> {
  const file = join(inject('runFolder'), 'seed.sqlite')
  const failure = `${file}.failed`
  try {
    mkdirSync(`${file}.begun`)
  } catch {
    while (!existsSync(file)) {
      if (existsSync(failure)) throw new Error(readFileSync(failure, 'utf8'))
      await sleep(20)
    }
    return file
  }
  try {
    const location = `${file}.part`
    const accord = await openAccord({ location, threadCount: 1 })
    await writeSeed(accord.database, ignoreProgress)
    await reportAgreement(accord, { dataset: SEED_DATASET })
    await evaluateSystems(accord, { dataset: SEED_DATASET })
    await accord.close()
    renameSync(location, file)
  } catch (error) {
    writeFileSync(failure, String(error))
    throw error
  }
  return file
}

type ById<Value> = Readonly<Record<string, Value>>

export interface DatasetContent {
  /** K. Default: the most frequent number of captions. */
  readonly captionsPerImage?: number
  /** By image id; an image without captions has an empty list. */
  readonly images: ById<readonly string[]>
  /** Default: the most used words. */
  readonly vocabulary?: ById<PartOfSpeech>
}

export interface SeededDataset {
  readonly row: Dataset
  /** Caption by image id; images may be missing. */
  captionSystem(name: string, captions: ById<string>): Promise<void>
  /** Score by word and image id; images may be missing. */
  scoreSystem(name: string, scores: ById<ById<number>>): Promise<void>
  /** Computes and stores the metric scores of a captioning system. */
  evaluate(system: string): Promise<void>
}

async function importContent(
  accord: Accord,
  folder: string,
  name: string,
  content: DatasetContent,
): Promise<SeededDataset> {
  function write(file: string, text: string): string {
    const path = join(folder, file)
    writeFileSync(path, text)
    return path
  }
  await importImages(accord.database, write, name, content)
  const row = await requireDataset(accord, name)
  return {
    row,
    async captionSystem(system, captions) {
      const source = write('results.json', JSON.stringify(cocoResults(captions)))
      const input = { source, captions: readResults(source), system, isMissingAllowed: true }
      await importResults(withoutJob(accord.database, ignoreProgress), row, input)
    },
    async scoreSystem(system, scores) {
      const source = write('scores.jsonl', scoreLines(scores))
      const read: SystemScores['read'] = (images) => readWordScores(source, undefined, images, true)
      await importWordScores(withoutJob(accord.database, ignoreProgress), row, { source, system, read })
    },
    async evaluate(system) {
      await evaluateSystem(accord, { dataset: name, system })
    },
  }
}

async function importImages(
  database: Database,
  write: (file: string, text: string) => string,
  dataset: string,
  { images: captionsOf, captionsPerImage, vocabulary: tags }: DatasetContent,
): Promise<void> {
  const size = { width: 640, height: 480 }
  const urlOf = (id: string) => `https://images.example/${id}.jpg`
  if (tags) {
    const { images, annotations } = cocoCaptions(captionsOf)
    const described = images.map((image) => ({ ...image, ...size, coco_url: urlOf(`${image.id}`) }))
    const input = {
      file: write('captions.json', JSON.stringify({ images: described, annotations })),
      vocabulary: write('vocabulary.csv', vocabulary(tags)),
    }
    await importCaptions(withoutJob(database, ignoreProgress), { ...input, dataset, captionsPerImage })
    return
  }
  let captionCount = 0
  const images = Object.entries(captionsOf).map(([externalId, captions]) => ({
    externalId,
    fileName: `${externalId}.jpg`,
    url: urlOf(externalId),
    ...size,
    captions: captions.map((text) => ({ externalId: String(++captionCount), text })),
  }))
  await importDataset(withoutJob(database, ignoreProgress), { dataset, captionsPerImage }, images)
}

function ignoreProgress(): void {}

/** Any JSON value. */
export type Json = ReturnType<typeof JSON.parse>

export interface Answer {
  readonly status: number
  readonly data: Json
  readonly errors: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions: { readonly code: string; readonly [detail: string]: unknown }
  }[]
}

/** A server, queried over HTTP. */
export interface Api {
  readonly url: string
  /** The response, including errors. */
  query(text: string, variables?: Json): Promise<Answer>
  /** The data of a response. Throws if the response has errors. */
  ask(text: string, variables?: Json): Promise<Json>
  /** The error codes of a response. */
  refusal(text: string, variables?: Json): Promise<string[]>
  /** Sends a body unchanged. */
  post(body: string, headers?: Record<string, string>): Promise<Answer>
  /** Sends a file to `/uploads`; objects are sent as JSON. @returns its id */
  upload(content: string | object, name?: string): Promise<string>
  /** Starts the job of a mutation, written as a field with its arguments, and waits until it is done. */
  done(mutation: string): Promise<void>
  /** Polls a job until it has ended. */
  ended(jobId: string): Promise<Json>
  close(): Promise<void>
}

async function startServer(
  { accord, workers: count = 0, ...options }: Partial<ApiOptions> & Pick<ApiOptions, 'accord'>,
  location: string,
): Promise<Api> {
  const defaults = { host: '127.0.0.1', port: 0, uploadLimit: '20mb', submissionLimit: '20mb' }
  const server = await serve(accord, { ...defaults, ...options })
  const workers = count > 0 ? await startWorkers({ location, count }) : undefined
  let closing: Promise<unknown> | undefined

  async function post(body: string, headers: Record<string, string> = {}): Promise<Answer> {
    const types = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
    const response = await fetch(server.url, { method: 'POST', headers: { ...types, ...headers }, body })
    const { data = null, errors = [] } = JSON.parse(await response.text())
    return { status: response.status, data, errors }
  }

  const query: Api['query'] = (text, variables) => post(JSON.stringify({ query: text, variables }))

  const ask: Api['ask'] = async (text, variables) => {
    const { data, errors } = await query(text, variables)
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
    return data
  }

  const api: Api = {
    url: server.url,
    post,
    query,
    ask,
    refusal: async (text, variables) =>
      (await query(text, variables)).errors.map(({ extensions }) => extensions.code),
    upload: (content, name) => sendFile(server.url, content, name),
    async done(mutation) {
      const data = await ask(
        `mutation { ${mutation} { ... on JobSuccess { job { id } } ... on MutationError { message } } }`,
      )
      const [payload] = Object.values<Json>(data)
      if (!payload.job) throw new Error(payload.message)
      const { failure } = await api.ended(payload.job.id)
      if (failure !== null) throw new Error(failure.message)
    },
    async ended(id) {
      for (;;) {
        const { job } = await ask(
          'query ($id: ID!) { job(id: $id) { id status progress message startedAt endedAt failure { code message } summary } }',
          { id },
        )
        if (job.status !== 'QUEUED' && job.status !== 'RUNNING') return job
        await sleep(20)
      }
    },
    async close() {
      closing ??= Promise.all([server.close(), workers?.close()])
      await closing
    },
  }
  return api
}
