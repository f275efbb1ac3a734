import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { rowIdOf } from '../../src/api/shared/ids.js'
import { createRandom } from '../../src/core/stats/random.js'
import { hasCode } from '../../src/errors.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { createChallenge } from '../../src/services/challenges/challenges.js'
import { rerunSubmission } from '../../src/services/challenges/submissions.js'
import { submit } from '../../src/services/challenges/submit.js'
import type { Accord } from '../../src/services/shared/accord.js'
import { groupBy } from '../../src/services/shared/groups.js'
import { startWorkers } from '../../src/services/workers/workers.js'
import { sql } from '../../src/store/engine/sql.js'
import { outcomeOf, query, urlOf, workbench } from '../cli/kit.js'
import { ALL_ENGINES } from '../kit/databases.js'
import { DOG_PHASE, dogImages, dogResults, memberOf } from '../kit/dogs.js'
import { initWorld } from '../kit/seed.js'
import { sendFile, uploadOf } from '../kit/uploads.js'

/** Many teams at once, and processes that are killed: the ledger of submissions and their jobs always agree. */

const COUNT = 20
const IMAGES = dogImages(COUNT)
const RESULTS = dogResults(COUNT, (image) => `a dog in park ${image + 1}`)
const PHASE = { ...DOG_PHASE, metrics: ['BLEU-1', 'CIDEr-D'], decimals: undefined }

interface Entry {
  readonly id: number
  readonly team: string
  readonly status: string
  readonly systemId: number | null
  readonly uploadId: string | null
  readonly startedAt: string | null
  readonly scoreCount: number
}

/** The ledger beside the jobs. */
function readLedger({ database }: Accord): Promise<Entry[]> {
  return database.all<Entry>(sql`
    SELECT submission.id, team, job.status, submission.system_id AS "systemId", upload_id AS "uploadId",
           job.started_at AS "startedAt",
           (SELECT COUNT(*) FROM metric_score WHERE metric_score.system_id = submission.system_id) AS "scoreCount"
    FROM submission LEFT JOIN job ON job.id = submission.job_id ORDER BY submission.id`)
}

/** Waits until all jobs have ended. */
async function ended(accord: Accord): Promise<Entry[]> {
  const isOpen = ({ status }: Entry) => status === 'QUEUED' || status === 'RUNNING'
  for (;;) {
    const entries = await readLedger(accord)
    if (!entries.some(isOpen)) return entries
    await sleep(100)
  }
}

/** What holds at the end of every entry. */
function requireAgreement(entries: readonly Entry[]): void {
  for (const entry of entries) {
    expect(['DONE', 'FAILED', 'CANCELLED']).toContain(entry.status)
    if (entry.status === 'DONE')
      expect(entry).toMatchObject({ systemId: expect.any(Number), uploadId: null, scoreCount: 2 })
  }
}

describe.each(ALL_ENGINES)('submissions of many teams on %s', async (engine) => {
  const world = await initWorld({ engine })
  const { accord, location } = world

  const TEAMS = 25
  const PER_TEAM = 4
  /** More than are accepted. */
  const TRIES = 6

  it('are neither lost nor charged twice, keep the limits, and take turns', async () => {
    await world.dataset('dogs', { images: IMAGES })
    const limits = { perDay: PER_TEAM, total: 10, concurrent: PER_TEAM, attempts: 100 }
    await createChallenge(accord, OPEN_VIEWER, { name: 'dogs', phases: [{ ...PHASE, limits }] })
    const random = createRandom(7)
    const wanted = Array.from({ length: TEAMS * TRIES }, (_, index) => ({
      team: `team ${index % TEAMS}`,
      at: random.next(),
    }))
    // In another order of teams each time, all at once.
    wanted.sort((one, other) => one.at - other.at)
    const send = async ({ team }: { readonly team: string }) => {
      try {
        const upload = await uploadOf(accord, RESULTS, 'results.json', team)
        await submit(accord, memberOf(team), { challenge: 'dogs', upload })
        return 'accepted'
      } catch (error) {
        if (hasCode(error, 'NO_SUBMISSIONS_LEFT')) return 'refused'
        if (hasCode(error, 'TOO_MANY_UPLOADS') || hasCode(error, 'QUEUE_FULL')) {
          await sleep(50)
          return send({ team })
        }
        throw error
      }
    }
    const answers: string[] = []
    const waiting = [...wanted]
    const clients = Array.from({ length: 16 }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) answers.push(await send(next))
    })
    await Promise.all(clients)
    expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(TEAMS * PER_TEAM)
    const workers = await startWorkers({ location, count: 2 })
    try {
      const entries = await ended(accord)
      requireAgreement(entries)
      expect(entries.every(({ status }) => status === 'DONE')).toBe(true)
      const byTeam = groupBy(entries, ({ team }) => team)
      expect(byTeam.size).toBe(TEAMS)
      expect([...byTeam.values()].every(({ length }) => length === PER_TEAM)).toBe(true)
      // Nobody is served twice while another one waits for the first turn: all were waiting when the workers began.
      const served = entries
        .toSorted((one, other) => (one.startedAt! < other.startedAt! ? -1 : 1))
        .map(({ team }) => team)
      for (let turn = 0; turn < PER_TEAM; turn++) {
        const teams = new Set(served.slice(turn * TEAMS, (turn + 1) * TEAMS))
        // Jobs that started in the same millisecond may be sorted into the next turn.
        expect(teams.size).toBeGreaterThan(TEAMS - 5)
      }
    } finally {
      await workers.close()
    }
  })
})

