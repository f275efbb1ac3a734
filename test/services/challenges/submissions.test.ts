import { readdirSync } from 'node:fs'
import { zipSync } from 'fflate'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { AccordError } from '../../../src/errors.js'
import { OPEN_VIEWER, type Viewer } from '../../../src/services/accounts/viewer.js'
import {
  createChallenge,
  readAudit,
  removeChallenge,
  rerunChallenge,
  updateChallenge,
} from '../../../src/services/challenges/challenges.js'
import { findChallenge, requireChallenge } from '../../../src/services/challenges/hosts.js'
import { renderMarkdown } from '../../../src/services/challenges/markdown.js'
import { requirePhase } from '../../../src/services/challenges/phases.js'
import { dayOf, nextDay, readQuota } from '../../../src/services/challenges/quota.js'
import type { PhaseInput } from '../../../src/services/challenges/resolve-phase.js'
import {
  cancelSubmission,
  chooseEntry,
  grantSubmissions,
  listSubmissions,
  queuePlaces,
  quotaOf,
  rerunSubmission,
  submissionsOfPhase,
  withdrawSubmission,
} from '../../../src/services/challenges/submissions.js'
import { type SubmitInput, submit } from '../../../src/services/challenges/submit.js'
import { removeDataset, startDatasetRemoval } from '../../../src/services/datasets/datasets.js'
import type { Accord } from '../../../src/services/shared/accord.js'
import { refreshMetrics } from '../../../src/services/shared/computing.js'
import { removeSystem, startSystemRemoval } from '../../../src/services/systems/systems.js'
import { deleteUser, findUser, insertMember, insertTeam, insertUser } from '../../../src/store/accounts.js'
import { requireNoBoard } from '../../../src/store/challenges.js'
import { requireDataset } from '../../../src/store/datasets.js'
import { sql } from '../../../src/store/engine/sql.js'
import { deleteExpired } from '../../../src/store/uploads.js'
import { rejectionOf } from '../../kit/boxes.js'
import { cocoResults } from '../../kit/coco.js'
import { ENGINES } from '../../kit/databases.js'
import { memberOf } from '../../kit/dogs.js'
import { initWorld, type Json, type SeededDataset } from '../../kit/seed.js'
import { uploadOf } from '../../kit/uploads.js'

const DOGS = { 1: ['a dog', 'the dog'], 2: ['two dogs', 'dogs'] }
const CATS = { c1: ['a cat', 'the cat'], c2: ['two cats', 'cats'] }
const results = (images: object, text = 'a dog') =>
  cocoResults(Object.fromEntries(Object.keys(images).map((image) => [image, text])))

const ANNA = memberOf('anna', { id: 'user of anna', name: 'user of anna' })
const BEN = memberOf('ben', { id: 'user of ben', name: 'user of ben' })

const OPEN = { opensAt: '2026-01-01T00:00:00Z', closesAt: '2027-01-01T00:00:00Z' }

/** Stops the clock of the server. Jobs have that of the database. */
function setClock(time: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) })
}

afterEach(() => {
  vi.useRealTimers()
})

