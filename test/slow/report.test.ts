import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { outcomeOf, workbench } from '../cli/kit.js'
import { atEnd } from '../kit/cleanup.js'
import { type Browser, launchBrowser } from '../kit/launch-browser.js'
import { initWorld, loadEvaluatedSeed } from '../kit/seed.js'

const world = await initWorld()
const { start } = workbench()
const file = join(world.folder, 'report.html')
const report = (...options: string[]) =>
  outcomeOf(start(['report', '--database', world.location, ...options]))
let html: string

beforeAll(async () => {
  await loadEvaluatedSeed(world.accord)
  expect(await report('--dataset', 'scenes', '--out', file)).toMatchObject({ code: 0, stdout: '' })
  html = readFileSync(file, 'utf8')
})

it('has the leaderboard, words, agreement, examples of systems, and metrics', () => {
  const headings = Array.from(html.matchAll(/<h2[^>]*>(.*?)<\/h2>/g), ([, text]) => text)
  expect(headings).toEqual([
    'How close do systems come to people?',
    'Which words do people agree on?',
    'How well do people agree?',
    'How does good compare with people?',
    'How does old compare with people?',
    'How does verbose compare with people?',
    'Which metric should you believe?',
  ])
  // Verbose is compared by coverage, by which it is below people on no image: there is no heading over a list without images.
  for (const [side, systems] of [
    ['below', 2],
    ['above', 3],
  ])
    expect(html.split(`Images on which it is farthest ${side} people`).length - 1).toBe(systems)
  expect(html).toContain('<svg')
  expect(html).toContain('ptb-3.4.1')
  expect(html.match(/role="img"|<img[^>]* src="data:image\/svg\+xml;base64,/g)?.length).toBeGreaterThan(20)
  // No part is still awaited.
  expect(html).not.toContain('skeleton"')
})

it('loads nothing, runs nothing, and is smaller than 1 MB', () => {
  expect(html).not.toMatch(
    /<script|<link|<iframe|href=|src="(?!data:image\/)|url\(|@import|<button|<select|<input/,
  )
  expect(statSync(file).size).toBeLessThan(1_000_000)
})

it('is refused before anything is computed where it cannot be written, and where there is no dataset', async () => {
  const { code, stderr } = await report('--out', join(world.folder, 'none', 'report.html'))
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/report\.html: the file cannot be written: expected/),
  ])
  expect(await report('--dataset', 'scens', '--force', '--out', file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('scenes'),
  })
  expect(readFileSync(file, 'utf8')).toBe(html)
})

const browser = (await launchBrowser()) as Browser

describe.skipIf(!browser)('in a browser', () => {
  atEnd(async () => browser?.close())

  it.each([
    [760, false],
    [760, true],
    [390, false],
  ])(
    'has nothing that axe finds, and letters as large as on paper: %i wide, dark %s',
    async (width, isDark) => {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: isDark ? 'dark' : 'light',
      })
      const page = await context.newPage()
      await page.goto(`file://${file}`)
      await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
      const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
        'axe.run().then(({ violations }) => violations)',
      )
      expect(violations.map(({ id, nodes }) => [id, nodes[0].html])).toEqual([])
      const [isFitting, ...scales] = await page.evaluate<[boolean, ...number[]]>(
        `[document.documentElement.scrollWidth <= innerWidth,
        ...[...document.querySelectorAll('.chart svg')].filter((svg) => svg.checkVisibility()).map((svg) => svg.getScreenCTM().a)]`,
      )
      expect(isFitting).toBe(true)
      expect(scales.length).toBeGreaterThan(3)
      expect(new Set(scales)).toEqual(new Set([1]))
      await context.close()
    },
  )
})
