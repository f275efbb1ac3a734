import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query, urlOf, workbench } from '../cli/kit.js'
import { expectSoundInViews, expectStill, NARROW, openPage, settled, type View } from '../kit/browser.js'
import { type Browser, launchBrowser, type Page } from '../kit/launch-browser.js'
import type { Json } from '../kit/seed.js'
import { isSlow } from '../kit/slow.js'

const browser = (await launchBrowser()) as Browser
const { start } = workbench()

const PAGES = [
  '',
  'd/scenes',
  'd/scenes/words',
  'd/scenes/words/dog',
  'd/scenes/words/no-such-word',
  'd/scenes/images',
  'd/scenes/images?word=dog',
  'd/scenes/images/animals-01',
  'd/scenes/images/no-such-image',
  'd/scenes/explore',
  'd/scenes/explore?by=good&minus=people&order=DESC&words=dog',
  'd/scenes/explore?objects=unicorn',
  'd/scenes/systems/good',
  'd/scenes/systems/detector-large',
  'd/scenes/systems/no-such-system',
  'd/scenes/compare/good/old',
  // Systems without scores.
  'd/scenes/compare/good/old?metric=WMD',
  'd/scenes/compare/good/people',
  'd/scenes/agreement',
  'd/scenes/selection',
  'd/scenes/bounds',
  'd/unknown',
  'challenges',
  'challenges/scenes',
  'challenges/scene',
  'challenges/scenes/main',
  'challenges/scenes/submit',
  'challenges/new',
  'challenges/scenes/host',
  'metrics',
  'jobs',
  'import',
  'sign-in',
  'sign-up',
  'account',
]

