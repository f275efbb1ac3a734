import BetterSqlite3 from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createKeptAnswers } from '../../src/api/http/kept-answers.js'
import { currentTime } from '../../src/clock.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { createChallenge } from '../../src/services/challenges/challenges.js'
import { openAccord } from '../../src/services/open-accord.js'
import { openDatabase } from '../../src/store/database.js'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import { ALL_ENGINES } from '../kit/databases.js'
import { executeOn } from '../kit/postgres-process.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { signInViewers } from '../kit/viewers.js'

/** Answers that a server sends again: `execution.test.ts` compares them with those of plain graphql. */

const PASSWORD = 'correct horse 1'
const IMAGES = '{ dataset(name: "pets") { images(first: 2) { nodes { externalId url captions { text } } } } }'
const URLS = '{ dataset(name: "pets") { images(first: 1) { nodes { url } } } }'
const IN_2120 = new Date('2120-01-01T00:00:00Z')

afterEach(() => void vi.useRealTimers())

describe.each(ALL_ENGINES)('answers of servers on %s', async (engine) => {
  const world = await initWorld({ engine })
  const otherAccord = await openAccord({ location: world.location, threadCount: 1, hasWorkers: true })
  let api: Api
  let other: Api

  beforeAll(async () => {
    await world.dataset('pets', { images: { 1: ['A dog.', 'The dog.'], 2: ['A cat.', 'The cat.'] } })
    api = await world.serve()
    other = await world.serve({ accord: otherAccord })
  })

  afterAll(async () => {
    await other.close()
    await otherAccord.close()
  })

  /** The number of statements by which a server answers once more. */
  const statementsFor = async (query: string, variables?: object) => {
    await api.query(query, variables)
    return (await world.statementsOf(() => api.query(query, variables))).length
  }

  /** On PostgreSQL the other tests write as well, to other databases of the server. */
  const expectKept = async (query: string) => {
    if (engine === 'sqlite') expect(await statementsFor(query)).toBe(0)
    else await expect.poll(() => statementsFor(query)).toBe(0)
  }

  /** Executes a statement as a program that knows nothing of Accord. */
  const executeOutside = async (statement: string) => {
    if (engine === 'postgres') return executeOn(world.location, statement)
    const connection = new BetterSqlite3(world.location)
    connection.exec(statement)
    return connection.close()
  }

  it('are sent again without a statement, and with the same headers', async () => {
    const get = async () => {
      const response = await fetch(`${api.url}?query=${encodeURIComponent(IMAGES)}`, {
        headers: { 'content-type': 'application/json' },
      })
      const { date: _date, 'accord-request-id': _id, ...headers } = Object.fromEntries(response.headers)
      return { status: response.status, headers, text: await response.text() }
    }
    const first = await get()
    expect(first.status).toBe(200)
    expect(first.headers).toMatchObject({ etag: expect.stringMatching(/^W\//), 'cache-control': 'no-cache' })
    await expectKept(IMAGES)
    expect([await get(), await get()]).toEqual([first, first])
    if (engine === 'sqlite') expect(await world.statementsOf(get)).toEqual([])
    const unknown = await fetch(`${api.url}?query=${encodeURIComponent(IMAGES)}`, {
      headers: { 'content-type': 'application/json', 'if-none-match': first.headers.etag },
    })
    expect([unknown.status, await unknown.text()]).toEqual([304, ''])
  })

  it('have the type that each client accepts', async () => {
    const typeFor = async (accept: string) => {
      const headers = { 'content-type': 'application/json', accept }
      const body = JSON.stringify({ query: IMAGES })
      return (await fetch(api.url, { method: 'POST', headers, body })).headers.get('content-type')
    }
    for (let time = 0; time < 2; time++) {
      expect(await typeFor('application/json')).toMatch('application/json')
      expect(await typeFor('application/graphql-response+json')).toMatch('application/graphql-response+json')
    }
  })

  it('are refused to requests that a form can send', async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(`${api.url}?query=${encodeURIComponent(IMAGES)}`, { headers })).status
    expect(await statusOf({ 'apollo-require-preflight': '1' })).toBe(200)
    expect(await statusOf({})).toBe(400)
  })

  it.each([
    ['by this server', () => world.remote.database],
    ['by another server', () => otherAccord.database],
  ])('are new after a change %s', async (_by, database) => {
    const before = await api.ask(URLS)
    const url = `https://images.example/${_by.length}`
    await database().run(sql`UPDATE image SET url = ${url} WHERE external_id = '1'`)
    for (const server of [api, other]) {
      expect((await server.ask(URLS)).dataset.images.nodes).toEqual([{ url }])
      expect(await server.ask(URLS)).not.toEqual(before)
    }
    await expectKept(URLS)
  })

  it('are new after a change by another program', async () => {
    for (const server of [api, other]) await server.ask(URLS)
    await executeOutside("UPDATE image SET url = 'https://images.example/outside' WHERE external_id = '1'")
    for (const server of [api, other])
      expect((await server.ask(URLS)).dataset.images.nodes).toEqual([
        { url: 'https://images.example/outside' },
      ])
  })

  it('of a state that was not committed are not those of others', async () => {
    const before = await api.ask(URLS)
    await otherAccord.database
      .transaction(async (session) => {
        await session.run(sql`UPDATE image SET url = 'https://images.example/never' WHERE external_id = '1'`)
        expect(await api.ask(URLS)).toEqual(before)
        throw new Error('rolled back')
      })
      .catch(() => {})
    expect(await api.ask(URLS)).toEqual(before)
  })

  it.each([
    ['errors', '{ dataset(name: "pets") { usageFit(references: 9) { rSquared } } }'],
    ['uploads, which expire', '{ uploads(first: 1) { nodes { fileName } } }'],
    ['mutations', 'mutation { removeUpload(input: { upload: "none" }) { __typename } }'],
  ])('are not kept for %s', async (_what, query) => {
    expect(await statementsFor(query)).toBeGreaterThan(0)
  })

  it('depend on variables, the name of the operation and the asked cost', async () => {
    const query = `query A($first: Int = 1) { dataset(name: "pets") { images(first: $first) { nodes { externalId } } } }
      query B { dataset(name: "pets") { name } }`
    const ask = async (body: object) => {
      const response = await fetch(api.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, ...body }),
      })
      return response.json() as Promise<Json>
    }
    for (let time = 0; time < 2; time++) {
      const [one, two, named] = [
        await ask({ operationName: 'A' }),
        await ask({ operationName: 'A', variables: { first: 2 } }),
        await ask({ operationName: 'B' }),
      ]
      expect(one.data.dataset.images.nodes).toHaveLength(1)
      expect(two.data.dataset.images.nodes).toHaveLength(2)
      expect(named).toEqual({ data: { dataset: { name: 'pets' } } })
      const costed = await ask({ operationName: 'B', extensions: { cost: true } })
      expect(costed.extensions.cost.fields).toBeGreaterThan(0)
    }
  })

  it('change with the clock, where they depend on it', async () => {
    const name = 'captions'
    const times = { opensAt: '2110-01-01T00:00:00Z', closesAt: '2130-01-01T00:00:00Z' }
    const phase = { ...times, dataset: 'pets', metrics: ['BLEU-1'], rankedBy: 'BLEU-1' }
    await createChallenge(world.accord, OPEN_VIEWER, {
      ...{ name, title: name, description: '' },
      phases: [{ ...phase, name: 'main' }],
    } as never)
    const query = `{ challenge(name: "${name}") { phases { stage } } }`
    const stages = async () =>
      (await api.ask(query)).challenge.phases.map(({ stage }: { stage: string }) => stage)
    for (let time = 0; time < 2; time++) expect(await stages()).toEqual(['UPCOMING'])
    vi.useFakeTimers({ toFake: ['Date'], now: IN_2120 })
    expect(await stages()).toEqual(['OPEN'])
  })

  it('are those of one viewer', async () => {
    const server = await world.serve({ accounts: 'OPEN' })
    const { accounts, sessions, headers } = await signInViewers(world.accord, server)
    const ask = async (of: Record<string, string>) =>
      (await server.post(JSON.stringify({ query: '{ viewer { user { name } teams { name } } }' }), of)).data
        .viewer
    for (let time = 0; time < 2; time++) {
      expect(await ask(headers.rival)).toEqual({ user: { name: 'rita' }, teams: [{ name: 'Rivals' }] })
      expect(await ask(headers.member)).toEqual({ user: { name: 'mary' }, teams: [{ name: 'Members' }] })
      expect(await ask(headers.anonymous)).toEqual({ user: null, teams: [] })
    }
    const asOther = await accounts.signIn({ name: 'rita', password: PASSWORD }, { address: 'a' })
    expect(asOther).not.toBe(sessions.rival)
    const { secret } = await accounts.createToken(sessions.host, { name: 'read', scope: 'read', days: 1 })
    const scopes = async (of: Record<string, string>) =>
      (await server.post(JSON.stringify({ query: '{ viewer { user { name } scopes } }' }), of)).data.viewer
    for (let time = 0; time < 2; time++) {
      expect((await scopes(headers.host)).scopes).toContain('HOST')
      expect(await scopes({ authorization: `Bearer ${secret}` })).toEqual({
        user: { name: 'hanna' },
        scopes: ['READ'],
      })
    }
  })

  it('say when the database cannot be read', async () => {
    await expectKept(IMAGES)
    const state = vi.spyOn(world.remote.database, 'state').mockRejectedValue(new Error('lost'))
    expect(await statementsFor(IMAGES)).toBeGreaterThan(0)
    state.mockRestore()
  })

  it('have a state of their own for each change, however small', async () => {
    const database = await openDatabase(world.location)
    const states = [await database.state(), await database.state()]
    if (engine === 'sqlite') expect(states[1]).toBe(states[0])
    await otherAccord.database.run(sql`UPDATE dataset SET name = name`)
    states.push(await database.state())
    await database.run(sql`UPDATE dataset SET name = name`)
    states.push(await database.state())
    await database.close()
    expect(new Set(states.slice(1)).size).toBe(3)
  })
})

