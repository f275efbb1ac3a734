import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { projectFile } from '../src/project.js'
import { type Browser, launchBrowser, type Page } from '../test/kit/launch-browser.js'
import { ACCORD, type Figure, note, runAccord, sized, startProgram } from './measure.js'

const SYSTEMS = ['wu-2016', 'shetty-2016', 'vinyals-2017', 'dai-2017']

/** How often a page is opened; its median counts. Each time nothing of it is in the browser's cache. */
const TIMES = sized(5, 1)

/** What says that a page is complete, as an expression of the page. */
const SETTLED = "document.querySelector('h1') && !document.querySelector('.skeleton, [aria-busy=true]')"

/** What a page transferred, in bytes after compression. */
interface Transfer {
  readonly script: number
  readonly answers: readonly number[]
  readonly blocking: readonly string[]
}

/**
 * Pages of the dashboard in a browser, on COCO val2017 with four systems, two detectors and people, by a warm server.
 *
 * @param data folder with COCO val2017
 * @param folder for files of the measurement
 * @throws Error if there is no browser
 */
export async function benchWeb(data: string, folder: string): Promise<Figure[]> {
  const browser = await launchBrowser()
  if (!browser) throw new Error('expected chromium, and playwright-core in a folder of NODE_PATH')
  const database = join(folder, 'web.sqlite')
  await prepare(data, database)
  const server = startProgram(ACCORD, ['serve', '--port', '0', '--database', database])
  try {
    const home = new URL('.', (await server.firstOutput).split(' ').at(-1) as string).href
    return [...shellFigures(), ...(await pageFigures(browser, home))]
  } finally {
    await browser.close()
    server.child.kill()
    await server.ended
  }
}

async function prepare(data: string, database: string): Promise<void> {
  const run = (...args: string[]) => runAccord(...args, '--dataset', 'val2017', '--database', database)
  const file = (name: string) => join(data, name)
  note('importing and evaluating')
  const vocabulary = ['--vocabulary', file('vocabulary_1000.csv')]
  await run('import', 'captions', file('captions_val2017.json'), ...vocabulary)
  for (const system of SYSTEMS) {
    await run('import', 'results', file(`captions_val2017_${system}_results.json`), '--system', system)
    await run('evaluate', '--system', system, '--references', '4')
    await run('evaluate', '--system', system)
  }
  const ids = ['--image-ids', file('word_scores_val2017_image_ids.json')]
  const nine = file('word_scores_val2017_ensemble9.npy')
  await run('import', 'scores', nine, '--system', 'ensemble9', ...vocabulary, ...ids)
  await run('import', 'scores', file('word_scores_val2017_ensemble3.jsonl.gz'), '--system', 'ensemble3')
  await run('agreement', '--references', '4')
}

/** Pages with what is waited for: more than that nothing is awaited. */
const PAGES = [
  { path: '', what: 'first page', until: SETTLED, asked: '' },
  {
    path: 'd/val2017/words',
    what: 'word plane of 1,000 words, with all dots',
    until: `${SETTLED} && document.querySelectorAll('svg .dot').length >= ${sized(900, 1)}`,
    asked: '1.5 s',
  },
  {
    path: 'd/val2017',
    what: 'leaderboard of all metrics, with ties',
    until: `${SETTLED} && performance.getEntriesByType('resource').filter(({ name, responseEnd }) => name.endsWith('/graphql') && responseEnd > 0).length >= 2`,
    asked: '1 s',
  },
  {
    path: 'd/val2017/compare/wu-2016/shetty-2016',
    what: 'scatter of 5,000 images',
    until: `${SETTLED} && document.querySelector('canvas')`,
    asked: '1 s',
  },
  { path: 'd/val2017/images', what: 'images', until: SETTLED, asked: '' },
  { path: 'd/val2017/systems/wu-2016', what: 'system', until: SETTLED, asked: '' },
  { path: 'd/val2017/words/dog', what: 'word', until: SETTLED, asked: '' },
  { path: 'd/val2017/agreement', what: 'agreement', until: SETTLED, asked: '' },
] as const

