import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'vitest'
import type { Browser, Page } from './launch-browser.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const HEIGHT = 900

export interface View {
  readonly width?: number
  readonly isDark?: boolean
}

/** Views in which every page is looked at: the first one is that in which it is loaded. */
const VIEWS = {
  'a narrow telephone': { width: 360, isDark: false },
  'a telephone in the dark': { width: 390, isDark: true },
  'a desk in the dark': { width: 1440, isDark: true },
  'a desk': { width: 1440, isDark: false },
}

export const NARROW: View = VIEWS['a narrow telephone']

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
  const viewport = { width, height: HEIGHT }
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

/** Of an element that moves without a cause of the viewer: https://web.dev/articles/cls calls up to .1 good. */
const MOST_SHIFT = 0.05

/** Widths at which pages are loaded: what has moved after the load cannot be seen by changing the width later. */
const LOADED_WIDTHS = [1440, 390]

/** Texts of charts that begin or end beyond their chart. */
const TEXTS_BEYOND = `[...document.querySelectorAll('.chart svg')].flatMap((chart) => {
  const { left, right } = chart.getBoundingClientRect()
  return [...chart.querySelectorAll('text')]
    .filter((text) => {
      const box = text.getBoundingClientRect()
      return box.width > 0 && (box.left < left - 1 || box.right > right + 1)
    })
    .map(({ textContent }) => textContent)
})`

/**
 * Loads a page at each width; neither what arrives later moves what is there, nor is anything beyond the edge, at 320 pixels neither,
 * nor a name beyond its chart.
 */
export async function expectStill(browser: Browser, url: string): Promise<void> {
  for (const width of LOADED_WIDTHS) {
    const { page, close } = await openPage(browser, url, { width }, async (opened) => {
      await opened.addInitScript(`
        window.shifts = []
        new PerformanceObserver((list) => window.shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })`)
    })
    await settled(page)
    const shifts = await page.evaluate<
      { value: number; moved: string[] }[]
    >(`window.shifts.map(({ value, sources }) =>
      ({ value, moved: sources.map(({ node }) => node?.textContent?.slice(0, 40) ?? '') }))`)
    const sum = shifts.reduce((total, { value }) => total + value, 0)
    expect(sum, `at ${width} pixels: ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(MOST_SHIFT)
    expect(await page.evaluate<string[]>(TEXTS_BEYOND), `at ${width} pixels`).toEqual([])
    await page.setViewportSize({ width: Math.min(width, 320), height: HEIGHT })
    await expect
      .poll(() =>
        page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      )
      .toBeLessThanOrEqual(0)
    await close()
  }
}

/**
 * No error, no request to another host, at most three questions to the API (one for what is read, others for what is slow),
 * nothing beyond the edge, and nothing that axe finds.
 *
 * @param home address of the first page
 */
export async function expectSound({ page, complaints, addresses }: OpenedPage, home: string): Promise<void> {
  expect(complaints).toEqual([])
  expect(addresses.filter((address) => !address.startsWith(home))).toEqual([])
  expect(addresses.filter((address) => address === `${home}graphql`).length).toBeLessThanOrEqual(3)
  // Charts are laid out after the page.
  await expect
    .poll(() =>
      page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    )
    .toBeLessThanOrEqual(0)
  await page.evaluate(axe)
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    'axe.run().then(({ violations }) => violations)',
  )
  expect(found.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`)).toEqual([])
}

/** The same in every view. Open the page in {@link NARROW}: to load it again for each of the others takes most of the time. */
export async function expectSoundInViews(opened: OpenedPage, home: string): Promise<void> {
  const { page } = opened
  for (const [name, { width, isDark }] of Object.entries(VIEWS)) {
    await page.setViewportSize({ width, height: HEIGHT })
    await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' })
    await settled(page)
    try {
      await expectSound(opened, home)
    } catch (error) {
      throw new Error(`on ${name}: ${(error as Error).message}`)
    }
  }
}
