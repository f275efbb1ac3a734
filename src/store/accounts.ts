import { timeNow } from '../clock.js'
import { AccordError } from '../errors.js'
import { changeBoardsOfTeam } from './boards.js'
import { NOW } from './engine/clock.js'
import {
  count,
  find,
  findOne,
  insert,
  insertRows,
  rowsBy,
  translateViolations,
  update,
} from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, type Sql, sql } from './engine/sql.js'
import * as tables from './schema/account-tables.js'
import { type AuditEntry, AuditEntryEntity } from './schema/challenge-tables.js'

/** All users, by name. */
export function listUsers(session: Session): Promise<tables.User[]> {
  return find(session, tables.UserEntity, sql`ORDER BY name, id`)
}

export function findUser(session: Session, id: string): Promise<tables.User | null> {
  return findOne(session, tables.UserEntity, sql`WHERE id = ${id}`)
}

export function findUsers(session: Session, ids: readonly string[]): Promise<tables.User[]> {
  return find(session, tables.UserEntity, sql`WHERE id ${among(ids)}`)
}

/** @param nameKey equal for names that cannot be told apart */
export function findUserByKey(session: Session, nameKey: string): Promise<tables.User | null> {
  return findOne(session, tables.UserEntity, sql`WHERE name_key = ${nameKey}`)
}

/** @throws AccordError NAME_TAKEN for a name that cannot be told from that of another user */
export function insertUser(session: Session, user: tables.User): Promise<void> {
  return translateViolations(() => insertRows(session, tables.UserEntity, [user]), {
    UNIQUE: () => new AccordError('NAME_TAKEN', 'a user has this name, or one like it', { source: 'name' }),
  })
}

/** The hash of a user's password; null for an unknown user. */
export async function findPasswordHash(session: Session, userId: string): Promise<string | null> {
  const password = await findOne(session, tables.PasswordEntity, sql`WHERE user_id = ${userId}`)
  return password?.hash ?? null
}

export async function savePasswordHash(session: Session, userId: string, hash: string): Promise<void> {
  await session.run(sql`
    INSERT INTO account_password (user_id, hash) VALUES (${userId}, ${hash})
    ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash`)
}

export async function setUserRole(session: Session, id: string, role: tables.UserRole): Promise<void> {
  await update(session, tables.UserEntity, { role }, sql`id = ${id}`)
}

export async function setBanned(session: Session, id: string, isBanned: boolean): Promise<void> {
  await update(session, tables.UserEntity, { isBanned }, sql`id = ${id}`)
}

export function insertSession(session: Session, started: tables.StoredSession): Promise<void> {
  return insertRows(session, tables.SessionEntity, [started])
}

/** The user of a session that has not expired. @param hash of its secret */
export function findSessionUser(session: Session, hash: string): Promise<tables.User | null> {
  return findOne(
    session,
    tables.UserEntity,
    sql`WHERE id = (SELECT user_id FROM account_session WHERE hash = ${hash} AND expires_at > ${NOW})`,
  )
}

export async function deleteSession(session: Session, hash: string): Promise<void> {
  await session.run(sql`DELETE FROM account_session WHERE hash = ${hash}`)
}

export async function deleteSessions(session: Session, userId: string): Promise<void> {
  await session.run(sql`DELETE FROM account_session WHERE user_id = ${userId}`)
}

export async function deleteExpiredSessions(session: Session, userId: string): Promise<void> {
  await session.run(sql`DELETE FROM account_session WHERE user_id = ${userId} AND expires_at <= ${NOW}`)
}

/** Adds what resets the password of a user, in the place of an earlier one. */
export async function replaceReset(session: Session, reset: tables.PasswordReset): Promise<void> {
  await session.run(sql`DELETE FROM account_reset WHERE user_id = ${reset.userId}`)
  await insertRows(session, tables.PasswordResetEntity, [reset])
}

/** Uses up what resets a password. @returns the id of its user; null if it has expired, or another request was first */
export async function takeReset(session: Session, hash: string): Promise<string | null> {
  const [taken] = await session.all<{ userId: string }>(sql`
    DELETE FROM account_reset WHERE hash = ${hash} AND expires_at > ${NOW} RETURNING user_id AS "userId"`)
  return taken?.userId ?? null
}

/** @throws AccordError NAME_TAKEN for a name that cannot be told from that of another team */
export function insertTeam(session: Session, team: tables.Team): Promise<void> {
  return translateViolations(() => insertRows(session, tables.TeamEntity, [team]), {
    UNIQUE: () => new AccordError('NAME_TAKEN', 'a team has this name, or one like it', { source: 'name' }),
  })
}

