import type { AnyVariables } from '@urql/core'
import type { TypedDocumentString } from '../generated/documents'
import { client } from './client'
import { errorOf } from './request-error'

/** What a mutation answers: its result, or why there is none. */
interface Result {
  readonly __typename: string
}

/**
 * Sends a mutation that is named `result` in its document.
 *
 * @throws Error with what a viewer is told of a failure, and with the place, what was expected and what was found, where the
 *   document asks for them
 */
export async function change<Found extends Result, Variables extends AnyVariables>(
  document: TypedDocumentString<{ result: Found }, Variables>,
  variables: Variables,
): Promise<Exclude<Found, { readonly message: string }>> {
  const { data, error } = await client
    .mutation<{ result: Found }, Variables>(document.toString(), variables)
    .toPromise()
  if (error) throw errorOf(error)
  const result = data?.result as Found | { readonly message: string }
  if ('message' in result) throw Object.assign(new Error(result.message), result)
  return result as Exclude<Found, { readonly message: string }>
}