describe('kept answers', () => {
  /** A database of which the state alone is known, and requests for it. */
  const memory = () => {
    const world = { state: '1', computed: 0 }
    const database = { state: async () => world.state } as Pick<Database, 'state'> as Database
    const answers = createKeptAnswers(database)
    const identity = {
      owner: undefined,
      viewer: OPEN_VIEWER,
      account: null,
      mayChange: true,
      isReadOnly: false,
    }
    /** @returns whether the answer was computed */
    const ask = async (query: string, bytes = 10, during = () => {}) => {
      const before = world.computed
      const request = { method: 'POST', search: '', headers: new Map(), body: { query } }
      const answer = await answers.answer(request as never, identity, async () => {
        world.computed++
        during()
        return { status: 200, headers: [], bytes: Buffer.alloc(bytes, query), isComplete: true }
      })
      expect(answer.bytes).toHaveLength(bytes)
      expect(Buffer.from(answer.bytes).toString()).toMatch(new RegExp(`^${query.slice(0, bytes)}`))
      return world.computed > before
    }
    return { world, ask }
  }

  it('are those of a state of the database that was the same before and after', async () => {
    const { world, ask } = memory()
    expect([await ask('a'), await ask('a')]).toEqual([true, false])
    world.state = '2'
    const change = () => {
      world.state = '3'
    }
    expect([await ask('a', 10, change), await ask('a'), await ask('a')]).toEqual([true, true, false])
  })

  it('depend on no clock', async () => {
    const { ask } = memory()
    expect([await ask('a', 10, () => void currentTime()), await ask('a'), await ask('a')]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('take a bounded number of bytes, those of the texts of requests among them', async () => {
    const { ask } = memory()
    const names = Array.from({ length: 40 }, (_, index) => `q${index}`)
    for (const name of names) await ask(name, 1_000_000)
    expect(await ask('q39', 1_000_000)).toBe(false)
    expect(await ask('q12', 1_000_000)).toBe(false)
    expect(await ask('q8', 1_000_000)).toBe(true)
    expect([await ask('large', 4_000_001), await ask('large', 4_000_001)]).toEqual([true, true])
    const long = (name: string) => name.repeat(999_999)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'r'])
      await ask(long(name), 1)
    expect(await ask(long('r'), 1)).toBe(false)
    expect(await ask(long('a'), 1)).toBe(true)
    expect(await ask('q39', 1_000_000)).toBe(true)
  })
})