/** The file of the first button with this text. */
async function saved(page: Page, buttons: string, text: string): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.evaluate(
      `[...document.querySelectorAll('${buttons}')].find((button) => button.textContent === '${text}').click()`,
    ),
  ])
  return readFileSync(await download.path())
}

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

  const open = (path: string, view?: View) => openPage(browser, home + path, view)

  /** A shell of at most 35 kB, and at most 120 kB of scripts; the first page 45 kB. */
  async function expectSmall(path: string, addresses: readonly string[]): Promise<void> {
    const sizeOf = async (address: string) =>
      gzipSync(Buffer.from(await (await fetch(address)).arrayBuffer())).length
    const sum = async (found: readonly string[]) =>
      (await Promise.all(found.map(sizeOf))).reduce((total, size) => total + size, 0)
    const files = addresses.filter((address) => address.includes('/assets/'))
    expect(await sum([home, ...files.filter((address) => address.includes('/index-'))])).toBeLessThan(35_000)
    expect(await sum(files.filter((address) => address.endsWith('.js')))).toBeLessThan(
      path === '' ? 45_000 : 120_000,
    )
  }

  it.each(isSlow ? PAGES : [])(
    '/%s is small, and without errors, foreign requests, overflow and barriers in every view',
    async (path) => {
      const opened = await open(path, NARROW)
      await expectSmall(path, opened.addresses)
      await expectSoundInViews(opened, home)
      await opened.close()
    },
  )

  it.each(isSlow ? PAGES : [])('/%s keeps its place while it arrives, and fits 320 pixels', async (path) => {
    await expectStill(browser, home + path)
  })

  it.skipIf(isSlow)('has a small first page', async () => {
    const { addresses, close } = await open('')
    await expectSmall('', addresses)
    await close()
  })

  it('searches with `/`, and lists its keys with `?`', async () => {
    const { page, close } = await open('d/scenes/images')
    await page.keyboard.press('/')
    expect(await page.evaluate<string>('document.activeElement.type')).toBe('search')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('?')
    expect(await page.evaluate<boolean>("document.querySelector('dialog').open")).toBe(true)
    await close()
  })

  it('has all addresses behind a button on a telephone, whose header is one line', async () => {
    const { page, close } = await open('d/scenes/words', { width: 390 })
    const isShown = (selector: string) =>
      page.evaluate<boolean>(`document.querySelector('${selector}').checkVisibility()`)
    const height = () => page.evaluate<number>("document.querySelector('header').clientHeight")
    expect(await height()).toBeLessThan(80)
    expect(await page.textContent('header strong')).toBe('scenes')
    expect(await isShown('header nav a')).toBe(false)
    await page.click('header .menu')
    const beyond = await page.evaluate<string[]>(
      `[...document.querySelectorAll('header nav a')].filter((link) => {
        const { left, right } = link.getBoundingClientRect()
        return !link.checkVisibility() || left < 0 || right > innerWidth
      }).map(({ textContent }) => textContent)`,
    )
    expect(beyond).toEqual([])
    await page.click('header a[href$="/metrics"]')
    await page.waitForURL(/\/metrics$/)
    await settled(page)
    await expect.poll(() => isShown('header nav a')).toBe(false)
    expect(await height()).toBeLessThan(80)
    // What a metric measures is read without scrolling to the side.
    const { width, room } = await page.evaluate<{ width: number; room: number }>(
      `(({ scrollWidth: width, clientWidth: room }) => ({ width, room }))(document.querySelector('[aria-label=Metrics]'))`,
    )
    expect(width).toBe(room)
    await close()
  })

  it('has the header in one line on a desk, however long the name of the dataset is', async () => {
    const { page, close } = await open(`d/${'street-market-'.repeat(6)}`)
    expect(await page.evaluate<number>("document.querySelector('header').clientHeight")).toBeLessThan(80)
    await close()
  })

  it('finds images by the words of a caption', async () => {
    const { page, close } = await open('d/scenes/images?text=brown+dog')
    const { data } = await query(
      endpoint,
      '{ dataset(name: "scenes") { images(filter: { captionWords: { all: ["brown", "dog"] } }) { totalCount } } }',
    )
    const { totalCount } = data.dataset.images
    expect(totalCount).toBeGreaterThan(0)
    expect(await page.textContent('main .note')).toContain(`${totalCount} image`)
    await close()
  })

  it('lists the words of a part of the plane, by how far a system is from people', async () => {
    const { page, close } = await open('d/scenes/words?system=detector-large')
    const { left, top, width, height } = await page.evaluate<Json>(
      "document.querySelector('svg[role=application]').getBoundingClientRect().toJSON()",
    )
    await page.mouse.move(left + width * 0.3, top + height * 0.1)
    await page.mouse.down()
    await page.mouse.move(left + width * 0.7, top + height * 0.6)
    await page.mouse.up()
    await settled(page)
    const [low, high, ...precisions] = await page.evaluate<number[]>(
      "new URLSearchParams(location.search).get('area').split(' ').map(Number)",
    )
    expect(low).toBeGreaterThan(0.2)
    expect(high).toBeLessThan(0.75)
    // The column comes with a second answer.
    await page.click('th button:text-is("system − people")')
    const rows = JSON.parse((await saved(page, '.table .tools button', 'JSON')).toString())
    const { data } = await query(
      endpoint,
      `{ dataset(name: "scenes") { system(name: "detector-large") { words(first: 1000) { nodes {
        precisionAtHumanRecall word { text agreement { recall precision } }
      } } } } }`,
    )
    const expected = data.dataset.system.words.nodes
      .filter(({ word: { agreement } }: Json) => agreement.recall >= low && agreement.recall <= high)
      .filter(
        ({ word: { agreement } }: Json) =>
          agreement.precision >= precisions[0] && agreement.precision <= precisions[1],
      )
      .map((node: Json) => [
        node.word.text,
        node.precisionAtHumanRecall === null
          ? null
          : node.precisionAtHumanRecall - node.word.agreement.precision,
      ])
    expect(expected.length).toBeGreaterThan(3)
    const found = rows.map((row: Json) => [row.word, row['system − people']])
    expect(found.map(([text]: [string]) => text).toSorted()).toEqual(
      expected.map(([text]: [string]) => text).toSorted(),
    )
    const gaps = found.flatMap(([, gap]: [string, number | null]) => gap ?? [])
    expect(gaps).toEqual(gaps.toSorted((one: number, other: number) => other - one))
    const gapOf = new Map(expected)
    for (const [text, gap] of found) if (gap !== null) expect(gap).toBeCloseTo(gapOf.get(text) as number, 5)
    await close()
  })

  it('shows the images on which a system gets a word wrong', async () => {
    const { page, close } = await open(`d/scenes/words/dog?system=${system}&mistakes=FALSE_NEGATIVE`)
    const { data } = await query(
      endpoint,
      `{ dataset(name: "scenes") { word(text: "dog") { systemResult(system: "${system}") {
        mistakes(kind: FALSE_NEGATIVE) { totalCount }
      } } } }`,
    )
    const { totalCount } = data.dataset.word.systemResult.mistakes
    await page.waitForSelector('h2:last-of-type ~ div .note')
    expect(await page.textContent('h2:last-of-type ~ div .note')).toBe(
      `${totalCount} image${totalCount === 1 ? '' : 's'}`,
    )
    await close()
  })

  it('compares a system with people', async () => {
    const { page, close } = await open(`d/scenes/compare/${system}/people?metric=BLEU-4`)
    const { data } = await query(
      endpoint,
      `{ dataset(name: "scenes") { comparisons(systems: ["${system}"], metrics: ["BLEU-4", "ROUGE-L", "CIDEr-D", "METEOR", "SPICE"], isHumanIncluded: true) {
        metric { name } conclusion imageCount
      } } }`,
    )
    const { comparisons } = data.dataset
    const { conclusion, imageCount } = comparisons.find(({ metric }: Json) => metric.name === 'BLEU-4')
    expect(await page.textContent('.verdict')).toBe(conclusion)
    expect(await page.textContent('figure:has(canvas) figcaption')).toContain(`${imageCount} images`)
    await close()
  })

  it('suggests the nearest of unknown names', async () => {
    const { page, close } = await open('d/scenes/words/dogz')
    await page.waitForSelector('main a[href$="/words/dog"]')
    await page.goto(`${home}d/scene`)
    await page.waitForSelector('main a[href$="/d/scenes"]')
    await close()
  })

  /** The figure of differences from people on the page of a dataset. */
  const DIFFERENCES = 'figure:has(svg[aria-label^="Difference"])'

  it('leads with what systems say beside people', async () => {
    const { page, close } = await open('d/scenes')
    await page.waitForSelector('figure svg[aria-label^="Coverage"] .people circle')
    expect(await page.textContent('.verdict')).toMatch(/^verbose says more than three people together/)
    expect(await page.evaluate<string>("document.querySelector('figure figcaption').textContent")).toBe(
      'What captions say, and how much of it others confirm, on scenes',
    )
    const rows = (await saved(page, 'figure .tools button', 'CSV')).toString().trim().split('\n')
    expect(rows.map((row) => row.split(',')[0])).toEqual([
      'system',
      ...['one person', 'two people', 'three people'],
      ...['good', 'old', 'verbose'],
    ])
    await close()
  })

  it.each([
    [
      'SVG',
      /^<svg [\s\S]*xmlns="http:\/\/www.w3.org\/2000\/svg"[\s\S]*What captions say[\s\S]*<circle[\s\S]*Dataset scenes[\s\S]*coverage\|units:words/,
    ],
    ['PNG', /^.PNG/],
  ])('saves a chart as %s', async (format, expected) => {
    const { page, close } = await open('d/scenes')
    await expect
      .poll(() => page.evaluate<number>("document.querySelectorAll('a.system').length"))
      .toBeGreaterThan(0)
    const bytes = await saved(page, 'figure .tools button', format)
    expect(bytes.toString('latin1')).toMatch(expected)
    await close()
  })

  it('has the difference from people by every metric, and says what tests show', async () => {
    const { page, close } = await open('d/scenes')
    await expect
      .poll(() => page.evaluate<number>("document.querySelectorAll('a.system').length"))
      .toBeGreaterThan(0)
    const { data } = await query(
      endpoint,
      `{ dataset(name: "scenes") { comparisons(
        metrics: ["CIDEr-D", "METEOR", "SPICE", "BLEU-4", "ROUGE-L"]
        words: [{ figure: WORD_PRECISION }, { figure: PHR }]
        baseline: { human: LEAVE_ONE_OUT }
      ) { metric { name } first { name } difference firstScore secondScore together { better } } } }`,
    )
    const above = data.dataset.comparisons.filter(
      ({ together, metric }: Json) => together?.better === 'FIRST' && metric,
    )
    const verdict = (await page.textContent(`.verdict:has(+ ${DIFFERENCES})`)) as string
    expect(above.length).toBeGreaterThan(0)
    for (const { metric, first } of above)
      expect(verdict).toMatch(new RegExp(`${first.name} by [^;]*${metric.name}`))
    const rows = (await saved(page, `${DIFFERENCES} .tools button`, 'CSV'))
      .toString()
      .trim()
      .split('\n')
      .slice(1)
    expect(rows).toHaveLength(data.dataset.comparisons.length)
    const { difference, firstScore, secondScore, metric, first } = data.dataset.comparisons[0]
    const share = difference / Math.max(firstScore, secondScore)
    expect(Number(rows[0].split(',')[2])).toBeCloseTo(100 * share, 9)
    expect(rows[0]).toMatch(new RegExp(`^${metric.name},${first.name},`))
    await close()
  })

  it('saves a table as LaTeX and Markdown, as it is shown', async () => {
    const { page, close } = await open('d/scenes/agreement')
    const cells = await page.evaluate<string[]>(
      "[...document.querySelectorAll('tbody tr:first-child td')].map((cell) => cell.textContent)",
    )
    const markdown = (await saved(page, '.table .tools button', 'Markdown')).toString()
    expect(markdown.split('\n')[2].replaceAll('\\', '')).toBe(`| ${cells.join(' | ')} |`)
    const latex = (await saved(page, '.table .tools button', 'LaTeX')).toString()
    expect(latex).toContain(`\n  ${cells.join(' & ')} \\\\\n`)
    expect(latex).toMatch(/^\\begin{tabular}{lrr}\n {2}\\toprule\n/)
    await close()
  })

  it('folds long captions after three lines, until all is asked for', async () => {
    const { page, close } = await open('d/scenes/images/animals-01')
    const heights = () =>
      page.evaluate<number[]>(
        `(() => { const text = [...document.querySelectorAll('td')]
          .find((cell) => cell.querySelector('button[aria-expanded]')); const box = text.firstElementChild
          return [box.clientHeight, box.scrollHeight] })()`,
      )
    const [folded, whole] = await heights()
    expect(folded).toBeLessThan(whole)
    await page.click('main button[aria-expanded=false]')
    const [shown, all] = await heights()
    expect(shown).toBe(all)
    expect(shown).toBeGreaterThan(folded)
    expect(await page.textContent('main button[aria-expanded=true]')).toBe('show less')
    await close()
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
    const text = await page.textContent('.tip strong')
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
    const lines = (await saved(page, 'figure .tools button', 'CSV')).toString().trim().split('\n')
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
    const choose = (content: object) => {
      const buffer = Buffer.from(JSON.stringify(content))
      return page.setInputFiles('input[type=file]', { name: 'a.json', mimeType: 'application/json', buffer })
    }
    const drop = (content: object) =>
      page.evaluate(`{
        const transfer = new DataTransfer()
        transfer.items.add(new File([${JSON.stringify(JSON.stringify(content))}], 'b.json'))
        const event = new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true })
        document.querySelector('.drop').dispatchEvent(event)
      }`)
    const send = async (content: object, put: (content: object) => Promise<unknown>) => {
      await put(content)
      await page.waitForSelector('form.import button[type=submit]:not([disabled])').catch(async (error) => {
        throw new Error(`The file cannot be imported: ${await page.textContent('form.import')}`, {
          cause: error,
        })
      })
      await page.fill('form.import input[list]', 'مجموعة <b>')
      await page.click('form.import button[type=submit]')
    }
    await send({ images: [{ id: 1 }], annotations: [{ id: 1, image_id: 2, caption: 'x' }] }, choose)
    await page.waitForSelector('.files .failure')
    expect(await page.textContent('.files .failure')).toContain('annotations[0]')
    await page.click('.files .quiet')
    await send(references, drop)
    await page.waitForURL(/\/d\/.*\/agreement$/)
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
