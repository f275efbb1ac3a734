import type { Command } from 'commander'
import { parseText } from '../../config.js'
import { nameArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { remark } from '../output/progress.js'
import { printsText } from '../report-command.js'

/** `accord teams` */
export function register(program: Command): void {
  const teams = program
    .command('teams')
    .summary('teams of a server with accounts')
    .description(
      'Create and list the teams of a server with accounts, and invite users to them, as an administrator: on the database,' +
        ' while the server runs. Users do the same on the page Account.',
    )
  registerCreate(teams)
  registerInvite(teams)
  registerList(teams)
}

function registerCreate(teams: Command): void {
  const command = teams
    .command('create')
    .summary('create a team')
    .description('Create a team, and print its id, which commands on challenges take as --team.')
    .addArgument(nameArgument('name of the team'))
    .requiredOption(
      '--owner <name>',
      'name of a user: its first member, who may invite others (required)',
      parseText,
    )
  const examples = ['accord teams create reds --owner ann']
  printsText<[name: string]>(command, examples, async (accord, name) => {
    const { createTeam } = await import('../../services/accounts/teams.js')
    return `${await createTeam(accord, name, command.opts<{ owner: string }>().owner)}\n`
  })
}

function registerInvite(teams: Command): void {
  const command = teams
    .command('invite')
    .summary('invite a user to a team')
    .description(
      'Invite a user to a team, and print the path of the page, below the address of the server, that the user opens within 14' +
        ' days, with or without an account. An earlier invitation of the user to the team is not valid any more.',
    )
    .addArgument(nameArgument('name or id of the team'))
    .argument('<user>', 'name of the user, who may not have an account yet', parseText)
  const examples = ['accord teams invite reds ben']
  printsText<[team: string, user: string]>(command, examples, async (accord, team, user) => {
    const { inviteMember } = await import('../../services/accounts/teams.js')
    return `${await inviteMember(accord, team, user)}\n`
  })
}

function registerList(teams: Command): void {
  const command = teams
    .command('list')
    .summary('all teams')
    .description('List teams by name, with their ids and members.')
  printsText(command, ['accord teams list'], async (accord) => {
    const { listTeams } = await import('../../services/accounts/teams.js')
    const rows = (await listTeams(accord)).map(
      ({ id, name, members }) => `${printable(name)}\t${id}\t${members.map(printable).join(', ')}\n`,
    )
    if (rows.length === 0) remark('There are no teams yet. See accord teams create --help\n')
    return rows.join('')
  })
}
