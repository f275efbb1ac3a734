import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser, listUsers } from '../../src/services/accounts/users.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { readAudit } from '../../src/services/challenges/challenges.js'
import { requireChallenge } from '../../src/services/challenges/hosts.js'
import { requirePhase } from '../../src/services/challenges/phases.js'
import { submit } from '../../src/services/challenges/submit.js'
import { insertTeam } from '../../src/store/accounts.js'
import { query } from '../cli/kit.js'
import { expectSoundInViews, NARROW, openPage, settled, type View } from '../kit/browser.js'
import { dogImages, dogResults, memberOf } from '../kit/dogs.js'
import { type Browser, launchBrowser, type Page } from '../kit/launch-browser.js'
import { initWorld } from '../kit/seed.js'
import { uploadOf } from '../kit/uploads.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

const PASSWORD = 'correct horse 1'

const COUNT = 12

const HOSTILE =
  '**bold** <script>window.hacked = 1</script> <img src=x onerror="window.hacked = 1"> [x](javascript:window.hacked=1)'

describe.skipIf(!browser)('the pages of hosts', async () => {
  const world = await initWorld()
  const { accord, database } = world
  let home: string

  const said = (page: Page) => expect.poll(() => page.textContent('main'))
  const press = (page: Page, text: string) =>
    page.evaluate(
      `[...document.querySelectorAll('main button')].find(({ textContent }) => textContent === '${text}').click()`,
    )
  const settingsOf = async (phase: string) =>
    (await requirePhase(database, OPEN_VIEWER, 'dogs', phase)).phase.settings

  async function openAs(name: string, path: string, view?: View) {
    const opened = await openPage(browser, `${home}sign-in?next=/${path}`, view)
    const { page } = opened
    await page.fill('input[name=name]', name)
    await page.fill('input[name=password]', PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/${path.replace('?', '\\?')}$`))
    await expect.poll(() => page.textContent('.everything')).toContain(name)
    await settled(page)
    return opened
  }

  async function send(fileName: string): Promise<void> {
    const [user] = (await listUsers(accord)).filter(({ name }) => name === 'eve')
    const viewer = { ...memberOf('owls', user), teams: [{ id: 'owls', name: 'Owls' }] }
    const upload = await uploadOf(
      accord,
      dogResults(COUNT, () => 'A dog runs.'),
      fileName,
    )
    await submit(accord, viewer, { challenge: 'dogs', phases: ['main'], upload })
  }

  beforeAll(async () => {
    const images = dogImages(COUNT)
    const dogs = await world.dataset('dogs', { images })
    await dogs.captionSystem('zebra', Object.fromEntries(Object.keys(images).map((image) => [image, 'dog'])))
    home = new URL('.', (await world.serve({ accounts: 'OPEN' })).url).href
    await addUser(accord, { name: 'hana', password: PASSWORD }, 'host')
    await addUser(accord, { name: 'chief', password: PASSWORD }, 'admin')
    await addUser(accord, { name: 'eve', password: PASSWORD }, 'user')
    await insertTeam(database, {
      id: 'owls',
      name: 'Owls',
      nameKey: 'owls',
      createdAt: '2026-01-01T00:00:00.000Z',
    })
  })

  it('create a challenge', async () => {
    const { page, close } = await openAs('hana', 'challenges/new')
    await said(page).toContain('A team hosts a challenge.')
    await page.click('main a')
    await page.waitForSelector('input[name=team]')
    await page.fill('input[name=team]', 'Hosts')
    await page.keyboard.press('Enter')
    await said(page).toContain('hana')
    await page.waitForSelector('.cards li h3')
    await page.goto(`${home}challenges`)
    await settled(page)
    await page.click('main .button')
    await page.waitForSelector('input[name=name]:focus')
    await page.keyboard.type('new')
    await page.keyboard.press('Enter')
    await said(page).toContain('which the dashboard uses for a page')
    await page.fill('input[name=name]', 'dogs')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/challenges\/dogs\/host$/)
    await said(page).toContain('Nobody has submitted yet.')
    expect(await settingsOf('main')).toMatchObject({ rankedBy: 'CIDEr-D' })
    // Nobody else sees a draft; its host reads what it lacks, and its rules are open before his eyes.
    await said(page).toContain('It is a draft: only its hosts see it')
    await said(page).toContain('The board of main has no baseline beside people.')
    await expect(send('mine.json')).rejects.toThrow('unknown challenge')
    const other = await openPage(browser, `${home}challenges/dogs`)
    await said(other.page).toContain('There is no challenge dogs.')
    await other.page.goto(`${home}challenges`)
    await said(other.page).toContain('There is no challenge yet.')
    await other.close()
    await page.waitForSelector('select[name=rankedBy]')
    await press(page, 'Open it for everybody')
    await said(page).not.toContain('It is a draft')
    await close()
    await send('mine.json')
    await send('other.json')
  })

  it.each(['challenges/new', 'challenges/dogs/host'])('/%s is sound in every view', async (path) => {
    const opened = await openAs('hana', path, NARROW)
    const { page, addresses } = opened
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    if (path !== 'challenges/new') await said(page).toContain('createChallenge')
    await settled(page)
    addresses.length = 0
    await expectSoundInViews(opened, home)
    await opened.close()
  })

  it('are for hosts alone', async () => {
    const { page, close } = await openAs('eve', 'challenges/dogs/host')
    await said(page).toContain('You do not host dogs.')
    await page.goto(`${home}challenges/new`)
    await said(page).toContain('Hosts create challenges.')
    await page.goto(`${home}challenges`)
    await settled(page)
    expect(await page.textContent('main')).not.toContain('Host a challenge')
    await close()
    const anonymous = await openPage(browser, `${home}challenges/dogs/host`)
    await anonymous.page.click('main a')
    await anonymous.page.waitForURL(/sign-in\?next=%2Fchallenges%2Fdogs%2Fhost$/)
    await anonymous.close()
  })

  it('create a challenge with the rules of COCO Captions', async () => {
    const { page, close } = await openAs('hana', 'challenges/new')
    await page.fill('input[name=name]', 'coco')
    await page.selectOption('form select', 'coco')
    await press(page, 'Create the draft')
    await said(page).toContain('Choose a dataset for at least one phase.')
    await page.selectOption('select[name=val-c5]', 'dogs')
    await press(page, 'Create the draft')
    // The dataset has fewer captions than the preset needs.
    await said(page).toContain('too few captions of each image')
    await close()
  })

  it('show a description as others will see it, in which scripts do nothing', async () => {
    const { page, complaints, close } = await openAs('hana', 'challenges/dogs/host')
    await page.fill('textarea[name=description]', HOSTILE)
    await page.waitForSelector('.preview strong')
    const found = "document.querySelectorAll('.preview script, .preview img, .preview a').length"
    expect(await page.evaluate<number>(found)).toBe(0)
    expect(await page.textContent('.preview')).toContain('<script>window.hacked = 1</script>')
    expect(await page.evaluate<unknown>('window.hacked ?? null')).toBeNull()
    await press(page, 'Save the description')
    await said(page).toContain('Saved.')
    expect((await requireChallenge(database, OPEN_VIEWER, 'dogs')).description).toBe(HOSTILE)
    await page.goto(`${home}challenges/dogs`)
    await page.waitForSelector('.prose strong')
    expect(await page.evaluate<unknown>('window.hacked ?? null')).toBeNull()
    expect(complaints).toEqual([])
    await close()
  })

  it('change the rules of a phase, and nothing else', async () => {
    const before = await settingsOf('main')
    const { page, close } = await openAs('hana', 'challenges/dogs/host')
    await page.click('details.more summary')
    await page.fill('input[name=perDay]', '3')
    await page.fill('input[name=boardFrom]', '2031-02-03T04:05:06')
    await page.selectOption('select[name=rankedBy]', 'METEOR')
    await page.click('input[name=baselines][value=zebra]')
    await page.click('input[name=isImageScoreShown]')
    await page.fill('textarea[name=admittedTeams]', 'Owls')
    await press(page, 'Save main')
    await said(page).toContain('Saved.')
    expect(await settingsOf('main')).toEqual({
      ...before,
      limits: { ...before.limits, perDay: 3 },
      boardFrom: new Date('2031-02-03T04:05:06').toISOString(),
      rankedBy: 'METEOR',
      baselines: ['zebra'],
      isImageScoreShown: true,
      admittedTeams: ['owls'],
    })
    await page.goto(`${home}challenges/dogs/host`)
    await settled(page)
    await page.click('details.more summary')
    await page.fill('input[name=boardFrom]', '')
    await page.fill('input[name=perDay]', '')
    await page.fill('textarea[name=admittedTeams]', '')
    await press(page, 'Save main')
    await said(page).toContain('Saved.')
    const { boardFrom, limits, admittedTeams } = await settingsOf('main')
    expect([boardFrom, limits.perDay, admittedTeams]).toEqual([null, null, null])
    await page.fill('input[name=closesAt]', '2001-01-01T00:00:00')
    await press(page, 'Save main')
    await said(page).toContain('the phase ends before it begins')
    await close()
  })

  it('make the dataset of a phase private, for good', async () => {
    await world.dataset('secret', { images: dogImages(COUNT) })
    const { page, close } = await openAs('hana', 'challenges/new')
    await page.fill('input[name=name]', 'secret')
    await page.selectOption('select[name=dataset]', 'secret')
    await page.click('input[name=isPrivate]')
    await press(page, 'Create the draft')
    await page.waitForURL(/\/challenges\/secret\/host$/)
    await settled(page)
    await said(page).toContain('Its dataset is private, and stays so.')
    const { data } = await query(`${home}graphql`, '{ dataset(name: "secret") { id } }')
    expect(data).toEqual({ dataset: null })
    await page.fill('input[name=decimals]', '4')
    await press(page, 'Save main')
    await said(page).toContain('Saved.')
    await page.click('details.more:has(input[name=name]) summary')
    await page.fill('details.more input[name=name]', 'secret')
    await press(page, 'Remove it')
    await page.waitForURL(/\/challenges$/)
    await close()
  })

  it('add a phase, pause and resume', async () => {
    const { page, close } = await openAs('hana', 'challenges/dogs/host')
    await page.click('details.more:has(input[name=phase]) summary')
    await page.fill('input[name=phase]', 'host')
    await press(page, 'Add the phase')
    await said(page).toContain('which the dashboard uses for a page')
    await page.fill('input[name=phase]', 'second')
    await press(page, 'Add the phase')
    await said(page).toContain('second on dogs')
    await press(page, 'Pause')
    await said(page).toContain('it accepts no submissions')
    expect((await requireChallenge(database, OPEN_VIEWER, 'dogs')).isPaused).toBe(true)
    await press(page, 'Resume')
    await said(page).not.toContain('it accepts no submissions')
    await close()
  })

  it('list submissions with who sent them, cancel one, and grant others', async () => {
    const { page, close } = await openAs('hana', 'challenges/dogs/host?phase=main')
    await said(page).toContain('mine.json')
    const rows = () =>
      page.evaluate<string[]>(
        '[...document.querySelectorAll(\'section[aria-label="Submissions to main"] tbody tr\')].map(({ textContent }) => textContent)',
      )
    const [other, mine] = await rows()
    expect(mine).toMatch(/^Owlsevemine\.json.*queued.*yes/)
    expect(other).toMatch(/^Owlseveother\.json/)
    await press(page, 'Cancel Owls')
    await expect.poll(async () => (await rows())[0]).toMatch(/cancelled.*no/)
    await page.fill('input[name=count]', '2')
    await page.fill('input[name=team]', 'Owls')
    await page.keyboard.press('Enter')
    await said(page).toContain('Owls has 2 left of what hosts have granted.')
    const actions = (
      await readAudit(accord, OPEN_VIEWER, await requireChallenge(database, OPEN_VIEWER, 'dogs'))
    ).map(({ actor, action }) => `${actor} ${action}`)
    expect(actions.slice(-2)).toEqual(['hana cancelSubmission', 'hana grantSubmissions'])
    expect(actions.filter((action) => action === 'eve submit')).toHaveLength(2)
    await page.goto(`${home}challenges/dogs/host`)
    await settled(page)
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    await said(page).toContain('grantSubmissions')
    await press(page, 'Evaluate again')
    await said(page).toMatch(/\d+ evaluations? started/)
    await close()
  })

  it('let administrators ban a user', async () => {
    const host = await openAs('hana', 'challenges/dogs/host')
    expect(await host.page.textContent('main')).not.toContain('Ban a user')
    await host.close()
    const { page, close } = await openAs('chief', 'challenges/dogs/host')
    await page.fill('input[name=user]', 'eve')
    await page.keyboard.press('Enter')
    await said(page).toContain('eve is banned.')
    const eve = await openPage(browser, `${home}sign-in`)
    await eve.page.fill('input[name=name]', 'eve')
    await eve.page.fill('input[name=password]', PASSWORD)
    await eve.page.keyboard.press('Enter')
    await expect.poll(() => eve.page.textContent('.failure')).toBe('wrong name or password')
    await eve.close()
    await page.fill('input[name=user]', 'nobody')
    await page.keyboard.press('Enter')
    await said(page).toContain('unknown user')
    await close()
  })

  it('remove a challenge whose name is written', async () => {
    const { page, close } = await openAs('hana', 'challenges/dogs/host')
    await page.click('details.more:has(input[name=name]) summary')
    await page.fill('details.more input[name=name]', 'dog')
    await press(page, 'Remove it')
    await said(page).toContain('Write dogs to remove it.')
    await page.fill('details.more input[name=name]', 'dogs')
    await press(page, 'Remove it')
    await page.waitForURL(/\/challenges$/)
    await said(page).toContain('There is no challenge yet.')
    await close()
  })
})
