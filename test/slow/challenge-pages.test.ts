import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPEN_VIEWER, type Viewer } from '../../src/services/accounts/viewer.js'
import { readBoard } from '../../src/services/challenges/board.js'
import {
  createChallenge,
  type PhaseInput,
  updateChallenge,
} from '../../src/services/challenges/challenges.js'
import { requirePhase } from '../../src/services/challenges/phases.js'
import { submit } from '../../src/services/challenges/submissions.js'
import { startWorkers } from '../../src/services/jobs/workers.js'
import { sql } from '../../src/store/engine/sql.js'
import { expectSound, openPage, settled, VIEWS, type View } from '../kit/browser.js'
import { cocoResults } from '../kit/coco.js'
import { type Browser, launchBrowser, type Page } from '../kit/launch-browser.js'
import { initWorld } from '../kit/seed.js'
import { uploadOf } from '../kit/uploads.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

const COUNT = 40

const IMAGES = Object.fromEntries(
  Array.from({ length: COUNT }, (_, image) => [
    `${image + 1}`,
    [
      image % 3 === 0 ? 'two cats' : `a dog runs in park ${image}`,
      `the dog is in the park ${image}`,
      `one brown dog near tree ${image}`,
    ],
  ]),
)

const captions = (text: (image: number) => string) =>
  cocoResults(Object.fromEntries(Object.keys(IMAGES).map((image) => [image, text(Number(image) - 1)])))

const GOOD = captions((image) => `a dog runs in park ${image}`)
/** The same but for one image. */
const NEARLY = captions((image) => (image === 3 ? 'a dog runs' : `a dog runs in park ${image}`))
const BAD = captions((image) => `zebra ${image % 2}`)

const memberOf = (team: string): Viewer => ({
  user: { id: team, name: team },
  isAdministrator: false,
  scopes: new Set(['read', 'submit']),
  teams: [{ id: team, name: team.toUpperCase() }],
})

const PHASE: PhaseInput = {
  name: 'main',
  dataset: 'dogs',
  opensAt: '2020-01-01T00:00:00Z',
  closesAt: '2120-01-01T00:00:00Z',
  metrics: ['BLEU-1', 'ROUGE-L'],
  decimals: 2,
}

