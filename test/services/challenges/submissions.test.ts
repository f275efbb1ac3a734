import { zipSync } from 'fflate'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { OPEN_VIEWER, type Viewer } from '../../../src/services/accounts/viewer.js'
import {
  createChallenge,
  type PhaseInput,
  updateChallenge,
} from '../../../src/services/challenges/challenges.js'
import { dayOf, nextDay } from '../../../src/services/challenges/days.js'
import { renderMarkdown } from '../../../src/services/challenges/markdown.js'
import { requirePhase } from '../../../src/services/challenges/phases.js'
import { readQuota } from '../../../src/services/challenges/quota.js'
import {
  cancelSubmission,
  chooseEntry,
  grantSubmissions,
  listSubmissions,
  queuePlaces,
  type SubmitInput,
  submit,
  withdrawSubmission,
} from '../../../src/services/challenges/submissions.js'
import { removeDataset } from '../../../src/services/datasets/datasets.js'
import { insertAccountRow } from '../../../src/store/account-rows.js'
import { deleteUser, findUser } from '../../../src/store/accounts.js'
import { requireDataset } from '../../../src/store/datasets.js'
import { sql } from '../../../src/store/engine/sql.js'
import { rejectionOf } from '../../kit/boxes.js'
import { cocoResults } from '../../kit/coco.js'
import { ENGINES } from '../../kit/databases.js'
import { memberOf } from '../../kit/dogs.js'
import { initWorld, type Json } from '../../kit/seed.js'
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

  beforeAll(async () => {
    await world.dataset('dogs', { images: DOGS })
    await world.dataset('cats', { images: CATS })
  })

  let count = 0

  /** A challenge with a phase on dogs. @returns its name */
  async function challenge(
    phase: Partial<PhaseInput> = {},
    { timeZone, phases = [] }: { timeZone?: string; phases?: readonly PhaseInput[] } = {},
  ): Promise<string> {
    const name = `challenge ${++count}`
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
    submit(accord, viewer, { challenge: name, upload: await uploadOf(accord, content, 'r.json'), ...input })

  const refused = (...input: Parameters<typeof send>) => rejectionOf(send(...input))

  const quota = async (name: string, viewer = ANNA) =>
    readQuota(database, await requirePhase(database, name, null), viewer.teams[0].id, Date.now())

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
    expect(await refused(name, BEN)).toMatch(/is paused/)
    expect(await refused(name, { ...BEN, user: null, teams: [], scopes: new Set(['read']) })).toMatch(
      /^UNAUTHENTICATED/,
    )
    expect(await refused(name, { ...BEN, scopes: new Set(['read']) })).toMatch(/^FORBIDDEN/)
    expect(await refused(name, BEN, { team: 'anna' })).toMatch(/^FORBIDDEN/)
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
      /^OUT_OF_RANGE .*at most 268435456 bytes/,
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

  it('shows teams their own submissions, their places in the queue, and lets them withdraw and choose', async () => {
    const name = await challenge()
    const [first] = await send(name, ANNA, { method: '*new*', links: ['https://example.org/a'] })
    const [second] = await send(name)
    const [other] = await send(name, BEN)
    const chosen = await requirePhase(database, name, null)
    const own = async (viewer: Viewer) => (await listSubmissions(accord, viewer, chosen)).map(({ id }) => id)
    expect(await own(ANNA)).toEqual([first.id, second.id])
    expect(await own(BEN)).toEqual([other.id])
    expect(await own(OPEN_VIEWER)).toEqual([first.id, second.id, other.id])
    // Workers alternate between teams.
    const places = await queuePlaces(accord)
    const befores = [first, other, second].map(({ jobId }) => places.get(jobId as number)!.before)
    expect(befores.toSorted((one, two) => one - two)).toEqual(befores)
    expect(await rejectionOf(withdrawSubmission(accord, BEN, first.id))).toMatch(/^UNKNOWN_SUBMISSION/)
    expect(await chooseEntry(accord, ANNA, first.id, true)).toMatchObject({ isChosen: 1 })
    expect(await chooseEntry(accord, ANNA, second.id, true)).toMatchObject({ isChosen: 1 })
    const rows = await listSubmissions(accord, ANNA, chosen)
    expect(rows.map(({ isChosen }) => isChosen)).toEqual([0, 1])
    expect(await withdrawSubmission(accord, ANNA, second.id)).toMatchObject({ isWithdrawn: 1, isChosen: 0 })
    expect(await rejectionOf(chooseEntry(accord, ANNA, second.id, true))).toMatch(/^NOT_APPLICABLE/)
    await endAll('DONE')
    expect(await rejectionOf(cancelSubmission(accord, ANNA, first.id))).toMatch(/^NOT_APPLICABLE .*has ended/)
  })

  it('keeps submissions of deleted accounts without the names', async () => {
    const time = '2026-01-01T00:00:00.000Z'
    const user = {
      id: 'olga',
      name: 'Olga',
      email: 'olga@accord.invalid',
      emailVerified: 0,
      banned: 0,
      role: 'user',
    }
    await database.transaction(async (session) => {
      await insertAccountRow(session, 'user', { ...user, createdAt: time, updatedAt: time })
      await insertAccountRow(session, 'organization', {
        id: 'owls',
        name: 'Owls',
        slug: 'owls',
        createdAt: time,
      })
      const member = { id: 'm', organizationId: 'owls', userId: 'olga', role: 'owner', createdAt: time }
      await insertAccountRow(session, 'member', member)
    })
    const name = await challenge()
    const olga = {
      ...memberOf('owls'),
      user: { id: 'olga', name: 'Olga' },
      teams: [{ id: 'owls', name: 'Owls' }],
    }
    expect(await send(name, olga)).toMatchObject([{ submitter: 'olga', teamName: 'Owls' }])
    await database.transaction(async (session) => deleteUser(session, (await findUser(session, 'olga'))!))
    const kept = await listSubmissions(accord, OPEN_VIEWER, await requirePhase(database, name, null))
    expect(kept).toMatchObject([{ submitter: null, teamName: 'deleted', team: 'owls' }])
    await endAll('DONE')
  })

  it('keeps the dataset of a phase', async () => {
    await challenge()
    expect(await rejectionOf(removeDataset(accord, 'dogs'))).toMatch(
      /^NOT_APPLICABLE .*a phase of a challenge/,
    )
  })

  it.each<[string, Json, RegExp]>([
    ['no dataset', { dataset: undefined }, /^INVALID_SHAPE .*phases.dataset/],
    ['no end', { closesAt: undefined }, /^INVALID_SHAPE .*phases.closesAt/],
    ['an end before the beginning', { closesAt: '2025-01-01' }, /^OUT_OF_RANGE .*ends before it begins/],
    ['a time that is none', { opensAt: 'soon' }, /^INVALID_VALUE .*phases.opensAt/],
    ['a metric that does not rank', { rankedBy: 'METEOR' }, /^INVALID_VALUE .*rankedBy/],
    ['an unknown metric', { metrics: ['BLEU-9'] }, /^UNKNOWN_METRIC/],
    ['too many references', { references: 3 }, /^OUT_OF_RANGE .*1 to 2/],
    ['too many decimals', { decimals: 11 }, /^OUT_OF_RANGE/],
    ['a negative limit', { limits: { total: -1 } }, /^OUT_OF_RANGE .*limits.total/],
    ['an unknown baseline', { baselines: ['none'] }, /^UNKNOWN_SYSTEM/],
  ])('refuses a phase with %s', async (_what, phase, message) => {
    expect(await rejectionOf(challenge(phase))).toMatch(message)
  })

  it('makes the dataset of a phase private, which it stays', async () => {
    await world.dataset('birds', { images: { b1: ['a bird', 'the bird'] } })
    const isPrivate = async () => (await requireDataset(database, 'birds')).isPrivate
    const name = await challenge({ dataset: 'birds', isPrivate: false })
    expect(await isPrivate()).toBe(0)
    const change = (changes: Partial<PhaseInput>) =>
      updateChallenge(accord, OPEN_VIEWER, { name, phases: [{ name: 'main', ...changes }] })
    await change({ isPrivate: true })
    await change({ decimals: 2 })
    expect(await isPrivate()).toBe(1)
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
  ])('%s', (text, html) => {
    expect(renderMarkdown(text)).toBe(html)
  })

  it('leaves pictures as links, which load nothing', () => {
    expect(renderMarkdown('![x](https://tracker.example/a.png)')).not.toContain('<img')
  })
})
