import { find, findOne, insert, insertRows, rowsBy, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import {
  type AccessToken,
  AccessTokenEntity,
  type AuditEntry,
  AuditEntryEntity,
  type Team,
  TeamEntity,
  type User,
  UserEntity,
  type UserRole,
} from './schema/entities.js'

/** All users, by name. */
export function listUsers(session: Session): Promise<User[]> {
  return find(session, UserEntity, sql`ORDER BY name, id`)
}

export function findUser(session: Session, id: string): Promise<User | null> {
  return findOne(session, UserEntity, sql`WHERE id = ${id}`)
}

export function findUsers(session: Session, ids: readonly string[]): Promise<User[]> {
  return find(session, UserEntity, sql`WHERE id ${among(ids)}`)
}

/** @param email what stands for the name */
export function findUserByEmail(session: Session, email: string): Promise<User | null> {
  return findOne(session, UserEntity, sql`WHERE email = ${email}`)
}

/** The user of a session that has not expired. @param hash of its secret */
export function findSessionUser(session: Session, hash: string, now: string): Promise<User | null> {
  return findOne(
    session,
    UserEntity,
    sql`WHERE id = (SELECT user_id FROM account_session WHERE token = ${hash} AND expires_at > ${now})`,
  )
}

export async function setUserRole(session: Session, id: string, role: UserRole): Promise<void> {
  await update(session, UserEntity, { role }, sql`id = ${id}`)
}

/** A banned user cannot sign in, and loses all sessions. */
export async function setBanned(session: Session, id: string, isBanned: boolean): Promise<void> {
  await update(session, UserEntity, { banned: Number(isBanned) }, sql`id = ${id}`)
  if (isBanned) await deleteSessions(session, id)
}

/** Ends all sessions of a user. */
export async function deleteSessions(session: Session, userId: string): Promise<void> {
  await session.run(sql`DELETE FROM account_session WHERE user_id = ${userId}`)
}

/** Teams of a user, by name. */
export function teamsOf(session: Session, userId: string): Promise<Team[]> {
  return find(
    session,
    TeamEntity,
    sql`WHERE id IN (SELECT organization_id FROM team_member WHERE user_id = ${userId}) ORDER BY name, id`,
  )
}

/** The members of teams, with the id of the team, by name. */
export function membersOf(
  session: Session,
  teamIds: readonly string[],
): Promise<{ readonly team: string; readonly name: string }[]> {
  return session.all(sql`
    SELECT organization_id AS team, account_user.name AS name FROM team_member
    JOIN account_user ON account_user.id = user_id WHERE organization_id ${among(teamIds)}
    ORDER BY account_user.name, account_user.id`)
}

/** A pending invitation of a name, with the name of its team; null if there is none with this id. */
export async function findInvitation(
  session: Session,
  id: string,
  email: string,
  now: string,
): Promise<{ readonly team: string } | null> {
  const [found] = await session.all<{ team: string }>(sql`
    SELECT team.name AS team FROM team_invitation JOIN team ON team.id = team_invitation.organization_id
    WHERE team_invitation.id = ${id} AND email = ${email} AND status = 'pending' AND expires_at > ${now}`)
  return found ?? null
}

/**
 * Removes a user with sessions, password and tokens. Teams without other members stay without their name, because submissions
 * belong to them.
 */
export async function deleteUser(session: Session, { id, email }: User): Promise<void> {
  await session.run(sql`
    UPDATE team SET name = 'deleted', slug = id
    WHERE id IN (SELECT organization_id FROM team_member WHERE user_id = ${id})
      AND NOT EXISTS (SELECT 1 FROM team_member WHERE organization_id = team.id AND user_id <> ${id})`)
  // Submissions become anonymous.
  await session.run(sql`UPDATE submission SET submitter = NULL WHERE submitter = ${id}`)
  await session.run(sql`
    UPDATE submission SET team_name = 'deleted'
    WHERE team IN (SELECT id FROM team WHERE name = 'deleted' AND slug = id)`)
  await session.run(sql`DELETE FROM team_invitation WHERE email = ${email}`)
  await session.run(sql`DELETE FROM account_user WHERE id = ${id}`)
}

export function insertAccessToken(session: Session, token: AccessToken): Promise<void> {
  return insertRows(session, AccessTokenEntity, [token])
}

/** The token with this hash and its user, unless it has expired. @param now milliseconds since 1970 */
export async function findAccessToken(
  session: Session,
  hash: string,
  now: number,
): Promise<AccessToken | null> {
  return findOne(session, AccessTokenEntity, sql`WHERE hash = ${hash} AND expires_at > ${now}`)
}

/** The tokens of a user, the newest first. */
export function accessTokensOf(session: Session, userId: string): Promise<AccessToken[]> {
  return find(session, AccessTokenEntity, sql`WHERE user_id = ${userId} ORDER BY created_at DESC, id`)
}

export async function markUsed(session: Session, id: string, now: number): Promise<void> {
  await update(session, AccessTokenEntity, { usedAt: now }, sql`id = ${id}`)
}

/** @returns false if the user has no such token */
export async function deleteAccessToken(session: Session, id: string, userId: string): Promise<boolean> {
  return (await session.run(sql`DELETE FROM access_token WHERE id = ${id} AND user_id = ${userId}`)) > 0
}

/** Removes all tokens of a user. */
export async function deleteAccessTokens(session: Session, userId: string): Promise<void> {
  await session.run(sql`DELETE FROM access_token WHERE user_id = ${userId}`)
}

/** An entry of the audit log. */
export type NewAuditEntry = Pick<AuditEntry, 'actor' | 'action' | 'subject'> &
  Partial<Pick<AuditEntry, 'challengeId' | 'detail'>>

/** Adds an entry to the audit log. */
export async function insertAuditEntry(session: Session, entry: NewAuditEntry): Promise<void> {
  await insert(session, AuditEntryEntity, { ...entry, createdAt: new Date().toISOString() })
}

/** Entries of the audit log after an id, in the order in which they were added. */
export function auditEntries(session: Session, afterId: number, limit: number): Promise<AuditEntry[]> {
  return find(session, AuditEntryEntity, sql`WHERE id > ${afterId} ORDER BY id LIMIT ${limit}`)
}

/** The audit log of challenges, oldest first. */
export const findAuditOfChallenges = rowsBy(AuditEntryEntity, 'challengeId', 'id')

/** Entries of the audit log by id, in no particular order. */
export const findAuditEntries = rowsBy(AuditEntryEntity, 'id')
