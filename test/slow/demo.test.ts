import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { type Browser, launchBrowser } from '../kit/launch-browser.js'
import { initWorld } from '../kit/seed.js'

const world = await initWorld()
const folder = join(world.folder, 'demo')
const PREFIX = '/some/where'
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

beforeAll(() => {
  // Pages of other words are like that of one.
  const command = [projectFile('scripts/demo.js'), folder, '--words', 'dog,man']
  execFileSync(process.execPath, command, { stdio: 'pipe' })
})

it('has a page for each address, and the answers of the API', () => {
  for (const path of [
    '',
    'd/scenes',
    'd/scenes/words/dog',
    'd/scenes/compare/good/old',
    'challenges/scenes',
    'metrics',
    'import',
  ]) {
    expect(existsSync(join(folder, path, 'index.html'))).toBe(true)
  }
  const answers = readdirSync(join(folder, 'answers'))
  expect(answers.filter((name) => name.startsWith('Image-'))).toHaveLength(244)
  const failed = answers.filter(
    (name) => 'errors' in JSON.parse(readFileSync(join(folder, 'answers', name), 'utf8')),
  )
  expect(failed).toEqual([])
  // Hosts of files know what a picture is by its name.
  expect(
    readdirSync(join(folder, 'pictures', 'scenes')).filter((name) => name.endsWith('.svg')),
  ).toHaveLength(244)
})

const browser = (await launchBrowser()) as Browser

describe.skipIf(!browser)('on a plain host of files, below a path', () => {
  let host: Server
  let home: string

  beforeAll(async () => {
    host = createServer((request, response) => {
      const [path, settings = ''] = (request.url as string).split(/(?=\?)/)
      const isFolder = !/\.\w+$/.test(path)
      if (isFolder && !path.endsWith('/')) {
        response.writeHead(301, { location: `${path}/${settings}` }).end()
      } else {
        const name = isFolder ? `${path}index.html` : path
        const file = join(folder, decodeURIComponent(name.slice(PREFIX.length)))
        if (!path.startsWith(PREFIX) || !existsSync(file)) response.writeHead(404).end()
        else response.writeHead(200, { 'content-type': TYPES[extname(file)] }).end(readFileSync(file))
      }
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => host.once('listening', resolve))
    home = `http://127.0.0.1:${(host.address() as AddressInfo).port}${PREFIX}/`
  })
  afterAll(async () => {
    await browser.close()
    host.close()
  })

  it.each([
    ['', 'How close do systems come to people?'],
    ['d/scenes', 'How close do systems come to people?'],
    ['d/scenes?references=all', 'How close do systems come to people?'],
    ['d/scenes/words?k=2', 'Which words do people agree on?'],
    ['d/scenes/words/dog', 'dog'],
    ['d/scenes/images', 'What is in the images?'],
    ['d/scenes/images?by=good&order=DESC', 'What is in the images?'],
    ['d/scenes/agreement', 'How well do people agree?'],
    ['d/scenes/systems/good', 'How does good compare with people?'],
    ['d/scenes/compare/good/old?metric=SPICE', 'Is good better than old?'],
    ['d/scenes/selection', ''],
    ['d/scenes/bounds', ''],
    ['challenges', 'Which challenges are open?'],
    ['challenges/scenes', 'Describe the scenes'],
    ['challenges/scenes/main', 'Describe the scenes: main'],
    ['metrics', 'Which metric should you believe?'],
    ['jobs', 'This page needs a server.'],
    ['challenges/scenes/submit', 'This page needs a server.'],
    ['import', 'This page needs a server.'],
  ])('/%s is shown without an error', async (path, title) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message: { type(): string; text(): string }) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error: Error) => complaints.push(error.message))
    page.on('request', (request: { url(): string }) => {
      if (!request.url().startsWith(home)) complaints.push(request.url())
    })
    await page.goto(home + path)
    await expect
      .poll(() =>
        page.evaluate<boolean>(
          "document.querySelector('h1') !== null && !document.querySelector('.skeleton, [aria-busy=true]')",
        ),
      )
      .toBe(true)
    expect(await page.textContent('h1')).toContain(title)
    expect(await page.evaluate<number>("document.querySelectorAll('.failure').length")).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('says that an answer was not recorded', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' })
    const page = await context.newPage()
    await page.goto(`${home}d/scenes/images?word=zebra-crossing`)
    await page.waitForSelector('.failure')
    expect(await page.textContent('.failure')).toContain('NOT_RECORDED')
    await context.close()
  })
})