async function pageFigures(browser: Browser, home: string): Promise<Figure[]> {
  const figures: Figure[] = []
  const paints: number[] = []
  const transfers: (Transfer & { readonly what: string })[] = []
  const barriers: string[] = []
  for (const { path, what, until, asked } of PAGES) {
    note(`the page /${path}`)
    const times: number[] = []
    // The first visit warms the server.
    for (let visit = 0; visit <= TIMES; visit++) {
      await withPage(browser, home + path, async (page) => {
        const time = await page.evaluate<number>(whenShown(until))
        if (visit === 0) return
        times.push(time)
        paints.push(await page.evaluate<number>(FIRST_CONTENT))
        if (visit < TIMES) return
        transfers.push({ what, ...(await page.evaluate<Transfer>(TRANSFER)) })
        barriers.push(...(await contrastOf(page)))
      })
    }
    figures.push({ what: `${what}, complete`, measured: seconds(median(times)), asked })
  }
  const blocking = new Set(transfers.flatMap((transfer) => transfer.blocking))
  const largest = (sizeOf: (transfer: Transfer) => number) =>
    transfers.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a))
  const script = largest((transfer) => transfer.script)
  const answer = largest(({ answers }) => Math.max(0, ...answers))
  const asking = largest(({ answers }) => answers.length)
  return [
    { what: 'first content, median of all pages', measured: seconds(median(paints)), asked: '1 s' },
    ...figures,
    {
      what: `script of a page, compressed (most: ${script.what})`,
      measured: kilobytes(script.script),
      asked: '120 kB',
    },
    {
      what: `answer, compressed (largest: ${answer.what})`,
      measured: kilobytes(Math.max(...answer.answers)),
      asked: '50 kB',
    },
    {
      what: `questions of a page (most: ${asking.what})`,
      measured: String(asking.answers.length),
      asked: '2',
    },
    { what: 'requests that block the first content', measured: String(blocking.size), asked: '1 (style)' },
    { what: 'texts without contrast, by axe', measured: String(barriers.length), asked: '0' },
    await scrolling(browser, `${home}d/val2017/images`),
  ]
}

async function withPage(browser: Browser, url: string, use: (page: Page) => Promise<void>): Promise<void> {
  const viewport = { width: 1440, height: 900 }
  const context = await browser.newContext({ viewport, colorScheme: 'light' })
  try {
    const page = await context.newPage()
    await page.goto(url)
    await use(page)
  } finally {
    await context.close()
  }
}

/** Milliseconds from the start of the navigation to the frame after the condition. */
const whenShown = (until: string) => `new Promise((resolve) => {
  const look = () => (${until}) ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look)
  look()
})`

const FIRST_CONTENT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"

const TRANSFER = `(() => {
  const entries = performance.getEntriesByType('resource')
  const isScript = ({ name }) => name.endsWith('.js')
  return {
    script: entries.filter(isScript).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    answers: entries.filter(({ name }) => name.endsWith('/graphql')).map(({ encodedBodySize }) => encodedBodySize),
    blocking: entries.filter(({ renderBlockingStatus }) => renderBlockingStatus === 'blocking').map(({ name }) => name),
  }
})()`

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function contrastOf(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<string[]>(
    "axe.run({ runOnly: ['color-contrast'] }).then(({ violations }) => violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)))",
  )
}

/** Loads until all images are there before they are scrolled: 5,000 by 48. */
const MORE = sized(104, 0)

async function scrolling(browser: Browser, url: string): Promise<Figure> {
  note('scrolling images')
  let result = { count: 0, longest: 0 }
  await withPage(browser, url, async (page) => {
    result = await page.evaluate(`(async () => {
      const frame = () => new Promise(requestAnimationFrame)
      const until = async (isTrue) => { while (!isTrue()) await frame() }
      const count = () => document.querySelectorAll('.images li').length
      await until(() => count() > 0)
      for (let click = 0; click < ${MORE}; click++) {
        const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'More images')
        const before = count()
        button.click()
        await until(() => count() > before)
      }
      let longest = 0
      let last = await frame()
      for (let y = 0; y < document.documentElement.scrollHeight; y += 120) {
        scrollTo(0, y)
        const now = await frame()
        longest = Math.max(longest, now - last)
        last = now
      }
      return { count: count(), longest }
    })()`)
  })
  const what = `${result.count} images scrolled, longest frame`
  return { what, measured: `${result.longest.toFixed(0)} ms`, asked: '50 ms' }
}

/** What every page loads: the page itself, its script and its style. */
function shellFigures(): Figure[] {
  const page = readFileSync(projectFile('dist/web/index.html'), 'utf8')
  const files = Array.from(page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g), ([, name]) => name)
  const sizes = ['index.html', ...files].map(
    (name) => gzipSync(readFileSync(projectFile(`dist/web/${name}`))).length,
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return [{ what: 'shell: page, script and style, compressed', measured: kilobytes(total), asked: '35 kB' }]
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
