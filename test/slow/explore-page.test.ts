import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, expectSoundInViews, openPage, settled } from '../kit/browser.js'
import { type Browser, launchBrowser, type Page } from '../kit/launch-browser.js'
import { type Api, initWorld, type Json, loadEvaluatedSeed } from '../kit/seed.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

describe.skipIf(!browser)('the table of images and systems', async () => {
  const world = await initWorld()
  let api: Api
  let home: string
  /** Scores of the images as people have references: of `good`, and of people. */
  const scores: Record<string, Map<string, number>> = {}
  /** Images by the score of `good` minus that of people, the highest first. */
  let byGap: string[]

  beforeAll(async () => {
    await loadEvaluatedSeed(world.accord)
    api = await world.serve({ workers: 1 })
    home = new URL('.', api.url).href
    const vector = 'score(metric: "CIDEr-D") { vector { externalIds values } }'
    const { dataset } = await api.ask(
      `{ dataset(name: "scenes") { good: system(name: "good") { ${vector.replace(')', ', against: AS_PEOPLE)')} } people: humanAgreement { ${vector} } } }`,
    )
    for (const [name, { score }] of Object.entries<Json>(dataset))
      scores[name] = new Map(
        score.vector.externalIds.map((id: string, index: number) => [id, score.vector.values[index]]),
      )
    const gapOf = (id: string) => (scores.good.get(id) as number) - (scores.people.get(id) as number)
    byGap = [...scores.people.keys()]
      .map((id, place) => ({ id, place }))
      .sort((a, b) => gapOf(b.id) - gapOf(a.id) || a.place - b.place)
      .map(({ id }) => id)
  })

  const idsOn = (page: Page) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('.explored tbody td:first-child a')].map((link) => decodeURIComponent(link.pathname.split('/').pop()))`,
    )
  const press = async (page: Page, text: string) => {
    await page.evaluate(
      `[...document.querySelectorAll('th button, a, button')].find((one) => one.textContent.trim() === '${text}').click()`,
    )
    await settled(page)
  }

  it('is sorted by a gap page by page, and back and a reload have what was shown', async () => {
    const { page, close } = await openPage(browser, `${home}d/scenes/explore?by=good&minus=people&order=DESC`)
    expect(await idsOn(page)).toEqual(byGap.slice(0, 25))
    await press(page, 'Next rows')
    await expect.poll(() => idsOn(page)).toEqual(byGap.slice(25, 50))
    await page.goto(await page.evaluate<string>('location.href'))
    await settled(page)
    expect(await idsOn(page)).toEqual(byGap.slice(25, 50))
    await press(page, 'Rows before')
    await expect.poll(() => idsOn(page)).toEqual(byGap.slice(0, 25))
    await page.evaluate('history.back()')
    await expect.poll(() => idsOn(page)).toEqual(byGap.slice(25, 50))
    await close()
  })

  it('is sorted by the column that is pressed, the highest first, then the lowest', async () => {
    const { page, close } = await openPage(browser, `${home}d/scenes/explore`)
    const inFile = await idsOn(page)
    const ordered = (sign: 1 | -1) =>
      [...scores.good]
        .map(([id, value], place) => ({ id, value, place }))
        .sort((a, b) => sign * (a.value - b.value) || a.place - b.place)
        .map(({ id }) => id)
        .slice(0, 25)
    await press(page, 'good CIDEr-D')
    await expect.poll(() => idsOn(page)).toEqual(ordered(-1))
    expect(
      await page.evaluate<string>("document.querySelector('th[aria-sort]').getAttribute('aria-sort')"),
    ).toBe('descending')
    await press(page, 'good CIDEr-D')
    await expect.poll(() => idsOn(page)).toEqual(ordered(1))
    await page.evaluate('history.go(-2)')
    await expect.poll(() => idsOn(page)).toEqual(inFile)
    await close()
  })

  it('is filtered by words of people or of a system, and saves the rows that it shows', async () => {
    const { page, close } = await openPage(browser, `${home}d/scenes/explore?in=old`)
    await page.fill('input[type=search]', 'dog')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate<string>('location.search')).toContain('words=dog')
    await settled(page)
    const { dataset } = await api.ask(`{ dataset(name: "scenes") { system(name: "old") {
      captions(first: 1000, filter: { all: ["dog"] }) { nodes { text image { externalId } } } } } }`)
    const found: Json[] = dataset.system.captions.nodes
    await expect.poll(() => idsOn(page)).toEqual(found.slice(0, 25).map(({ image }) => image.externalId))
    expect(await page.textContent('main')).toContain(`${found.length} images`)
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'CSV')])
    const [header, ...lines] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n')
    expect(header.split(',').slice(0, 3)).toEqual(['image', 'people CIDEr-D', 'good CIDEr-D'])
    expect(lines.map((line) => line.split(',')[0])).toEqual(await idsOn(page))
    expect(Number(lines[0].split(',')[2])).toBe(scores.good.get(found[0].image.externalId))
    await close()
  })

  it('is read with the keyboard', async () => {
    const opened = await openPage(browser, `${home}d/scenes/explore?by=good`)
    const { page, close } = opened
    const ids = await idsOn(page)
    const focused = () =>
      page.evaluate<string>(`decodeURIComponent(document.activeElement.pathname?.split('/').pop() ?? '')`)
    await page.keyboard.press('j')
    expect(await focused()).toBe(ids[0])
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe(ids[2])
    await page.keyboard.press('k')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('k')
    expect(await focused()).toBe(ids[0])
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate<string>('location.pathname')).toBe(`/d/scenes/images/${ids[1]}`)
    await page.evaluate('history.back()')
    await expect.poll(() => idsOn(page)).toEqual(ids)
    await page.keyboard.press('?')
    expect(await page.textContent('dialog')).toContain('the next row')
    await close()
  })

  it('is where the cards of a comparison and of a system lead', async () => {
    for (const path of ['compare/good/people', 'systems/good']) {
      const { page, close } = await openPage(browser, `${home}d/scenes/${path}`)
      await page.waitForSelector('a[href*="/explore?"][href*="order=DESC"]')
      await page.click('a[href*="/explore?"][href*="order=DESC"]')
      await expect.poll(() => idsOn(page)).toEqual(byGap.slice(0, 25))
      await close()
    }
  })

  it('is sound on a desk and on a telephone, with rows and without', async () => {
    const opened = await openPage(browser, `${home}d/scenes/explore?by=good&minus=people`)
    await expectSoundInViews(opened, home)
    await opened.close()
    const none = await openPage(browser, `${home}d/scenes/explore?objects=unicorn`)
    expect(await none.page.textContent('.empty')).toContain('No image of scenes fits these conditions.')
    await expectSound(none, home)
    await none.close()
  })
})