describe.each(ENGINES)('submissions on %s', async (engine) => {
  const { accord, database, ...world } = await initWorld({ engine })

  let dogs: SeededDataset

  beforeAll(async () => {
    dogs = await world.dataset('dogs', { images: DOGS })
    await world.dataset('cats', { images: CATS })
    for (const id of ['anna', 'ben'])
      await insertTeam(database, { id, name: id, nameKey: id, createdAt: '2026-01-01T00:00:00.000Z' })
  })

  let count = 0

  /** A challenge with a phase on dogs. @returns its name */
  async function challenge(
    phase: Partial<PhaseInput> = {},
    { timeZone, phases = [] }: { timeZone?: string; phases?: readonly PhaseInput[] } = {},
  ): Promise<string> {
    const name = `challenge-${++count}`
    const main = { name: 'main', dataset: 'dogs', metrics: ['BLEU-1'], ...OPEN, ...phase }
    setClock('2026-06-15T12:00:00Z')
    await createChallenge(accord, OPEN_VIEWER, { name, timeZone, phases: [main, ...phases] })
    return name
  }

  const send = async (
    name: string,
    viewer = ANNA,
    input: Partial<SubmitInput> = {},
    content: object = results(DOGS),
  ) =>
    submit(accord, viewer, {
      challenge: name,
      upload: input.upload ?? (await uploadOf(accord, content, 'r.json')),
      ...input,
    })

  const refused = (...input: Parameters<typeof send>) => rejectionOf(send(...input))

  const quota = async (name: string, viewer = ANNA) =>
    readQuota(database, await requirePhase(database, OPEN_VIEWER, name, null), viewer.teams[0].id, Date.now())

  /** Ends the jobs of submissions, as workers do. */
  const endAll = (status: 'DONE' | 'FAILED') =>
    database.transaction((session) =>
      session.run(sql`UPDATE job SET status = ${status} WHERE kind = 'submission' AND status = 'QUEUED'`),
    )

  const submissionCount = async () => {
    const [{ found }] = await database.all<{ found: number }>(sql`SELECT COUNT(*) AS found FROM submission`)
    return found
  }

  it('charges teams, per day, in total and at the same time', async () => {
    const name = await challenge({ limits: { perDay: 2, total: 3, concurrent: 1 } })
    await send(name)
    expect(await quota(name)).toMatchObject({ left: 0, leftToday: 1, leftInTotal: 2, timeZone: 'UTC' })
    expect(await refused(name)).toMatch(/^NO_SUBMISSIONS_LEFT .*queued or running/)
    // Another team has its own.
    await send(name, BEN)
    await endAll('DONE')
    await send(name)
    await endAll('DONE')
    expect(await refused(name)).toMatch(/the next day begins at 2026-06-16T00:00:00.000Z \(UTC\)/)
    setClock('2026-06-16T00:00:00Z')
    await send(name)
    await endAll('DONE')
    expect(await quota(name)).toMatchObject({ left: 0, leftToday: 1, leftInTotal: 0 })
    expect(await refused(name)).toMatch(/all of the phase/)
  })

  it('does not charge what failed or was cancelled, but counts the attempt', async () => {
    const name = await challenge({ limits: { total: 1, attempts: 3 } })
    await send(name)
    await endAll('FAILED')
    const [{ id }] = await send(name)
    await cancelSubmission(accord, ANNA, id)
    expect(await quota(name)).toMatchObject({ left: 1, leftInTotal: 1, used: { attempts: 2, total: 0 } })
    await send(name)
    await endAll('FAILED')
    expect(await refused(name)).toMatch(/all attempts/)
  })

  it('accepts once what a user repeats with a key, also at the same time and after the end of the phase', async () => {
    const name = await challenge({ limits: { total: 2 } })
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
    const uploads = async () =>
      (await database.all<{ id: string }>(sql`SELECT id FROM upload`)).toSorted(byId)
    const before = await uploads()
    const upload = await uploadOf(accord, results(DOGS), 'r.json')
    const key = { idempotencyKey: 'k'.repeat(30_000) }
    const [[{ id, jobId }], ...others] = await Promise.all(
      [1, 2, 3].map(() => send(name, ANNA, { ...key, upload })),
    )
    expect(others).toMatchObject([[{ id, jobId }], [{ id, jobId }]])
    expect(await send(name, ANNA, key)).toMatchObject([{ id, jobId }])
    expect(await quota(name)).toMatchObject({ used: { attempts: 1, total: 1 } })
    // Only the file that is evaluated is kept.
    expect(await uploads()).toEqual([...before, { id: upload }].toSorted(byId))
    // The key is that of the user, the team and the phase.
    const carl = { ...ANNA, user: { id: 'carl', name: 'carl' } }
    for (const [viewer, input] of [
      [BEN, key],
      [carl, key],
    ] as const)
      expect(await send(name, viewer, input)).not.toMatchObject([{ id }])
    expect(await refused(name, ANNA, { idempotencyKey: 'another' })).toMatch(/^NO_SUBMISSIONS_LEFT/)
    setClock('2027-06-01T00:00:00Z')
    expect(await send(name, ANNA, { ...key, upload })).toMatchObject([{ id }])
    expect(await refused(name, ANNA)).toMatch(/has ended/)
    setClock('2026-06-15T12:00:00Z')
    await endAll('FAILED')
    const [again] = await send(name, ANNA, key)
    expect(again.id).toBeGreaterThan(id)
    await withdrawSubmission(accord, ANNA, again.id)
    expect((await send(name, ANNA, key))[0].id).toBeGreaterThan(again.id)
    await endAll('DONE')
  })

  it('runs failed submissions again, beyond the quota and after the end of the phase', async () => {
    const name = await challenge({ limits: { total: 1 } })
    const [{ id, jobId }] = await send(name)
    expect(await rejectionOf(rerunSubmission(accord, ANNA, id))).toMatch(/^NOT_APPLICABLE .*found QUEUED/)
    await endAll('FAILED')
    await send(name)
    await endAll('DONE')
    setClock('2027-06-01T00:00:00Z')
    expect(await rejectionOf(rerunSubmission(accord, BEN, id))).toMatch(/^UNKNOWN_SUBMISSION/)
    const again = await rerunSubmission(accord, ANNA, id)
    expect(again.jobId).toBeGreaterThan(jobId as number)
    const audited = await readAudit(accord, OPEN_VIEWER, await requireChallenge(database, OPEN_VIEWER, name))
    expect(audited.filter(({ action }) => action === 'rerunSubmission')).toMatchObject([
      { actor: 'user of anna', subject: name, detail: { submission: id } },
    ])
    expect(await quota(name)).toMatchObject({ used: { attempts: 2, total: 2 } })
    for (let run = 2; run < 10; run++) {
      await endAll('FAILED')
      await rerunSubmission(accord, ANNA, id)
    }
    await endAll('FAILED')
    expect(await rejectionOf(rerunSubmission(accord, ANNA, id))).toMatch(/^NOT_APPLICABLE .*a host can/)
    expect(await rerunChallenge(accord, OPEN_VIEWER, name)).toMatchObject({ submissionCount: 1 })
    expect(await rerunChallenge(accord, OPEN_VIEWER, name)).toMatchObject({ submissionCount: 0 })
    await endAll('FAILED')
    // Its file does not expire while it can be run again.
    await database.run(sql`UPDATE upload SET expires_at = '1970-01-01T00:00:00.000Z'`)
    while (await database.transaction(deleteExpired));
    await rerunSubmission(accord, OPEN_VIEWER, id)
    await endAll('FAILED')
    await withdrawSubmission(accord, ANNA, id)
    expect(await rejectionOf(rerunSubmission(accord, OPEN_VIEWER, id))).toMatch(/^NOT_APPLICABLE .*withdrawn/)
    expect(await rerunChallenge(accord, OPEN_VIEWER, name)).toMatchObject({ submissionCount: 0 })
  })

  it('starts what a change makes necessary, and no failed submission', async () => {
    const name = await challenge({ references: 1 })
    await send(name)
    await endAll('DONE')
    await send(name)
    await endAll('FAILED')
    const kinds = async () =>
      (await database.all<{ kind: string }>(sql`SELECT kind FROM job ORDER BY id`)).map(({ kind }) => kind)
    const startedBy = async (phases: readonly PhaseInput[]) => {
      const before = await kinds()
      await updateChallenge(accord, OPEN_VIEWER, { name, title: 'Dogs', phases })
      return (await kinds()).slice(before.length)
    }
    // Even where the figures of people are missing: they are queued already.
    expect(
      await startedBy([{ name: 'main', limits: { total: 9 }, closesAt: '2027-02-01T00:00:00Z' }]),
    ).toEqual([])
    expect(await startedBy([{ name: 'main', metrics: ['BLEU-1'] }])).toEqual([])
    expect(await startedBy([{ name: 'main', metrics: ['BLEU-1', 'BLEU-2'] }])).toEqual(['agreement'])
    expect(await startedBy([{ ...TWO, references: 1 }])).toEqual(['agreement'])
    expect(await rerunChallenge(accord, OPEN_VIEWER, name)).toMatchObject({ submissionCount: 1 })
    await endAll('DONE')
  })

  it('lets a user submit for one team, unless hosts allow more', async () => {
    const name = await challenge({ limits: { total: 2 } })
    const both = { ...ANNA, teams: [...ANNA.teams, ...BEN.teams] }
    await send(name, both, { team: 'anna' })
    await endAll('FAILED')
    expect(await refused(name, both, { team: 'ben' })).toMatch(
      /^NOT_APPLICABLE phase: main: the user takes part in the phase with another team: expected submissions of at most one team of a user; hosts can allow more, found "ANNA"/,
    )
    const chosen = await requirePhase(database, OPEN_VIEWER, name, null)
    expect(await quotaOf(accord, both, chosen, 'ben')).toMatchObject({
      left: 0,
      whyNone: expect.stringMatching(/with another team, "ANNA"; expected submissions of at most one team/),
    })
    expect(await quotaOf(accord, both, chosen, 'anna')).toMatchObject({ left: 2, whyNone: null })
    expect(await quotaOf(accord, OPEN_VIEWER, chosen, 'ben')).toMatchObject({ left: 2, whyNone: null })
    await send(name, both, { team: 'anna' })
    // The other member of the team is another user.
    await send(name, BEN)
    const createdAt = '2026-01-01T00:00:00.000Z'
    await insertUser(database, {
      id: 'carl',
      name: 'carl',
      nameKey: 'carl',
      role: 'user',
      isBanned: false,
      createdAt,
    })
    await insertMember(database, { teamId: 'anna', userId: 'carl', role: 'member', createdAt })
    const carl = { ...BEN, user: { id: 'carl', name: 'carl' } }
    expect(await refused(name, carl)).toMatch(/^NOT_APPLICABLE .*found "ANNA"/)
    await updateChallenge(accord, OPEN_VIEWER, {
      name,
      phases: [{ name: 'main', limits: { teamsPerUser: 2 } }],
    })
    await send(name, both, { team: 'ben' })
    await endAll('DONE')
  })

  it('lets hosts grant more, which is used after what teams have anyway', async () => {
    const name = await challenge({ limits: { perDay: 1, total: 5, attempts: 1 } })
    await send(name)
    expect(
      await rejectionOf(grantSubmissions(accord, ANNA, { challenge: name, team: 'anna', count: 1 })),
    ).toMatch(/^FORBIDDEN/)
    const { quota: granted } = await grantSubmissions(accord, OPEN_VIEWER, {
      challenge: name,
      team: 'anna',
      count: 1,
    })
    expect(granted).toMatchObject({ left: 1, leftGrants: 1, leftToday: 0 })
    await send(name)
    expect(await quota(name)).toMatchObject({ left: 0, leftGrants: 0, leftInTotal: 4 })
    expect(await refused(name)).toMatch(/^NO_SUBMISSIONS_LEFT/)
    expect(
      await rejectionOf(grantSubmissions(accord, OPEN_VIEWER, { challenge: name, team: 'anna', count: 0 })),
    ).toMatch(/^OUT_OF_RANGE/)
    expect(
      await rejectionOf(grantSubmissions(accord, OPEN_VIEWER, { challenge: name, team: 'none', count: 1 })),
    ).toMatch(/^UNKNOWN_TEAM/)
  })

  it('keeps what is used when a limit is lowered below it', async () => {
    const name = await challenge({ limits: { total: 3 } })
    for (let sent = 0; sent < 2; sent++) await send(name)
    await updateChallenge(accord, OPEN_VIEWER, { name, phases: [{ name: 'main', limits: { total: 1 } }] })
    expect(await quota(name)).toMatchObject({ left: 0, leftInTotal: 0, used: { total: 2 } })
    expect(await refused(name)).toMatch(/^NO_SUBMISSIONS_LEFT/)
    await updateChallenge(accord, OPEN_VIEWER, { name, phases: [{ name: 'main', limits: { total: null } }] })
    expect(await quota(name)).toMatchObject({ left: null, limits: { total: null, perDay: null } })
    await endAll('DONE')
  })

  it.each([
    ['before it begins', '2025-12-31T23:59:59Z', /has not begun/],
    [
      'one second after its end',
      '2027-01-01T00:00:01Z',
      /has ended.*2027-01-01T00:00:01.000Z on the clock of the server/,
    ],
    ['at its end', '2027-01-01T00:00:00Z', /has ended/],
  ])('refuses a submission %s, by the clock of the server', async (_when, time, message) => {
    const name = await challenge()
    setClock(time)
    expect(await refused(name)).toMatch(message)
    setClock('2026-12-31T23:59:59.999Z')
    expect(await send(name)).toHaveLength(1)
  })

  it('begins days in the time zone of the challenge, also where clocks change', async () => {
    // 25 October 2026 has 25 hours in Berlin.
    const name = await challenge({ limits: { perDay: 1 } }, { timeZone: 'Europe/Berlin' })
    setClock('2026-10-24T22:00:00Z')
    await send(name)
    expect(await quota(name)).toMatchObject({ resetsAt: '2026-10-25T23:00:00.000Z', leftToday: 0 })
    setClock('2026-10-25T22:59:59Z')
    expect(await refused(name)).toMatch(/2026-10-25T23:00:00.000Z \(Europe\/Berlin\)/)
    setClock('2026-10-25T23:00:00Z')
    await send(name)
    // The clock of the server is set back over the end of the day: the day before is used already.
    setClock('2026-10-25T22:59:00Z')
    expect(await refused(name)).toMatch(/^NO_SUBMISSIONS_LEFT/)
    setClock('2026-10-25T23:01:00Z')
    expect(await refused(name)).toMatch(/^NO_SUBMISSIONS_LEFT/)
    await endAll('DONE')
  })

  it('refuses submissions while it is paused, and of teams that are not admitted', async () => {
    const name = await challenge({ admittedTeams: ['ben'] })
    expect(await refused(name)).toMatch(/^NOT_APPLICABLE .*does not admit/)
    await send(name, BEN)
    await updateChallenge(accord, OPEN_VIEWER, { name, isPaused: true })
    expect(await refused(name, BEN)).toMatch(
      / the phase is paused: expected a phase that its hosts have opened$/,
    )
    expect(await refused(name, { ...BEN, user: null, teams: [], scopes: new Set(['read']) })).toMatch(
      /^UNAUTHENTICATED/,
    )
    expect(await refused(name, { ...BEN, scopes: new Set(['read']) })).toMatch(/^FORBIDDEN/)
    expect(await refused(name, BEN, { team: 'anna' })).toMatch(/^FORBIDDEN/)
    expect(await refused(name, { ...BEN, teams: [] })).toMatch(
      /^FORBIDDEN .*a member of a team; create one, or accept an invitation, on the page Account .* createTeam/,
    )
  })

  const TWO: PhaseInput = { name: 'test-c5', dataset: 'cats', metrics: ['BLEU-1'], ...OPEN }

  const zip = (files: Record<string, object | string | Buffer>) =>
    Buffer.from(
      zipSync(
        Object.fromEntries(
          Object.entries(files).map(([name, content]) => [
            name,
            Buffer.isBuffer(content)
              ? content
              : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
          ]),
        ),
      ),
    )

  it('takes a zip file with a file for each phase, by name or by its images', async () => {
    const name = await challenge({}, { phases: [TWO] })
    const files = {
      'folder/captions_TEST-C5_x.json': results(CATS),
      'anything.txt': results(DOGS),
      '__MACOSX/._x': 'x',
    }
    const sent = await send(name, ANNA, {}, zip(files))
    expect(sent.map(({ entry, fileName }) => [entry, fileName])).toEqual([
      ['anything.txt', 'anything.txt'],
      ['folder/captions_TEST-C5_x.json', 'captions_TEST-C5_x.json'],
    ])
    // As COCO's official files: the names say nothing, and some phases have some of the images of others.
    await world.dataset('some-dogs', { images: { 2: DOGS[2] } })
    const parts = [
      { ...TWO, name: 'dogs-c40', dataset: 'some-dogs' },
      { ...TWO, name: 'cats-c5' },
    ]
    const official = await challenge({ name: 'dogs-c5' }, { phases: parts })
    const sent4 = await send(
      official,
      ANNA,
      {},
      zip({ 'val.json': results(DOGS), 'test.json': results(CATS) }),
    )
    expect(sent4.map(({ entry }) => entry)).toEqual(['val.json', 'val.json', 'test.json'])
    await send(official, ANNA, { phases: ['dogs-c40'] })
    expect(await refused(official, ANNA, { phases: ['dogs-c5'] }, results({ 2: 1 }))).toMatch(
      /^MISSING_IMAGES/,
    )
    expect(await refused(official, ANNA, { phases: ['dogs-c40'] }, results({ 2: 1, x: 1 }))).toMatch(
      /^UNKNOWN_IMAGE/,
    )
    // Both phases on a dataset can have one file.
    const twice = await challenge({}, { phases: [{ ...TWO, dataset: 'dogs' }] })
    expect(await send(twice, ANNA, {}, zip({ 'a.json': results(DOGS) }))).toHaveLength(2)
    await endAll('DONE')
  })

  it.each<[string, () => Json, RegExp]>([
    [
      'a phase without a file',
      () => zip({ 'a.json': results(DOGS) }),
      /^INVALID_SHAPE .*a file for test-c5, found a.json/,
    ],
    [
      'two files for a phase',
      () => zip({ 'a.json': results(DOGS), 'b.json': results(DOGS) }),
      /^DUPLICATE_ID .*b.json/,
    ],
    [
      'images of no phase',
      () => zip({ 'a.json': results({ x: 1 }) }),
      /^UNKNOWN_IMAGE .*a.json.*found the image "x"/,
    ],
    [
      'a wrong caption',
      () => zip({ 'a.json': results(DOGS), 'b.json': [{ image_id: 'c1', caption: 7 }] }),
      /b.json.*caption/,
    ],
    ['a path out of it', () => zip({ '../a.json': results(DOGS) }), /^INVALID_VALUE .*leads out/],
    ['an absolute path', () => zip({ '/etc/a.json': results(DOGS) }), /^INVALID_VALUE .*leads out/],
    [
      'a zip file in it',
      () => zip({ 'a.zip': zip({ 'a.json': results(DOGS) }) }),
      /^INVALID_VALUE .*a zip file in a zip file/,
    ],
    [
      'a bomb',
      () => sized(zip({ 'a.json': results(DOGS) }), 300 << 20),
      /^OUT_OF_RANGE .*at most 10\d{5} bytes after decompression \(submit the file of each phase by itself\)/,
    ],
    ['a size that is not true', () => sized(zip({ 'a.json': Buffer.alloc(1 << 20, ' ') }), 5), /^INVALID_/],
    [
      'many files',
      () => zip(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`${i}.json`, '[]']))),
      /^OUT_OF_RANGE .*100/,
    ],
    ['a cut end', () => zip({ 'a.json': results(DOGS) }).subarray(0, 60), /^INVALID_VALUE .*not a zip file/],
    ['no results file', () => zip({ 'folder/': '' }), /^INVALID_SHAPE .*no results file/],
    ['one file for two phases', () => results(DOGS), /^INVALID_SHAPE .*one file for several phases/],
  ])('refuses a zip file with %s, which costs nothing', async (_what, content, message) => {
    const name = await challenge({}, { phases: [TWO] })
    const before = await submissionCount()
    expect(await refused(name, ANNA, {}, content())).toMatch(message)
    expect(await submissionCount()).toBe(before)
  })

  /** The same with another size of the file in it, which is all that is known of it before it is unpacked. */
  function sized(bytes: Buffer, size: number): Buffer {
    const start = bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1')
    bytes.writeUInt32LE(size, start + 24)
    return bytes
  }

  it.each<[string, object, RegExp]>([
    [
      'an unknown image',
      [...results(DOGS), { image_id: 3, caption: 'x' }],
      /^UNKNOWN_IMAGE .*r.json: \[2\].image_id/,
    ],
    ['missing images', results(DOGS).slice(1), /^MISSING_IMAGES .*all 2 images/],
    ['an image twice', [...results(DOGS), ...results(DOGS)], /^DUPLICATE_ID/],
    ['no JSON', Buffer.from('{'), /^INVALID_/],
  ])('refuses a file with %s', async (_what, content, message) => {
    expect(await refused(await challenge(), ANNA, {}, content)).toMatch(message)
  })

  it.each<[string, Partial<SubmitInput>, RegExp]>([
    ['an unknown challenge', { challenge: 'none' }, /^UNKNOWN_CHALLENGE/],
    ['an unknown phase', { phases: ['none'] }, /^UNKNOWN_CHALLENGE .*expected one of main/],
    ['an unknown upload', { upload: 'none' }, /^UNKNOWN_UPLOAD/],
    ['a link that runs a script', { links: ['javascript:alert(1)'] }, /^INVALID_VALUE/],
    ['a long description', { method: 'x'.repeat(20_001) }, /^OUT_OF_RANGE/],
  ])('refuses %s', async (_what, input, message) => {
    expect(await refused(await challenge(), ANNA, input)).toMatch(message)
  })

  it('removes the file of what it refuses', async () => {
    const name = await challenge({ limits: { total: 1 } })
    await send(name)
    const uploads = () => database.all<{ id: string }>(sql`SELECT id FROM upload ORDER BY id`)
    const before = await uploads()
    const stored = () => (database.files === null ? 0 : readdirSync(database.files).length)
    const files = stored()
    for (const input of [{}, { method: 'x'.repeat(20_001) }, { challenge: 'none' }])
      await refused(name, ANNA, input)
    await refused(name, ANNA, {}, [{}])
    expect(await uploads()).toEqual(before)
    expect(stored()).toBe(files)
    await endAll('DONE')
  })

  it('shows teams their own submissions, their places in the queue, and lets them withdraw and choose', async () => {
    const name = await challenge()
    const [first] = await send(name, ANNA, { method: '*new*', links: ['https://example.org/a'] })
    const [second] = await send(name)
    const [other] = await send(name, BEN)
    const chosen = await requirePhase(database, OPEN_VIEWER, name, null)
    const seen = async (viewer: Viewer) =>
      (await listSubmissions(accord, viewer, chosen).page({ limit: 10, fromEnd: false })).rows.map(
        ({ row }) => row,
      )
    const own = async (viewer: Viewer) => (await seen(viewer)).map(({ id }) => id)
    expect(await own(ANNA)).toEqual([first.id, second.id])
    expect(await own(BEN)).toEqual([other.id])
    expect(await own(OPEN_VIEWER)).toEqual([first.id, second.id, other.id])
    // Workers alternate between teams.
    const places = await queuePlaces(accord)
    const befores = [first, other, second].map(({ jobId }) => places.get(jobId as number)!.before)
    expect(befores.toSorted((one, two) => one - two)).toEqual(befores)
    expect(await rejectionOf(withdrawSubmission(accord, BEN, first.id))).toMatch(/^UNKNOWN_SUBMISSION/)
    expect(await chooseEntry(accord, ANNA, first.id, true)).toMatchObject({ isChosen: true })
    expect(await chooseEntry(accord, ANNA, second.id, true)).toMatchObject({ isChosen: true })
    expect((await seen(ANNA)).map(({ isChosen }) => isChosen)).toEqual([false, true])
    expect(await withdrawSubmission(accord, ANNA, second.id)).toMatchObject({
      isWithdrawn: true,
      isChosen: false,
    })
    expect(await rejectionOf(chooseEntry(accord, ANNA, second.id, true))).toMatch(/^NOT_APPLICABLE/)
    await endAll('DONE')
    expect(await rejectionOf(cancelSubmission(accord, ANNA, first.id))).toMatch(/^NOT_APPLICABLE .*has ended/)
  })

  it('keeps submissions of deleted accounts without the names', async () => {
    const createdAt = '2026-01-01T00:00:00.000Z'
    await insertUser(database, {
      id: 'olga',
      name: 'Olga',
      nameKey: 'olga',
      role: 'user',
      isBanned: false,
      createdAt,
    })
    await insertTeam(database, { id: 'owls', name: 'Owls', nameKey: 'owls', createdAt })
    await insertMember(database, { teamId: 'owls', userId: 'olga', role: 'owner', createdAt })
    const name = await challenge()
    const olga = {
      ...memberOf('owls'),
      user: { id: 'olga', name: 'Olga' },
      teams: [{ id: 'owls', name: 'Owls' }],
    }
    expect(await send(name, olga)).toMatchObject([{ submitter: 'olga', teamName: 'Owls' }])
    await database.transaction(async (session) => deleteUser(session, (await findUser(session, 'olga'))!))
    const kept = await submissionsOfPhase(accord, await requirePhase(database, OPEN_VIEWER, name, null))
    expect(kept).toMatchObject([{ submitter: null, teamName: 'deleted', team: 'owls' }])
    await endAll('DONE')
  })

  it.each(['..', 'a/b', 'A', 'a b', '', '-a', 'a--b', 'a\u202eb', 'ä', 'a\n', 'x'.repeat(65)])(
    'refuses the name of a challenge that is no slug: %j',
    async (name) => {
      expect(await rejectionOf(createChallenge(accord, OPEN_VIEWER, { name }))).toMatch(
        /^INVALID_VALUE name: invalid name/,
      )
    },
  )

  it('keeps the dataset of a phase', async () => {
    await challenge()
    for (const remove of [removeDataset, startDatasetRemoval])
      expect(await rejectionOf(remove(accord, 'dogs'))).toMatch(
        /^NOT_APPLICABLE dataset: .*a phase of a challenge/,
      )
    // Neither adds a job that would fail later.
    const jobs = await accord.database.all(sql`SELECT id FROM job WHERE kind = 'removeDataset'`)
    expect(jobs).toEqual([])
  })

  it('keeps the baselines and the metrics of a phase', async () => {
    await dogs.captionSystem('barker', { 1: 'a dog', 2: 'two dogs' })
    const name = await challenge({ baselines: ['barker'] })
    for (const remove of [removeSystem, startSystemRemoval])
      expect(await rejectionOf(remove(accord, 'dogs', 'barker'))).toMatch(
        /^NOT_APPLICABLE system: the system is a baseline of the phase "main" of a challenge/,
      )
    expect(await rejectionOf(database.transaction((session) => requireNoBoard(session, 'BLEU-1')))).toMatch(
      /^NOT_APPLICABLE name: the phase "main" shows the metric of a challenge/,
    )
    await updateChallenge(accord, OPEN_VIEWER, { name, phases: [{ name: 'main', baselines: [] }] })
    await removeSystem(accord, 'dogs', 'barker')
    expect(await rejectionOf(removeSystem(accord, 'dogs', 'barker'))).toMatch(/^UNKNOWN_SYSTEM/)
  })

  it('has changed nothing where a change is refused at its end', async () => {
    const name = await challenge()
    const audited = async () =>
      (await readAudit(accord, OPEN_VIEWER, await requireChallenge(database, OPEN_VIEWER, name))).length
    const before = await audited()
    const failing = {
      ...accord,
      queue: { ...accord.queue, enqueue: () => Promise.reject(new AccordError('QUEUE_FULL', 'full')) },
    } as Accord
    failing.queue.waitForEnd = () => Promise.reject(new AccordError('BUSY', 'busy'))
    await refreshMetrics(failing)
    const changes = { name, isPaused: true, phases: [{ name: 'main', metrics: ['BLEU-1', 'ROUGE-L'] }] }
    expect(await rejectionOf(updateChallenge(failing, OPEN_VIEWER, changes))).toMatch(/^QUEUE_FULL/)
    const created = { name: 'never', phases: [{ name: 'main', dataset: 'dogs', references: 1, ...OPEN }] }
    expect(await rejectionOf(createChallenge(failing, OPEN_VIEWER, created))).toMatch(/^QUEUE_FULL/)
    expect(await findChallenge(database, OPEN_VIEWER, 'never')).toBeNull()
    expect(await requireChallenge(database, OPEN_VIEWER, name)).toMatchObject({ isPaused: false })
    expect(await audited()).toBe(before)
    // What needs no job is done while the queue is full.
    const [{ id }] = await send(name)
    expect(await updateChallenge(failing, OPEN_VIEWER, { name, isPaused: true })).toMatchObject({
      challenge: { isPaused: true },
      evaluationCount: 0,
    })
    expect(await cancelSubmission(failing, ANNA, id)).toMatchObject({ id })
    // The submission, the pause and the cancellation.
    expect(await audited()).toBe(before + 3)
    expect(await removeChallenge(failing, OPEN_VIEWER, name)).toMatchObject({ submissionCount: 1 })
  })

  it.each<[string, Json, RegExp]>([
    ['no dataset', { dataset: undefined }, /^INVALID_SHAPE .*phases.dataset/],
    ['no end', { closesAt: undefined }, /^INVALID_SHAPE .*phases.closesAt/],
    [
      'an end before the beginning',
      { closesAt: '2025-01-01T00:00:00Z' },
      /^OUT_OF_RANGE .*ends before it begins/,
    ],
    ['a time that is none', { opensAt: 'soon' }, /^INVALID_VALUE .*phases.opensAt/],
    ['a day that is none', { closesAt: '2030-06-31T00:00:00Z' }, /^INVALID_VALUE .*closesAt.*RFC 3339/],
    ['a time without an offset', { closesAt: '2030-06-30T12:00:00' }, /^INVALID_VALUE .*closesAt.*offset/],
    ['a date', { opensAt: '12/25/2030' }, /^INVALID_VALUE .*opensAt/],
    ['an empty time', { boardFrom: '' }, /^INVALID_VALUE .*boardFrom/],
    ['a metric that does not rank', { rankedBy: 'METEOR' }, /^INVALID_VALUE .*rankedBy/],
    ['an unknown metric', { metrics: ['BLEU-9'] }, /^UNKNOWN_METRIC/],
    ['too many references', { references: 3 }, /^OUT_OF_RANGE .*1 to 2/],
    ['too many decimals', { decimals: 11 }, /^OUT_OF_RANGE/],
    ['a negative limit', { limits: { total: -1 } }, /^OUT_OF_RANGE .*limits.total/],
    ['an unknown baseline', { baselines: ['none'] }, /^UNKNOWN_SYSTEM/],
    ['an unknown team', { admittedTeams: ['anna', 'none'] }, /^UNKNOWN_TEAM .*admittedTeams.*found "none"/],
    ['a name that is no slug', { name: '..' }, /^INVALID_VALUE phases.name: invalid name/],
  ])('refuses a phase with %s', async (_what, phase, message) => {
    expect(await rejectionOf(challenge(phase))).toMatch(message)
  })

  it('makes the dataset of a phase private, which it stays', async () => {
    await world.dataset('birds', { images: { b1: ['a bird', 'the bird'] } })
    const isPrivate = async () => (await requireDataset(database, 'birds')).isPrivate
    const name = await challenge({ dataset: 'birds', isPrivate: false })
    expect(await isPrivate()).toBe(false)
    const change = (changes: Partial<PhaseInput>) =>
      updateChallenge(accord, OPEN_VIEWER, { name, phases: [{ name: 'main', ...changes }] })
    await change({ isPrivate: true })
    await change({ decimals: 2 })
    expect(await isPrivate()).toBe(true)
    expect(await rejectionOf(change({ isPrivate: false }))).toMatch(/^NOT_APPLICABLE .*is private/)
  })

  it('does not tell which images a private dataset has, nor how many', async () => {
    await world.dataset('owls', { images: { o1: ['an owl', 'the owl'], o2: ['owls', 'two owls'] } })
    const name = await challenge({ dataset: 'owls', isPrivate: true })
    for (const content of [[], results({ o1: 1 })]) {
      expect(await refused(name, ANNA, {}, content)).toBe(
        'MISSING_IMAGES r.json: images are missing: expected a caption of each image of the phase, found fewer',
      )
    }
    expect(await refused(name, ANNA, {}, results({ x: 1 }))).toMatch(/^UNKNOWN_IMAGE .*found "x"$/)
  })

  it('shows no control characters, and none that change the direction of text', async () => {
    const name = await challenge()
    const upload = await uploadOf(accord, results(DOGS), 'a\u202eb\u0007.json')
    const [{ fileName }] = await submit(accord, ANNA, { challenge: name, upload })
    expect(fileName).toBe('a\ufffdb\ufffd.json')
    const inZip = zip({ 'x/c\u2066d\n.json': results(DOGS) })
    expect(await send(name, ANNA, {}, inZip)).toMatchObject([{ fileName: 'c\ufffdd\ufffd.json' }])
    expect(await refused(name, ANNA, { method: 'a\u202eb' })).toMatch(/^INVALID_VALUE .*control characters/)
    await send(name, ANNA, { method: 'two\nlines' })
    for (const texts of [{ title: 'a\nb' }, { description: 'a\u202eb' }])
      expect(await rejectionOf(updateChallenge(accord, OPEN_VIEWER, { name, ...texts }))).toMatch(
        /^INVALID_VALUE .*without control characters/,
      )
    await endAll('DONE')
  })

  it('refuses texts that are too long', async () => {
    const name = await challenge()
    for (const texts of [{ title: 'x'.repeat(201) }, { description: 'x'.repeat(10_001) }]) {
      expect(await rejectionOf(updateChallenge(accord, OPEN_VIEWER, { name, ...texts }))).toMatch(
        /^OUT_OF_RANGE/,
      )
      const created = createChallenge(accord, OPEN_VIEWER, { name: 'long', ...texts })
      expect(await rejectionOf(created)).toMatch(/^OUT_OF_RANGE/)
    }
  })

  it('refuses a time zone that is none, and a name that is taken', async () => {
    const name = await challenge()
    expect(await rejectionOf(challenge({}, { timeZone: 'Mars/Base' }))).toMatch(/^INVALID_VALUE .*IANA/)
    expect(await rejectionOf(createChallenge(accord, OPEN_VIEWER, { name }))).toMatch(/^NAME_TAKEN/)
    expect(await rejectionOf(updateChallenge(accord, ANNA, { name, title: 'x' }))).toMatch(/^FORBIDDEN/)
  })
})