/** Teams by id, in no particular order. */
export function findTeams(session: Session, ids: readonly string[]): Promise<tables.Team[]> {
  return find(session, tables.TeamEntity, sql`WHERE id ${among(ids)}`)
}

/** All teams, by name. */
export function listTeams(session: Session): Promise<tables.Team[]> {
  return find(session, tables.TeamEntity, sql`ORDER BY name, id`)
}

/** @param nameKey equal for names that cannot be told apart */
export function findTeamByKey(session: Session, nameKey: string): Promise<tables.Team | null> {
  return findOne(session, tables.TeamEntity, sql`WHERE name_key = ${nameKey}`)
}

/** Teams with one of these ids or names, by id. */
export function findTeamsCalled(session: Session, words: readonly string[]): Promise<tables.Team[]> {
  return find(session, tables.TeamEntity, sql`WHERE id ${among(words)} OR name ${among(words)} ORDER BY id`)
}

/** Teams of a user, by name. */
export function teamsOf(session: Session, userId: string): Promise<tables.Team[]> {
  return find(
    session,
    tables.TeamEntity,
    sql`WHERE id IN (SELECT team_id FROM team_member WHERE user_id = ${userId}) ORDER BY name, id`,
  )
}

/** The members of teams, with the id of the team, by name. */
export function membersOf(
  session: Session,
  teamIds: readonly string[],
): Promise<{ readonly team: string; readonly name: string }[]> {
  return session.all(sql`
    SELECT team_id AS team, account_user.name AS name FROM team_member
    JOIN account_user ON account_user.id = user_id WHERE team_id ${among(teamIds)}
    ORDER BY account_user.name, account_user.id`)
}

/** @throws AccordError NOT_APPLICABLE if the user is a member */
export function insertMember(session: Session, member: tables.TeamMember): Promise<void> {
  return translateViolations(() => insertRows(session, tables.TeamMemberEntity, [member]), {
    UNIQUE: alreadyMember,
  })
}

export function alreadyMember(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the user is a member of the team')
}

export async function isMemberCalled(session: Session, teamId: string, nameKey: string): Promise<boolean> {
  const found = sql`FROM team_member JOIN account_user ON account_user.id = user_id
    WHERE team_id = ${teamId} AND name_key = ${nameKey}`
  return (await count(session, found)) > 0
}

export function countMembers(session: Session, teamId: string): Promise<number> {
  return count(session, sql`FROM team_member WHERE team_id = ${teamId}`)
}

/** What a user is in a team; null for nothing. */
export async function findTeamRole(
  session: Session,
  teamId: string,
  userId: string,
): Promise<tables.TeamRole | null> {
  const member = await findOne(
    session,
    tables.TeamMemberEntity,
    sql`WHERE team_id = ${teamId} AND user_id = ${userId}`,
  )
  return member?.role ?? null
}

/** The id of the user who created a team; null if the account was removed. */
export async function findOwner(session: Session, teamId: string): Promise<string | null> {
  const owner = await findOne(
    session,
    tables.TeamMemberEntity,
    sql`WHERE team_id = ${teamId} AND role = 'owner'`,
  )
  return owner?.userId ?? null
}

/** @throws AccordError NOT_APPLICABLE if the user of the name is invited to the team */
export function insertInvitation(session: Session, invitation: tables.TeamInvitation): Promise<void> {
  return translateViolations(() => insertRows(session, tables.TeamInvitationEntity, [invitation]), {
    UNIQUE: () => new AccordError('NOT_APPLICABLE', 'the user is invited already'),
  })
}

export function countInvitations(session: Session, teamId: string): Promise<number> {
  return count(session, sql`FROM team_invitation WHERE team_id = ${teamId}`)
}

export async function deleteInvitation(session: Session, teamId: string, nameKey: string): Promise<void> {
  await session.run(sql`DELETE FROM team_invitation WHERE team_id = ${teamId} AND name_key = ${nameKey}`)
}

export async function deleteExpiredInvitations(session: Session, teamId: string): Promise<void> {
  await session.run(sql`DELETE FROM team_invitation WHERE team_id = ${teamId} AND expires_at <= ${NOW}`)
}

/** Whether the user of a name is invited. @param hash of the secret of the invitation */
export async function hasInvitation(session: Session, hash: string, nameKey: string): Promise<boolean> {
  return (await count(session, sql`FROM team_invitation WHERE ${isInvited(hash, nameKey)}`)) > 0
}

