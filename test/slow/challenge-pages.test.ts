import { readFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { addUser } from '../../src/services/accounts/users.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { readBoard } from '../../src/services/challenges/board.js'
import { createChallenge, updateChallenge } from '../../src/services/challenges/challenges.js'
import { requirePhase } from '../../src/services/challenges/phases.js'
import { submit } from '../../src/services/challenges/submit.js'
import { expectSound, expectSoundInViews, NARROW, openPage, settled, type View } from '../kit/browser.js'
import { DOG_PHASE, dogImages, dogResults, endJobs, memberOf } from '../kit/dogs.js'
import { type Browser, launchBrowser, type Page } from '../kit/launch-browser.js'
import { type Api, initWorld, loadEvaluatedSeed } from '../kit/seed.js'
import { uploadOf } from '../kit/uploads.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

const COUNT = 40

const IMAGES = dogImages(COUNT)
// Not all have words in common.
for (let image = 0; image < COUNT; image += 3) IMAGES[image + 1][0] = 'two cats'

const captions = (text: (image: number) => string) => dogResults(COUNT, text)

const GOOD = captions((image) => `a dog runs in park ${image}`)
/** The same but for one image. */
const NEARLY = captions((image) => (image === 3 ? 'a dog runs' : `a dog runs in park ${image}`))
const BAD = captions((image) => `zebra ${image % 2}`)

describe.skipIf(!browser)('the pages of challenges', async () => {
  const world = await initWorld()
  const { accord, database, location } = world
  let home: string
  /** The same database, for clients that have not signed in. */
  let publicHome: string

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
        { ...DOG_PHASE, baselines: ['zebra'], limits: { perDay: 2, total: 5 } },
        { ...DOG_PHASE, name: 'hidden', boardFrom: '2119-01-01T00:00:00Z' },
        { ...DOG_PHASE, name: 'later', opensAt: '2119-01-01T00:00:00Z' },
        { ...DOG_PHASE, name: 'over', closesAt: '2021-01-01T00:00:00Z' },
      ],
    })
    await createChallenge(accord, OPEN_VIEWER, { name: 'paused', phases: [DOG_PHASE] })
    await updateChallenge(accord, OPEN_VIEWER, { name: 'paused', isPaused: true })
    await send('anna', BAD)
    await send('anna', GOOD, { method: 'Looks <b>twice</b>.', links: ['https://example.com/anna'] })
    await send('ben', NEARLY)
    await send('carl', BAD, { isAnonymous: true })
    await endJobs(database, location)
    // No worker executes what comes now; what the board compares is kept.
    for (const phase of ['main', 'hidden'])
      await readBoard(accord, OPEN_VIEWER, await requirePhase(database, OPEN_VIEWER, 'dogs', phase))
    await send('dora', GOOD)
    await readBoard(accord, OPEN_VIEWER, await requirePhase(database, OPEN_VIEWER, 'dogs', 'main'))
    home = new URL('.', (await world.serve()).url).href
    publicHome = new URL('.', (await world.serve({ accounts: 'OPEN' })).url).href
  })

  const open = (path: string, view?: View) => openPage(browser, home + path, view)
  const openPublic = (path: string) => openPage(browser, publicHome + path)
  const textOf = (page: Page) => page.textContent('main')

  it.each([
    'challenges',
    'challenges/dogs',
    'challenges/dogs/main',
    'challenges/dogs/main?metric=ROUGE-L',
    'challenges/dogs/hidden',
    'challenges/dogs/none',
    'challenges/paused',
  ])('/%s is sound in every view', async (path) => {
    const opened = await open(path, NARROW)
    await expectSoundInViews(opened, home)
    await opened.close()
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
    await page.selectOption('label:has-text("Team") select', 'BEN')
    await page.waitForURL(/team=/)
    expect(await textOf(page)).toContain('BLEU-1 of the submissions of BEN')
    const address = await page.evaluate<string>('location.pathname.slice(1) + location.search')
    const again = await open(address)
    expect(await textOf(again.page)).toContain('BLEU-1 of the submissions of BEN')
    await again.close()
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

describe.skipIf(!browser)('the page of submissions', async () => {
  const world = await initWorld()
  let api: Api
  let home: string
  let publicHome: string

  beforeAll(async () => {
    await loadEvaluatedSeed(world.accord)
    await world.dataset('dogs', { images: IMAGES })
    await world.dataset('few dogs', { images: { 1: IMAGES[1], 2: IMAGES[2] } })
    await createChallenge(world.accord, OPEN_VIEWER, {
      name: 'dogs',
      phases: [
        { ...DOG_PHASE, limits: { perDay: 1, total: 3 } },
        { ...DOG_PHASE, name: 'few', dataset: 'few dogs', metrics: ['BLEU-1'] },
      ],
    })
    await createChallenge(world.accord, OPEN_VIEWER, { name: 'other', phases: [DOG_PHASE] })
    await world.dataset('secret', { images: IMAGES })
    await createChallenge(world.accord, OPEN_VIEWER, {
      name: 'private',
      phases: [{ ...DOG_PHASE, dataset: 'secret', isPrivate: true, boardFrom: '2119-01-01T00:00:00Z' }],
    })
    await addUser(world.accord, { name: 'nora', password: 'correct horse 1' }, 'user')
    api = await world.serve({ workers: 1 })
    publicHome = new URL('.', (await world.serve({ accounts: 'OPEN' })).url).href
    home = new URL('.', api.url).href
  })

  const open = (path: string, view?: View) => openPage(browser, home + path, view)
  const said = (page: Page) => expect.poll(() => page.textContent('main'))
  const choose = (page: Page, name: string, buffer: Buffer) =>
    page.setInputFiles('input[type=file]', { name, mimeType: 'application/octet-stream', buffer })
  const bytesOf = (content: object) => Buffer.from(JSON.stringify(content))
  const quotaOf = async (challenge: string, phase: string) =>
    (
      await api.ask(`{ challenge(name: "${challenge}") { phase(name: "${phase}") {
        quota { usedInTotalCount attemptCount } } } }`)
    ).challenge.phase.quota

  it.each(['scenes', 'dogs', 'none'])('is sound in every view, for the challenge %s', async (challenge) => {
    const opened = await open(`challenges/${challenge}/submit`, NARROW)
    await expectSoundInViews(opened, home)
    await opened.close()
  })

  it('leads a newcomer from the first page to a place on the board', async () => {
    const { page, complaints, close } = await open('')
    await page.click('main a[href$="/challenges/scenes"]')
    await page.waitForSelector('.prose')
    expect(await page.textContent('.prose')).toContain('seed/submission.json')
    await page.click('main a[href$="/submit"]')
    await page.waitForSelector('input[type=file]')
    expect(await page.textContent('.quota')).toContain('20 of 20')
    await choose(page, 'submission.json', readFileSync(projectFile('seed/submission.json')))
    await page.click('button[type=submit]')
    await page.waitForSelector('.job.done')
    await said(page).toMatch(
      /submission\.json done.*charged to \d{4}-\d\d-\d\d.*CIDEr-D [\d.]+, METEOR [\d.]+ \[/,
    )
    await said(page).toContain('19 of 20')
    const opened = { page, complaints, addresses: [], close }
    await expectSound(opened, home)
    await page.click('.job.done details:last-of-type summary')
    await expect
      .poll(() => page.evaluate<number>("document.querySelectorAll('.job .compared li').length"))
      .toBe(6)
    expect(await page.textContent('.job .compared')).toMatch(/CIDEr-D [.\d]+ and [.\d]+ \(/)
    await page.click('.job.done a[href$="/challenges/scenes/main"]')
    await page.waitForSelector('.board-row.own')
    const [rank, team] = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.board-row.own td')].map((cell) => cell.textContent)",
    )
    expect([rank, team]).toEqual(['1', 'local (your team)'])
    await expectSound(opened, home)
    // The distances are tests, which follow.
    await expect
      .poll(() => page.textContent('.verdict'))
      .toMatch(
        /^local has rank 1 of 1 entry by CIDEr-D: \.\d+ \[−?\.\d+, −?\.\d+\] (above|below) people, .*\] (above|below) \w+ \(baseline\)/,
      )
    await expect
      .poll(() => page.evaluate<number>("document.querySelectorAll('section .system circle').length"))
      .toBeGreaterThan(4)
    await close()
  })

  it('says where an error of a file is, and charges nothing', async () => {
    const { page, close } = await open('challenges/other/submit')
    await choose(
      page,
      'wrong.json',
      bytesOf([...(GOOD as object[]).slice(1), { image_id: 77, caption: 'a' }]),
    )
    await page.click('button[type=submit]')
    await page.waitForSelector('form .failure')
    const text = await page.textContent('form .failure')
    for (const part of ['unknown image', '[39]', '77']) expect(text).toContain(part)
    expect(await quotaOf('other', 'main')).toEqual({ usedInTotalCount: 0, attemptCount: 0 })
    // What is put right is accepted from the same form, with the keyboard.
    await choose(page, 'right.json', bytesOf(GOOD))
    await page.evaluate("document.querySelector('button[type=submit]').focus()")
    await page.keyboard.press('Enter')
    await page.waitForSelector('.job.done')
    expect(await page.evaluate<number>("document.querySelectorAll('form .failure').length")).toBe(0)
    // Sent twice, it is charged once.
    await page.click('button[type=submit]')
    await page.waitForSelector('form .note:has-text("submitted before")')
    expect(await page.evaluate<number>("document.querySelectorAll('.job').length")).toBe(1)
    await close()
  })

  it('takes a dropped zip file with a file for each phase, and tells what is left', async () => {
    const { page, close } = await open('challenges/dogs/submit')
    const zip = zipSync({ 'main.json': bytesOf(GOOD), 'few.json': bytesOf((BAD as object[]).slice(0, 2)) })
    await page.selectOption('label:has-text("Phase") select', '')
    await page.click('.about summary')
    await page.fill('label:has-text("Method") textarea', 'Looks *twice*.')
    await page.fill('label:has-text("Links") textarea', 'https://example.com/a\nhttps://example.com/b')
    await page.click('label:has-text("Others do not see the team") input')
    await page.evaluate(`{
      const transfer = new DataTransfer()
      transfer.items.add(new File([new Uint8Array([${zip.join(',')}])], 'both.zip'))
      document.querySelector('.drop').dispatchEvent(
        new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }),
      )
    }`)
    await page.click('button[type=submit]')
    await expect.poll(() => page.evaluate<number>("document.querySelectorAll('.job.done').length")).toBe(2)
    await said(page).toContain('the team has used all of the day')
    expect(await page.textContent('main')).toMatch(/today0 of 1in all2 of 3/)
    expect(await page.textContent('main')).toContain('The next day begins at midnight in UTC:')
    const { challenge } = await api.ask(`{ challenge(name: "dogs") { phase(name: "main") {
      submissions { nodes { method links isAnonymous fileName } } } } }`)
    expect(challenge.phase.submissions.nodes).toEqual([
      {
        method: 'Looks *twice*.',
        links: ['https://example.com/a', 'https://example.com/b'],
        isAnonymous: true,
        fileName: 'main.json',
      },
    ])
    // The next one is refused in place.
    await page.selectOption('label:has-text("Phase") select', 'main')
    await choose(page, 'second.json', bytesOf(GOOD))
    await page.click('button[type=submit]')
    await page.waitForSelector('form .failure')
    expect(await page.textContent('form .failure')).toContain('no submission is left')
    await close()
  })

  it('takes a user from the sign-in to a submission against private references', async () => {
    const { page, close } = await openPage(browser, `${publicHome}challenges/private`)
    await said(page).toContain('of a private dataset')
    await page.click('main a[href$="/submit"]')
    await page.waitForSelector('main a[href*="sign-in"]')
    await page.click('main a[href*="sign-in"]')
    await page.waitForSelector('input[name=name]:focus')
    await page.keyboard.type('nora')
    await page.keyboard.press('Tab')
    await page.keyboard.type('correct horse 1')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/challenges\/private\/submit$/)
    await said(page).toContain('Teams submit.')
    await page.click('main a[href$="/account"]')
    await page.waitForSelector('input[name=team]')
    await page.fill('input[name=team]', 'Night Owls')
    await page.keyboard.press('Enter')
    await said(page).toContain('nora')
    await page.waitForSelector('main .cards')
    await page.goto(`${publicHome}challenges/private/submit`)
    await page.waitForSelector('input[type=file]')
    expect(await page.textContent('form')).toContain('A caption of each image')
    await choose(page, 'owls.json', bytesOf(GOOD))
    await page.click('button[type=submit]')
    await page.waitForSelector('.job.done')
    await said(page).toMatch(/owls\.json done.*BLEU-1 [\d.]+ \[/)
    await page.click('.job.done a[href$="/challenges/private/main"]')
    await page.waitForSelector('.verdict')
    expect(await page.textContent('.verdict')).toContain('The board is hidden until')
    await close()
  })

  it('chooses an entry and withdraws one', async () => {
    const { page, close } = await open('challenges/other/submit')
    page.on('dialog', (dialog: { accept(): Promise<void> }) => void dialog.accept())
    await page.click('.job.done button:has-text("Choose as entry")')
    await said(page).toContain('chosen for the board')
    await page.click('.job.done button:has-text("Let the best one be the entry")')
    await page.waitForSelector('.job.done button:has-text("Choose as entry")')
    await page.click('.job.done button:has-text("Withdraw")')
    await said(page).toMatch(/charged to [\d-]+, withdrawn/)
    expect(await page.evaluate<number>("document.querySelectorAll('.job button').length")).toBe(0)
    await close()
  })
})

describe.skipIf(!browser)('the page of submissions without a worker', async () => {
  const world = await initWorld()
  let home: string
  let publicHome: string

  beforeAll(async () => {
    await world.dataset('dogs', { images: IMAGES })
    await createChallenge(world.accord, OPEN_VIEWER, {
      name: 'dogs',
      phases: [{ ...DOG_PHASE, limits: { total: 2, attempts: 9 } }],
    })
    for (const viewer of [memberOf('rival'), OPEN_VIEWER]) {
      const upload = await uploadOf(world.accord, BAD, `${viewer.user?.id}.json`)
      await submit(world.accord, viewer, { challenge: 'dogs', upload })
    }
    home = new URL('.', (await world.serve()).url).href
    publicHome = new URL('.', (await world.serve({ accounts: 'OPEN' })).url).href
  })

  it('shows the place in the queue; what is cancelled is not charged, but an attempt', async () => {
    const { page, close } = await openPage(browser, `${home}challenges/dogs/submit`)
    await page.waitForSelector('.job.queued')
    const said = expect.poll(() => page.textContent('main'))
    await said.toMatch(/\d jobs? before it/)
    await said.toContain('in all1 of 2')
    // Those of others are theirs.
    expect(await page.textContent('main')).not.toContain('rival.json')
    await page.click('.job.queued button')
    await page.waitForSelector('.job.cancelled')
    await said.toContain('not charged')
    await said.toContain('in all2 of 2')
    await said.toContain('ones8 of 9')
    await close()
  })

  it('leads those who have not signed in to do so, and back', async () => {
    const { page, close } = await openPage(browser, `${publicHome}challenges/dogs/submit`)
    expect(await page.evaluate<string>("document.querySelector('main .button').getAttribute('href')")).toBe(
      `/sign-in?next=${encodeURIComponent('/challenges/dogs/submit')}`,
    )
    await close()
  })
})

describe.skipIf(!browser)('where a submission lost', async () => {
  const world = await initWorld()
  const { accord, database, location } = world
  let home: string

  beforeAll(async () => {
    const dogs = await world.dataset('dogs', { images: IMAGES })
    await dogs.captionSystem(
      'parrot',
      Object.fromEntries(Object.keys(IMAGES).map((id) => [id, 'a dog runs'])),
    )
    await createChallenge(accord, OPEN_VIEWER, {
      name: 'dogs',
      phases: [{ ...DOG_PHASE, baselines: ['parrot'], isImageScoreShown: true }],
    })
    const upload = await uploadOf(accord, BAD, 'mine.json')
    await submit(accord, OPEN_VIEWER, { challenge: 'dogs', upload })
    await endJobs(database, location)
    home = new URL('.', (await world.serve({ workers: 1 })).url).href
  })

  it('is shown with its captions, those of people and the best baseline, and paired distances', async () => {
    const opened = await openPage(browser, `${home}challenges/dogs/submit`, NARROW)
    const { page, addresses, close } = opened
    await page.click('.job details summary')
    await page.waitForSelector('.compared li')
    await settled(page)
    const first = (await page.textContent('.compared li')) ?? ''
    expect(first).toMatch(/mine\.json .*zebra [01]/)
    expect(first).toContain('parrot a dog runs')
    expect(first).toMatch(/people .*runs in park/)
    const figure = (await page.textContent('.job figure')) ?? ''
    expect(figure).toContain('How far mine.json is from people and baselines, on the same images')
    expect(figure).toContain('parrot')
    addresses.length = 0
    await expectSoundInViews(opened, home)
    await close()
  })
})
