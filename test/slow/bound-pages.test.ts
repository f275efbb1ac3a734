import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trainBound } from '../../src/services/bounds/bounds.js'
import { expectSound, expectSoundInViews, NARROW, openPage, settled } from '../kit/browser.js'
import { type Browser, launchBrowser } from '../kit/launch-browser.js'
import { importPets } from '../kit/pets.js'
import { initWorld } from '../kit/seed.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

const SMALL = { validationImages: 2, testImages: 2, minWordCount: 1, embedding: 8, state: 8, epochs: 2 }

describe.skipIf(!browser)('the page of bounds', async () => {
  const world = await initWorld()
  let [open, closed]: [string, string] = ['', '']

  beforeAll(async () => {
    await importPets(world)
    open = new URL('.', (await world.serve({ workers: 1 })).url).href
    closed = new URL('.', (await world.serve({ accounts: 'OPEN' })).url).href
  })

  it('says what a model is for, and gives the whole command to those who may not train one', async () => {
    const opened = await openPage(browser, `${closed}d/pets/bounds`)
    const { page, close } = opened
    expect(await page.textContent('main')).toContain('Three are enough for a curve')
    await expect
      .poll(() => page.textContent('.compute .command code'))
      .toBe('accord bounds run --dataset pets --atoms 0 50 200')
    await expectSound(opened, closed)
    await close()
  })

  it('trains models for those who may, and shows those that wait and those that fail', async () => {
    const { page, close } = await openPage(browser, `${open}d/pets/bounds`)
    await page.click('.compute button')
    // So few images have no 50 atoms.
    await expect
      .poll(() => page.textContent('main'))
      .toMatch(/told 50 atoms was not trained: .*fewer atoms: expected at most \d+/)
    await close()
  })

  it('has a line of people beside the curve', async () => {
    for (const atoms of [0, 2])
      await trainBound(world.accord, { dataset: 'pets', settings: { ...SMALL, atoms } })
    const opened = await openPage(browser, `${open}d/pets/bounds`, NARROW)
    const { page, close } = opened
    await settled(page)
    expect(await page.textContent('figure svg')).toContain('people')
    expect(await page.textContent('figure')).toContain('each caption scored against the 2 others')
    await expectSoundInViews(opened, open)
    await close()
  })
})
