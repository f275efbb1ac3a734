import { HeaderMap } from '@apollo/server'
import { getIntrospectionQuery } from 'graphql'
import { createClient } from 'graphql-sse'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createEventStreams } from '../../src/api/http/event-streams.js'
import { createQuota, LIMITS } from '../../src/api/schema/limits.js'
import { apiSchema } from '../../src/api/schema/schema.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importPets(world)
  api = await world.serve({ workers: 1 })
})

const PROGRESS = `subscription ($id: ID!) { jobProgress(id: $id) { status progress subject { ... on System { name } } } }`

async function start(server: Api, system = 'copycat'): Promise<string> {
  const { startEvaluation } = await server.ask(
    `mutation ($system: String!) { startEvaluation(input: { dataset: "pets", system: $system }) {
      ... on JobSuccess { job { id } }
    } }`,
    { system },
  )
  return startEvaluation.job.id
}

/** All results of an operation, by the client of graphql-sse. */
async function resultsOf(server: Api, query: string, variables?: Json): Promise<Json[]> {
  const client = createClient({ url: server.url, retryAttempts: 0 })
  const results: Json[] = []
  for await (const result of client.iterate({ query, variables })) results.push(result)
  client.dispose()
  return results
}

/** The events of a response. */
async function eventsOf(server: Api, body: object, accept: string): Promise<string> {
  const headers = { 'content-type': 'application/json', accept }
  const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  return response.text()
}

describe('a subscription by graphql-sse', () => {
  it('sends the progress of an evaluation until its end', async () => {
    const results = await resultsOf(api, PROGRESS, { id: await start(api) })
    expect(results.flatMap(({ errors = [] }) => errors)).toEqual([])
    const statuses = results.map(({ data }) => data.jobProgress.status)
    expect(statuses.at(-1)).toBe('DONE')
    expect(results.at(-1).data.jobProgress).toEqual({
      status: 'DONE',
      progress: 1,
      subject: { name: 'copycat' },
    })
  })

  it.each<[string, string, Json, string]>([
    ['an unknown evaluation', PROGRESS, { id: 'x' }, 'UNKNOWN_JOB'],
    ['an invalid variable', PROGRESS, { id: [] }, 'BAD_USER_INPUT'],
    ['an unknown field', 'subscription { progress }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['invalid GraphQL', 'subscription {', {}, 'GRAPHQL_PARSE_FAILED'],
    [
      'one of two operations',
      'query A { __typename } query B { __typename }',
      {},
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['no field', 'subscription { jobProgress(id: "x") @skip(if: true) { id } }', {}, 'BAD_REQUEST'],
    [
      'no field of a fragment',
      'subscription { ...F } fragment F on Subscription { ... @include(if: false) { jobProgress(id: "x") { id } } }',
      {},
      'BAD_REQUEST',
    ],
    [
      'an expensive selection',
      `subscription { jobProgress(id: "x") { subject { ... on System { dataset { words(first: 1000) { nodes {
        dataset { words(first: 1000) { nodes { id } } }
      } } } } } } }`,
      {},
      'TOO_COSTLY',
    ],
  ])('of %s sends an error', async (_what, query, variables, code) => {
    const results = await resultsOf(api, query, variables)
    expect(results.map(({ errors }) => errors[0].extensions.code)).toEqual([code])
  })

  it('sends queries and mutations too', async () => {
    expect(await resultsOf(api, '{ __typename }')).toEqual([{ data: { __typename: 'Query' } }])
    const [{ data }] = await resultsOf(
      api,
      'mutation { startEvaluation(input: { dataset: "pets", system: "nobody" }) { ... on MutationError { code } } }',
    )
    expect(data.startEvaluation.code).toBe('UNKNOWN_SYSTEM')
  })

  it('sends large answers as other responses have them', async () => {
    const query = getIntrospectionQuery()
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(api.url, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const [result] = await resultsOf(api, query)
    expect(result).toEqual(await response.json())
  })
})

describe('a subscription by other clients', () => {
  // urql accepts more than event streams.
  it.each([
    'text/event-stream',
    'text/event-stream, application/graphql-response+json, application/json',
    'application/graphql-response+json, application/json, text/event-stream, multipart/mixed',
  ])('that accept %s gets events', async (accept) => {
    const id = await start(api, 'guesser')
    const events = await eventsOf(api, { query: PROGRESS, variables: { id } }, accept)
    expect(events).toMatch(/^:\n\nevent: next\ndata: \{"data":\{"jobProgress":/)
    expect(events).toMatch(/\n\nevent: complete\ndata:\n\n$/)
  })

  it('by GET gets events', async () => {
    const url = `${api.url}?query=${encodeURIComponent('subscription { jobProgress(id: "x") { id } }')}`
    const response = await fetch(url, { headers: { accept: 'text/event-stream' } })
    expect(await response.text()).toContain('UNKNOWN_JOB')
  })

  it.each([
    'mutation { removeSystem(input: { dataset: "pets", system: "noise" }) { __typename } }',
    '{ __typename }',
  ])('by GET cannot send %s', async (query) => {
    const url = `${api.url}?query=${encodeURIComponent(query)}`
    const response = await fetch(url, { headers: { accept: 'text/event-stream' } })
    expect(await response.text()).toMatch(/"BAD_REQUEST"(.|\n)*event: complete/)
  })

  it('without a query is refused', async () => {
    const response = await fetch(api.url, { headers: { accept: 'text/event-stream' } })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      errors: [
        {
          message: 'The request has no document: expected the text `query`.',
          extensions: { code: 'BAD_REQUEST' },
        },
      ],
    })
  })

  it('that accept no events is refused', async () => {
    const { status, errors } = await api.query(PROGRESS, { id: 'x' })
    expect(status).toBe(406)
    expect(errors[0].message).toContain('Accept: text/event-stream')
  })

  it('gets JSON for queries if JSON is accepted', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify({ query: '{ __typename }' })
    const response = await fetch(api.url, { method: 'POST', headers, body })
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } })
  })
})

