import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query, urlOf, workbench } from '../cli/kit.js'
import { type Browser, launchBrowser, type Page } from '../kit/launch-browser.js'
import { parksFile } from '../kit/parks.js'

const browser = (await launchBrowser()) as Browser
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const { run, start, write } = workbench()

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>'

/** The button that sends a caption, once the picture is there. */
const SEEN = 'form .primary[aria-disabled=false]'

describe.skipIf(!browser)('the page of a collection', () => {
  let server: ChildProcess
  let endpoint: string

  beforeAll(async () => {
    server = start('serve --port 0 --database collect.sqlite')
    endpoint = await urlOf(server)
    write('parks.csv', parksFile(1))
    write('pairs.csv', parksFile(2))
    for (const images of [
      'scenes --per-image 2',
      'parks --per-image 1 --images parks.csv',
      'pairs --per-image 2 --images pairs.csv',
      'broken --per-image 1 --images parks.csv',
    ])
      expect(await run(`collect create --database collect.sqlite --dataset ${images}`)).toMatchObject({
        code: 0,
      })
  })
  afterAll(async () => {
    await browser.close()
    const ended = once(server, 'exit')
    server.kill()
    await ended
  })

  /** A page of a browser that no annotator has used. */
  async function open(path: string, { width = 1440, isDark = false } = {}) {
    const viewport = { width, height: 900 }
    const context = await browser.newContext({ viewport, colorScheme: isDark ? 'dark' : 'light' })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message: { type(): string; text(): string }) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error: Error) => complaints.push(error.message))
    await page.goto(new URL(`collect/${path}`, endpoint).href)
    return { page, complaints, close: () => context.close() }
  }

  const barriers = async (page: Page) => {
    await page.evaluate(axe)
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      'axe.run().then(({ violations }) => violations)',
    )
    return found.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`)
  }

  const said = (page: Page) => expect.poll(() => page.textContent('main'))

  async function stateOf(name: string) {
    const { data } = await query(
      endpoint,
      `{ collection(name: "${name}") { state { captionCount skippedTaskCount reportedTaskCount }
           tasks(filter: { status: DESCRIBED }) { nodes { text } } } }`,
    )
    return {
      ...data.collection.state,
      texts: data.collection.tasks.nodes.map(({ text }: { text: string }) => text),
    }
  }

  it.each([
    ['a desk', { width: 1440, isDark: false }],
    ['a telephone in the dark', { width: 390, isDark: true }],
  ])('is without errors, overflow and barriers on %s', async (_name, options) => {
    const { page, complaints, close } = await open('scenes', options)
    await page.waitForSelector('img.picture')
    expect(await barriers(page)).toEqual([])
    await page.fill('textarea', 'There is a dog.')
    await page.waitForSelector('.checks li')
    expect(await barriers(page)).toEqual([])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
    await close()
  })

  it('is used with the keyboard alone', async () => {
    const { page, complaints, close } = await open('scenes')
    await page.waitForSelector('textarea:focus')
    await page.waitForSelector(SEEN)
    await page.keyboard.type('There is one.')
    await said(page).toContain('Write at least 8 words.')
    await said(page).toContain('Do not start a sentence with “There is”')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.checks.refused')
    expect(await stateOf('scenes')).toMatchObject({ captionCount: 0 })
    await page.keyboard.press('Control+a')
    await page.keyboard.type('A few things stand side by side in a small drawing.')
    await page.keyboard.press('Enter')
    await said(page).toContain('Your caption is stored.')
    await said(page).toContain('1 by you')
    await page.waitForSelector('textarea:focus')
    await page.keyboard.press('Alt+s')
    await said(page).toContain('Skipped.')
    await page.waitForSelector('textarea:focus')
    await page.keyboard.press('Alt+r')
    await page.waitForSelector('input:focus')
    await page.keyboard.type('It is black.')
    await page.keyboard.press('Enter')
    await said(page).toContain('Reported.')
    expect(await stateOf('scenes')).toEqual({
      captionCount: 1,
      skippedTaskCount: 1,
      reportedTaskCount: 1,
      texts: ['A few things stand side by side in a small drawing.'],
    })
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    ['a desk', { width: 1440, isDark: false }],
    ['a telephone in the dark', { width: 390, isDark: true }],
  ])('has a page for its host, without errors, overflow and barriers on %s', async (_name, options) => {
    const { page, complaints, close } = await open('scenes', options)
    await page.waitForSelector('textarea:focus')
    await page.click('main a[href$="/collect/scenes/host"]')
    await page.waitForSelector('section[aria-label=Annotators]')
    await page.click('details.more summary')
    expect(await barriers(page)).toEqual([])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
    await close()
  })

  it('shows its host agreement as it grows, and becomes a dataset', async () => {
    const { page, complaints, close } = await open('pairs/host')
    await said(page).toContain('Nobody can tell yet: no picture has two captions.')
    for (const annotator of ['anna', 'ben']) {
      const input = (text: string) => `input: { ${text}, annotator: "${annotator}" }`
      for (let image = 0; image < 2; image++) {
        const { data } = await query(
          endpoint,
          `mutation { takeTask(${input('collection: "pairs"')}) { ... on TakeTaskSuccess { task { id } } } }`,
        )
        const { id } = data.takeTask.task
        const caption = `Two people and ${annotator === 'anna' ? 'a dog' : 'one cat'} rest on bench ${image} in a green park.`
        await query(
          endpoint,
          `mutation { submitCaption(${input(`task: "${id}", caption: "${caption}"`)}) { __typename } }`,
        )
      }
    }
    // The page looks again by itself.
    await said(page).toContain('4 of 4 captions by 2 annotators; 2 of 2 images are complete.')
    await page.waitForSelector('figure svg circle')
    expect(await barriers(page)).toEqual([])
    await page.fill('input[name=dataset]', 'pairs')
    await page.keyboard.press('Enter')
    await page.waitForSelector('main a[href$="/d/pairs"]')
    await page.click('details.more summary')
    await page.fill('details.more input[name=name]', 'pairs')
    await page.keyboard.press('Enter')
    await page.waitForURL(/:\d+\/$/)
    const { data } = await query(
      endpoint,
      '{ dataset(name: "pairs") { imageCount } collection(name: "pairs") { id } }',
    )
    expect(data).toEqual({ dataset: { imageCount: 2 }, collection: null })
    expect(complaints).toEqual([])
    await close()
  })

  it('takes no caption of a picture that cannot be loaded, which is reported', async () => {
    const { page, close } = await open('broken')
    await page.route('https://images.example/*', (route) =>
      route.fulfill({ status: 404, contentType: 'text/plain', body: '' }),
    )
    await page.waitForSelector('.consent')
    await page.click('.consent input')
    await said(page).toContain('This picture cannot be loaded.')
    await page.fill('textarea', 'Two people rest on a bench in a quiet green park.')
    await page.keyboard.press('Enter')
    await said(page).toContain('skip it, or report it')
    expect(await stateOf('broken')).toMatchObject({ captionCount: 0 })
    await page.keyboard.press('Alt+r')
    await page.waitForSelector('input:focus')
    await page.keyboard.type('It does not load.')
    await page.keyboard.press('Enter')
    await said(page).toContain('Reported.')
    expect(await stateOf('broken')).toMatchObject({ captionCount: 0, reportedTaskCount: 1 })
    await close()
  })

  it('says when there is nothing left, and which collections there are', async () => {
    const { page, close } = await open('parks')
    await page.waitForSelector('textarea:focus')
    // The photograph is of another host.
    await page.waitForSelector('.consent')
    await said(page).toContain('Allow the photograph below to see it.')
    await page.keyboard.type('Two people rest on a bench in a quiet green park.')
    await page.keyboard.press('Enter')
    await said(page).toContain('a caption can be sent when you see it')
    expect(await stateOf('parks')).toMatchObject({ captionCount: 0 })
    await page.route('https://images.example/*', (route) =>
      route.fulfill({ status: 200, contentType: 'image/svg+xml', body: PICTURE }),
    )
    await page.click('.consent input')
    await page.waitForSelector(SEEN)
    await page.click('form .primary')
    await said(page).toContain('There is nothing left for you to describe. Thank you for 1 caption.')
    await close()
    const unknown = await open('none')
    await said(unknown.page).toContain('There is no collection none.')
    await said(unknown.page).toContain('scenes')
    await unknown.close()
  })
})
