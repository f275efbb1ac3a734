import { timeNow } from '../../clock.js'
import { AccordError, quote, unknownName } from '../../errors.js'
import * as store from '../../store/accounts.js'
import type { Session } from '../../store/engine/session.js'
import type { Team } from '../../store/schema/account-tables.js'
import type { Accord } from '../shared/accord.js'
import { groupBy, keyedRows } from '../shared/groups.js'
import { nameKey, parseName } from './account-names.js'
import { hashSecret, randomId, randomSecret } from './secrets.js'
import { timeAfterDays } from './sessions.js'
import { requireStoredUser } from './users.js'
import { forbidden, type Named, OPEN_VIEWER } from './viewer.js'

/** Days in which an invitation can be accepted. */
const INVITATION_DAYS = 14

/** Teams of a user; members of a team, and invitations to it by users. */
const MAX_TEAMS = 50
const MAX_MEMBERS = 100
const MAX_INVITATIONS = 100

/** An invitation, with the secret by which its user accepts it. */
export interface Invitation {
  readonly secret: string
  readonly expiresAt: string
}

/**
 * Creates a team of one member, who may invite others.
 *
 * @throws AccordError NAME_TAKEN, also for a name that looks like another one; INVALID_VALUE; NOT_APPLICABLE
 */
export async function addTeam(database: Session, given: string, ownerId: string): Promise<Named> {
  const [id, name, createdAt] = [randomId(), parseName(given), timeNow()]
  return database.transaction(async (session) => {
    if ((await store.teamsOf(session, ownerId)).length >= MAX_TEAMS)
      throw new AccordError('NOT_APPLICABLE', 'the user has too many teams', {
        expected: `at most ${MAX_TEAMS}`,
      })
    await store.insertTeam(session, { id, name, nameKey: nameKey(name), createdAt })
    await store.insertMember(session, { teamId: id, userId: ownerId, role: 'owner', createdAt })
    return { id, name }
  })
}

/**
 * Invites the user of a name, in the name of a user who must have created the team.
 *
 * @throws AccordError FORBIDDEN; INVALID_VALUE; NOT_APPLICABLE for a member or a user who is invited, and for too many invitations
 */
export async function inviteByUser(
  database: Session,
  inviterId: string,
  teamId: string,
  name: string,
): Promise<Invitation> {
  const key = nameKey(parseName(name))
  const role = await store.findTeamRole(database, teamId, inviterId)
  if (role === null) throw forbidden('a member of the team')
  if (role !== 'owner') throw forbidden('the user who created the team')
  return database.transaction(async (session) => {
    await store.deleteExpiredInvitations(session, teamId)
    const invitation = await addInvitation(session, inviterId, teamId, key)
    if ((await store.countInvitations(session, teamId)) > MAX_INVITATIONS)
      throw new AccordError('NOT_APPLICABLE', 'the team has too many invitations')
    return invitation
  })
}

async function addInvitation(
  session: Session,
  inviterId: string,
  teamId: string,
  key: string,
): Promise<Invitation> {
  if (await store.isMemberCalled(session, teamId, key)) throw store.alreadyMember()
  const [secret, expiresAt] = [randomSecret(), timeAfterDays(INVITATION_DAYS)]
  await store.insertInvitation(session, {
    hash: hashSecret(secret),
    teamId,
    nameKey: key,
    inviterId,
    expiresAt,
  })
  return { secret, expiresAt }
}

/**
 * Makes a user a member of the team of an invitation, which cannot be used again.
 *
 * @param session a transaction
 * @throws AccordError FORBIDDEN for an invitation that is unknown, expired, used or of another user; NOT_APPLICABLE
 */
export async function joinTeam(session: Session, { id, name }: Named, invitation: string): Promise<void> {
  const teamId = await store.takeInvitation(session, hashSecret(invitation), nameKey(name))
  if (teamId === null) throw unknownInvitation()
  if ((await store.countMembers(session, teamId)) >= MAX_MEMBERS)
    throw new AccordError('NOT_APPLICABLE', 'the team has too many members')
  await store.insertMember(session, { teamId, userId: id, role: 'member', createdAt: timeNow() })
}