describe.each(ALL_ENGINES)(
  'processes that are killed while they evaluate submissions on %s',
  async (engine) => {
    const world = await initWorld({ engine })
    const { accord, location } = world
    const bench = workbench()
    const running = new Set<ChildProcess>()

    const KILLS = 10
    const LIMIT = 60

    afterEach(() => {
      for (const child of running) child.kill('SIGKILL')
    })

    function start(command: string): ChildProcess {
      const child = bench.start(command, { ACCORD_DATABASE: location })
      running.add(child)
      child.once('close', () => running.delete(child))
      void outcomeOf(child).catch(() => {})
      return child
    }

    const SUBMIT = `mutation ($upload: ID!, $key: String!) {
      submit(input: { challenge: "dogs", upload: $upload, idempotencyKey: $key }) {
        ... on SubmitSuccess { submissions { id } } ... on MutationError { code } } }`

    let url: Promise<string>

    /** Sends a submission until it is answered: while the server is killed, nobody knows whether it was accepted. @returns its id */
    async function send(key: string): Promise<number | null> {
      for (;;) {
        try {
          const at = await url
          const upload = await sendFile(at, RESULTS, 'results.json')
          const { submissions, code } = (await query(at, SUBMIT, { upload, key })).data.submit
          if (submissions) return rowIdOf('Submission', submissions[0].id)
          if (code === 'NO_SUBMISSIONS_LEFT') return null
        } catch {
          // The server was killed.
        }
        await sleep(20)
      }
    }

    it('lose no submission that was accepted, charge none twice, and let none fail', async () => {
      await world.dataset('dogs', { images: IMAGES })
      const limits = { total: LIMIT, concurrent: 6 }
      await createChallenge(accord, OPEN_VIEWER, { name: 'dogs', phases: [{ ...PHASE, limits }] })
      const random = createRandom(engine === 'sqlite' ? 11 : 12)
      let server = start('serve --port 0 --workers 0')
      let worker = start('worker --workers 1')
      url = urlOf(server)
      let isOver = false
      const acknowledged = new Set<number>()
      const client = async (_: unknown, index: number) => {
        for (let request = 0; !isOver; request++) {
          const id = await send(`${index}: ${request}`)
          if (id === null) await sleep(50)
          else acknowledged.add(id)
        }
      }
      // A request waits for the check of its file as long as the lease of a worker that was killed.
      const clients = Array.from({ length: 6 }, client)
      // On a busy machine nothing may be accepted between two kills.
      await expect.poll(() => acknowledged.size).toBeGreaterThan(0)
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(50 + random.below(1500))
        const isServer = random.below(2) === 0
        const victim = isServer ? server : worker
        const closed = once(victim, 'close')
        victim.kill('SIGKILL')
        await closed
        if (isServer) {
          server = start('serve --port 0 --workers 0')
          url = urlOf(server)
          url.catch(() => {})
        } else worker = start('worker --workers 1')
        const entries = await readLedger(accord)
        // Every submission has a job; what is charged keeps the limit.
        expect(entries.every(({ status }) => status !== null)).toBe(true)
        const charged = entries.filter(({ status }) => !['FAILED', 'CANCELLED'].includes(status))
        expect(charged.length).toBeLessThanOrEqual(LIMIT)
      }
      isOver = true
      await Promise.all(clients)
      // A job fails after its third worker was killed, and for no other reason. Its team runs it again.
      const lost = (await ended(accord)).filter(({ status }) => status === 'FAILED')
      const failures = await accord.database.all<{ failure: unknown }>(
        sql`SELECT failure FROM job WHERE status = 'FAILED'`,
      )
      for (const { failure } of failures) expect(JSON.stringify(failure)).toContain('WORKER_LOST')
      for (const { id } of lost) await rerunSubmission(accord, OPEN_VIEWER, id)
      const entries = await ended(accord)
      requireAgreement(entries)
      expect(new Set(entries.map(({ status }) => status))).toEqual(new Set(['DONE']))
      const ids = entries.map(({ id }) => id)
      expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([])
      // What was sent again after it had failed is another submission.
      const lostIds = lost.map(({ id }) => id)
      expect(ids.filter((id) => !acknowledged.has(id) && !lostIds.includes(id))).toEqual([])
      const [{ systems }] = await accord.database.all<{ systems: number }>(
        sql`SELECT COUNT(*) AS systems FROM system`,
      )
      expect(systems).toBe(entries.filter(({ systemId }) => systemId !== null).length)
    })
  },
)
