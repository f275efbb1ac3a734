import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { OPEN_VIEWER, type Viewer } from '../../../src/services/accounts/viewer.js'
import {
  type Board,
  type BoardOrder,
  readBoard,
  storedScoresOfSubmissions,
} from '../../../src/services/challenges/board.js'
import {
  createChallenge,
  rerunChallenge,
  updateChallenge,
} from '../../../src/services/challenges/challenges.js'
import { requirePhase } from '../../../src/services/challenges/phases.js'
import { chooseEntry, withdrawSubmission } from '../../../src/services/challenges/submissions.js'
import { submit } from '../../../src/services/challenges/submit.js'
import { changeBoard, readStoredBoard } from '../../../src/store/boards.js'
import { raw, sql } from '../../../src/store/engine/sql.js'
import { MetricScoreEntity } from '../../../src/store/schema/score-tables.js'
import { ENGINES } from '../../kit/databases.js'
import { DOG_PHASE, dogImages, dogResults, endJobs, memberOf } from '../../kit/dogs.js'
import { setRevision } from '../../kit/revisions.js'
import { initWorld } from '../../kit/seed.js'
import { uploadOf } from '../../kit/uploads.js'

const COUNT = 40

const IMAGES = dogImages(COUNT)

const captions = (text: (image: number) => string) => dogResults(COUNT, text)

const GOOD = captions((image) => `a dog runs in park ${image}`)
/** The same but for one image. */
const NEARLY = captions((image) => (image === 3 ? 'a dog runs' : `a dog runs in park ${image}`))
const BAD = captions((image) => `zebra ${image % 2}`)

const RIVAL = memberOf('rival')

afterEach(() => {
  vi.useRealTimers()
})