/** Uses up an invitation. @returns the id of its team; null if there is none, or another request was first */
export async function takeInvitation(
  session: Session,
  hash: string,
  nameKey: string,
): Promise<string | null> {
  const [taken] = await session.all<{ teamId: string }>(
    sql`DELETE FROM team_invitation WHERE ${isInvited(hash, nameKey)} RETURNING team_id AS "teamId"`,
  )
  return taken?.teamId ?? null
}

function isInvited(hash: string, nameKey: string): Sql {
  return sql`hash = ${hash} AND name_key = ${nameKey} AND expires_at > ${NOW}`
}

/**
 * Removes a user with sessions, password and tokens. Teams without other members stay without their name, because submissions
 * belong to them.
 */
export async function deleteUser(session: Session, { id, nameKey }: tables.User): Promise<void> {
  await session.run(sql`
    UPDATE team SET name = 'deleted', name_key = id
    WHERE id IN (SELECT team_id FROM team_member WHERE user_id = ${id})
      AND NOT EXISTS (SELECT 1 FROM team_member WHERE team_id = team.id AND user_id <> ${id})`)
  // Submissions become anonymous.
  await session.run(sql`UPDATE submission SET submitter = NULL WHERE submitter = ${id}`)
  const renamed = await session.all<{ team: string }>(sql`
    UPDATE submission SET team_name = 'deleted'
    WHERE team_name <> 'deleted' AND team IN (SELECT id FROM team WHERE name = 'deleted' AND name_key = id)
    RETURNING team`)
  for (const team of new Set(renamed.map((row) => row.team))) await changeBoardsOfTeam(session, team)
  await session.run(sql`DELETE FROM team_invitation WHERE name_key = ${nameKey}`)
  await session.run(sql`DELETE FROM account_user WHERE id = ${id}`)
}

export function insertAccessToken(session: Session, token: tables.AccessToken): Promise<void> {
  return insertRows(session, tables.AccessTokenEntity, [token])
}

/** The token with this hash, unless it has expired. */
export async function findAccessToken(session: Session, hash: string): Promise<tables.AccessToken | null> {
  return findOne(session, tables.AccessTokenEntity, sql`WHERE hash = ${hash} AND expires_at > ${NOW}`)
}

/** The tokens of a user, the newest first. */
export function accessTokensOf(session: Session, userId: string): Promise<tables.AccessToken[]> {
  return find(session, tables.AccessTokenEntity, sql`WHERE user_id = ${userId} ORDER BY created_at DESC, id`)
}

export async function markUsed(session: Session, id: string): Promise<void> {
  await session.run(sql`UPDATE access_token SET used_at = ${NOW} WHERE id = ${id}`)
}

/** @returns false if the user has no such token */
export async function deleteAccessToken(session: Session, id: string, userId: string): Promise<boolean> {
  return (await session.run(sql`DELETE FROM access_token WHERE id = ${id} AND user_id = ${userId}`)) > 0
}

export async function deleteAccessTokens(session: Session, userId: string): Promise<void> {
  await session.run(sql`DELETE FROM access_token WHERE user_id = ${userId}`)
}

export type NewAuditEntry = Pick<AuditEntry, 'actor' | 'action' | 'subject'> &
  Partial<Pick<AuditEntry, 'challengeId' | 'detail'>>

export async function insertAuditEntry(session: Session, entry: NewAuditEntry): Promise<void> {
  await insert(session, AuditEntryEntity, { ...entry, createdAt: timeNow() })
}

export function countAuditEntries(
  session: Session,
  { actor, action, subject }: Pick<AuditEntry, 'actor' | 'action' | 'subject'>,
): Promise<number> {
  return count(
    session,
    sql`FROM audit_entry WHERE action = ${action} AND subject = ${subject} AND actor = ${actor}`,
  )
}

/** Entries of the audit log after an id, in the order in which they were added. */
export function auditEntries(session: Session, afterId: number, limit: number): Promise<AuditEntry[]> {
  return find(session, AuditEntryEntity, sql`WHERE id > ${afterId} ORDER BY id LIMIT ${limit}`)
}

/** The audit log of challenges, oldest first. */
export const findAuditOfChallenges = rowsBy(AuditEntryEntity, 'challengeId', 'id')
export const findAuditEntries = rowsBy(AuditEntryEntity, 'id')
