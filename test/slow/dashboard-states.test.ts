import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, openPage, VIEWS } from '../kit/browser.js'
import { ALL_ENGINES } from '../kit/databases.js'
import { type Browser, launchBrowser, type Page, type Route } from '../kit/launch-browser.js'
import { initWorld, type Json, loadEvaluatedSeed } from '../kit/seed.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

const homeOf = (url: string) => new URL('.', url).href

describe.skipIf(!browser)('the dashboard in a browser', () => {
  describe.each(ALL_ENGINES)('on an empty database on %s', async (engine) => {
    const world = await initWorld({ engine })
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
    ])('/%s is sound', async (path) => {
      for (const [, view] of VIEWS.slice(1, 3)) {
        const opened = await openPage(browser, home + path, view)
        await expectSound(opened, home)
        await opened.close()
      }
    })

    it('gives the command that imports, and leads to the upload', async () => {
      const { page, close } = await openPage(browser, home)
      expect(await page.textContent('.command code')).toMatch(/^accord import captions \S+ --dataset \S+$/)
      await page.click('main .button')
      await page.waitForURL(/\/import\?kind=captions$/)
      await page.waitForSelector('input[type=file]')
      await close()
    })
  })

  describe.each(ALL_ENGINES)('on the bundled dataset on %s', async (engine) => {
    const world = await initWorld({ engine })
    let home: string
    let system: string
    beforeAll(async () => {
      await loadEvaluatedSeed(world.accord)
      const api = await world.serve({ workers: 1 })
      home = homeOf(api.url)
      const { dataset } = await api.ask('{ dataset(name: "scenes") { systems { nodes { name kind } } } }')
      system = dataset.systems.nodes.find(({ kind }: Json) => kind === 'CAPTIONS').name
    })

    const QUESTIONS = '**/graphql'
    const isAbout = (route: Route, operation: string) =>
      route.request().postData()?.includes(`query ${operation}`) === true

    it.each([
      '',
      'd/scenes',
      'd/scenes/words',
      'd/scenes/words/dog',
      'd/scenes/images?by=people',
      'd/scenes/selection',
    ])('/%s is sound', async (path) => {
      const opened = await openPage(browser, home + path)
      await expectSound(opened, home)
      await opened.close()
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

    it('keeps the rest where a part fails, with code, message and a retry', async () => {
      const fail = (page: Page) =>
        page.route(QUESTIONS, (route) => {
          if (!isAbout(route, 'Difference')) return route.continue()
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
