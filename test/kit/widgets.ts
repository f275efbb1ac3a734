import { readFileSync } from 'node:fs'
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client/core'
import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import {
  buildSchema,
  type DocumentNode,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { vi } from 'vitest'
import { projectFile } from '../../src/project.js'

const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))

/** Which Apollo Client needs for fragments on systems, where people may be instead. */
const possibleTypes = Object.fromEntries(
  Object.values(schema.getTypeMap())
    .filter(isAbstractType)
    .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
)

/** A query that a part of a page shows, as a client sends it. */
export interface Widget {
  readonly document: DocumentNode
  readonly variables?: Readonly<Record<string, unknown>>
}

/** What two widgets that are shown at the same time, by one client with a cache, have sent and caused. */
export interface Shown {
  readonly requests: number
  readonly warnings: readonly string[]
}

type Fetch = typeof fetch

/** Shows a widget. @param update is called whenever it has other data. @returns what removes it */
type Show = (widget: Widget, update: (isComplete: boolean) => void) => () => void

export type ClientName = 'Apollo Client' | 'urql with graphcache'

const SHOWN_BY: Readonly<Record<ClientName, (url: string, fetch: Fetch) => Show | Promise<Show>>> = {
  'Apollo Client'(uri, fetch) {
    const client = new ApolloClient({
      cache: new InMemoryCache({ possibleTypes }),
      link: new HttpLink({ uri, fetch }),
    })
    return ({ document, variables }, update) => {
      const subscription = client
        .watchQuery({ query: document, variables })
        .subscribe(({ dataState, loading, error }) => {
          if (error) throw error
          update(dataState === 'complete' && !loading)
        })
      return () => subscription.unsubscribe()
    }
  },
  async 'urql with graphcache'(url, fetch) {
    const withoutId = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && !('id' in type.getFields()),
    )
    const cache = cacheExchange({
      schema: await introspect(url),
      // As its warning asks for: objects without ids are parts of others.
      keys: Object.fromEntries(withoutId.map(({ name }) => [name, () => null])),
    })
    const client = new Client({ url, fetch, exchanges: [cache, fetchExchange], preferGetMethod: false })
    return ({ document, variables }, update) => {
      const { unsubscribe } = client.query(document, variables ?? {}).subscribe(({ data, error, stale }) => {
        if (error) throw error
        update(data !== undefined && !stale)
      })
      return unsubscribe
    }
  },
}

async function introspect(url: string): Promise<IntrospectionQuery> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  })
  return ((await response.json()) as { data: IntrospectionQuery }).data
}

export const CLIENTS = Object.keys(SHOWN_BY) as ClientName[]

/** Turns of the event loop without a request, after which none will follow: a client reacts to a change of its cache in one. */
const QUIET_TURNS = 20

/** Shows two widgets by a client with an empty cache, until both have their data and nothing is asked any more. */
export async function showTogether(
  name: ClientName,
  url: string,
  widgets: readonly Widget[],
): Promise<Shown> {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const failed = vi.spyOn(console, 'error').mockImplementation(() => {})
  let [requests, pending, quiet] = [0, 0, 0]
  const counted: Fetch = async (...request) => {
    requests++
    pending++
    try {
      return await fetch(...request)
    } finally {
      pending--
      quiet = 0
    }
  }
  const show = await SHOWN_BY[name](url, counted)
  const isComplete = widgets.map(() => false)
  const removals = widgets.map((widget, index) =>
    show(widget, (complete) => {
      isComplete[index] = complete
      quiet = 0
    }),
  )
  // Widgets that evict each other ask without end.
  while (requests <= MANY_REQUESTS && !(isComplete.every(Boolean) && pending === 0 && quiet > QUIET_TURNS)) {
    await new Promise((resolve) => setTimeout(resolve))
    quiet++
  }
  for (const remove of removals) remove()
  const warnings = [...warn.mock.calls, ...failed.mock.calls].map((parts) => parts.join(' '))
  warn.mockRestore()
  failed.mockRestore()
  return { requests, warnings }
}

const MANY_REQUESTS = 8

/** A document that asks for the ids of all objects that have one, as clients with caches need them. */
export function withIds(document: DocumentNode): DocumentNode {
  const info = new TypeInfo(schema)
  return visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet(node): SelectionSetNode | undefined {
        const parent = info.getParentType()
        if (!isObjectType(parent) || getNamedType(parent.getFields().id?.type)?.name !== 'ID')
          return undefined
        return {
          ...node,
          selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'id' } }, ...node.selections],
        }
      },
    }),
  )
}
