import { hostname } from 'node:os'
import { type Command, Option } from 'commander'
import { parseText, wholeNumber } from '../../config.js'
import { askServer } from '../ask-server.js'
import { printable } from '../output/formats.js'
import { prints } from '../report-command.js'

interface LoginOptions {
  readonly server: string
  readonly name: string
  readonly scope: 'read' | 'submit' | 'host'
  readonly days: number
}

const serverOption = () =>
  new Option('--server <url>', 'address of accord serve, such as https://accord.example/ (required)')
    .argParser(parseText)
    .makeOptionMandatory()

/** `accord login` and `accord logout` */
export function register(program: Command): void {
  const login = program
    .command('login')
    .summary('create a token for a server with accounts')
    .description(
      'Sign in to a server with accounts, create a token, and store it for commands with --server. The password is asked for, or' +
        ' read from the standard input; it is not stored.',
    )
    .addOption(serverOption())
    .requiredOption('--name <name>', 'name of the user (required)', parseText)
    .addOption(
      new Option('--scope <scope>', 'what the token allows')
        .choices(['read', 'submit', 'host'])
        .default('submit'),
    )
    .option('--days <N>', 'days until the token expires, 1 to 365', wholeNumber(1, 365), 90)
  const signsIn = ['accord login --server https://accord.example/ --name ann']
  prints<LoginOptions>(login, signsIn, async ({ server, name, scope, days }) => {
    const { readPassword } = await import('../password.js')
    const { storeToken } = await import('../stored-tokens.js')
    const password = await readPassword(`Password of ${printable(name)}: `)
    const host = hostname().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    const label = host.slice(0, 40) || 'login'
    const token = await createRemoteToken(server, { name, password }, { label, scope, days })
    const file = storeToken(server, token)
    return `Signed in to ${printable(server)} as ${printable(name)}; the token is in ${file}\n`
  })
  const logout = program
    .command('logout')
    .summary('forget the token of a server')
    .description('Forget the token that accord login has stored. It is valid until it expires or is revoked.')
    .addOption(serverOption())
  const signsOut = ['accord logout --server https://accord.example/']
  prints<LoginOptions>(logout, signsOut, async ({ server }) => {
    const { storeToken } = await import('../stored-tokens.js')
    storeToken(server, undefined)
    return `Forgot the token of ${printable(server)}\n`
  })
}

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
async function createRemoteToken(
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
