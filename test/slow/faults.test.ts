import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/stats/random.js'
import { startEvaluation } from '../../src/services/evaluations/start-evaluation.js'
import { openAccord } from '../../src/services/open-accord.js'
import { copyRows } from '../../src/store/copy.js'
import { openDatabase } from '../../src/store/database.js'
import type { Database } from '../../src/store/engine/session.js'
import { type Sql, sql } from '../../src/store/engine/sql.js'
import { type Outcome, outcomeOf, PROGRAM, query, runHere, urlOf, workbench } from '../cli/kit.js'
import { atEnd } from '../kit/cleanup.js'
import { cocoCaptions, cocoResults, manyCaptions, scoreLines } from '../kit/coco.js'
import { ALL_ENGINES, createTestDatabase } from '../kit/databases.js'
import { postgresMissing } from '../kit/postgres.js'
import { executeOn, type PostgresServer, startPostgresServer } from '../kit/postgres-process.js'

/**
 * Commands that are interrupted at moments that a seed chooses, and are then repeated: nothing is lost, doubled or stored in
 * part, and figures equal those of commands that nothing interrupted, to the last bit.
 */

/** How long PostgreSQL is paused, in seconds. */
const PAUSE = Number(process.env.ACCORD_FAULT_PAUSE ?? 5)

/** Kills on both engines: two of each command on each. */
const KILLS = Number(process.env.ACCORD_FAULT_TRIALS ?? 56)

const bench = workbench()
const IMAGES = Array.from({ length: 60 }, (_, index) => index + 1)
const WORDS = ['dog', 'cat', 'red', 'sofa', 'runs', 'sleeps', 'man', 'big']
const word = (index: number) => WORDS[index % WORDS.length]
const caption = (image: number, index: number) =>
  `a ${word(image)} ${word(image * 3 + index)} on the ${word(image + 2 * index)}`

beforeAll(() => {
  bench.write(
    'small.json',
    cocoCaptions(Object.fromEntries(IMAGES.map((image) => [image, [0, 1, 2].map((i) => caption(image, i))]))),
  )
  bench.write('one.json', cocoResults(Object.fromEntries(IMAGES.map((image) => [image, caption(image, 5)]))))
  bench.write('large.json', manyCaptions(400))
  const long = (image: number, index: number) =>
    Array.from({ length: 600 }, (_, place) => word(image * place + ((index + place) % 7))).join(' ')
  bench.write(
    'long.json',
    cocoCaptions(Object.fromEntries(IMAGES.map((image) => [image, [0, 1, 2].map((i) => long(image, i))]))),
  )
  bench.write(
    'long-results.json',
    cocoResults(Object.fromEntries(IMAGES.map((image) => [image, long(image, 5)]))),
  )
  bench.write(
    'scores.jsonl',
    scoreLines(Object.fromEntries(IMAGES.map((image) => [image, { dog: 1 / image, cat: image / 50 }]))),
  )
  bench.write('boxes.json', {
    images: IMAGES.map((image) => ({
      image_id: image,
      boxes: [{ id: 1, concept: word(image), bbox: [0, 0, 9, 9] }],
    })),
  })
  bench.write(
    'objects.csv',
    `image_id,objects\n${IMAGES.map((image) => `${image},${word(image)}`).join('\n')}\n`,
  )
  bench.write('votes.csv', `atom,visual,voter\n${WORDS.map((atom) => `${atom},yes,a`).join('\n')}\n`)
  bench.write(
    'judged.jsonl',
    IMAGES.map((image) =>
      JSON.stringify({
        image_id: `r${image}`,
        references: [caption(image, 0), caption(image, 1)],
        captions: [
          { caption: caption(image, 2), ratings: [4, 3] },
          { caption: caption(image + 3, 4), ratings: [1, 2] },
        ],
      }),
    ).join('\n'),
  )
})

