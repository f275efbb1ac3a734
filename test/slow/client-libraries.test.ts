import { readFileSync } from 'node:fs'
import { Client, cacheExchange, fetchExchange, subscriptionExchange } from '@urql/core'
import { buildSchema, isAbstractType, print } from 'graphql'
import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { openPage } from '../kit/browser.js'
import { blocksOf, readDocument } from '../kit/documents.js'
import { findPackage } from '../kit/find-package.js'
import { type Browser, launchBrowser } from '../kit/launch-browser.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importPets(world)
  api = await world.serve({ workers: 1 })
})

const METRICS = '{ metrics { __typename nodes { id name __typename } } }'
const CIDER = '{ metric(name: "CIDEr-D") { id highest __typename } }'
const CAPTIONS = `{ dataset(name: "pets") { id __typename images(first: 2) { __typename nodes {
  id __typename captions { id text __typename } systemCaptions { __typename nodes { id text __typename } }
} } } }`
const EXTERNAL_IDS = `{ dataset(name: "pets") { id __typename images(first: 2) { __typename nodes {
  id __typename captions { id externalId __typename }
} } } }`
const START = `mutation ($system: String!) { startEvaluation(input: { dataset: "pets", system: $system }) {
  __typename ... on JobSuccess { job { id __typename } } ... on MutationError { code message }
} }`
const PROGRESS = 'subscription ($id: ID!) { jobProgress(id: $id) { id status __typename } }'

/** Interfaces and unions, which Apollo Client must know. */
const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
const possibleTypes = Object.fromEntries(
  Object.values(schema.getTypeMap())
    .filter(isAbstractType)
    .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
)

/** Apollo Client, which is installed for this test only. */
const apolloClient = findPackage<Json>('@apollo/client/core')

/** What the tests do with either client. */
interface Tested {
  query(text: string): Promise<Json>
  /** The same from the cache alone; null if it is not complete. */
  cached(text: string): Promise<Json>
  mutate(text: string, variables: Json): Promise<Json>
  subscribe(text: string, variables: Json): Promise<Json[]>
}

function apollo(): Tested {
  const { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, Observable } = apolloClient
  const events = createClient({ url: api.url })
  const eventLink = new ApolloLink(
    ({ query, variables, operationName }: Json) =>
      new Observable((observer: Json) =>
        events.subscribe(
          { query: print(query), variables, operationName },
          {
            next: (value) => observer.next(value),
            error: (error) => observer.error(error),
            complete: () => observer.complete(),
          },
        ),
      ),
  )
  const client = new ApolloClient({
    cache: new InMemoryCache({ possibleTypes }),
    link: ApolloLink.split(
      ({ operationType }: Json) => operationType === 'subscription',
      eventLink,
      new HttpLink({ uri: api.url }),
    ),
  })
  return {
    query: async (text) => (await client.query({ query: gql(text) })).data,
    cached: async (text) => client.readQuery({ query: gql(text) }),
    mutate: async (text, variables) => (await client.mutate({ mutation: gql(text), variables })).data,
    subscribe: (text, variables) =>
      new Promise((resolve, reject) => {
        const values: Json[] = []
        client
          .subscribe({ query: gql(text), variables })
          .subscribe({
            next: ({ data }: Json) => values.push(data),
            error: reject,
            complete: () => resolve(values),
          })
      }),
  }
}

function urql(exchange: Parameters<typeof subscriptionExchange>[0] | 'fetch'): Tested {
  const client = new Client({
    url: api.url,
    preferGetMethod: false,
    exchanges: [
      cacheExchange,
      fetchExchange,
      ...(exchange === 'fetch' ? [] : [subscriptionExchange(exchange)]),
    ],
    fetchSubscriptions: exchange === 'fetch',
  })
  const query = async (text: string, requestPolicy: 'network-only' | 'cache-only') =>
    (await client.query(text, {}, { requestPolicy }).toPromise()).data ?? null
  return {
    query: (text) => query(text, 'network-only'),
    cached: (text) => query(text, 'cache-only'),
    mutate: async (text, variables) => (await client.mutation(text, variables).toPromise()).data,
    subscribe: (text, variables) =>
      new Promise((resolve, reject) => {
        const values: Json[] = []
        client.subscription(text, variables).subscribe(({ data, error, hasNext }) => {
          if (error) reject(error)
          if (data) values.push(data)
          if (!hasNext) resolve(values)
        })
      }),
  }
}

/** As the documentation of graphql-sse describes it for urql. */
function urqlWithEvents(): Tested {
  const events = createClient({ url: api.url })
  return urql({
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe: (sink) => ({
        unsubscribe: events.subscribe(
          { query, variables: variables as Record<string, unknown> },
          sink as never,
        ),
      }),
    }),
  })
}

