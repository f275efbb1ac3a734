import { spawnSync } from 'node:child_process'
import { findPackage } from './find-package.js'

/** What the tests use of a page of playwright-core, which is installed where there is a browser to test with. */
interface ChosenFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

export interface Page {
  goto(url: string): Promise<unknown>
  waitForSelector(selector: string): Promise<unknown>
  waitForURL(url: RegExp): Promise<unknown>
  evaluate<Value>(expression: string): Promise<Value>
  /** Executes a script before those of each page that is loaded. */
  addInitScript(script: string): Promise<void>
  click(selector: string): Promise<void>
  fill(selector: string, text: string): Promise<void>
  selectOption(selector: string, value: string): Promise<unknown>
  setInputFiles(selector: string, file: ChosenFile | readonly ChosenFile[] | readonly string[]): Promise<void>
  textContent(selector: string): Promise<string | null>
  waitForEvent(event: 'download'): Promise<{ path(): Promise<string> }>
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  readonly mouse: { move(x: number, y: number): Promise<void>; down(): Promise<void>; up(): Promise<void> }
  on(event: string, listener: (value: never) => void): void
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(media: { colorScheme: 'light' | 'dark' }): Promise<void>
  /** Answers requests in place of the server. */
  route(url: string, handle: (route: Route) => Promise<void> | void): Promise<void>
  unroute(url: string): Promise<void>
  /** What shares the cookies of the page. */
  context(): Context
  close(): Promise<void>
}

/** A request that waits for its answer. */
export interface Route {
  request(): { postData(): string | null }
  continue(): Promise<void>
  abort(): Promise<void>
  fulfill(answer: { status: number; contentType: string; body: string }): Promise<void>
}

interface Context {
  newPage(): Promise<Page>
  setDefaultTimeout(milliseconds: number): void
  close(): Promise<void>
}

export interface Browser {
  newContext(options: {
    viewport: { width: number; height: number }
    colorScheme: 'light' | 'dark'
  }): Promise<Context>
  close(): Promise<void>
}

/** As long as `expect.poll` waits: a limit for pages that hang, also on a machine that is busy with other work. */
const WAIT_MS = 120_000

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** A browser of this machine. Undefined where there is none, or no playwright-core: `.ci/run` installs both. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = NAMES.map((name) =>
    spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim(),
  ).find((path) => path !== '')
  const driver = findPackage<Driver>('playwright-core')
  if (!executablePath || !driver) {
    console.warn('No chromium or no playwright-core: the tests of the dashboard in a browser are skipped.')
    return undefined
  }
  const { chromium } = driver
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath, args, timeout: WAIT_MS })
  return {
    async newContext(options) {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(WAIT_MS)
      return context
    },
    close: () => browser.close(),
  }
}

interface Driver {
  readonly chromium: {
    launch(options: { executablePath: string; args: string[]; timeout: number }): Promise<Browser>
  }
}