describe('events that a client does not read', () => {
  /** A response that is read when `read` is called. */
  function slowResponse() {
    const read: (() => void)[] = []
    let text = ''
    const response = {
      req: { socket: { destroyed: false } },
      writableLength: 0,
      writeHead() {},
      write(chunk: string | Buffer, callback?: () => void) {
        text += chunk
        if (callback) read.push(callback)
      },
      end(chunk: string) {
        text += chunk
      },
    }
    return { response: response as never, text: () => text, read: () => read.map((callback) => callback()) }
  }

  it('hold memory of its share until it has read them or is gone', async () => {
    const body = { kind: 'complete', string: `{"data":"${'x'.repeat(600)}"}\n` }
    const streams = createEventStreams({
      schema: apiSchema(),
      operations: {} as never,
      apollo: { executeHTTPGraphQLRequest: async () => ({ headers: new HeaderMap(), body }) } as never,
      buffers: createQuota(10_000),
    })
    const send = (signal?: AbortSignal) => {
      const response = slowResponse()
      const request = {
        method: 'POST',
        headers: new HeaderMap(),
        search: '',
        body: { query: '{ __typename }' },
      }
      const context = { account: null, client: { owner: 'anna', signal } }
      const ended = streams.send(response.response, request, () => context as never)
      return { ...response, ended }
    }
    const first = send()
    await vi.waitFor(() => expect(first.text()).toContain('xxx'))
    const second = send()
    await vi.waitFor(() => expect(second.text()).toContain('"OVERLOADED"'))
    expect(first.text()).not.toContain('event: complete')
    first.read()
    await first.ended
    expect(first.text()).toMatch(/^:\n\nevent: next\ndata: \{"data":"x+"\}\n\nevent: complete\ndata:\n\n$/)
    const gone = new AbortController()
    const third = send(gone.signal)
    await vi.waitFor(() => expect(third.text()).toContain('xxx'))
    gone.abort()
    await third.ended
    const fourth = send()
    await vi.waitFor(() => expect(fourth.text()).toContain('xxx'))
  })
})

describe('open streams', async () => {
  const idle = await initWorld()

  const open = async (server: Api, id: string) => {
    const client = createClient({ url: server.url, retryAttempts: 0 })
    const results = client.iterate({ query: PROGRESS, variables: { id } })
    return { first: await results.next(), results, close: () => client.dispose() }
  }

  it('end when the server stops, and when the client disconnects; their number is limited', async () => {
    await importPets(idle)
    // No worker executes the job.
    const other = await idle.serve()
    const id = await start(other)
    const streams = []
    for (let i = 0; i < LIMITS.streams / 10; i++) streams.push(await open(other, id))
    expect(streams[0].first.value.data.jobProgress.status).toBe('QUEUED')
    const refused = await fetch(other.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: PROGRESS, variables: { id } }),
    })
    expect(refused.status).toBe(429)
    streams[0].close()
    const again = await vi.waitFor(() => open(other, id), 120_000)
    const ending = Promise.allSettled([again.results.next()])
    await other.close()
    const [{ status }] = await ending
    expect(status).toBe('fulfilled')
  })
})