export function unknownInvitation(): AccordError {
  return new AccordError('FORBIDDEN', 'the invitation is not valid', { source: 'invitation' })
}

/**
 * The ids of teams that are given by id or by name, in their order.
 *
 * @param source where they were given
 * @throws AccordError UNKNOWN_TEAM; INVALID_VALUE for a name that several teams have
 */
export async function requireTeams(
  session: Session,
  given: readonly string[],
  source: string,
): Promise<string[]> {
  const known = [...OPEN_VIEWER.teams, ...(await store.findTeamsCalled(session, given))]
  return given.map((wanted) => {
    const byId = known.find(({ id }) => id === wanted)
    if (byId) return byId.id
    const ofName = known.filter(({ name }) => name === wanted)
    if (ofName.length === 1) return ofName[0].id
    if (ofName.length === 0) {
      const about = { source, expected: 'the name or the id of a team', found: quote(wanted) }
      throw new AccordError('UNKNOWN_TEAM', 'unknown team', about)
    }
    throw new AccordError('INVALID_VALUE', `${ofName.length} teams have this name`, {
      source,
      expected: `the id of one of them: ${ofName.map(({ id }) => id).join(', ')}`,
      found: quote(wanted),
    })
  })
}

export const teamsById = keyedRows(store.findTeams, ({ id }) => id)

/** All teams by name, with the names of their members. */
export async function listTeams({
  database,
}: Accord): Promise<
  readonly { readonly id: string; readonly name: string; readonly members: readonly string[] }[]
> {
  const teams = await store.listTeams(database)
  const members = groupBy(
    await store.membersOf(
      database,
      teams.map(({ id }) => id),
    ),
    ({ team }) => team,
  )
  return teams.map(({ id, name }) => ({
    id,
    name,
    members: (members.get(id) ?? []).map(({ name: member }) => member),
  }))
}

/** What administrators do on the server itself. */

/**
 * Creates a team.
 *
 * @param owner name of its first member, who may invite others
 * @returns its id
 * @throws AccordError UNKNOWN_USER; errors of {@link addTeam}
 */
export async function createTeam({ database }: Accord, name: string, owner: string): Promise<string> {
  const user = await requireStoredUser(database, owner)
  const { id } = await addTeam(database, name, user.id)
  await store.insertAuditEntry(database, {
    actor: null,
    action: 'createTeam',
    subject: name,
    detail: { owner },
  })
  return id
}

/**
 * Invites a user to a team, who may not have an account yet, in the name of the user who created it. An earlier invitation is not
 * valid any more.
 *
 * @param team id or name
 * @returns the path that the user opens, below the address of the server
 * @throws AccordError UNKNOWN_TEAM; NOT_APPLICABLE for a member, and for a team whose creator has no account any more
 */
export async function inviteMember({ database }: Accord, team: string, name: string): Promise<string> {
  const { id } = await requireTeamNamed(database, team)
  const key = nameKey(parseName(name))
  const { secret } = await database.transaction(async (session) => {
    const ownerId = await store.findOwner(session, id)
    if (ownerId === null)
      throw new AccordError('NOT_APPLICABLE', 'the user who created the team has no account any more')
    await store.deleteInvitation(session, id, key)
    return addInvitation(session, ownerId, id, key)
  })
  await store.insertAuditEntry(database, {
    actor: null,
    action: 'inviteMember',
    subject: name,
    detail: { team },
  })
  return `sign-up?${new URLSearchParams({ invitation: secret, name })}`
}

async function requireTeamNamed(session: Session, team: string): Promise<Team> {
  const [byId] = await store.findTeams(session, [team])
  const found = byId ?? (await store.findTeamByKey(session, nameKey(team)))
  if (found) return found
  const known = (await store.listTeams(session)).map(({ name }) => name)
  throw unknownName('UNKNOWN_TEAM', 'unknown team', {
    source: 'team',
    known,
    none: 'one that was created; there is none yet',
    found: team,
  })
}
