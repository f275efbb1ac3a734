import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { groupBy } from '../../src/services/shared/groups.js'
import { sql } from '../../src/store/engine/sql.js'
import { isFinished } from '../../src/store/jobs.js'
import type { JobStatus } from '../../src/store/schema/job-tables.js'
import { ALL_ENGINES } from '../kit/databases.js'
import { type Answer, type Api, initWorld } from '../kit/seed.js'

/** Clients behind a proxy, and the requests that each sends at the same time. */
const CLIENTS = 10
const REQUESTS = 4

/** About as many comparisons as a document has room for. */
const COMPARISONS = 40
const IMAGES = 500

/** Places of the queue for jobs that requests wait for. */
const PLACES = 1000

/** Time that a step may take on a busy machine, in milliseconds. */
const STEP_MS = 180_000

const FIGURE = 'WORD_PRECISION'

/** Beside the question that nobody else asks. */
const FIGURES = new Array(9).fill({ figure: FIGURE })

const PARTS = ['NN', 'VB', 'JJ', 'IN', 'PRP', 'DT', 'OTHER']

/** All parts of speech in one of 5,040 orders: comparisons with others are different questions. */
function partsInOrder(number: number): string[] {
  const left = [...PARTS]
  let rest = number
  return PARTS.map(() => {
    const [part] = left.splice(rest % left.length, 1)
    rest = Math.floor(rest / (left.length + 1))
    return part
  })
}

interface Row {
  readonly id: number
  readonly owner: string
  readonly status: JobStatus
  readonly startedAt: string | null
}

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
    for (const [by, name] of ['one', 'two'].entries()) {
      await dogs.captionSystem(
        name,
        Object.fromEntries(images.map((image) => [image, captionOf(image, by + 3)])),
      )
    }
    api = await world.serve({ workers: 1, trustedProxies: ['127.0.0.1'] })
  })

  let different = 0

  /** A request of a client for comparisons that nobody else asks for. */
  async function ask(client: number, count: number, signal?: AbortSignal): Promise<Answer> {
    const names = Array.from({ length: count }, (_, index) => `w${index}`)
    const types = names.map((name) => `$${name}: [WordComparisonInput!]`).join(' ')
    const fields = names.map((name) => `${name}: comparisons(words: $${name}) { alone { pValue } }`)
    const words = names.map((name) => [
      name,
      [...FIGURES, { figure: FIGURE, partOfSpeech: partsInOrder(different++) }],
    ])
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${client}` },
      body: JSON.stringify({
        query: `query (${types}) { dataset(name: "dogs") { ${fields.join(' ')} } }`,
        variables: Object.fromEntries(words),
      }),
      signal,
    })
    const { data = null, errors = [] } = (await response.json()) as Partial<Answer>
    return { data, errors, status: response.status }
  }

  const readJobs = () =>
    world.database.all<Row>(sql`
      SELECT id, owner, status, started_at AS "startedAt" FROM job WHERE kind = 'compare' ORDER BY id`)

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
    await world.database.run(sql`DELETE FROM job WHERE kind = 'compare'`)
    const requests = Array.from({ length: CLIENTS * REQUESTS }, (_, index) =>
      ask(index % CLIENTS, COMPARISONS, leaving.signal).catch(() => null),
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
    expect(data.dataset.w0[0].alone.pValue).toBeGreaterThan(0)
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
