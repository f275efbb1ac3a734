import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, expectSoundInViews, openPage, settled } from '../kit/browser.js'
import { type Browser, launchBrowser, type Page, type Route } from '../kit/launch-browser.js'
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
    expect(header.split(',')).toEqual([
      'image',
      'people',
      'people CIDEr-D',
      ...['good', 'old', 'verbose'].flatMap((name) => [name, `${name} CIDEr-D`]),
    ])
    expect(lines.map((line) => line.split(',')[0])).toEqual(await idsOn(page))
    expect(fieldsOf(lines[0])[4]).toBe(String(scores.good.get(found[0].image.externalId)))
    await close()
  })

  /** The fields of a line of CSV without line breaks in texts. */
  const fieldsOf = (line: string) =>
    Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
      quoted === undefined ? plain : quoted.replaceAll('""', '"'),
    )

  it('is saved with all images of the conditions, in their order, not only with those that are shown', async () => {
    const { page, close } = await openPage(browser, `${home}d/scenes/explore?by=good&minus=people&order=DESC`)
    expect(await page.textContent('.explored .tools')).toContain('These 25:')
    const [shown] = await Promise.all([page.waitForEvent('download'), press(page, 'CSV')])
    const [all] = await Promise.all([
      page.waitForEvent('download'),
      press(page, `CSV of all ${byGap.length} images`),
    ])
    const linesIn = async (file: { path(): Promise<string> }) =>
      readFileSync(await file.path(), 'utf8')
        .trimEnd()
        .split('\n')
    const lines = await linesIn(all)
    // As on the screen, and then the others.
    expect(lines.slice(0, 26)).toEqual(await linesIn(shown))
    const rows = lines.slice(1).map(fieldsOf)
    expect(rows.map(([id]) => id)).toEqual(byGap)
    for (const [id, gap] of rows)
      expect(Number(gap)).toBe((scores.good.get(id) as number) - (scores.people.get(id) as number))
    await close()
  })

  it('stops reading all images when that is cancelled, and says why it has no file', async () => {
    const opened = await openPage(browser, `${home}d/scenes/explore?rows=25`)
    const { page, close } = opened
    const waiting: Route[] = []
    await page.route('**/graphql', (route) => void waiting.push(route))
    await press(page, `CSV of all ${byGap.length} images`)
    await expect.poll(() => page.textContent('.explored')).toContain(`Reading ${byGap.length} images`)
    await press(page, 'Cancel')
    await expect.poll(() => page.textContent('.explored')).toContain(`CSV of all ${byGap.length} images`)
    expect(waiting).toHaveLength(1)
    await press(page, `CSV of all ${byGap.length} images`)
    await expect.poll(() => waiting.length).toBe(2)
    const json = (answer: object) => ({ contentType: 'application/json', body: JSON.stringify(answer) })
    const refused = { data: null, errors: [{ message: 'the scores were replaced' }] }
    const removed = { data: { dataset: null } }
    const proxy = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }
    const failures = [
      { response: { status: 200, ...json(refused) }, why: 'the scores were replaced' },
      { response: { status: 200, ...json(removed) }, why: 'scenes is not there any more.' },
      { response: proxy, why: 'The server does not answer: ' },
    ]
    for (const [index, { response, why }] of failures.entries()) {
      if (index > 0) await press(page, `CSV of all ${byGap.length} images`)
      await expect.poll(() => waiting.length).toBe(2 + index)
      await waiting[1 + index].fulfill(response)
      await expect.poll(() => page.textContent('.explored')).toContain(`The file was not written: ${why}`)
    }
    await close()
  })

  it('has coverage, which is computed where it is asked for, as a column and as an order', async () => {
    const { page, close } = await openPage(browser, `${home}d/scenes/explore`)
    const check = (name: string) =>
      page.evaluate(
        `[...document.querySelectorAll('.choices label')].find((one) => one.textContent.trim() === '${name}').querySelector('input').click()`,
      )
    const titles = () =>
      page.evaluate<string[]>("[...document.querySelectorAll('.explored th')].map((one) => one.textContent)")
    await check('coverage')
    await expect.poll(titles).toContain('good coverage')
    await settled(page)
    expect(await page.textContent('.explored tbody')).toContain('not computed')
    expect(await page.textContent('main')).toContain(
      'people, good, old, verbose: not all scores of these columns are computed.',
    )
    await press(page, 'Compute it')
    await expect.poll(() => page.textContent('.explored tbody')).not.toContain('not computed')
    await settled(page)
    await press(page, 'good coverage')
    const { dataset } = await api.ask(
      '{ dataset(name: "scenes") { system(name: "good") { score(metric: "coverage", against: AS_PEOPLE) { vector { externalIds values } } } } }',
    )
    const { externalIds, values } = dataset.system.score.vector
    const ordered = externalIds
      .map((id: string, place: number) => ({ id, place }))
      .sort((a: Json, b: Json) => values[b.place] - values[a.place] || a.place - b.place)
      .map(({ id }: Json) => id)
    await expect.poll(() => idsOn(page)).toEqual(ordered.slice(0, 25))
    // It is a column of those who come later.
    const later = await openPage(browser, `${home}d/scenes/explore`)
    expect(await later.page.textContent('.explored thead')).toContain('people coverage')
    await later.close()
    await close()
  })

  it('is filtered by a value of a field, which its address keeps', async () => {
    const { page, close } = await openPage(browser, `${home}d/scenes/explore`)
    const { dataset } = await api.ask(
      '{ dataset(name: "scenes") { imageFields subsets: imageSubsets(by: "objects") { subset imageCount } } }',
    )
    expect(dataset.imageFields).toContain('objects')
    const [, { subset, imageCount }] = dataset.subsets
    await page.selectOption('form.controls label:has-text("Images by") select', 'objects')
    await page.waitForSelector('select[aria-label="Value of objects"]')
    await settled(page)
    await page.selectOption('select[aria-label="Value of objects"]', subset)
    await settled(page)
    const filtered = await api.ask(
      `{ dataset(name: "scenes") { images(first: 25, filter: { subset: { field: "objects", value: "${subset}" } }) { nodes { externalId } } } }`,
    )
    const expected = filtered.dataset.images.nodes.map(({ externalId }: Json) => externalId)
    await expect.poll(() => idsOn(page)).toEqual(expected)
    expect(await page.textContent('main')).toContain(`${imageCount} images`)
    await page.goto(await page.evaluate<string>('location.href'))
    await settled(page)
    expect(await idsOn(page)).toEqual(expected)
    await page.goto(`${home}d/scenes/explore?field=weather&value=rain`)
    await settled(page)
    await page.selectOption('form.controls label:has-text("Images by") select', '')
    await expect.poll(async () => (await idsOn(page)).length).toBe(25)
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

  it.each([
    ['compare/good/people', 'good minus people'],
    ['systems/good', 'good minus people'],
    ['compare/good/old?references=all', 'good minus old'],
  ])('is where the cards of %s lead, in the order of %s', async (path, order) => {
    const { gapOf, ...worst } = await orderOf(order)
    for (const [direction, ids] of [
      ['[href*="order=DESC"]', worst.DESC],
      [':not([href*="order="])', worst.ASC],
    ] as const) {
      const { page, close } = await openPage(browser, `${home}d/scenes/${path}`)
      const link = `.compared + p a[href*="/explore?"]${direction}`
      await page.waitForSelector(link)
      const cards = await page.evaluate<string[]>(
        `[...document.querySelector('${link}').parentElement.previousElementSibling.querySelectorAll('a[href*="/images/"]')].map((card) => decodeURIComponent(card.pathname.split('/').pop()))`,
      )
      expect(cards.length).toBeGreaterThan(1)
      // They are chosen by four digits of scores: those of nearly the same gap may have each other's place.
      for (const [place, id] of cards.entries()) expect(gapOf(id)).toBeCloseTo(gapOf(ids[place]), 2)
      await page.click(link)
      await expect.poll(() => idsOn(page)).toEqual(ids.slice(0, 25))
      expect(await page.textContent('th[aria-sort]')).toContain(order.replace('minus', '−'))
      await close()
    }
  })

  /** Images by how much a side is above another, as the pages compare them: two systems against all captions. */
  async function orderOf(order: string) {
    let gapOf = (id: string) => (scores.good.get(id) as number) - (scores.people.get(id) as number)
    if (order === 'good minus old') {
      for (const system of ['good', 'old'])
        await api.done(
          `startEvaluation(input: { dataset: "scenes", system: "${system}", metrics: ["CIDEr-D"] })`,
        )
      const vector = 'score(metric: "CIDEr-D") { vector { externalIds values } }'
      const { dataset } = await api.ask(
        `{ dataset(name: "scenes") { good: system(name: "good") { ${vector} } old: system(name: "old") { ${vector} } } }`,
      )
      const [good, old] = [dataset.good, dataset.old].map(
        ({ score }: Json) =>
          new Map<string, number>(
            score.vector.externalIds.map((id: string, index: number) => [id, score.vector.values[index]]),
          ),
      )
      gapOf = (id) => (good.get(id) as number) - (old.get(id) as number)
    }
    const places = [...scores.people.keys()].map((id, place) => ({ id, place }))
    const sorted = (sign: 1 | -1) =>
      places.toSorted((a, b) => sign * (gapOf(a.id) - gapOf(b.id)) || a.place - b.place).map(({ id }) => id)
    return { gapOf, ASC: sorted(1), DESC: sorted(-1) }
  }

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
