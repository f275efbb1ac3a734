import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser, resetUser } from '../../src/services/accounts/users.js'
import { expectSound, expectSoundInViews, NARROW, openPage, settled, type View } from '../kit/browser.js'
import { type Browser, launchBrowser, type Page } from '../kit/launch-browser.js'
import { initWorld } from '../kit/seed.js'

const browser = (await launchBrowser()) as Browser
afterAll(() => browser?.close())

const PASSWORD = 'correct horse 1'
const homeOf = (url: string) => new URL('.', url).href

describe.skipIf(!browser)('the pages of accounts', async () => {
  const world = await initWorld()
  let home: string
  beforeAll(async () => {
    home = homeOf((await world.serve({ accounts: 'OPEN' })).url)
    for (const name of ['ann', 'ben', 'cleo'])
      await addUser(world.accord, { name, password: PASSWORD }, 'user')
    await addUser(world.accord, { name: 'chief', password: PASSWORD }, 'admin')
  })

  const open = (path: string, view?: View) => openPage(browser, home + path, view)
  const said = (page: Page) => expect.poll(() => page.textContent('main'))
  const signedInAs = (page: Page) => expect.poll(() => page.textContent('.everything a:last-child'))

  /** Signs in with the keyboard alone: the first field has the focus. */
  async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
    await page.waitForSelector('input[name=name]:focus')
    await page.keyboard.type(name)
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
  }

  async function openAs(name: string, path = 'account', view?: View) {
    const opened = await open(`sign-in?next=/${path}`, view)
    await signIn(opened.page, name)
    await opened.page.waitForURL(new RegExp(`/${path}$`))
    await signedInAs(opened.page).toBe(name)
    await settled(opened.page)
    return opened
  }

  it.each(['sign-in', 'sign-up', 'sign-up?invitation=none&name=ann', 'reset', 'reset#none', 'account'])(
    '/%s is sound in every view',
    async (path) => {
      const opened = await open(path, NARROW)
      await expectSoundInViews(opened, home)
      await opened.close()
    },
  )

  it('/account of an administrator with a team and a token is sound in every view', async () => {
    const opened = await openAs('chief', 'account', NARROW)
    const { page, addresses } = opened
    await page.fill('input[name=team]', 'Day Owls')
    await page.keyboard.press('Enter')
    await said(page).toContain('Day Owls')
    await page.fill('input[name=token]', 'ci')
    await page.keyboard.press('Enter')
    await said(page).toContain('It is not shown again.')
    await page.click('details.more summary')
    await settled(page)
    addresses.length = 0
    await expectSoundInViews(opened, home)
    await opened.close()
  })

  it('/account lists files that are not imported yet, and removes them', async () => {
    const opened = await openAs('cleo')
    const { page } = opened
    const sent = await page.evaluate(
      `fetch('${home}uploads?filename=mine.json', { method: 'POST', headers: { 'content-type': 'application/octet-stream' },
        body: ' '.repeat(2500) }).then(({ status }) => status)`,
    )
    expect(sent).toBe(201)
    await page.goto(`${home}account`)
    await said(page).toContain('mine.json 2.5 kB')
    await page.click('button:text("Remove mine.json")')
    await said(page).not.toContain('mine.json')
    await opened.close()
  })

  it('sign in where the address says, with fields that password managers know', async () => {
    const { page, close } = await open('metrics')
    await page.click('.everything a:last-child')
    await page.waitForURL(/sign-in\?next=%2Fmetrics$/)
    await page.waitForSelector('input[name=name]:focus')
    const fields = await page.evaluate<string[]>(
      "[...document.querySelectorAll('main input')].map(({ autocomplete, type }) => type + ' ' + autocomplete)",
    )
    expect(fields).toEqual(['text username', 'password current-password'])
    await signIn(page, 'ann', 'wrong password')
    await said(page).toContain('wrong name or password')
    expect(await page.textContent('.failure')).toContain('wrong name or password')
    await page.fill('input[name=password]', PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/metrics$/)
    await signedInAs(page).toBe('ann')
    // Scripts do not see the session.
    expect(await page.evaluate<string>('document.cookie')).toBe('')
    await close()
  })

  it.each([
    ['sign-up', ['text username', 'password new-password']],
    ['reset#none', ['password new-password']],
  ])('have fields that password managers know: /%s', async (path, expected) => {
    const { page, close } = await open(path)
    const fields = await page.evaluate<string[]>(
      "[...document.querySelectorAll('main input')].map(({ autocomplete, type }) => type + ' ' + autocomplete)",
    )
    expect(fields).toEqual(expected)
    await close()
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/.//evil.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://evil.example/x',
    'http://127.0.0.1:1/',
  ])('do not lead to another site: %s', async (next) => {
    const { page, addresses, complaints, close } = await open(`sign-in?next=${encodeURIComponent(next)}`)
    await signIn(page, 'ben')
    await signedInAs(page).toBe('ben')
    await settled(page)
    expect(addresses.filter((address) => !address.startsWith(home))).toEqual([])
    expect(await page.evaluate<string>('location.origin + "/"')).toBe(home)
    expect(complaints).toEqual([])
    await close()
  })

  it('create an account by the link of an invitation, and join by it with an account', async () => {
    const owner = await openAs('ann')
    await owner.page.fill('input[name=team]', 'Night Owls')
    await owner.page.keyboard.press('Enter')
    await said(owner.page).toContain('Night Owls')
    const linkFor = async (name: string) => {
      await owner.page.fill('input[name=member]', name)
      await owner.page.keyboard.press('Enter')
      await said(owner.page).toContain(`Send ${name} this link`)
      return (await owner.page.textContent('.command code')) as string
    }
    const [forDora, forBen] = [await linkFor('dora'), await linkFor('ben')]
    await owner.close()

    const dora = await openPage(browser, forDora)
    expect(await dora.page.evaluate<string>("document.querySelector('input[name=name]').value")).toBe('dora')
    await dora.page.fill('input[name=newPassword]', PASSWORD)
    await dora.page.keyboard.press('Enter')
    await dora.page.waitForURL(/\/account$/)
    await said(dora.page).toContain('ann, dora')
    await dora.close()

    const ben = await openPage(browser, forBen)
    await ben.page.click('main a[href*="sign-in"]')
    await signIn(ben.page, 'ben')
    await ben.page.waitForURL(/\/sign-up\?invitation=/)
    await said(ben.page).toContain('You have signed in as ben.')
    await ben.page.click('main button[type=submit]')
    await ben.page.waitForURL(/\/account$/)
    await said(ben.page).toContain('ann, ben, dora')
    await ben.close()

    const other = await openPage(browser, forDora)
    await other.page.fill('input[name=name]', 'eve')
    await other.page.fill('input[name=newPassword]', PASSWORD)
    await other.page.keyboard.press('Enter')
    await said(other.page).toContain('the invitation is not valid')
    await other.close()
  })

  it('show a token once, which programs use until it is revoked', async () => {
    const { page, close } = await openAs('ann')
    await page.fill('input[name=token]', 'ci')
    await page.selectOption('select[name=scope]', 'READ')
    await page.fill('input[name=days]', '7')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.command code')
    const secret = (await page.textContent('.command code')) as string
    const ask = () =>
      fetch(`${home}graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ query: '{ viewer { user { name } scopes } }' }),
      })
    expect(await (await ask()).json()).toEqual({
      data: { viewer: { user: { name: 'ann' }, scopes: ['READ'] } },
    })
    await page.goto(`${home}account`)
    await settled(page)
    await said(page).toContain('last used')
    expect(await page.textContent('main')).not.toContain(secret)
    await page.evaluate(
      "[...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Revoke ci').click()",
    )
    await expect.poll(() => page.evaluate<number>("document.querySelectorAll('.job').length")).toBe(0)
    expect((await ask()).status).toBe(401)
    await close()
  })

  it('change the password, and set one by the link of an administrator', async () => {
    const first = await openAs('cleo')
    const second = await openAs('cleo')
    await first.page.fill('input[name=password]', PASSWORD)
    await first.page.fill('input[name=newPassword]', 'another horse 2')
    await first.page.keyboard.press('Enter')
    await said(first.page).toContain('The password is changed.')
    await second.page.goto(`${home}account`)
    await said(second.page).toContain('You have not signed in.')
    await Promise.all([first.close(), second.close()])

    const { page, close } = await open(`reset#${await resetUser(world.accord, 'cleo')}`)
    await page.fill('input[name=newPassword]', PASSWORD)
    await page.keyboard.press('Enter')
    await said(page).toContain('The new password is set.')
    await page.click('main a')
    await signIn(page, 'cleo')
    await signedInAs(page).toBe('cleo')
    await close()
  })

  it('sign out in this browser or in all, and delete the account', async () => {
    const button = (text: string) =>
      `[...document.querySelectorAll('button')].find(({ textContent }) => textContent === '${text}').click()`
    const [first, second, third] = [await openAs('cleo'), await openAs('cleo'), await openAs('cleo')]
    await first.page.evaluate(button('Sign out'))
    await signedInAs(first.page).toBe('Sign in')
    await second.page.evaluate(button('Sign out everywhere'))
    await signedInAs(second.page).toBe('Sign in')
    await third.page.goto(`${home}account`)
    await said(third.page).toContain('You have not signed in.')
    await Promise.all([first.close(), second.close(), third.close()])

    const { page, close } = await openAs('cleo')
    await page.click('details.more summary')
    await page.fill('details.more input[name=password]', PASSWORD)
    await page.keyboard.press('Enter')
    await signedInAs(page).toBe('Sign in')
    await page.goto(`${home}sign-in`)
    await signIn(page, 'cleo')
    await said(page).toContain('wrong name or password')
    await close()
  })
})

