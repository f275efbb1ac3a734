import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, expectSoundInViews, NARROW, openPage, settled } from '../kit/browser.js'
import { type Browser, launchBrowser, type Page, type Route } from '../kit/launch-browser.js'
import { type Api, initWorld, type Json, loadEvaluatedSeed } from '../kit/seed.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

const homeOf = (url: string) => new URL('.', url).href

describe.skipIf(!browser)('the dashboard in a browser', () => {
  describe('on an empty database', async () => {
    const world = await initWorld()
    let home: string
    beforeAll(async () => {
      home = homeOf((await world.serve({ workers: 1 })).url)
    })

    it.each([
      '',
      'd/none',
      'd/none/words',
      'd/none/images',
      'd/none/agreement',
      'challenges',
      'challenges/none',
      'metrics',
      'jobs',
      'import',
    ])('/%s is sound in every view', async (path) => {
      const opened = await openPage(browser, home + path, NARROW)
      await expectSoundInViews(opened, home)
      await opened.close()
    })

    it('takes files on its first page to that of imports, and gives the command that imports', async () => {
      const { page, close } = await openPage(browser, home)
      expect(await page.textContent('.command code')).toMatch(/^accord import captions \S+ --dataset \S+$/)
      const buffer = Buffer.from('{"1": ["A dog.", "A cat."]}')
      await page.setInputFiles('.drop input', { name: 'people.json', mimeType: 'application/json', buffer })
      await page.waitForURL(/\/import$/)
      await expect.poll(() => page.textContent('.files')).toMatch(/people\.json.*captions of people/s)
      await page.goto(`${home}jobs`)
      await settled(page)
      await page.click('main .button')
      await page.waitForURL(/\/import\?kind=captions$/)
      await page.waitForSelector('input[type=file]')
      expect(await page.evaluate("document.querySelector('.files')")).toBeNull()
      await close()
    })
  })

  describe('on the bundled dataset', async () => {
    const world = await initWorld()
    let home: string
    let system: string
    let api: Api
    beforeAll(async () => {
      await loadEvaluatedSeed(world.accord)
      api = await world.serve({ workers: 1 })
      home = homeOf(api.url)
      const { dataset } = await api.ask('{ dataset(name: "scenes") { systems { nodes { name kind } } } }')
      system = dataset.systems.nodes.find(({ kind }: Json) => kind === 'CAPTIONS').name
    })

    const QUESTIONS = '**/graphql'
    const isAbout = (route: Route, operation: string) =>
      route.request().postData()?.includes(`query ${operation}`) === true

    /** Lets a page be refused what it asks for by these queries. */
    const refusing =
      (code: string, ...operations: string[]) =>
      (page: Page) =>
        page.route(QUESTIONS, (route) => {
          if (!operations.some((operation) => isAbout(route, operation))) return route.continue()
          const error = {
            message: 'the query takes too long; request fewer fields at once',
            extensions: { code },
          }
          const body = JSON.stringify({ errors: [error], data: null })
          return route.fulfill({ status: 200, contentType: 'application/json', body })
        })

    it.each([
      '',
      'd/scenes',
      'd/scenes/words',
      'd/scenes/words/dog',
      'd/scenes/images?by=people',
      'd/scenes/explore?by=people',
      'd/scenes/selection',
    ])('/%s is sound', async (path) => {
      const opened = await openPage(browser, home + path)
      await expectSound(opened, home)
      await opened.close()
    })

    it('leads with the field for files beside the example, and its ranked table', async () => {
      const { page, close } = await openPage(browser, home)
      await page.waitForSelector('.drop input')
      expect(await page.textContent('.cards h3')).toBe('scenes')
      const names = "[...document.querySelectorAll('tbody tr')].map((row) => row.children[0].textContent)"
      expect((await page.evaluate<string[]>(names)).sort()).toEqual(['good', 'old', 'people', 'verbose'])
      await close()
    })

    it('says what to do where its script is blocked, and nothing while that loads', async () => {
      const isShown = (page: Page) =>
        page.evaluate<boolean>(
          "getComputedStyle(document.querySelector('.not-started')).visibility === 'visible'",
        )
      const blocked = (page: Page) => page.route('**/assets/*.js', (route) => route.abort())
      const opened = await openPage(browser, `${home}d/scenes`, NARROW, blocked)
      expect(await isShown(opened.page)).toBe(false)
      await expect.poll(() => isShown(opened.page)).toBe(true)
      expect(await opened.page.textContent('.not-started')).toMatch(/does not start.*Allow JavaScript/s)
      // The message of the browser on what is blocked is all that the console says.
      expect(opened.complaints.filter((text) => !text.includes('ERR_FAILED'))).toEqual([])
      await opened.page.unroute('**/assets/*.js')
      await opened.page.goto(`${home}d/scenes`)
      await opened.page.waitForSelector('h1')
      expect(await opened.page.evaluate("document.querySelector('.not-started')")).toBeNull()
      await opened.close()
    })

    it('lists a job that is started elsewhere, without asking again', async () => {
      const asked: string[] = []
      const note = (page: Page) =>
        page.route(QUESTIONS, (route) => {
          asked.push(/(query|subscription) \w+/.exec(route.request().postData() ?? '')?.[0] ?? '')
          return route.continue()
        })
      const { page, close } = await openPage(browser, `${home}jobs`, {}, note)
      const first = '.jobs li:first-child'
      await api.done(
        `startEvaluation(input: { dataset: "scenes", system: "${system}", metrics: ["ROUGE-1"] })`,
      )
      await expect.poll(() => page.textContent(first)).toMatch(/^Evaluate .* on scenes.*ROUGE-1.*done/)
      expect(asked.filter((operation) => operation !== '').sort()).toEqual([
        'query Jobs',
        'subscription JobChanges',
      ])
      await close()
    })

    it('says that it computes, and can be cancelled and asked again', async () => {
      const held: Route[] = []
      const hold = (page: Page) => page.route(QUESTIONS, (route) => void held.push(route))
      const { page, close } = await openPage(browser, `${home}d/scenes/agreement`, {}, hold)
      await page.waitForSelector('.skeleton button')
      expect(await page.textContent('.skeleton')).toContain('Computing …')
      await page.click('.skeleton button')
      expect(await page.textContent('.empty')).toContain('Cancelled.')
      expect(held).toHaveLength(1)
      await page.unroute(QUESTIONS)
      await page.click('.empty button')
      await page.waitForSelector('tbody tr')
      await close()
    })

    it('has the scores of systems of another length before coverage is measured', async () => {
      const hold = (page: Page) =>
        page.route(QUESTIONS, (route) => (isAbout(route, 'Coverage') ? undefined : route.continue()))
      for (const path of ['systems/verbose', 'compare/verbose/good?metric=METEOR']) {
        const { page, close } = await openPage(browser, `${home}d/scenes/${path}`, {}, hold)
        await page.waitForSelector('.verdict:not(.other-length)')
        expect(await page.evaluate("document.querySelector('.skeleton') !== null")).toBe(true)
        await close()
      }
    })

    it('answers where the scores of images are more than a server sends', async () => {
      const refuse = refusing('TOO_COSTLY', 'ImageScores', 'ImageCoverage')
      const paths = [`systems/${system}`, `compare/${system}/people`, `compare/${system}/old`]
      for (const path of paths) {
        const { page, close } = await openPage(browser, `${home}d/scenes/${path}`, {}, refuse)
        await page.waitForSelector('.verdict')
        expect(await page.textContent('main')).toMatch(/more than this server sends.*accord export scores/s)
        expect(await page.textContent('main')).not.toMatch(/TOO_COSTLY|fields/)
        await page.click('main .empty a')
        await page.waitForURL(/explore/)
        await page.waitForSelector('tbody tr')
        await close()
      }
      const { page, close } = await openPage(
        browser,
        `${home}d/scenes/compare/${system}/old?metric=coverage`,
        {},
        refuse,
      )
      await page.waitForSelector('.verdict')
      expect(await page.textContent('main')).toContain('choose a metric')
      await close()
    })

    it('says by which command words have what takes longer than a server computes', async () => {
      const refuse = refusing('TIMEOUT', 'WordGaps')
      const { page, close } = await openPage(browser, `${home}d/scenes/words?system=${system}`, {}, refuse)
      await expect
        .poll(() => page.textContent('main'))
        .toMatch(
          new RegExp(`takes longer than this server .*accord words --dataset scenes --system ${system}`, 's'),
        )
      expect(await page.textContent('main')).not.toMatch(/TIMEOUT|fields/)
      await page.waitForSelector('tbody tr')
      await close()
    })

    it('has a page for an address that no page has, and titles', async () => {
      const answer = await fetch(`${home}no/such/page`, { headers: { accept: 'text/html' } })
      expect(answer.status).toBe(404)
      const { page, close } = await openPage(browser, `${home}no/such/page`)
      expect(await page.textContent('h1')).toBe('There is no page here.')
      await page.click('main a')
      await page.waitForSelector('.cards li')
      await page.goto(`${home}d/scenes/agreement`)
      await page.waitForSelector('tbody tr')
      const title = await page.textContent('h1')
      await expect.poll(() => page.evaluate<string>('document.title')).toBe(`${title} · scenes · Accord`)
      await close()
    })

    it('says that a page cannot be loaded, and loads it by itself when the server answers', async () => {
      const { page, close } = await openPage(browser, home)
      await page.route('**/assets/metrics-*', (route) =>
        route.fulfill({ status: 503, contentType: 'text/plain', body: '' }),
      )
      await page.route('**/health', (route) =>
        route.fulfill({ status: 503, contentType: 'text/plain', body: '' }),
      )
      await page.click('header a[href$="/metrics"]')
      await expect.poll(() => page.textContent('main')).toContain('This page could not be loaded.')
      await page.unroute('**/assets/metrics-*')
      await page.unroute('**/health')
      await expect.poll(() => page.textContent('main')).not.toContain('This page could not be loaded.')
      await page.waitForSelector('h1')
      await close()
    })

    it('asks again by itself when a server that did not answer does', async () => {
      const fail = (route: Route) => route.fulfill({ status: 503, contentType: 'text/plain', body: '' })
      const stop = async (page: Page) => {
        await page.route(QUESTIONS, fail)
        await page.route('**/health', fail)
      }
      const { page, close } = await openPage(browser, `${home}d/scenes/agreement`, {}, stop)
      await page.waitForSelector('.failure')
      expect(await page.textContent('.failure')).toContain('The server does not answer')
      await page.unroute(QUESTIONS)
      await page.unroute('**/health')
      await page.waitForSelector('tbody tr')
      expect(await page.evaluate<number>("document.querySelectorAll('.failure').length")).toBe(0)
      await close()
    })

    it('shows a page again where it was left, and keeps the order of a table in its address', async () => {
      const { page, close } = await openPage(browser, `${home}d/scenes/agreement`)
      await page.click('th button:text-is("metric")')
      expect(await page.evaluate<string>('location.search')).toContain('=metric')
      const first = 'document.querySelector("tbody td").textContent'
      const cell = await page.evaluate<string>(first)
      await page.evaluate('window.scrollTo(0, 300)')
      await expect.poll(() => page.evaluate<number | undefined>('history.state?.scroll')).toBe(300)
      // A click with the mouse would scroll to the link before.
      await page.evaluate(`document.querySelector('header a[href$="/metrics"]').click()`)
      await page.waitForURL(/metrics$/)
      await expect.poll(() => page.evaluate<number>('scrollY')).toBe(0)
      await page.evaluate('history.back()')
      await page.waitForURL(/agreement/)
      await expect.poll(() => page.evaluate<number>('scrollY')).toBe(300)
      expect(await page.evaluate<string>(first)).toBe(cell)
      await close()
    })

    it('copies on a server without https', async () => {
      const { page, close } = await openPage(browser, `${home}d/scenes/agreement`)
      await page.waitForSelector('.how')
      await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
      await page.evaluate(`{
        document.querySelector('.how').open = true
        document.addEventListener('copy', () => { window.copied = document.activeElement.value })
      }`)
      await page.click('.how[open] .copy')
      await page.waitForSelector('.copy:text-is("copied")')
      expect(await page.evaluate<string>('window.copied')).toContain('BLEU')
      await close()
    })

    it('keeps the rest where a part fails, with code, message and a retry', async () => {
      const fail = (page: Page) =>
        page.route(QUESTIONS, (route) => {
          if (!isAbout(route, 'Verdict')) return route.continue()
          const error = { message: 'too much to do', extensions: { code: 'QUEUE_FULL' } }
          return route.fulfill({
            status: 200,
            contentType: 'application/json',
            body: JSON.stringify({ errors: [error], data: { dataset: null } }),
          })
        })
      const { page, close } = await openPage(browser, `${home}d/scenes/compare/${system}/people`, {}, fail)
      await page.waitForSelector('.failure button')
      expect(await page.textContent('.failure')).toContain('QUEUE_FULL too much to do')
      await page.waitForSelector('figure canvas')
      await page.unroute(QUESTIONS)
      await page.click('.failure button')
      await page.waitForSelector('.verdict')
      expect(await page.evaluate<number>("document.querySelectorAll('.failure').length")).toBe(0)
      await close()
    })
  })
})
