import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { groupBy } from '../../src/services/shared/groups.js'
import { sql } from '../../src/store/engine/sql.js'
import { isFinished } from '../../src/store/jobs.js'
import type { JobStatus } from '../../src/store/schema/job-tables.js'
import { temporaryFolder } from '../formats/kit.js'
import { ALL_ENGINES } from '../kit/databases.js'
import { type Answer, type Api, initWorld } from '../kit/seed.js'

/** Clients behind a proxy, and the requests that each sends at the same time. */
const CLIENTS = 10
const REQUESTS = 4

/** As many judgings as a request may have, with the most resamples: together little less than the limit of the cost. */
const JUDGINGS = 50
const RESAMPLES = 100_000
const IMAGES = 190

/** Places of the queue for jobs that requests wait for. */
const PLACES = 1000

/** Time that a step may take on a busy machine, in milliseconds. */
const STEP_MS = 180_000

interface Row {
  readonly id: number
  readonly owner: string
  readonly status: JobStatus
  readonly startedAt: string | null
}

const files = temporaryFolder()

describe.each(ALL_ENGINES)('jobs of clients that fill the queue, on %s', async (engine) => {
  const world = await initWorld({ engine })
  let api: Api

  beforeAll(async () => {
    const captionOf = (image: number, by: number) =>
      `a ${image % 7 === by ? 'big' : 'small'} dog ${image % 3 === by ? 'runs' : 'sits'} near tree ${(image * by) % 11}`
    const images = Array.from({ length: IMAGES }, (_, index) => index + 1)
    const dogs = await world.dataset('dogs', {
      images: Object.fromEntries(images.map((image) => [image, [captionOf(image, 1), captionOf(image, 2)]])),
    })
    const judged = images.map((image) => ({
      image_id: String(image),
      captions: [{ caption: captionOf(image, 3), ratings: [image % 5] }],
    }))
    const file = { path: files.write('judged.jsonl', judged.map((line) => JSON.stringify(line)).join('\n')) }
    await world.accord.run('importJudgements', { dataset: dogs.row.name, file })
    api = await world.serve({ workers: 1, trustedProxies: ['127.0.0.1'] })
  })

  let different = 0

  /** A request of a client for judgings that nobody else asks for. */
  async function ask(client: number, count: number, signal?: AbortSignal): Promise<Answer> {
    const fields = Array.from(
      { length: count },
      (_, index) =>
        `c${index}: metaEvaluation(metrics: ["BLEU-1"], resampleCount: ${RESAMPLES - different++}) { conclusion }`,
    )
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${client}` },
      body: JSON.stringify({ query: `{ dataset(name: "dogs") { judgements { ${fields.join(' ')} } } }` }),
      signal,
    })
    const { data = null, errors = [] } = (await response.json()) as Partial<Answer>
    return { data, errors, status: response.status }
  }

  const readJobs = () =>
    world.database.all<Row>(sql`
      SELECT id, owner, status, started_at AS "startedAt" FROM job WHERE kind = 'judge' ORDER BY id`)

  /** Looks until a condition holds. @returns the jobs then */
  async function lookUntil(condition: (jobs: readonly Row[]) => boolean): Promise<readonly Row[]> {
    let jobs: readonly Row[] = []
    for (const end = performance.now() + STEP_MS; performance.now() < end; await sleep(50)) {
      jobs = await readJobs()
      if (condition(jobs)) return jobs
    }
    throw new Error(`after ${STEP_MS} ms the jobs are: ${described(jobs)}`)
  }
  const described = (jobs: readonly Row[]) =>
    jobs.map(({ id, owner, status }) => `${id} ${owner} ${status}`).join(', ')
  const unfinished = (jobs: readonly Row[]) => jobs.filter((job) => !isFinished(job))

  it('leave places to others, and are cancelled with the clients; the next client does not wait for them', async () => {
    const leaving = new AbortController()
    onTestFinished(() => leaving.abort())
    // What another attempt has left.
    await lookUntil((jobs) => unfinished(jobs).length === 0)
    await world.database.run(sql`DELETE FROM job WHERE kind = 'judge'`)
    const requests = Array.from({ length: CLIENTS * REQUESTS }, (_, index) =>
      ask(index % CLIENTS, JUDGINGS, leaving.signal).catch(() => null),
    )
    // Ten clients that take all they can get leave a third. Each gets places, also the one whose requests come last.
    const heldBy = (jobs: readonly Row[]) => groupBy(unfinished(jobs), ({ owner }) => owner)
    const full = await lookUntil(
      (jobs) => unfinished(jobs).length > PLACES / 2 && heldBy(jobs).size === CLIENTS,
    )
    const held = heldBy(full)
    for (const own of held.values()) expect(own.length).toBeLessThanOrEqual(PLACES / 10)

    const answer = ask(99, 1, AbortSignal.timeout(3 * STEP_MS))
    // It is awaited later, and not at all if a step before fails.
    answer.catch(() => {})
    const withNext = await lookUntil((jobs) => jobs.some(({ owner }) => owner === '192.0.2.99'))
    const next = withNext.find(({ owner }) => owner === '192.0.2.99') as Row
    const startedBefore = new Set(withNext.flatMap(({ id, startedAt }) => (startedAt === null ? [] : id)))
    leaving.abort()
    await Promise.all(requests)
    const after = await lookUntil((jobs) => unfinished(jobs).every(({ id }) => id === next.id))
    const { data, errors } = await answer.catch(async (error) => {
      throw new Error(`${error}; the jobs are: ${described(await readJobs())}`)
    })
    expect(errors).toEqual([])
    expect(data.dataset.judgements.c0.conclusion).not.toBe('')
    // Workers take turns between clients: of each of the others, one may come first.
    const ended = await readJobs()
    const { startedAt: start } = ended.find(({ id }) => id === next.id) as Row
    const earlier = ended.filter(
      ({ id, startedAt }) =>
        id !== next.id && !startedBefore.has(id) && startedAt !== null && startedAt <= (start as string),
    )
    expect(earlier.length).toBeLessThanOrEqual(CLIENTS)
    const outcomes = groupBy(after, ({ status }) => status)
    expect(outcomes.get('CANCELLED')?.length).toBeGreaterThan(PLACES / 2)
    expect(outcomes.get('FAILED')).toBeUndefined()
  })
})
