import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser } from '../../src/services/accounts/users.js'
import { openAccord } from '../../src/services/open-accord.js'
import { expectSound, expectSoundInViews, NARROW, openPage, settled } from '../kit/browser.js'
import { type Browser, launchBrowser, type Page } from '../kit/launch-browser.js'
import { initWorld } from '../kit/seed.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

const THINGS = ['dog', 'cat', 'horse', 'kite', 'bus', 'pizza', 'boat', 'bench']
const PLACES = ['park', 'street', 'room', 'field', 'beach']

/** Images with five captions of people each, and those of two systems, of which one names the wrong thing in most images. */
const IMAGES = Array.from({ length: 40 }, (_, index) => {
  const [thing, other, place] = [THINGS[index % 8], THINGS[(index + 3) % 8], PLACES[index % 5]]
  return {
    id: 1000 + index,
    people: [
      `A ${thing} in a ${place}.`,
      `There is a small ${thing} in the ${place}.`,
      `The ${thing} is in a large ${place}.`,
      `A picture of a ${thing} at the ${place}.`,
      `One ${thing} and nothing else.`,
    ],
    good: `A ${thing} in a ${place}.`,
    bad: `A ${index % 4 === 0 ? thing : other} in a ${place}.`,
  }
})

describe.skipIf(!browser)('two files of systems and one of people, dropped into the browser', async () => {
  const world = await initWorld()
  let home: string
  const path = (name: string) => join(world.folder, name)

  beforeAll(async () => {
    const pictures = path('pictures')
    mkdirSync(pictures)
    for (const { id } of IMAGES)
      writeFileSync(
        join(pictures, `COCO_val2014_00000000${id}.svg`),
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><rect width="4" height="3" fill="teal"/></svg>',
      )
    writeFileSync(
      path('people.csv'),
      ['image_id,caption', ...IMAGES.flatMap(({ id, people }) => people.map((text) => `${id},${text}`))].join(
        '\n',
      ),
    )
    writeFileSync(
      path('good.json'),
      JSON.stringify(Object.fromEntries(IMAGES.map(({ id, good }) => [id, good]))),
    )
    const rows = IMAGES.map(({ id, bad }) => ({ image_id: `COCO_val2014_00000000${id}.jpg`, caption: bad }))
    writeFileSync(path('bad_results.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))
    writeFileSync(
      path('fewer.json'),
      JSON.stringify(Object.fromEntries(IMAGES.slice(1).map(({ id, bad }) => [id, bad]))),
    )
    const { location } = world
    const accord = await openAccord({ location, hasWorkers: true, imagesFolder: path('pictures') })
    home = new URL('.', (await world.serve({ accord, workers: 2 })).url).href
    return () => accord.close()
  })

  it('end on the page that says which is better', async () => {
    const opened = await openPage(browser, `${home}import`)
    const { page } = opened
    await page.setInputFiles('input[type=file]', ['good.json', 'people.csv', 'bad_results.jsonl'].map(path))
    await page.waitForSelector('button.primary:not([disabled])')
    expect(
      await page.evaluate('[...document.querySelectorAll(".files select")].map((one) => one.value)'),
    ).toEqual(['RESULTS', 'CAPTIONS', 'RESULTS'])
    expect(
      await page.evaluate(
        '[...document.querySelectorAll(".import input:not([type])")].map((one) => one.value)',
      ),
    ).toEqual(['good', 'bad', 'people'])
    await page.click('button.primary')
    await page.waitForURL(/\/d\/people\/compare\/good\/bad$/)
    await settled(page)
    expect(await page.textContent('.verdict')).toMatch(/^good is better than bad by CIDEr-D: \+/)
    expect(await page.textContent('.beside-people')).toMatch(
      /^good is not tested against people by .*CIDEr-D.*\. bad is /,
    )
    await page.waitForSelector('.compared img')
    expect(await page.textContent('.compared li dl')).toMatch(/^good .*bad .*people/s)
    const shown = '[...document.querySelectorAll(".compared img")].every((image) => image.naturalWidth > 0)'
    await expect.poll(() => page.evaluate(shown)).toBe(true)
    opened.addresses.length = 0
    await expectSound(opened, home)
    await opened.close()
  })

  it('say what is wrong with a file beside it, and how to go on', async () => {
    const opened = await openPage(browser, `${home}import?dataset=people`)
    const { page } = opened
    await page.setInputFiles('input[type=file]', [path('fewer.json')])
    await page.waitForSelector('button.primary:not([disabled])')
    await page.click('button.primary')
    await page.waitForSelector('.files .failure')
    expect(await page.textContent('.files .failure')).toMatch(/images are missing.*39, without 1000/s)
    await page.click('.files p:last-child button')
    await page.waitForURL(/\/d\/people\/systems\/fewer$/)
    await opened.close()
  })

  it('are listed on a page that is sound in every view, and asks what becomes of a dataset that exists', async () => {
    const opened = await openPage(browser, `${home}import`, NARROW)
    await opened.page.setInputFiles('input[type=file]', ['good.json', 'people.csv'].map(path))
    await opened.page.waitForSelector('fieldset')
    expect(await opened.page.textContent('fieldset')).toMatch(
      /a dataset people.*Add these.*Replace it, with its 3 systems/s,
    )
    expect(await opened.page.evaluate('document.querySelector("button.primary").disabled')).toBe(true)
    await opened.page.click('fieldset label')
    await opened.page.waitForSelector('button.primary:not([disabled])')
    opened.addresses.length = 0
    await expectSoundInViews(opened, home)
    await opened.close()
  })

  const chosen = '[...document.querySelectorAll(".files select")].map((one) => one.value)'
  const json = (name: string, content: object) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(content)),
  })
  const one = (text: string) => ({ a: text, b: text, c: text })

  it('with one caption of each image are told apart by their names, or asked about', async () => {
    const opened = await openPage(browser, `${home}import`)
    const { page } = opened
    const systems = [json('x.json', one('A dog.')), json('y.json', one('A cat.'))]
    await page.setInputFiles('input[type=file]', [...systems, json('refs.json', one('A dog runs.'))])
    await page.waitForSelector('button.primary:not([disabled])')
    expect(await page.evaluate(chosen)).toEqual(['RESULTS', 'RESULTS', 'CAPTIONS'])
    await page.goto(`${home}import`)
    await page.setInputFiles('input[type=file]', [...systems, json('z.json', one('A dog runs.'))])
    await page.waitForSelector('fieldset')
    expect(await page.textContent('fieldset')).toMatch(/Which has those of people.*x.json.*y.json.*z.json/s)
    expect(await page.evaluate('document.querySelector("button.primary").disabled')).toBe(true)
    await page.click('fieldset label:nth-of-type(3)')
    await page.waitForSelector('button.primary:not([disabled])')
    expect(await page.evaluate(chosen)).toEqual(['RESULTS', 'RESULTS', 'CAPTIONS'])
    await opened.close()
  })

  it('alone go to the dataset that has their images', async () => {
    const opened = await openPage(browser, `${home}import`)
    const { page } = opened
    await page.setInputFiles('input[type=file]', [path('bad_results.jsonl')])
    await page.waitForSelector('button.primary:not([disabled])')
    expect(await page.textContent('button.primary')).toBe('Add to people and measure')
    expect(await page.textContent('form.import')).toContain('people has the images of these files')
    await opened.close()
  })

  it('that a proxy refuses are said to be; a file that was repaired can be chosen again', async () => {
    const opened = await openPage(browser, `${home}import`)
    const { page } = opened
    await page.route('**/uploads?*', (route) =>
      route.fulfill({
        status: 413,
        contentType: 'text/html',
        body: '<html>413 Request Entity Too Large</html>',
      }),
    )
    const file = json('refs.json', { a: ['A dog.', 'The dog.'] })
    await page.setInputFiles('input[type=file]', [file])
    await page.waitForSelector('.files .failure')
    expect(await page.textContent('.files .failure')).toMatch(
      /^A proxy before the server refuses a file of 1 MB/,
    )
    await page.unroute('**/uploads?*')
    await page.setInputFiles('input[type=file]', [file])
    await page.waitForSelector('button.primary:not([disabled])')
    expect(await page.evaluate(chosen)).toEqual(['CAPTIONS'])
    await opened.close()
  })
})

