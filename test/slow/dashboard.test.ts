import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query, urlOf, workbench } from '../cli/kit.js'
import { type Browser, launchBrowser, type Page } from '../kit/browser.js'

const browser = (await launchBrowser()) as Browser
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const { start } = workbench()

const PAGES = [
  '',
  'd/scenes',
  'd/scenes/words',
  'd/scenes/words/dog',
  'd/scenes/words/no-such-word',
  'd/scenes/images',
  'd/scenes/images?word=dog',
  'd/scenes/agreement',
  'd/scenes/selection',
  'd/scenes/bounds',
  'd/unknown',
  'metrics',
  'jobs',
  'import',
]

describe.skipIf(!browser)('the dashboard in a browser', () => {
  let server: ChildProcess
  let home: string
  let endpoint: string
  let system: string

  beforeAll(async () => {
    server = start('serve --port 0 --database dashboard.sqlite')
    endpoint = await urlOf(server)
    home = new URL('.', endpoint).href
    const { data } = await query(
      endpoint,
      '{ dataset(name: "scenes") { systems(first: 20) { nodes { name kind } } } }',
    )
    const systems: { name: string; kind: string }[] = data.dataset.systems.nodes
    system = systems.find(({ kind }) => kind === 'CAPTIONS')?.name as string
  })
  afterAll(async () => {
    await browser.close()
    const ended = once(server, 'exit')
    server.kill()
    await ended
  })

  /** A page at an address, with what it said to the console and which addresses it loaded. */
  async function open(path: string, { width = 1440, isDark = false } = {}) {
    const viewport = { width, height: 900 }
    const context = await browser.newContext({ viewport, colorScheme: isDark ? 'dark' : 'light' })
    const page = await context.newPage()
    const [complaints, addresses]: [string[], string[]] = [[], []]
    page.on('console', (message: { type(): string; text(): string }) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error: Error) => complaints.push(error.message))
    page.on('request', (request: { url(): string }) => addresses.push(request.url()))
    await page.goto(home + path)
    await settled(page)
    return { page, complaints, addresses, close: () => context.close() }
  }

  /** Waits until nothing is awaited. */
  const settled = (page: Page) =>
    expect
      .poll(() =>
        page.evaluate<boolean>(
          "document.querySelector('h1, .empty') !== null && !document.querySelector('.skeleton, [aria-busy=true]')",
        ),
      )
      .toBe(true)

  const overflow = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  describe.each([
    ['a desk', { width: 1440, isDark: false }],
    ['a telephone in the dark', { width: 390, isDark: true }],
  ])('on %s', (_name, options) => {
    it.each(PAGES)('/%s is without errors, foreign requests, overflow and barriers', async (path) => {
      const { page, complaints, addresses, close } = await open(path, options)
      expect(complaints).toEqual([])
      expect(addresses.filter((address) => !address.startsWith(home))).toEqual([])
      expect(addresses.filter((address) => address === endpoint).length).toBeLessThanOrEqual(2)
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      await page.evaluate(axe)
      const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
        'axe.run().then(({ violations }) => violations)',
      )
      expect(found.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`)).toEqual([])
      await close()
    })
  })

  it('leads from the leaderboard to a system, and from there to a comparison', async () => {
    const { page, close } = await open('d/scenes')
    await page.click(`main svg a[href$="/systems/${system}"]`)
    await page.waitForURL(new RegExp(`/systems/${system}$`))
    await settled(page)
    expect(await page.textContent('h1')).toContain(system)
    const other = await page.evaluate<string>("document.querySelectorAll('select option')[1].value")
    await page.selectOption('select', other)
    await page.waitForURL(/\/compare\//)
    await settled(page)
    await page.waitForSelector('.verdict')
    await close()
  })

  it('moves between words with the arrow keys, and opens one with Enter', async () => {
    const { page, close } = await open('d/scenes/words')
    await page.evaluate("document.querySelector('svg[tabindex]').focus()")
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp']) await page.keyboard.press(key)
    const text = await page.textContent('.readout strong')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/words\/.+/)
    await settled(page)
    expect(await page.textContent('h1')).toContain(text)
    await close()
  })

  it('keeps the settings of a page in its address', async () => {
    const { page, close } = await open('d/scenes/words?q=dog')
    const rows = await page.evaluate<number>("document.querySelectorAll('section table tbody tr').length")
    expect(rows).toBeGreaterThan(0)
    await page.fill('input[type=search]', 'zzz')
    await page.waitForURL(/q=zzz/)
    expect(await page.evaluate<number>("document.querySelectorAll('section table tbody tr').length")).toBe(0)
    await close()
  })

  it('saves the plotted rows as CSV, equal to what the API answers', async () => {
    const { page, close } = await open('d/scenes/words')
    const download = page.waitForEvent('download')
    await page.evaluate(
      "[...document.querySelectorAll('.tools button')].find((b) => b.textContent === 'CSV').click()",
    )
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n')
    const { data } = await query(
      endpoint,
      `{ dataset(name: "scenes") {
        word(text: "dog") { captionCount }
        words(filter: { texts: ["dog"] }) { columns(digits: 6) { precisions precisionIntervals { lower upper } } }
        wordAgreement { signature }
      } }`,
    )
    const { word, words, wordAgreement } = data.dataset
    const { precisions, precisionIntervals } = words.columns
    const [{ lower, upper }] = precisionIntervals
    expect(lines.find((line) => line.startsWith('dog,'))).toContain(
      `dog,noun,${word.captionCount},${precisions[0]},${lower},${upper},${wordAgreement.signature}`,
    )
    await close()
  })

  it('imports a file and follows its job; a file with an error says where it is', async () => {
    const { page, close } = await open('import')
    const references = {
      images: [{ id: 1 }],
      annotations: [
        { id: 1, image_id: 1, caption: 'A <script>alert(1)</script> dog.' },
        { id: 2, image_id: 1, caption: 'A dog.' },
      ],
    }
    const send = async (content: object) => {
      await page.selectOption('form select', 'captions')
      await page.fill('form input[list]', 'مجموعة <b>')
      const buffer = Buffer.from(JSON.stringify(content))
      await page.setInputFiles('input[type=file]', { name: 'a.json', mimeType: 'application/json', buffer })
      await page.click('form button[type=submit]')
    }
    await send({ images: [{ id: 1 }], annotations: [{ id: 1, image_id: 2, caption: 'x' }] })
    await page.waitForSelector('.failure')
    expect(await page.textContent('.failure')).toContain('annotations[0]')
    await send(references)
    await page.waitForSelector('[role=status] a')
    await page.click('[role=status] a')
    await page.waitForURL(/\/d\//)
    await settled(page)
    await page.goto(`${home}d/${encodeURIComponent('مجموعة <b>')}/images/1`)
    await settled(page)
    expect(await page.textContent('table')).toContain('<script>alert(1)</script>')
    await close()
  })

  it('says what failed, and tries again, if the server does not answer', async () => {
    const { page, close } = await open('jobs')
    await page.evaluate("window.fetch = () => Promise.reject(new TypeError('gone'))")
    await page.click('header a[href$="/metrics"]')
    await page.waitForSelector('.failure button')
    expect(await page.textContent('.failure')).toContain('NO_ANSWER')
    await close()
  })
})
