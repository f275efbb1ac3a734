import { AccordError, type ErrorCode } from '../errors.js'

/** The new token. */
interface NewToken {
  readonly label: string
  readonly scope: string
  readonly days: number
}

interface Payload {
  readonly code?: ErrorCode
  readonly message?: string
  readonly secret?: string
}

interface Answer {
  readonly data?: Readonly<Record<string, Payload>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: ErrorCode }
  }[]
}

/**
 * Signs in to a server, creates a token and ends the session.
 *
 * @returns the token
 * @throws AccordError of the server; FILE_NOT_FOUND for one that does not answer
 */
export async function createRemoteToken(
  server: string,
  login: { readonly name: string; readonly password: string },
  { label, scope, days }: NewToken,
): Promise<string> {
  const url = new URL('graphql', server.endsWith('/') ? server : `${server}/`)
  let cookie = ''
  async function mutate(field: string, type: string, input: object, result: string): Promise<Payload> {
    const query = `mutation ($input: ${type}!) { ${field}(input: $input) { ... on ${result} ... on MutationError { code message } } }`
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url.origin, cookie },
      body: JSON.stringify({ query, variables: { input } }),
    }).catch((error: Error) => {
      throw unreachable(server, String((error.cause as Error | undefined)?.message ?? error.message))
    })
    const answer = (await response.json().catch(() => {
      throw unreachable(server, `status ${response.status}`)
    })) as Answer
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const [error] = answer.errors ?? []
    const payload: Payload = answer.data?.[field] ?? {
      code: error?.extensions?.code,
      message: error?.message,
    }
    if (payload.message !== undefined)
      throw new AccordError(payload.code ?? 'NOT_APPLICABLE', payload.message, { source: server })
    return payload
  }
  await mutate('signIn', 'SignInInput', login, 'ViewerSuccess { __typename }')
  const input = { name: label, scope: scope.toUpperCase(), expiresInDays: days }
  const { secret } = await mutate('createToken', 'CreateTokenInput', input, 'CreateTokenSuccess { secret }')
  await mutate('signOut', 'SignOutInput', {}, 'ViewerSuccess { __typename }')
  return secret as string
}

function unreachable(server: string, found: string): AccordError {
  return new AccordError('FILE_NOT_FOUND', 'the server does not answer as accord serve does', {
    source: server,
    found,
  })
}