describe.skipIf(!browser)('the pages of challenges', async () => {
  const world = await initWorld()
  const { accord, database, location } = world
  let home: string
  /** The same database, for clients that have not signed in. */
  let publicHome: string

  async function endJobs(): Promise<void> {
    const workers = await startWorkers({ location, count: 1 })
    try {
      const open = sql`SELECT 1 AS found FROM job WHERE status IN ('QUEUED', 'RUNNING') LIMIT 1`
      while ((await database.all(open)).length > 0) await sleep(20)
    } finally {
      await workers.close()
    }
  }

  const send = async (team: string, content: object, more: object = {}) => {
    const upload = await uploadOf(accord, content, `${team}.json`)
    await submit(accord, memberOf(team), { challenge: 'dogs', phases: ['main'], upload, ...more })
  }

  beforeAll(async () => {
    const dogs = await world.dataset('dogs', { images: IMAGES })
    await dogs.captionSystem(
      'zebra',
      Object.fromEntries(Object.keys(IMAGES).map((image) => [image, `dog ${image}`])),
    )
    await createChallenge(accord, OPEN_VIEWER, {
      name: 'dogs',
      title: 'Describe dogs',
      description:
        '# Rules\n\nOne caption *each*.\n\n<img src=x onerror=alert(1)> ![a dog](https://example.com/a.png) [x](javascript:alert(1))',
      timeZone: 'Asia/Tokyo',
      phases: [
        { ...PHASE, baselines: ['zebra'], limits: { perDay: 2, total: 5 } },
        { ...PHASE, name: 'hidden', boardFrom: '2119-01-01T00:00:00Z' },
        { ...PHASE, name: 'later', opensAt: '2119-01-01T00:00:00Z' },
        { ...PHASE, name: 'over', closesAt: '2021-01-01T00:00:00Z' },
      ],
    })
    await createChallenge(accord, OPEN_VIEWER, { name: 'paused', phases: [PHASE] })
    await updateChallenge(accord, OPEN_VIEWER, { name: 'paused', isPaused: true })
    await send('anna', BAD)
    await send('anna', GOOD, { method: 'Looks <b>twice</b>.', links: ['https://example.com/anna'] })
    await send('ben', NEARLY)
    await send('carl', BAD, { isAnonymous: true })
    await endJobs()
    // No worker executes what comes now; what the board compares is kept.
    for (const phase of ['main', 'hidden'])
      await readBoard(accord, OPEN_VIEWER, await requirePhase(database, 'dogs', phase))
    await send('dora', GOOD)
    home = new URL('.', (await world.serve()).url).href
    publicHome = new URL('.', (await world.serve({ accounts: 'OPEN' })).url).href
  })

  const open = (path: string, view?: View) => openPage(browser, home + path, view)
  const openPublic = (path: string) => openPage(browser, publicHome + path)
  const textOf = (page: Page) => page.textContent('main')

  describe.each(VIEWS)('on %s', (_name, view) => {
    it.each([
      'challenges',
      'challenges/dogs',
      'challenges/dogs/main',
      'challenges/dogs/main?metric=ROUGE-L',
      'challenges/dogs/hidden',
      'challenges/dogs/none',
      'challenges/paused',
    ])('/%s is sound', async (path) => {
      const opened = await open(path, view)
      await expectSound(opened, home)
      await opened.close()
    })
  })

  it('says where each phase stands, and by which rules', async () => {
    const { page, close } = await open('challenges/dogs')
    const text = await textOf(page)
    for (const part of [
      'Days, for limits per day, begin at midnight in Asia/Tokyo',
      'open until',
      'opens',
      'ended',
      '2 a day, 5 in all',
      '40 of dogs',
    ])
      expect(text).toContain(part)
    await page.goto(`${home}challenges/paused`)
    await settled(page)
    expect(await textOf(page)).toContain('paused by its hosts')
    await close()
  })

  it('shows the description without scripts and pictures', async () => {
    const { page, close } = await open('challenges/dogs')
    const elements = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.prose *')].map(({ tagName }) => tagName)",
    )
    expect(elements).toEqual(['H1', 'P', 'EM', 'P', 'A'])
    expect(await page.textContent('.prose')).toContain('<img src=x onerror=alert(1)>')
    await close()
  })

  const rowsOf = (page: Page) =>
    page.evaluate<string[][]>(
      "[...document.querySelectorAll('.board-row')].map((row) => [...row.children].slice(0, 2).map((cell) => cell.textContent))",
    )

  it('ranks entries beside people and baselines; those without a score are at the end', async () => {
    const { page, close } = await openPublic('challenges/dogs/main')
    expect(await rowsOf(page)).toEqual([
      ['1–2', 'ANNA'],
      ['1–2', 'BEN'],
      ['–', 'people'],
      ['–', 'zebra (baseline)'],
      ['3', 'anonymous 1'],
      ['–', 'DORA'],
    ])
    expect(await page.evaluate<number>("document.querySelectorAll('.brace').length")).toBe(1)
    expect(await textOf(page)).toContain('it is not computed yet')
    expect(await page.textContent('.method')).toBe('Looks <b>twice</b>.')
    // What a team sent is for its members.
    expect(await textOf(page)).not.toContain('History')
    await close()
  })

  it('is ordered by any column', async () => {
    const { page, close } = await open('challenges/dogs/main')
    const press = (title: string) =>
      page.evaluate(
        `[...document.querySelectorAll('section[aria-label="Board of main"] th button')].find(({ textContent }) => textContent === '${title}').click()`,
      )
    await press('team')
    await expect.poll(async () => (await rowsOf(page))[0][1]).toBe('ANNA')
    await press('team')
    await expect.poll(async () => (await rowsOf(page))[0][1]).toBe('zebra (baseline)')
    await page.selectOption('select', 'ROUGE-L')
    await page.waitForURL(/metric=ROUGE-L/)
    await settled(page)
    expect(await page.textContent('figcaption')).toContain('ROUGE-L')
    await close()
  })

  it('is saved as JSON with intervals and signatures', async () => {
    const { page, close } = await open('challenges/dogs/main')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.evaluate(
        "[...document.querySelectorAll('.table .tools button')].find(({ textContent }) => textContent === 'JSON').click()",
      ),
    ])
    const [first] = JSON.parse(readFileSync(await download.path(), 'utf8'))
    expect(first).toMatchObject({
      rank: 1,
      team: 'ANNA',
      'BLEU-1': expect.any(Number),
      'ROUGE-L lower': expect.any(Number),
      'BLEU-1 signature': expect.stringContaining('BLEU-1|'),
      links: 'https://example.com/anna',
    })
    await close()
  })

  it('has the history of a team, for its members and hosts', async () => {
    const { page, close } = await open('challenges/dogs/main')
    expect(await textOf(page)).toContain('BLEU-1 of the submissions of ANNA')
    expect(await page.evaluate<number>("document.querySelectorAll('.tone-system .point').length")).toBe(2)
    await page.selectOption('label:has-text("Team") select', 'ben')
    await page.waitForURL(/team=ben/)
    expect(await textOf(page)).toContain('BLEU-1 of the submissions of BEN')
    await close()
  })

  it('says until when a board is hidden, and shows it to hosts', async () => {
    const [hidden, hosted] = [
      await openPublic('challenges/dogs/hidden'),
      await open('challenges/dogs/hidden'),
    ]
    expect(await hidden.page.textContent('.verdict')).toContain('The board is hidden until Jan 1, 2119')
    expect(await rowsOf(hidden.page)).toEqual([])
    expect(await hosted.page.textContent('.verdict')).toContain('Others see the board from Jan 1, 2119')
    expect(await rowsOf(hosted.page)).toEqual([['–', 'people']])
    await hidden.close()
    await hosted.close()
  })
})