const CLIENTS: [string, () => Tested][] = [
  ['urql', () => urql('fetch')],
  ['urql with graphql-sse', urqlWithEvents],
]
if (apolloClient) CLIENTS.push(['Apollo Client with graphql-sse', apollo])
else console.warn('No @apollo/client: its tests are skipped.')

describe.each(CLIENTS)('%s', (_name, create) => {
  it('queries, and reads what it has cached', async () => {
    const client = create()
    const expected = await api.ask(CAPTIONS)
    expect(await client.query(CAPTIONS)).toEqual(expected)
    expect(await client.cached(CAPTIONS)).toEqual(expected)
    expect(await client.cached(METRICS)).toBeNull()
  })

  it('receives expected failures of mutations as data', async () => {
    expect((await create().mutate(START, { system: 'nobody' })).startEvaluation).toEqual({
      __typename: 'MutationError',
      code: 'UNKNOWN_SYSTEM',
      message: expect.stringContaining('nobody'),
    })
  })

  it('follows the progress of an evaluation until its end', async () => {
    const client = create()
    const { startEvaluation } = await client.mutate(START, { system: 'copycat' })
    const { id } = startEvaluation.job
    const values = await client.subscribe(PROGRESS, { id })
    expect(values.at(-1).jobProgress).toEqual({ id, status: 'DONE', __typename: 'Job' })
  })
})

describe('docs/event-streams.md', async () => {
  const browser = await launchBrowser()
  afterAll(() => browser?.close())
  const [query, events, urqlClient, apolloLink] = blocksOf(readDocument('docs/event-streams.md'))
    .filter(({ language }) => language === 'js')
    .map(({ text }) => text)

  async function startedJob(): Promise<string> {
    return (await api.ask(START, { system: 'copycat' })).startEvaluation.job.id
  }

  /** Executes what the page shows, until it has printed that a job is done. @returns what it has printed */
  async function printed(text: string, packages: Json): Promise<Json[]> {
    const code = `${query}${text.replaceAll(/^import (.*) from ('.*')$/gm, 'const $1 = packages[$2]')}`
    const lines: Json[] = []
    const log = { log: (line: Json) => lines.push(line) }
    new Function('packages', 'url', 'id', 'console', code)(packages, api.url, await startedJob(), log)
    await expect.poll(() => lines.at(-1)?.status).toBe('DONE')
    return lines
  }

  it('follows a job by urql', async () => {
    const packages = { '@urql/core': { Client, cacheExchange, fetchExchange } }
    expect((await printed(urqlClient, packages)).at(-1)).toMatchObject({ progress: 1 })
  })

  it.skipIf(!apolloClient)('follows a job by Apollo Client', async () => {
    const packages = { '@apollo/client': apolloClient, graphql: { print }, 'graphql-sse': { createClient } }
    expect((await printed(apolloLink, packages)).at(-1)).toMatchObject({ progress: 1 })
  })

  it.skipIf(!browser)('follows a job by the EventSource of a browser, and ends', async () => {
    const { page, close } = await openPage(browser as Browser, new URL('.', api.url).href)
    const [url, id] = [api.url, await startedJob()].map((text) => JSON.stringify(text))
    const lines = await page.evaluate<Json[]>(`(async () => {
      const lines = []
      const [console, url, id] = [{ log: (line) => lines.push(line) }, ${url}, ${id}]
      ${query}${events}
      while (events.readyState !== EventSource.CLOSED) await new Promise((resolve) => setTimeout(resolve, 20))
      return lines
    })()`)
    expect(lines.at(-1)).toMatchObject({ status: 'DONE', progress: 1 })
    await close()
  })
})

it.skipIf(!apolloClient)('Apollo Client merges the objects of several queries by id', async () => {
  const client = apollo()
  const [captions, externalIds, metrics, cider] = [
    await client.query(CAPTIONS),
    await client.query(EXTERNAL_IDS),
    await client.query(METRICS),
    await client.query(CIDER),
  ]
  // The cache has all fields of both queries, and no object has replaced another.
  expect(await client.cached(CAPTIONS)).toEqual(captions)
  expect(await client.cached(EXTERNAL_IDS)).toEqual(externalIds)
  expect(await client.cached(METRICS)).toEqual(metrics)
  expect(await client.cached(CIDER)).toEqual(cider)
  const joined = CAPTIONS.replace('id text', 'id text externalId')
  expect(await client.cached(joined)).toEqual(await api.ask(joined))
})
