import { type AnyVariables, Client, type CombinedError } from '@urql/core'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TypedDocumentString } from '../generated/documents'
import { errorOf } from './request-error'
import { exchanges, isRecorded } from './transport'

/** Address of the GraphQL endpoint. */
const ENDPOINT = new URL('graphql', document.baseURI).href

/** Address of the query editor; null where there is none. */
export const EXPLORER = isRecorded ? null : ENDPOINT

export const client = new Client({
  url: ENDPOINT,
  exchanges,
  preferGetMethod: false,
  fetchSubscriptions: true,
})

/** Counts what has changed the server's data: answers of before are asked for again. */
let changes = 0

/** How many changes there were before the latest question, by document and variables. */
const askedAfter = new Map<string, number>()

/** Lets all questions be asked again: what was computed or imported changes many answers. */
export function forgetAnswers(): void {
  changes++
}

export interface Answer<Data> {
  readonly data?: Data
  readonly error?: CombinedError
  /** Whether the answer to the present variables is still awaited. */
  readonly isLoading: boolean
  /** Whether the viewer gave up waiting. */
  readonly isCancelled: boolean
  readonly reload: () => void
  readonly cancel: () => void
}

/**
 * Asks whenever the variables change; the last answer stays until the next one is there. Null asks nothing.
 *
 * @param policy `cache-and-network` for what changes without this page
 */
export function useQuery<Data, Variables extends AnyVariables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables | null,
  policy: 'cache-first' | 'cache-and-network' = 'cache-first',
): Answer<Data> {
  const [state, set] = useState<Omit<Answer<Data>, 'reload' | 'cancel'> & { readonly asked?: string }>({
    isLoading: false,
    isCancelled: false,
  })
  const [attempt, setAttempt] = useState(0)
  const stop = useRef<(() => void) | undefined>(undefined)
  const key = JSON.stringify(variables)
  useEffect(() => {
    if (variables === null) return
    set((old) => ({ ...old, asked: key, isLoading: true, isCancelled: false }))
    const question = `${document} ${key}`
    const isOld = (askedAfter.get(question) ?? 0) < changes
    askedAfter.set(question, changes)
    const requestPolicy = attempt === 0 && !isOld ? policy : 'network-only'
    const { unsubscribe } = client
      .query<Data, Variables>(document.toString(), variables, { requestPolicy })
      .subscribe(({ data, error }) => set({ asked: key, data, error, isLoading: false, isCancelled: false }))
    stop.current = unsubscribe
    return unsubscribe
  }, [document, key, attempt])
  const cancel = () => {
    // The server stops when the request ends.
    stop.current?.()
    set((old) => ({ ...old, isLoading: false, isCancelled: true }))
  }
  // What is about to be asked is awaited already: nothing is shown in between.
  const isLoading = variables !== null && (state.isLoading || state.asked !== key)
  return { ...state, isLoading, reload: () => setAttempt((number) => number + 1), cancel }
}

/**
 * Asks once, and keeps no answer: those that become a file are larger than a page.
 *
 * @throws Error with what a viewer is told of a failure
 */
export async function ask<Data, Variables extends AnyVariables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  signal: AbortSignal,
): Promise<Data> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: document.toString(), variables }),
    signal,
  }
  const { data, errors } = await fetch(ENDPOINT, request)
    .then((response) => response.json())
    .catch((networkError) => {
      throw errorOf({ graphQLErrors: [], networkError })
    })
  if (errors) throw errorOf({ graphQLErrors: errors })
  return data
}
