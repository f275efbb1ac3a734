import { hostname } from 'node:os'
import { type Command, Option } from 'commander'
import { parseText, wholeNumber } from '../../config.js'
import { example } from '../options.js'
import { printable } from '../output/formats.js'

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
export function registerLogin(program: Command): void {
  program
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
    .addHelpText('after', example('accord login --server https://accord.example/ --name ann'))
    .action(async (_options, command: Command) => {
      const { server, name, scope, days } = command.optsWithGlobals<LoginOptions>()
      const { readPassword } = await import('../password.js')
      const { createRemoteToken } = await import('../remote-token.js')
      const { storeToken } = await import('../stored-tokens.js')
      const password = await readPassword(`Password of ${printable(name)}: `)
      const label =
        hostname()
          .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
          .slice(0, 40) || 'login'
      const token = await createRemoteToken(server, { name, password }, { label, scope, days })
      const file = storeToken(server, token)
      process.stdout.write(
        `Signed in to ${printable(server)} as ${printable(name)}; the token is in ${file}\n`,
      )
    })
  program
    .command('logout')
    .summary('forget the token of a server')
    .description('Forget the token that accord login has stored. It is valid until it expires or is revoked.')
    .addOption(serverOption())
    .addHelpText('after', example('accord logout --server https://accord.example/'))
    .action(async (_options, command: Command) => {
      const { server } = command.optsWithGlobals<LoginOptions>()
      const { storeToken } = await import('../stored-tokens.js')
      storeToken(server, undefined)
      process.stdout.write(`Forgot the token of ${printable(server)}\n`)
    })
}
