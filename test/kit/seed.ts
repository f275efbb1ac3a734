import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { type ServeOptions, serve } from '../../src/api/server.js'
import { submittedResults } from '../../src/formats/coco-results.js'
import { collectScores, submittedScores } from '../../src/formats/word-scores.js'
import { evaluateSystem } from '../../src/jobs/evaluate.js'
import { importDataset } from '../../src/jobs/import-captions.js'
import { importResults } from '../../src/jobs/import-results.js'
import { importScores } from '../../src/jobs/import-scores.js'
import { type Database, openDatabase } from '../../src/store/database.js'
import { requireDataset } from '../../src/store/datasets.js'
import type { Dataset } from '../../src/store/entities.js'
import { requireSystem } from '../../src/store/systems.js'
import type { PartOfSpeech } from '../../src/text/part-of-speech.js'

/**
 * Databases with data, and servers on them, in a few words:
 *
 *     const world = await initWorld()
 *     const pets = await world.dataset('pets', { images: { 1: ['A dog.', 'The dog.'] } })
 *     await pets.captionSystem('parrot', { 1: 'A dog.' })
 *     const api = await world.serve()
 *     const { dataset } = await api.ask('{ dataset(name: "pets") { imageCount } }')
 *
 * Call `initWorld` at the top of a file or a `describe`: all it opens is closed and removed afterwards.
 */
export async function initWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'accord-world-'))
  const file = join(folder, 'accord.sqlite')
  const statements: string[] = []
  const database = await openDatabase(file, { onStatement: (sql) => statements.push(sql) })
  const servers = new Set<Api>()
  afterAll(async () => {
    for (const server of servers) await server.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    database,
    dataset: (name, content) => importContent(database, name, content),
    async statementsOf(act) {
      const before = statements.length
      await act()
      return statements.slice(before)
    },
    async serve(options = {}) {
      const api = await startServer(database, options)
      servers.add(api)
      return api
    },
  }
}

export interface World {
  /** A folder of its own. */
  readonly folder: string
  readonly database: Database
  dataset(name: string, content: DatasetContent): Promise<SeededDataset>
  /** The SQL statements that the server's own connection executes meanwhile. */
  statementsOf(act: () => Promise<unknown>): Promise<string[]>
  /** A server on a free port. */
  serve(options?: Partial<ServeOptions>): Promise<Api>
}

type ById<Value> = Readonly<Record<string, Value>>

export interface DatasetContent {
  /** K; by default what most images have. */
  readonly captionsPerImage?: number
  /** By image id; an image without captions has an empty list. */
  readonly images: ById<readonly string[]>
  /** By default the most used words. */
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
  database: Database,
  name: string,
  { images, captionsPerImage, vocabulary }: DatasetContent,
): Promise<SeededDataset> {
  const ids = Object.keys(images)
  const captions = ids.flatMap((id) => images[id])
  const firstCaption = new Int32Array(ids.length + 1)
  for (const [index, id] of ids.entries()) firstCaption[index + 1] = firstCaption[index] + images[id].length
  await importDataset(
    database,
    { dataset: name, captionsPerImage },
    {
      images: ids.map((externalId) => ({
        externalId,
        fileName: `${externalId}.jpg`,
        url: `https://images.example/${externalId}.jpg`,
        width: 640,
        height: 480,
      })),
      captions: captions.map((text, index) => ({ externalId: String(index + 1), text })),
      firstCaption,
    },
    vocabulary && Object.entries(vocabulary).map(([word, partOfSpeech]) => ({ word, partOfSpeech })),
    ignoreProgress,
  )
  const row = await requireDataset(database, name)
  return {
    row,
    async captionSystem(system, captionOf) {
      const submitted = Object.entries(captionOf).map(([imageId, caption]) => ({ imageId, caption }))
      const input = { source: 'seed', captions: submittedResults(submitted), system, allowMissing: true }
      await importResults(database, row, input, ignoreProgress)
    },
    async scoreSystem(system, scoresOf) {
      const submitted = Object.entries(scoresOf).map(([imageId, words]) => ({
        imageId,
        words: Object.entries(words).map(([word, score]) => ({ word, score })),
      }))
      const coverage = { source: 'seed', allowMissing: true }
      const input = {
        source: 'seed',
        read: (known: ReadonlyMap<string, number>) =>
          collectScores(submittedScores(submitted), known, coverage),
        system,
      }
      await importScores(database, row, input, ignoreProgress)
    },
    async evaluate(system) {
      await evaluateSystem(database, await requireSystem(database, row.id, system), {}, ignoreProgress)
    },
  }
}

function ignoreProgress(): void {}

/** Whatever JSON holds: what it should be, the tests say. */
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

/** A server, asked over HTTP. */
export interface Api {
  readonly url: string
  /** The answer, errors included. */
  query(text: string, variables?: Json): Promise<Answer>
  /** The data of an answer; throws where the answer has errors. */
  ask(text: string, variables?: Json): Promise<Json>
  /** The codes of the errors of an answer. */
  refusal(text: string, variables?: Json): Promise<string[]>
  /** Sends a body as it is. */
  post(body: string, headers?: Record<string, string>): Promise<Answer>
  /** Asks for an evaluation until it has ended. */
  ended(evaluationId: string): Promise<Json>
  close(): Promise<void>
}

async function startServer(database: Database, options: Partial<ServeOptions>): Promise<Api> {
  const server = await serve(database, { host: '127.0.0.1', port: 0, bodyLimit: '20mb', ...options })
  let closing: Promise<void> | undefined

  async function post(body: string, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    const { data = null, errors = [] } = JSON.parse(await response.text())
    return { status: response.status, data, errors }
  }

  const query: Api['query'] = (text, variables) => post(JSON.stringify({ query: text, variables }))

  const ask: Api['ask'] = async (text, variables) => {
    const { data, errors } = await query(text, variables)
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
    return data
  }

  return {
    url: server.url,
    post,
    query,
    ask,
    refusal: async (text, variables) =>
      (await query(text, variables)).errors.map(({ extensions }) => extensions.code),
    async ended(id) {
      for (;;) {
        const { evaluation } = await ask(
          'query ($id: ID!) { evaluation(id: $id) { id status progress message startedAt finishedAt } }',
          { id },
        )
        if (evaluation.status !== 'QUEUED' && evaluation.status !== 'RUNNING') return evaluation
        await sleep(20)
      }
    },
    close() {
      closing ??= server.close()
      return closing
    },
  }
}
