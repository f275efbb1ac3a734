import { askServer } from './ask-server.js'

/** The new token. */
interface NewToken {
  readonly label: string
  readonly scope: string
  readonly days: number
}

interface Payload {
  readonly secret?: string
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
  const { origin } = new URL(server)
  let cookie = ''
  async function mutate(field: string, type: string, input: object, result: string): Promise<Payload> {
    const query = `mutation ($input: ${type}!) { ${field}(input: $input) { ... on ${result} ... on MutationError { code message } } }`
    const at = { server, headers: { origin, cookie } }
    const { content, headers } = await askServer<Record<string, Payload>>(at, query, { input }, server)
    cookie = headers.get('set-cookie')?.split(';')[0] ?? cookie
    return content[field]
  }
  await mutate('signIn', 'SignInInput', login, 'ViewerSuccess { __typename }')
  const input = { name: label, scope: scope.toUpperCase(), expiresInDays: days }
  const { secret } = await mutate('createToken', 'CreateTokenInput', input, 'CreateTokenSuccess { secret }')
  await mutate('signOut', 'SignOutInput', {}, 'ViewerSuccess { __typename }')
  return secret as string
}
