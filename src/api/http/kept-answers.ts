import type { HTTPGraphQLRequest } from '@apollo/server'
import { LRUCache } from 'lru-cache'
import { clockReadings } from '../../clock.js'
import type { Viewer } from '../../services/accounts/viewer.js'
import type { Database } from '../../store/engine/session.js'
import type { Identity } from '../shared/context.js'
import { documentOf } from './parameters.js'
import type { Answer } from './result.js'

/** Answers to queries, sent again for as long as the database is unchanged. */
export interface KeptAnswers {
  /**
   * The answer to a request: that to an equal request of the same viewer in the same state of the database, or what `compute`
   * returns. It is kept if it has no errors, and depends on nothing but the database: nobody asked a clock. It is that to the state
   * before it was computed: no state comes again, so that one which the database leaves meanwhile finds no request.
   */
  answer(request: HTTPGraphQLRequest, identity: Identity, compute: () => Promise<Answer>): Promise<Answer>
}

/** Bytes of all answers, and of the requests by which they are found; and of one of them. */
const MAX_BYTES = 32_000_000
const MAX_ENTRY_BYTES = 4_000_000

/** Bytes of an entry beside its texts. */
const ENTRY_BYTES = 500

/** Headers on which an answer depends: Apollo Server chooses its type by them, and refuses requests that a form could send. */
const HEADERS = ['accept', 'content-type', 'x-apollo-operation-name', 'apollo-require-preflight']

/** What changes something, is sent again and again, or has to be refused as that. */
const NO_QUERY = /\b(mutation|subscription)\b/

export function createKeptAnswers(database: Database): KeptAnswers {
  const kept = new LRUCache<string, { readonly state: string; readonly answer: Answer }>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ENTRY_BYTES,
    sizeCalculation: ({ answer }, key) => answer.bytes.length + 2 * key.length + ENTRY_BYTES,
  })
  // A query whose answer needs the database says why it cannot be read; others are answered.
  const stateNow = () => database.state().catch(() => undefined)

  function keep(key: string, state: string, { headers, bytes }: Answer) {
    // In memory of its own: a short one would hold that of others.
    kept.set(key, { state, answer: { status: 200, headers, bytes: new Uint8Array(bytes), isComplete: true } })
  }

  return {
    async answer(request, identity, compute) {
      const key = keyOf(request, identity)
      const state = key === undefined ? undefined : await stateNow()
      if (key === undefined || state === undefined) return compute()
      const known = kept.get(key)
      if (known?.state === state) return known.answer
      const readings = clockReadings()
      const answer = await compute()
      if (answer.isComplete && clockReadings() === readings) keep(key, state, answer)
      return answer
    },
  }
}

/** What an answer depends on beside the database; undefined for requests whose answers are not kept. */
function keyOf(request: HTTPGraphQLRequest, { viewer, mayChange }: Identity): string | undefined {
  const document = documentOf(request)
  if (typeof document !== 'string' || NO_QUERY.test(document)) return undefined
  const { method, search, headers, body } = request
  // They ask for more than the result: its estimated cost, or to remember the document.
  const { extensions } =
    method === 'POST' ? (body as { readonly extensions?: unknown }) : extensionsOf(search)
  if (extensions != null) return undefined
  const parts = [method, search, JSON.stringify(body), nameOf(viewer), mayChange]
  return [...parts, ...HEADERS.map((name) => headers.get(name))].join('\n')
}

function extensionsOf(search: string) {
  return { extensions: new URLSearchParams(search).get('extensions') }
}

/** Identifies a viewer with all rights. */
function nameOf(viewer: Viewer): string {
  const known = names.get(viewer)
  if (known !== undefined) return known
  const name = JSON.stringify({ ...viewer, scopes: [...viewer.scopes] })
  names.set(viewer, name)
  return name
}

const names = new WeakMap<Viewer, string>()