describe('days', () => {
  it.each([
    ['UTC', '2026-01-31T23:59:59.999Z', '2026-01-31', '2026-02-01T00:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29', '2026-03-29T22:00:00.000Z'],
    ['Asia/Kolkata', '2026-01-31T18:30:00Z', '2026-02-01', '2026-02-01T18:30:00.000Z'],
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29', '2011-12-30T10:00:00.000Z'],
  ])('of %s at %s', (zone, time, day, next) => {
    expect(dayOf(Date.parse(time), zone)).toBe(day)
    expect(new Date(nextDay(Date.parse(time), zone)).toISOString()).toBe(next)
  })
})

describe('Markdown', () => {
  const rendered = (text: string) => renderMarkdown(text, async () => {})

  it.each([
    ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n'],
    ['<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>\n'],
    ['[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>\n'],
    ['[x](JaVaScRiPt&colon;alert(1))', '<p>[x](JaVaScRiPt:alert(1))</p>\n'],
    ['[x](data:text/html,<script>1</script>)', '<p>[x](data:text/html,&lt;script&gt;1&lt;/script&gt;)</p>\n'],
    ['[x]( vbscript:x)', '<p>[x]( vbscript:x)</p>\n'],
    ['[x](/graphql?query=mutation)', '<p>[x](/graphql?query=mutation)</p>\n'],
    ['<a href="x" onclick="y">', '<p>&lt;a href=&quot;x&quot; onclick=&quot;y&quot;&gt;</p>\n'],
    [
      '[x](https://a.b "t\\" onmouseover=1")',
      '<p><a href="https://a.b" title="t&quot; onmouseover=1">x</a></p>\n',
    ],
    ['<style>*{}</style>', '<p>&lt;style&gt;*{}&lt;/style&gt;</p>\n'],
    ['**bold** `code`', '<p><strong>bold</strong> <code>code</code></p>\n'],
    ['[x][a]\n\n[a]: https://a.b', '<p><a href="https://a.b">x</a></p>\n'],
    [
      '| *a* |\n|---|\n| \\* &amp; |',
      '<table>\n<thead>\n<tr>\n<th><em>a</em></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>* &amp;</td>\n</tr>\n</tbody>\n</table>\n',
    ],
  ])('%s', async (text, html) => {
    expect(await rendered(text)).toBe(html)
  })

  it.each(['[[(', '*a_', '[a](', '<a ', '\\['])(
    'of very many %s in one paragraph is shown as it was written',
    async (text) => {
      const long = text.repeat(10_000 / text.length)
      expect(await rendered(`*before*\n\n${long}`)).toBe(
        `<p><em>before</em></p>\n<p>${long.trim().replaceAll('<', '&lt;')}</p>\n`,
      )
    },
  )

  it('of very many references is shown as it was written', async () => {
    const long = Array.from({ length: 600 }, (_, i) => `[a${i}]: http://x`).join('\n')
    expect(await rendered(long)).toBe(`<p>${long}</p>\n`)
  })

  it('waits for a turn before each paragraph', async () => {
    let turns = 0
    await renderMarkdown('one\n\ntwo\n\n- three', async () => void turns++)
    expect(turns).toBe(3)
  })

  it('leaves pictures as links, which load nothing', async () => {
    expect(await rendered('![x](https://tracker.example/a.png)')).not.toContain('<img')
  })
})
