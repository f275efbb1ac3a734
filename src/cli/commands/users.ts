import { type Command, Option } from 'commander'
import type { GlobalOptions } from '../../config.js'
import type { Accord } from '../../services/shared/accord.js'
import type { UserRole } from '../../store/schema/account-tables.js'
import { withAccord } from '../accord.js'
import { nameArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { remark } from '../output/progress.js'
import { prints, printsText } from '../report-command.js'

interface AddOptions extends GlobalOptions {
  readonly admin?: true
  readonly host?: true
}

/** `accord users` */
export function register(program: Command): void {
  const users = program
    .command('users')
    .summary('administer the accounts of a server')
    .description(
      'Administer the accounts of accord serve --accounts. A running server notices changes within seconds.',
    )
  const add = users
    .command('add')
    .summary('a user, such as the first administrator')
    .description('Add a user. The password is asked for, or read from the standard input.')
    .addArgument(nameArgument('name of the user'))
    .addOption(new Option('--admin', 'an administrator, who may do everything').conflicts('host'))
    .option('--host', 'a host, who imports datasets and runs challenges')
  type Arguments = [name: string]
  prints<AddOptions, Arguments>(add, ['accord users add ann --admin'], async (options, name) => {
    const { database: location, admin, host } = options
    const { readPassword } = await import('../password.js')
    const { addUser } = await import('../../services/accounts/users.js')
    const password = await readPassword(`Password of ${printable(name)}: `)
    const role: UserRole = admin ? 'admin' : host ? 'host' : 'user'
    await withAccord({ location }, (accord) => addUser(accord, { name, password }, role))
    return `Added ${printable(name)} (${role})\n`
  })
  const list = users.command('list').summary('all users').description('List users with their roles, by name.')
  printsText(list, ['accord users list'], async (accord) => {
    const { listUsers } = await import('../../services/accounts/users.js')
    const rows = (await listUsers(accord)).map(
      ({ name, role, isBanned }) => `${printable(name)}\t${role}${isBanned ? '\tbanned' : ''}\n`,
    )
    if (rows.length === 0) remark('There are no users yet. See accord users add --help\n')
    return rows.join('')
  })
  onUser(users, 'role', 'change what a user may do', (accord, name, role) =>
    import('../../services/accounts/users.js').then(async ({ setRole }) => {
      await setRole(accord, name, role as UserRole)
      return `${printable(name)} is now ${role}\n`
    }),
  ).addArgument(users.createArgument('<role>', 'what the user may do').choices(['user', 'host', 'admin']))
  onUser(
    users,
    'ban',
    'end sessions and tokens of a user, who cannot sign in any more',
    async (accord, name) => {
      const { banUser } = await import('../../services/accounts/users.js')
      await banUser(accord, name, true)
      return `Banned ${printable(name)}\n`
    },
  )
  onUser(users, 'unban', 'let a banned user sign in again', async (accord, name) => {
    const { banUser } = await import('../../services/accounts/users.js')
    await banUser(accord, name, false)
    return `${printable(name)} can sign in again\n`
  })
  onUser(
    users,
    'reset',
    'print what lets a user set a new password once, within a day',
    async (accord, name) => {
      const { resetUser } = await import('../../services/accounts/users.js')
      const token = await resetUser(accord, name)
      process.stderr.write(`${printable(name)} opens /reset#${token} of the server in a browser\n`)
      return `${token}\n`
    },
  )
  const log = users
    .command('log')
    .summary('the audit log')
    .description('Print what users and commands have changed, as JSON Lines, oldest first.')
  printsText(log, ['accord users log > audit.jsonl'], async (accord) => {
    const { auditLog } = await import('../../services/accounts/users.js')
    let lines = ''
    for await (const entry of auditLog(accord)) lines += `${JSON.stringify(entry)}\n`
    return lines
  })
}

/** A command on one user, whose name is its first argument. */
function onUser(
  users: Command,
  command: string,
  summary: string,
  work: (accord: Accord, name: string, ...rest: string[]) => Promise<string>,
): Command {
  const added = users
    .command(command)
    .summary(summary)
    .description(`${summary[0].toUpperCase()}${summary.slice(1)}.`)
    .addArgument(nameArgument('name of the user'))
  printsText<[name: string, ...rest: string[]]>(
    added,
    [`accord users ${command} ann${command === 'role' ? ' host' : ''}`],
    work,
  )
  return added
}
