import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as send } from 'node:http'
import {
  buildASTSchema,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  lexicographicSortSchema,
  parse,
  printType,
  visit,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { wantsPage } from '../../src/api/http/pages.js'
import { projectFile, VERSION } from '../../src/project.js'
import { openAccord } from '../../src/services/open-accord.js'
import { createTestDatabase } from '../kit/databases.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importPets(world)
  api = await world.serve({
    allowedOrigins: ['https://dashboard.example', 'http://localhost:3000'],
    allowedHosts: ['accord.example'],
    pathPrefix: '/accord',
    workers: 1,
  })
})

/** The types of a schema. The descriptions of pages are those of a list of their entries. */
function typesOf(document: DocumentNode): string[] {
  const types = Object.values(lexicographicSortSchema(buildASTSchema(document)).getTypeMap())
  for (const type of types) if (/(Connection|Edge)$/.test(type.name)) type.description = null
  return types.filter(({ name }) => !/^__|^Audience$/.test(name)).map((type) => printType(type))
}

const WORDS = '{ dataset(name: "pets") { words(first: 20) { nodes { id text countHistogram } } } }'

const post = (query: string, headers: Record<string, string> = {}) =>
  fetch(api.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })

const preflight = (url: string, origin: string) =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  })

describe('web pages of other origins', () => {
  it.each([
    ['https://dashboard.example', 'https://dashboard.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://dashboard.example:8443', null],
    ['http://dashboard.example', null],
    ['https://evil.example', null],
    ['null', null],
  ])('%s may read: %s', async (origin, expected) => {
    const asked = await preflight(api.url, origin)
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe(expected)
    if (expected) {
      expect(asked.headers.get('access-control-allow-methods')).toContain('POST')
      expect(asked.headers.get('access-control-allow-headers')).toBe('content-type')
    }
    const answer = await post('{ __typename }', { origin })
    expect(answer.headers.get('access-control-allow-origin')).toBe(expected)
    expect(answer.headers.get('vary')).toContain('Origin')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('may not read by default; * allows all', async () => {
    const closed = await world.serve()
    const asked = await preflight(closed.url, 'https://dashboard.example')
    expect(asked.status).toBe(204)
    expect([...asked.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    const open = await world.serve({ allowedOrigins: ['*'] })
    expect((await preflight(open.url, 'https://x.example')).headers.get('access-control-allow-origin')).toBe(
      '*',
    )
  })
})

describe('the Host header', () => {
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(api.url)
      send({ hostname, port, path: '/accord/health', headers: { host } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })

  it.each([
    ['localhost', 200],
    ['LOCALHOST:4000', 200],
    ['127.0.0.1:80', 200],
    ['[::1]:4000', 200],
    ['192.168.1.7', 200],
    ['accord.example:443', 200],
    ['evil.example', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.1.evil.example', 421],
  ])('%j is answered with %d', async (host, status) => {
    expect(await statusFor(host)).toBe(status)
  })
})

describe('compression', () => {
  it.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['identity', null],
    ['rot13', null],
  ])('of %s is %s', async (accepted, expected) => {
    const response = await post(WORDS, { 'accept-encoding': accepted })
    expect(response.headers.get('content-encoding')).toBe(expected)
    expect(((await response.json()) as Json).data.dataset.words.nodes.length).toBeGreaterThan(5)
  })
})

describe('paths', () => {
  it.each([
    ['/accord/health', 200, '{"status":"ok"}'],
    ['/accord/ready', 200, '{"status":"ready"}'],
    ['/accord/other', 404, 'Nothing is served at /accord/other.'],
    ['/graphql', 404, 'Nothing is served at /graphql.'],
    ['/accordion', 404, 'Nothing is served at /accordion.'],
    ['/accord/graphql?query=%7B__typename%7D', 400, 'CSRF'],
  ])('%s: %d', async (path, status, content) => {
    const response = await fetch(new URL(path, api.url))
    expect({ status: response.status, cache: response.headers.get('cache-control') }).toEqual({
      status,
      cache: 'no-store',
    })
    expect(await response.text()).toContain(content)
  })

  it('GET answers queries, and refuses mutations', async () => {
    const get = (query: string) =>
      fetch(`${api.url}?query=${encodeURIComponent(query)}`, { headers: { 'apollo-require-preflight': '1' } })
    expect(((await (await get(WORDS)).json()) as Json).data.dataset.words.nodes.length).toBeGreaterThan(5)
    expect(
      (await get('mutation { removeSystem(input: { dataset: "pets", system: "noise" }) { __typename } }'))
        .status,
    ).toBe(405)
  })

  it('GET answers 304 if the client has the same result', async () => {
    const get = (query: string, headers: Record<string, string> = {}) =>
      fetch(`${api.url}?query=${encodeURIComponent(query)}`, {
        headers: { 'apollo-require-preflight': '1', ...headers },
      })
    const first = await get(WORDS)
    const etag = first.headers.get('etag') as string
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(first.headers.get('vary')).toMatch(/\bAccept\b/)
    for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const again = await get(WORDS, { 'if-none-match': known })
      expect({ status: again.status, etag: again.headers.get('etag'), text: await again.text() }).toEqual({
        status: 304,
        etag,
        text: '',
      })
    }
    const changed = await get(WORDS.replace('20', '19'), { 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
    const failed = await get('{ unknown }', {
      accept: 'application/graphql-response+json',
      'if-none-match': '*',
    })
    expect({ status: failed.status, etag: failed.headers.get('etag') }).toEqual({ status: 400, etag: null })
    expect((await post(WORDS)).headers.get('etag')).toBeNull()
  })

  it('/ready says when the database cannot be read', async () => {
    const { location, remove } = await createTestDatabase('sqlite')
    const accord = await openAccord({ location, threadCount: 1, hasWorkers: true })
    const other = await world.serve({ accord })
    await remove()
    await expect.poll(async () => (await fetch(new URL('/ready', other.url))).status).toBe(503)
    expect(await (await fetch(new URL('/ready', other.url))).json()).toEqual({
      status: 'not ready',
      reason: 'the database was removed or replaced while it was in use',
    })
    expect((await fetch(new URL('/health', other.url))).status).toBe(200)
    await other.close()
    await accord.close()
  })
})

describe('a database that does not answer', () => {
  it('is not ready, as a probe learns before it answers again; later it is', async () => {
    let answer = () => {}
    let hangs: Promise<void> | undefined
    const database = new Proxy(world.database, {
      get: (target, name) =>
        name === 'all'
          ? async (...query: Parameters<typeof target.all>) => {
              await hangs
              return target.all(...query)
            }
          : Reflect.get(target, name),
    })
    const other = await world.serve({ accord: { ...world.remote, database } })
    const status = async () => (await fetch(new URL('/ready', other.url))).status
    expect(await status()).toBe(200)
    hangs = new Promise((resolve) => {
      answer = resolve
    })
    expect(await Promise.all([status(), status(), status()])).toEqual([503, 503, 503])
    expect((await other.query('{ __typename }')).data).toEqual({ __typename: 'Query' })
    hangs = undefined
    answer()
    await expect.poll(status).toBe(200)
  })
})

describe('what browsers may do with responses', () => {
  it.each(['graphql', 'uploads', 'health', 'ready', 'unknown', 'graphql/unknown'])('of %s', async (path) => {
    const { headers } = await fetch(new URL(path, api.url.replace(/graphql$/, '')))
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('bodies', () => {
  const long = `{ __typename } # ${'x'.repeat(900_000)}`

  it('of more than 1 MB are refused', async () => {
    const refused = await api.query('{ __typename }', { unused: 'x'.repeat(1_200_000) })
    expect(refused).toMatchObject({ status: 413, errors: [{ extensions: { code: 'BODY_TOO_LARGE' } }] })
  })

  it.each(['gzip', 'deflate', 'br', 'GZIP', 'rot13', 'identity, gzip'])(
    'are not decompressed: %s',
    async (encoding) => {
      const { gzipSync } = await import('node:zlib')
      const response = await fetch(api.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        body: new Uint8Array(gzipSync('['.repeat(20_000_000))),
      })
      expect(response.status).toBe(415)
      expect(response.headers.get('retry-after')).toBeNull()
      expect(((await response.json()) as Json).errors[0]).toMatchObject({
        message: expect.stringContaining('expected a body without content-encoding'),
        extensions: { code: 'BAD_REQUEST' },
      })
    },
  )

  it('with a long document are refused', async () => {
    const { status, errors } = await api.post(JSON.stringify({ query: long.slice(0, 500_000) }))
    expect(status).toBe(400)
    expect(errors[0].message).toBe(
      'The document is too long: expected at most 100000 characters, found 500000.',
    )
  })

  it.each([
    ['truncated', (text: string) => text.slice(0, -3)],
    ['followed by more', (text: string) => `${text} x`],
  ])('of 1 MB that are %s are refused', async (_what, change) => {
    const { status, errors } = await api.post(change(JSON.stringify({ query: long })))
    expect({ status, code: errors[0].extensions.code }).toEqual({ status: 400, code: 'BAD_REQUEST' })
  })
})

describe('what clients expect of an endpoint', () => {
  it('has the schema of the introspection, without what is of the server, where descriptions of many fields stand once', async () => {
    const response = await fetch(new URL('schema.graphql', api.url))
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    expect(text).not.toMatch(/@cost|@listSize|@access/)
    const common = new Map([...text.matchAll(/^# {3}(\w+): (.+)$/gm)].map(([, name, said]) => [name, said]))
    const describe = (node: FieldDefinitionNode | InputValueDefinitionNode) =>
      node.description
        ? undefined
        : { ...node, description: { kind: Kind.STRING as const, value: common.get(node.name.value)! } }
    const published = visit(parse(text), { FieldDefinition: describe, InputValueDefinition: describe })
    const full = parse(readFileSync(projectFile('schema.graphql'), 'utf8'))
    expect(typesOf(published)).toEqual(typesOf(full))
  })

  it('names its version in a header, which pages of allowed origins read', async () => {
    const response = await post('{ __typename }', { origin: 'https://dashboard.example' })
    expect(response.headers.get('accord-version')).toBe(VERSION)
    const exposed = response.headers.get('access-control-expose-headers')?.split(',')
    expect(exposed).toEqual(expect.arrayContaining(['accord-version', 'etag', 'retry-after']))
  })

  it('reads a body that begins with a byte order mark', async () => {
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '\uFEFF{"query":"{ __typename }"}',
    })
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } })
  })

  it('tells a WebSocket where subscriptions are', async () => {
    const { status, text } = await new Promise<{ status?: number; text: string }>((resolve, reject) => {
      const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
      send(api.url, { headers }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode, text }))
      })
        .on('error', reject)
        .end()
    })
    expect({ status, text }).toEqual({
      status: 400,
      text: expect.stringContaining('subscriptions are event streams'),
    })
  })
})

describe('a page of the dashboard', () => {
  const wants = (method: string, accept?: string) =>
    wantsPage({ method, headers: { accept } } as unknown as IncomingMessage)

  it('is for requests of the address bar alone', () => {
    expect(['GET', 'HEAD'].map((method) => wants(method, 'text/html,*/*'))).toEqual([true, true])
    expect(['POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => wants(method, 'text/html'))).not.toContain(
      true,
    )
    expect([wants('GET'), wants('GET', 'application/json')]).toEqual([false, false])
  })
})
