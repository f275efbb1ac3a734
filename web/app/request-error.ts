import type { CombinedError } from '@urql/core'

/** A request that has failed: what a viewer is told, and the code that the server gives. */
export function errorOf({
  graphQLErrors: [first],
  networkError,
}: Pick<CombinedError, 'graphQLErrors' | 'networkError'>): Error & { readonly code?: string } {
  const message = first?.message ?? `The server does not answer: ${networkError?.message}`
  return Object.assign(new Error(message), { code: first?.extensions?.code as string | undefined })
}
