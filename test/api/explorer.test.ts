import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { EXAMPLES } from '../kit/examples.js'
import { type Api, initWorld } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  api = await world.serve()
})

describe('the explorer', () => {
  const getPage = () => fetch(api.url, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })

  it('is a page that loads nothing from other hosts', async () => {
    const response = await getPage()
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const page = await response.text()
    expect(page).not.toMatch(/\b(https?:)?\/\/[a-z]/i)
    const headers = { accept: 'text/html' }
    const linked = await fetch(`${api.url}?query=${encodeURIComponent(EXAMPLES[0])}`, { headers })
    expect(await linked.text()).toBe(page)
  })

  it('under a foreign name is a page that says what to do, without markup from the name', async () => {
    const headers = { host: 'captions.example:80', accept: 'text/html' }
    const [response] = (await once(get(api.url, { headers }), 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(421)
    expect(await text(response)).toContain('accord serve --allow-host captions.example<')
    const [marked] = await once(get(api.url, { headers: { ...headers, host: '<b>x' } }), 'response')
    expect(await text(marked)).not.toContain('<b>')
  })

  it('has a policy by which browsers load files of the server only, and its page needs no more', async () => {
    const response = await getPage()
    const policy = response.headers.get('content-security-policy') as string
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
      ]),
    )
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/)
    const page = await response.text()
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=|javascript:/i)
    const [script] = readdirSync(projectFile('dist/explorer')).filter((name) => /^graphql\.worker/.test(name))
    const worker = await fetch(new URL(`graphql/${script}`, api.url))
    expect(worker.headers.get('content-security-policy')).toBe(policy)
  })

  it('has files that browsers cache, compressed', async () => {
    const page = await (await getPage()).text()
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)
    const served = files.filter((path) => !path.startsWith('data:'))
    expect(served).toHaveLength(2)
    for (const path of served) {
      const file = await fetch(new URL(path, api.url), { headers: { 'accept-encoding': 'br' } })
      expect(file.status, path).toBe(200)
      expect(file.headers.get('content-encoding')).toBe('br')
      expect(file.headers.get('cache-control')).toContain('immutable')
      const content = await file.text()
      expect(content.length).toBeGreaterThan(1000)
      if (path.endsWith('.css')) expect(content).not.toMatch(/url\(["']?(https?:)?\/\//)
      else for (const example of EXAMPLES) expect(content).toContain(JSON.stringify(example))
    }
    const workers = readdirSync(projectFile('dist/explorer')).filter((name) => name.includes('.worker-'))
    expect(workers).toHaveLength(3)
    for (const name of workers) expect((await fetch(new URL(`graphql/${name}`, api.url))).status).toBe(200)
    expect((await fetch(new URL('graphql/missing.js', api.url))).status).toBe(404)
    expect((await fetch(new URL('graphql/..%2f..%2fpackage.json', api.url))).status).toBe(404)
  })
})
