/** The documentation as pages of HTML, which the build writes and the server sends. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../src/project.js'
import { DOCUMENTS, readDocument } from './kit/documents.js'
import { initWorld } from './kit/seed.js'

const names = readdirSync(projectFile('dist/docs'))
const pages = names.filter((name) => name.endsWith('.html'))
const textOf = (name: string) => readFileSync(projectFile(`dist/docs/${name}`), 'utf8')

describe('the site of the documentation', () => {
  it('has a page for each document, with its title and all its headings', () => {
    for (const path of DOCUMENTS) {
      const name = path === 'README.md' ? 'index.html' : `${path.slice('docs/'.length, -3)}.html`
      expect(names).toContain(name)
      const headings = readDocument(path)
        .replaceAll(/^```.*?^```$/gms, '')
        .match(/^#{1,3} /gm)
      expect(textOf(name).match(/<h[123] id="[^"]+"/g), path).toHaveLength(headings?.length ?? 0)
    }
  })

  it.each(pages)('%s links to pages, places and files that exist, and loads nothing of others', (name) => {
    const html = textOf(name)
    for (const [, address] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^(https?|mailto):/.test(address)) continue
      const [file, place] = address.split('#')
      const target = file === '' ? name : file
      expect(names, address).toContain(target)
      if (place !== undefined) expect(textOf(target), address).toContain(` id="${decodeURIComponent(place)}"`)
    }
    expect(html).not.toMatch(/<script| style=| on\w+="|(?:src|<link[^>]* href)="https?:/)
  })
})

describe('/docs', async () => {
  const world = await initWorld()
  const api = await world.serve({ pathPrefix: '/accord' })
  const at = (path: string) => fetch(new URL(path, api.url), { redirect: 'manual' })

  it('leads to the first page, whose links are relative', async () => {
    const found = await at('/accord/docs')
    expect([found.status, found.headers.get('location')]).toEqual([302, '/accord/docs/'])
    const page = await at('/accord/docs/')
    expect(await page.text()).toBe(textOf('index.html'))
    expect(page.headers.get('content-security-policy')).not.toContain('script-src')
  })

  it('sends pages, pictures and styles with their types, and nothing else', async () => {
    const typeOf = async (name: string) => (await at(`/accord/docs/${name}`)).headers.get('content-type')
    expect(await typeOf('words.html')).toBe('text/html; charset=utf-8')
    expect(await typeOf('docs.css')).toBe('text/css; charset=utf-8')
    expect(await typeOf('people-and-systems.svg')).toBe('image/svg+xml')
    expect((await at('/accord/docs/nothing.html')).status).toBe(404)
    expect((await at('/accord/docs/..%2fpackage.json')).status).toBe(404)
  })
})
