import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter } from 'node:path'
import { expect } from 'vitest'

/** What the tests use of a page of playwright-core, which is installed where there is a browser to test with. */
export interface Page {
  goto(url: string): Promise<unknown>
  waitForSelector(selector: string): Promise<unknown>
  waitForURL(url: RegExp): Promise<unknown>
  evaluate<Value>(expression: string): Promise<Value>
  click(selector: string): Promise<void>
  fill(selector: string, text: string): Promise<void>
  selectOption(selector: string, value: string): Promise<unknown>
  setInputFiles(selector: string, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>
  textContent(selector: string): Promise<string | null>
  waitForEvent(event: 'download'): Promise<{ path(): Promise<string> }>
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  on(event: string, listener: (value: never) => void): void
  /** Answers requests in place of the server. */
  route(url: string, handle: (route: Route) => Promise<void> | void): Promise<void>
  unroute(url: string): Promise<void>
  close(): Promise<void>
}

/** A request that waits for its answer. */
export interface Route {
  request(): { postData(): string | null }
  continue(): Promise<void>
  fulfill(answer: { status: number; contentType: string; body: string }): Promise<void>
}

interface Context {
  newPage(): Promise<Page>
  close(): Promise<void>
}

export interface Browser {
  newContext(options: {
    viewport: { width: number; height: number }
    colorScheme: 'light' | 'dark'
  }): Promise<Context>
  close(): Promise<void>
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** A browser of this machine. Undefined where there is none, or no playwright-core: `.ci/run` installs both. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = NAMES.map((name) =>
    spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim(),
  ).find((path) => path !== '')
  const driver = findDriver()
  if (!executablePath || !driver) {
    console.warn('No chromium or no playwright-core: the tests of the dashboard in a browser are skipped.')
    return undefined
  }
  const { chromium } = driver
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']
  return chromium.launch({ executablePath, args })
}

interface Driver {
  readonly chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> }
}

function findDriver(): Driver | undefined {
  const require = createRequire(import.meta.url)
  const paths = [process.cwd(), ...(process.env.NODE_PATH ?? '').split(delimiter).filter(Boolean)]
  try {
    return require(require.resolve('playwright-core', { paths }))
  } catch {
    return undefined
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface View {
  readonly width?: number
  readonly isDark?: boolean
}

/** Views in which every page is looked at. */
export const VIEWS: readonly (readonly [string, View])[] = [
  ['a desk', { width: 1440 }],
  ['a desk in the dark', { width: 1440, isDark: true }],
  ['a telephone in the dark', { width: 390, isDark: true }],
  ['a narrow telephone', { width: 360 }],
]

/** A page of the dashboard, with what it said to the console and which addresses it loaded. */
export interface OpenedPage {
  readonly page: Page
  readonly complaints: string[]
  readonly addresses: string[]
  close(): Promise<void>
}

/** Opens a page of the dashboard and waits until nothing is awaited. @param prepare is called before it is loaded */
export async function openPage(
  browser: Browser,
  url: string,
  { width = 1440, isDark = false }: View = {},
  prepare?: (page: Page) => Promise<void>,
): Promise<OpenedPage> {
  const viewport = { width, height: 900 }
  const context = await browser.newContext({ viewport, colorScheme: isDark ? 'dark' : 'light' })
  const page = await context.newPage()
  const [complaints, addresses]: [string[], string[]] = [[], []]
  page.on('console', (message: { type(): string; text(): string }) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error: Error) => complaints.push(error.message))
  page.on('request', (request: { url(): string }) => addresses.push(request.url()))
  await prepare?.(page)
  await page.goto(url)
  if (!prepare) await settled(page)
  return { page, complaints, addresses, close: () => context.close() }
}

/** Waits until nothing is awaited. */
export async function settled(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate<boolean>(
        "document.querySelector('h1, .empty') !== null && !document.querySelector('.skeleton, [aria-busy=true]')",
      ),
    )
    .toBe(true)
}

/**
 * No error, no request to another host, at most two questions to the API, nothing beyond the edge, and nothing that axe
 * finds.
 *
 * @param home address of the first page
 */
export async function expectSound({ page, complaints, addresses }: OpenedPage, home: string): Promise<void> {
  expect(complaints).toEqual([])
  expect(addresses.filter((address) => !address.startsWith(home))).toEqual([])
  expect(addresses.filter((address) => address === `${home}graphql`).length).toBeLessThanOrEqual(2)
  expect(
    await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    ),
  ).toBeLessThanOrEqual(0)
  await page.evaluate(axe)
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    'axe.run().then(({ violations }) => violations)',
  )
  expect(found.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`)).toEqual([])
}