const COMMANDS = [
  'import captions large.json --dataset large',
  'import results one.json --dataset small --system new',
  'import scores scores.jsonl --dataset small --system detector',
  'import boxes boxes.json --dataset small',
  'import objects objects.csv --dataset small',
  'import votes votes.csv --dataset small --kind entity',
  'import judgements judged.jsonl --dataset judged',
  'evaluate --dataset small',
  'agreement --dataset small',
  'compare --dataset small',
  'judge --dataset rated',
  'train composite --name Two --features ROUGE-L BLEU-1 --data small --validation rated',
  'bounds train --dataset small --kind entity --atoms 2 --epochs 2',
  'remove system two --dataset small',
  'remove dataset rated',
] as const

/** What figures are computed from, and the figures, by their names: ids differ between attempts on PostgreSQL. */
const CONTENT: readonly Sql[] = [
  sql`SELECT name, revision, image_count, caption_count, excluded_image_count FROM dataset ORDER BY name`,
  sql`SELECT dataset.name, image.external_id, position, text FROM caption JOIN image ON image.id = image_id
      JOIN dataset ON dataset.id = dataset_id ORDER BY 1, 2, 3`,
  sql`SELECT dataset.name, text, part_of_speech, vocabulary_rank, word.image_count, word.caption_count, histogram,
             human_precision, human_recall FROM word JOIN dataset ON dataset.id = dataset_id ORDER BY 1, 2`,
  sql`SELECT name, kind, content, image_count FROM system ORDER BY name`,
  sql`SELECT system.name, image.external_id, text FROM system_caption JOIN system ON system.id = system_id
      JOIN image ON image.id = image_id ORDER BY 1, 2`,
  sql`SELECT system.name, signature, value, lower, upper, image_scores FROM metric_score
      JOIN system ON system.id = system_id ORDER BY 1, 2`,
  sql`SELECT dataset.name, signature, mean, lower, upper, image_scores FROM agreement_score
      JOIN dataset ON dataset.id = dataset_id ORDER BY 1, 2, reference_count`,
  sql`SELECT image.external_id, box.external_id AS box, concept FROM box JOIN image ON image.id = image_id ORDER BY 1, 2`,
  sql`SELECT image.external_id, names FROM image_object JOIN image ON image.id = image_id ORDER BY 1`,
  sql`SELECT text, ratings FROM judged_caption ORDER BY text, ratings`,
  sql`SELECT name, hash, weights FROM artefact ORDER BY name`,
  sql`SELECT settings, model, log_likelihoods FROM bound WHERE model IS NOT NULL ORDER BY 1`,
]