describe.each(ENGINES)('boards on %s', async (engine) => {
  const { accord, database, location, ...world } = await initWorld({ engine })

  /** Submissions by the team that sent them, in order. */
  const ids: Record<string, number[]> = {}

  const send = async (team: string, content: object, isAnonymous = false) => {
    const upload = await uploadOf(accord, content, `${team}.json`)
    const [{ id }] = await submit(accord, memberOf(team), { challenge: 'dogs', upload, isAnonymous })
    ids[team] = [...(ids[team] ?? []), id]
  }

  const board = async (viewer = RIVAL, order: BoardOrder | null = null) =>
    readBoard(accord, viewer, await requirePhase(database, OPEN_VIEWER, 'dogs', 'main'), order)

  const shown = (found: Board | null) => found?.rows.map(({ rank, kind, name }) => [rank, kind, name])

  beforeAll(async () => {
    const dogs = await world.dataset('dogs', { images: IMAGES })
    await dogs.captionSystem(
      'zebra',
      Object.fromEntries(Object.keys(IMAGES).map((image) => [image, `dog ${image}`])),
    )
    await createChallenge(accord, OPEN_VIEWER, {
      name: 'dogs',
      phases: [{ ...DOG_PHASE, baselines: ['zebra'] }],
    })
    await send('anna', BAD)
    await send('anna', GOOD)
    await send('ben', NEARLY)
    await send('carl', BAD, true)
    await endJobs(database, location)
    await send('dora', GOOD)
  })

  it('has the best entry of each team; those that a test does not tell apart share a rank', async () => {
    const found = await board()
    expect(shown(found)).toEqual([
      [1, 'ENTRY', 'ANNA'],
      [1, 'ENTRY', 'BEN'],
      [null, 'HUMAN', 'people'],
      [null, 'BASELINE', 'zebra'],
      [3, 'ENTRY', null],
      [null, 'ENTRY', 'DORA'],
    ])
    // Rounded, with an interval, by the name of the metric.
    const [, { scores }] = found!.rows
    expect(scores.map(({ metric }) => metric)).toEqual(['BLEU-1', 'ROUGE-L'])
    for (const { value, interval } of scores) {
      expect(String(value)).toMatch(/^\d(\.\d{1,2})?$/)
      expect(interval!.lower).toBeLessThanOrEqual(interval!.upper)
    }
    expect(found!.rows.at(-1)).toMatchObject({
      scores: [{ value: null, undefinedReason: 'NOT_COMPUTED' }, {}],
    })
  })

  it('names an anonymous team to itself, to hosts, and to all at the end of the phase', async () => {
    const names = async (viewer: Viewer) => shown(await board(viewer))!.map(([, , name]) => name)
    expect(await names(RIVAL)).not.toContain('CARL')
    expect(await names(memberOf('carl'))).toContain('CARL')
    expect(await names(OPEN_VIEWER)).toContain('CARL')
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2120-01-01T00:00:00Z') })
    expect(await names(RIVAL)).toContain('CARL')
  })

  it('is ordered by any column, the best or the worst first', async () => {
    const best = await board(RIVAL, { metric: 'rouge-l' })
    const worst = await board(RIVAL, { metric: 'ROUGE-L', isWorstFirst: true })
    const values = (found: Board | null) =>
      found!.rows.map(({ scores }) => scores[1].value).filter((value) => value !== null)
    expect(values(best)).toEqual(values(best).toSorted((one, other) => other - one))
    expect(values(worst)).toEqual(values(worst).toSorted((one, other) => one - other))
    expect(worst!.rows.at(-1)!.name).toBe('DORA')
  })

  it('has the entry that a team chose, and none that it withdrew', async () => {
    await chooseEntry(accord, memberOf('anna'), ids.anna[0], true)
    expect(shown(await board())!.find(([, , name]) => name === 'ANNA')).toEqual([2, 'ENTRY', 'ANNA'])
    await withdrawSubmission(accord, memberOf('anna'), ids.anna[0])
    expect(shown(await board())!.find(([, , name]) => name === 'ANNA')).toEqual([1, 'ENTRY', 'ANNA'])
    await chooseEntry(accord, memberOf('anna'), ids.anna[1], false)
  })

  it('is read as one row: neither scores nor submissions are read, and nothing is compared', async () => {
    await board()
    const read = vi.spyOn(database, 'all')
    const again = await board()
    expect(again!.rows).toHaveLength(6)
    const tables = read.mock.calls.flatMap(([{ texts }]) => texts.join('?').match(/(?<=FROM )\w+/g) ?? [])
    read.mockRestore()
    expect(new Set(tables)).toEqual(new Set(['phase', 'challenge', 'board', 'board_change']))
  })

  it('is computed when a submission ends', async () => {
    const stored = async () => {
      const phase = await requirePhase(database, OPEN_VIEWER, 'dogs', 'main')
      return (await readStoredBoard(database, phase.phase.id))!
    }
    await board()
    const before = await stored()
    await send('emil', BAD)
    await endJobs(database, location)
    const after = await stored()
    expect(after.version).toBeGreaterThan(before.version)
    expect(after.content.rows.map(({ name }) => name)).toContain('EMIL')
    expect((await board())!.rows).toHaveLength(7)
    expect((await stored()).version).toBe(after.version)
    await withdrawSubmission(accord, memberOf('emil'), ids.emil[0])
  })

  it('takes the tests of equal figures over', async () => {
    const before = shown(await board())
    const { phase } = await requirePhase(database, OPEN_VIEWER, 'dogs', 'main')
    const { content } = (await readStoredBoard(database, phase.id))!
    expect(Object.values(content.tests).some((differs) => differs !== null)).toBe(true)
    const store = async (tests: typeof content.tests) => {
      const text = JSON.stringify({ ...content, tests })
      await database.run(sql`UPDATE board SET content = ${text} WHERE phase_id = ${phase.id}`)
      await changeBoard(database, phase.id)
    }
    // As if none differed from the best one.
    await store(Object.fromEntries(Object.keys(content.tests).map((key) => [key, null])))
    const ranks = (await board())!.rows.filter(({ kind }) => kind === 'ENTRY').map(({ rank }) => rank)
    expect(new Set(ranks)).toEqual(new Set([1]))
    await store({})
    expect(shown(await board())).toEqual(before)
  })

  it('is computed again after another procedure ranked it', async () => {
    const before = shown(await board())
    const { phase } = await requirePhase(database, OPEN_VIEWER, 'dogs', 'main')
    const { content } = (await readStoredBoard(database, phase.id))!
    const tests = Object.fromEntries(Object.keys(content.tests).map((key) => [key, null]))
    const rows = content.rows.map((row) => ({ ...row, rank: row.rank && 1 }))
    const text = JSON.stringify({ ...content, tests, rows, revision: undefined })
    await database.run(
      sql`UPDATE board SET content = ${text}, version = version + 1 WHERE phase_id = ${phase.id}`,
    )
    expect(shown(await board())).toEqual(before)
  })

  it('is hidden until a date, but from its hosts', async () => {
    await updateChallenge(accord, OPEN_VIEWER, {
      name: 'dogs',
      phases: [{ name: 'main', boardFrom: '2110-01-01T00:00:00Z' }],
    })
    expect(await board()).toBeNull()
    expect(await board(OPEN_VIEWER)).not.toBeNull()
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2110-01-01T00:00:00Z') })
    expect(await board()).not.toBeNull()
    vi.useRealTimers()
    await updateChallenge(accord, OPEN_VIEWER, { name: 'dogs', phases: [{ name: 'main', boardFrom: null }] })
  })

  it('is computed again after a metric has changed; former scores stay under their signatures', async () => {
    await endJobs(database, location)
    const before = shown(await board())
    await database.transaction((session) => setRevision(session, MetricScoreEntity, raw("metric = 'BLEU-1'")))
    expect((await rerunChallenge(accord, OPEN_VIEWER, 'dogs')).evaluationCount).toBeGreaterThan(3)
    await endJobs(database, location)
    expect((await rerunChallenge(accord, OPEN_VIEWER, 'dogs')).evaluationCount).toBe(0)
    expect(shown(await board())).toEqual(before)
    const chosen = await requirePhase(database, OPEN_VIEWER, 'dogs', 'main')
    const [{ systemId }] = await database.all<{ systemId: number }>(
      sql`SELECT system_id AS "systemId" FROM submission WHERE id = ${ids.ben[0]}`,
    )
    const stored = await storedScoresOfSubmissions(accord, chosen, [{ id: ids.ben[0], systemId }])
    const signatures = stored
      .get(ids.ben[0])!
      .filter(({ metric }) => metric === 'BLEU-1')
      .map(({ signature }) => signature)
    expect(signatures).toEqual([expect.stringContaining('|rev:0'), expect.not.stringContaining('|rev:0')])
  })
})