describe.skipIf(!browser)('the pages of accounts', async () => {
  const world = await initWorld()

  it('lead to pages below the path of the server alone', async () => {
    await addUser(world.accord, { name: 'ann', password: PASSWORD }, 'user')
    const { url } = await world.serve({ accounts: 'OPEN', pathPrefix: '/accord' })
    const home = homeOf(url)
    for (const [next, expected] of [
      ['/accord/metrics', `${home}metrics`],
      ['/metrics', home],
      ['/accord/../metrics', home],
      ['/accordion', home],
    ]) {
      const { page, close } = await openPage(browser, `${home}sign-in?next=${encodeURIComponent(next)}`)
      await page.fill('input[name=name]', 'ann')
      await page.fill('input[name=password]', PASSWORD)
      await page.keyboard.press('Enter')
      await expect.poll(() => page.textContent('.everything a:last-child')).toBe('ann')
      expect(await page.evaluate<string>('location.href')).toBe(expected)
      await close()
    }
  })

  it('show others than hosts no jobs, and say so', async () => {
    const { page, close } = await openPage(
      browser,
      `${homeOf((await world.serve({ accounts: 'OPEN' })).url)}jobs`,
    )
    expect(await page.textContent('main')).toContain('Hosts see what this server does')
    await close()
  })

  it('say on a server that is read-only that nobody can sign in', async () => {
    const home = homeOf((await world.serve({ accounts: 'OPEN', changes: 'NONE' })).url)
    for (const path of ['sign-in', 'sign-up']) {
      const opened = await openPage(browser, home + path)
      await expect.poll(() => opened.page.textContent('h1')).toBe('Nobody can sign in at the moment.')
      await expectSound(opened, home)
      await opened.close()
    }
  })

  it('say on a server for those who are invited that a link is needed', async () => {
    const home = homeOf((await world.serve({ accounts: 'INVITED' })).url)
    const { page, close } = await openPage(browser, `${home}sign-up`)
    expect(await page.textContent('.lede')).toContain('open the link that you got')
    await page.fill('input[name=name]', 'eve')
    await page.fill('input[name=newPassword]', PASSWORD)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.textContent('.failure')).toContain('admits only those who are invited')
    await close()
  })

  it('are absent from an open server', async () => {
    const home = homeOf((await world.serve()).url)
    const { page, addresses, close } = await openPage(browser, `${home}metrics`)
    expect(await page.textContent('.everything')).not.toContain('Sign in')
    expect(addresses.filter((address) => address === `${home}graphql`).length).toBe(1)
    await page.goto(`${home}sign-in`)
    await expect.poll(() => page.textContent('h1')).toBe('This server has no accounts.')
    await close()
  })
})