describe.skipIf(!browser)('a host who signs out in another tab', async () => {
  const world = await initWorld()
  const PASSWORD = 'correct horse 1'
  let home: string
  beforeAll(async () => {
    await addUser(world.accord, { name: 'chief', password: PASSWORD }, 'admin')
    const accord = await openAccord({ location: world.location, hasWorkers: true })
    home = new URL('.', (await world.serve({ accord, accounts: 'OPEN' })).url).href
    return () => accord.close()
  })

  const refs = (name: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ a: ['A dog.', 'The dog.'], b: ['A cat.', 'One cat.'] })),
  })
  const signIn = async (page: Page) => {
    await page.fill('input[name=name]', 'chief')
    await page.fill('input[name=password]', PASSWORD)
    await page.keyboard.press('Enter')
  }
  const addressOf = (page: Page) => page.evaluate<string>('window.location.href')
  const openSignedIn = async () => {
    const opened = await openPage(browser, `${home}sign-in?next=/import`)
    await opened.page.waitForSelector('input[name=name]')
    await signIn(opened.page)
    await opened.page.waitForURL(/\/import$/)
    await opened.page.waitForSelector('.drop')
    const signOut = async () => {
      const tab = await opened.page.context().newPage()
      await tab.goto(`${home}account`)
      await tab.click('button:text-is("Sign out")')
      await expect.poll(() => tab.textContent('.everything a:last-child')).toBe('Sign in')
      await tab.close()
    }
    return { ...opened, signOut }
  }

  it('is asked to sign in, comes back, and knows what to choose again', async () => {
    const { page, close, signOut } = await openSignedIn()
    await page.setInputFiles('input[type=file]', [refs('refs.json')])
    await page.waitForSelector('button.primary:not([disabled])')
    await signOut()

    // What was sent is kept by the page until somebody has signed in again.
    await page.click('button.primary')
    const refused =
      'You are signed out. Sign in, and come back: files that were chosen here have to be chosen again.'
    await expect.poll(() => page.textContent('form > .failure')).toBe(refused)
    await page.setInputFiles('input[type=file]', [refs('more.json')])
    await expect.poll(() => page.textContent('.files .failure')).toBe(refused)
    await page.click('.files .failure a')
    await page.waitForURL(/\/sign-in\?next=%2Fimport$/)
    await signIn(page)
    await page.waitForURL(/\/import$/)
    await page.waitForSelector('.drop')
    expect(await page.evaluate('document.querySelectorAll(".files li").length')).toBe(0)
    await page.setInputFiles('input[type=file]', [refs('refs.json')])
    await page.waitForSelector('button.primary:not([disabled])')
    await close()
  })

  it('comes back to the import that runs', async () => {
    const { page, close, signOut } = await openSignedIn()
    await page.setInputFiles('input[type=file]', [refs('waiting.json')])
    await page.waitForSelector('button.primary:not([disabled])')
    await page.click('button.primary')
    await page.waitForSelector('section.import')
    const address = await addressOf(page)
    expect(address).toMatch(/\/import\?job=.+/)
    await signOut()
    await expect
      .poll(() => page.textContent('main .failure'))
      .toBe('You are signed out. Sign in, and come back')
    await page.click('main .failure a')
    await page.waitForURL(/\/sign-in\?next=/)
    await signIn(page)
    await expect.poll(() => addressOf(page)).toBe(address)
    await page.waitForSelector('section.import')
    await signOut()
    await page.goto(address)
    await page.click('main a:text-is("sign in")')
    await page.waitForURL(/\/sign-in\?next=/)
    await signIn(page)
    await expect.poll(() => addressOf(page)).toBe(address)
    await page.waitForSelector('section.import')
    await close()
  })
})