async function withDatabase<Result>(
  location: string,
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(location, { mustExist: true })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

/** A digest of the content. */
const contentOf = (location: string) =>
  withDatabase(location, async (database) => {
    const hash = createHash('sha256')
    for (const query of CONTENT) hash.update(JSON.stringify(await database.all(query)))
    return hash.digest('hex')
  })

/** Waits until PostgreSQL has ended the statements of a client that is gone, and ends its leases as time would. */
const recover = (location: string) =>
  withDatabase(location, async (database) => {
    const others = sql`SELECT pid FROM pg_stat_activity
                       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`
    while (database.engine === 'postgres' && (await database.all(others)).length > 0) await sleep(10)
    await database.run(sql`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE status = 'RUNNING'`)
  })

function run(command: string, location: string, environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return outcomeOf(bench.start(command, { ACCORD_DATABASE: location, ...environment }))
}

/** Runs a command to its end, undisturbed, in this process: starting others would take most of the time. */
async function succeed(command: string, location: string): Promise<void> {
  const { code, stderr } = await runHere(command, { ACCORD_DATABASE: location }, bench.folder)
  if (code !== 0) throw new Error(`accord ${command}: ${stderr}`)
}

async function prepare(engine: (typeof ALL_ENGINES)[number]): Promise<string> {
  const { location, remove } = await createTestDatabase(engine)
  atEnd(async () => remove())
  await importSmall(location)
  return location
}

async function importSmall(location: string): Promise<void> {
  await succeed('import captions small.json --dataset small', location)
  for (const name of ['one', 'two'])
    await succeed(`import results one.json --dataset small --system ${name}`, location)
  await succeed('import judgements judged.jsonl --dataset rated', location)
}

/** Repeats a command after a fault, unless it had already stored everything. */
async function repeat(command: string, location: string, expected: string): Promise<void> {
  await recover(location)
  await succeed('check', location)
  if ((await contentOf(location)) !== expected) await succeed(command, location)
  expect(await contentOf(location), command).toBe(expected)
}

type Any = ReturnType<typeof JSON.parse>

const EVALUATE = `mutation {
  startEvaluation(input: { dataset: "small", system: "one" }) { ... on JobSuccess { job { id } } }
}`

const COMPARISON = `{ dataset(name: "small") {
  comparisons(systems: ["one", "two"], metrics: ["BLEU-4"]) { __typename }
} }`

describe.each(ALL_ENGINES)('on %s', (engine) => {
  /** The content before and after each command, and how long it takes. */
  const undisturbed = new Map<string, { readonly after: string; readonly milliseconds: number }>()
  let copyOf: () => Promise<string>

  beforeAll(async () => {
    const prepared = await prepare(engine)
    copyOf = async () => {
      const { location, remove } = await createTestDatabase(engine)
      atEnd(async () => remove())
      await withDatabase(prepared, (from) => withDatabase(location, (to) => copyRows(from, to, () => {})))
      return location
    }
    for (const command of COMMANDS) {
      const location = await copyOf()
      const begin = performance.now()
      expect(await run(command, location)).toMatchObject({ code: 0 })
      undisturbed.set(command, { milliseconds: performance.now() - begin, after: await contentOf(location) })
    }
  })

  it.each(COMMANDS)('%s: whenever it is killed, it stores everything or nothing', async (command) => {
    const random = createRandom(COMMANDS.indexOf(command))
    for (let trial = 0; trial < KILLS / COMMANDS.length / ALL_ENGINES.length; trial++) {
      const { after, milliseconds } = undisturbed.get(command)!
      const location = await copyOf()
      const child = bench.start(command, { ACCORD_DATABASE: location })
      const outcome = outcomeOf(child)
      await sleep(random.next() * milliseconds)
      child.kill('SIGKILL')
      await outcome
      await repeat(command, location, after)
    }
  })

  it('a clock that is days ahead or behind changes no figure', async () => {
    for (const hours of [-100, 100]) {
      writeFileSync(
        bench.path('clock.mjs'),
        `const now = Date.now; Date.now = () => now() + ${hours} * 3600_000`,
      )
      const environment = { NODE_OPTIONS: `--import=${bench.path('clock.mjs')}` }
      const location = await copyOf()
      const command = 'evaluate --dataset small'
      expect(await run(command, location, environment)).toMatchObject({ code: 0 })
      expect(await contentOf(location)).toBe(undisturbed.get(command)!.after)
      // A job that it began does not stay for ever.
      await succeed('agreement --dataset small', location)
    }
  })

  it('a server that is asked to stop answers or ends each request, and its jobs are done once', async () => {
    const location = await copyOf()
    const environment = { ACCORD_DATABASE: location }
    const server = bench.start('serve --port 0 --workers 1', environment)
    const outcome = outcomeOf(server)
    const url = await urlOf(server)
    const json = { 'content-type': 'application/json' }
    const post = (text: string, headers = {}) =>
      fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify({ query: text }) })
    const { data } = await query(url, EVALUATE)
    const { id } = data.startEvaluation.job
    const watched = await post(`subscription { jobProgress(id: "${id}") { status } }`, {
      accept: 'text/event-stream',
    })
    async function* slowUpload() {
      for (;;) {
        yield new Uint8Array(1000)
        await sleep(20)
      }
    }
    const requests: Promise<Any>[] = [
      watched.text(),
      post(COMPARISON).then((response) => response.json()),
      post('{ dataset(name: "small") { words { nodes { text } } } }').then((response) => response.json()),
      post(EVALUATE.replace('"one"', '"two"')).then((response) => response.json()),
      fetch(new URL('uploads?filename=part', url), {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: ReadableStream.from(slowUpload()),
        duplex: 'half',
      } as RequestInit).then((response) => response.json()),
    ]
    await sleep(50)
    server.kill('SIGTERM')
    const answers = await Promise.allSettled(requests)
    expect(await outcome).toMatchObject({ code: 0, signal: null })
    for (const answer of answers) {
      // A connection that has ended, or a complete answer: a part of a body would not be JSON.
      if (answer.status === 'rejected')
        expect(String(answer.reason)).toMatch(/^TypeError: (fetch failed|terminated)/)
      else for (const { extensions } of answer.value.errors ?? []) expect(extensions.code).toBe('CANCELLED')
    }
    // The job, if it was read before the signal, and a regular end.
    expect(answers[0].status === 'fulfilled' && answers[0].value).toMatch(
      /("jobProgress"|CANCELLED).*event: complete/s,
    )
    const [, , , second] = answers
    const added = second.status === 'fulfilled' ? second.value.data?.startEvaluation.job?.id : undefined
    const asked = [id, ...(added ? [added] : [])]
    const next = bench.start('serve --port 0 --workers 1', environment)
    const nextOutcome = outcomeOf(next)
    const nextUrl = await urlOf(next)
    for (const job of asked) {
      const status = async () => (await query(nextUrl, `{ job(id: "${job}") { status } }`)).data.job.status
      while (['QUEUED', 'RUNNING'].includes(await status())) await sleep(50)
      expect(await status()).toBe('DONE')
    }
    next.kill('SIGTERM')
    expect(await nextOutcome).toMatchObject({ code: 0, signal: null })
    await withDatabase(location, async (database) => {
      const unfinished = sql`SELECT kind FROM job WHERE status IN ('QUEUED', 'RUNNING')`
      expect(await database.all(unfinished)).toEqual([])
      expect(await database.all(sql`SELECT id FROM upload WHERE name = 'part'`)).toEqual([])
    })
    await repeat('evaluate --dataset small', location, undisturbed.get('evaluate --dataset small')!.after)
  })

  it.runIf(engine === 'postgres')('connections that are terminated lose nothing', async () => {
    const random = createRandom(17)
    for (const command of COMMANDS.slice(0, 7)) {
      const { after, milliseconds } = undisturbed.get(command)!
      const location = await copyOf()
      const outcome = run(command, location)
      await sleep(random.next() * milliseconds)
      await withDatabase(location, (database) =>
        database.all(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                         WHERE datname = current_database() AND pid <> pg_backend_pid()`),
      )
      const { code, stderr } = await outcome
      expect(stderr).not.toMatch(/internal error/)
      expect([0, 1]).toContain(code)
      await repeat(command, location, after)
    }
  })

  it.runIf(engine === 'sqlite')(
    'a disk that is full at any write is one error, and nothing is stored',
    async () => {
      const random = createRandom(18)
      for (let trial = 0; trial < 8; trial++) {
        const command = COMMANDS[trial % 7]
        const location = await copyOf()
        // In units of 1 kB: from the size of the database on. The signal is ignored, so that writes fail.
        const limit = Math.ceil(statSync(location).size / 1024) + random.below(300)
        const script = `trap '' XFSZ; ulimit -f ${limit}; exec "$0" "$@"`
        const words = ['-c', script, process.execPath, PROGRAM, ...command.split(' ')]
        const child = spawn('bash', words, {
          cwd: bench.folder,
          env: { ...process.env, ACCORD_DATABASE: location },
        })
        const { code, stderr } = await outcomeOf(child)
        expect([0, 1]).toContain(code)
        expect(stderr).not.toMatch(/internal error/)
        if (code === 1)
          expect(stderr.split('\n').filter((line) => line.startsWith('accord: '))).toHaveLength(1)
        await repeat(command, location, undisturbed.get(command)!.after)
      }
    },
  )
})

describe.skipIf(postgresMissing)('while a job surely runs, PostgreSQL', () => {
  const EVALUATION = { dataset: 'long', system: 'one', metrics: ['ROUGE-L', 'METEOR', 'CIDEr'] }
  let server: PostgresServer
  let template: string
  let expected: string

  beforeAll(async () => {
    // A server of its own, which waits for the disk.
    server = await startPostgresServer('durable')
    atEnd(() => server.stop())
    template = await create('template0')
    await succeed('import captions long.json --dataset long', template)
    await succeed('import results long-results.json --dataset long --system one', template)
    const undisturbed = await create('accord_1')
    await enqueue(undisturbed)
    const worker = start('worker --workers 1', undisturbed)
    await untilDone(undisturbed)
    await stop(worker)
    expected = await contentOf(undisturbed)
  })

  let created = 0
  async function create(from: string): Promise<string> {
    const name = `accord_${++created}`
    await executeOn(server.url, `CREATE DATABASE ${name} TEMPLATE ${from}`)
    // PostgreSQL has logged the next ids of the sequences for the template alone: a crash would give them out again.
    await executeOn(server.url, 'CHECKPOINT')
    return Object.assign(new URL(server.url), { pathname: name }).href
  }

  const nameOf = (location: string) => new URL(location).pathname.slice(1)

  async function enqueue(location: string): Promise<void> {
    const accord = await openAccord({ location, mustExist: true, threadCount: 1 })
    await startEvaluation(accord, EVALUATION)
    await accord.close()
  }

  function start(command: string, location: string) {
    const child = bench.start(command, { ACCORD_DATABASE: location })
    return { child, outcome: outcomeOf(child) }
  }

  async function stop({ child, outcome }: ReturnType<typeof start>): Promise<Outcome> {
    child.kill('SIGTERM')
    return outcome
  }

  const evaluations = (location: string) =>
    executeOn<{ status: string }>(location, "SELECT status FROM job WHERE kind = 'evaluate' ORDER BY id")

  /** It may have ended before it was seen running. */
  async function untilStarted(location: string): Promise<void> {
    while ((await evaluations(location)).at(-1)?.status === 'QUEUED') await sleep(5)
  }

  async function untilDone(location: string): Promise<void> {
    while ((await evaluations(location)).some(({ status }) => status === 'QUEUED' || status === 'RUNNING'))
      await sleep(50)
  }

  const FAULTS: Readonly<Record<string, (location: string) => Promise<unknown>>> = {
    'is killed and started again': () => server.signal('SIGKILL'),
    'is paused': async () => {
      await server.signal('SIGSTOP')
      await sleep(PAUSE * 1000)
      await server.signal('SIGCONT')
    },
    'ends its connections': (location) =>
      executeOn(
        location,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      ),
  }

  const EXECUTORS = ['worker --workers 1', 'serve --port 0 --workers 1']

  it.each(Object.keys(FAULTS).flatMap((fault) => EXECUTORS.map((executor) => [fault, executor])))(
    '%s: the job of %s is done once, with the same figures',
    async (fault, executor) => {
      const location = await create('accord_1')
      await enqueue(location)
      const first = start(executor, location)
      await untilStarted(location)
      await FAULTS[fault](location)
      // Whether the worker has ended or executes jobs again: another one takes what it leaves.
      const second = start(executor, location)
      await untilDone(location)
      for (const { code, stderr } of [await stop(first), await stop(second)]) {
        expect([0, 1]).toContain(code)
        expect(stderr).not.toMatch(/internal error|\n {4}at /)
      }
      expect(new Set((await evaluations(location)).map(({ status }) => status))).toEqual(new Set(['DONE']))
      await succeed('check', location)
      expect(await contentOf(location)).toBe(expected)
    },
  )

  const TRAININGS = COMMANDS.filter((command) => / train |^train /.test(command))

  it.each(Object.keys(FAULTS))(
    '%s: trainings end or fail, and have the same figures when they are repeated',
    async (fault) => {
      const prepared = await create('template0')
      await importSmall(prepared)
      for (const command of TRAININGS) {
        const undisturbed = await create(nameOf(prepared))
        await succeed(command, undisturbed)
        const location = await create(nameOf(prepared))
        const { child, outcome } = start(command, location)
        const running = () => executeOn(location, "SELECT id FROM job WHERE status = 'RUNNING'")
        // It may have ended before it was seen running.
        while (child.exitCode === null && (await running()).length === 0) await sleep(2)
        await FAULTS[fault](location)
        const { code, stderr } = await outcome
        expect([0, 1]).toContain(code)
        expect(stderr).not.toMatch(/internal error|\n {4}at /)
        await repeat(command, location, await contentOf(undisturbed))
      }
    },
  )
})
