import { timeNow } from '../../clock.js'
import { AccordError, quote } from '../../errors.js'
import * as store from '../../store/accounts.js'
import type { Session } from '../../store/engine/session.js'
import type { User, UserRole } from '../../store/schema/account-tables.js'
import type { AuditEntry } from '../../store/schema/challenge-tables.js'
import type { Accord } from '../shared/accord.js'
import { keyedRows, ofDatabase } from '../shared/groups.js'
import { removeUploadsOf } from '../uploads/uploads.js'
import { nameKey, parseName } from './account-names.js'
import { checkNewPassword, hashPassword, hashSecret, randomId, randomSecret } from './secrets.js'
import { timeAfterDays } from './sessions.js'
import type { Named } from './viewer.js'

/** Users, and what administrators do on the server itself. Running servers know of it after a few seconds. */

/** Days in which what an administrator gives a user sets a new password. */
const RESET_DAYS = 1

export interface Login {
  readonly name: string
  readonly password: string
}

/**
 * Adds a user.
 *
 * @param more what belongs to it, in the same transaction
 * @throws AccordError NAME_TAKEN, also for a name that looks like another one; INVALID_VALUE
 */
export async function registerUser<Result>(
  database: Session,
  login: Login,
  role: UserRole,
  more: (session: Session, user: Named) => Promise<Result>,
): Promise<Result> {
  const user = { id: randomId(), name: parseName(login.name) }
  checkNewPassword(login.password, user.name)
  // Before the transaction, for which others wait.
  const hash = await hashPassword(login.password)
  return database.transaction(async (session) => {
    await store.insertUser(session, {
      ...user,
      nameKey: nameKey(user.name),
      role,
      isBanned: false,
      createdAt: timeNow(),
    })
    await store.savePasswordHash(session, user.id, hash)
    return more(session, user)
  })
}

/** @throws AccordError as {@link registerUser} */
export function addUser({ database }: Accord, login: Login, role: UserRole): Promise<void> {
  return registerUser(database, login, role, (session) => note(session, 'addUser', login.name))
}

/** All users, by name. */
export const listUsers = ofDatabase(store.listUsers)

export const usersById = keyedRows(store.findUsers, ({ id }) => id)

/** @throws AccordError UNKNOWN_USER */
export async function setRole({ database }: Accord, name: string, role: UserRole): Promise<void> {
  const { id } = await requireStoredUser(database, name)
  await store.setUserRole(database, id, role)
  await store.insertAuditEntry(database, { actor: null, action: 'setRole', subject: name, detail: { role } })
}

/**
 * Ends all sessions and tokens of a user, who cannot sign in any more, and removes the files that are not imported yet.
 *
 * @param actor name of the administrator; null for a command
 * @throws AccordError UNKNOWN_USER
 */
export async function banUser(
  { database }: Pick<Accord, 'database'>,
  name: string,
  isBanned: boolean,
  actor: string | null = null,
): Promise<void> {
  const { id } = await requireStoredUser(database, name)
  await database.transaction(async (session) => {
    await store.setBanned(session, id, isBanned)
    if (isBanned) {
      await store.deleteSessions(session, id)
      await store.deleteAccessTokens(session, id)
    }
    await store.insertAuditEntry(session, {
      actor,
      action: isBanned ? 'banUser' : 'unbanUser',
      subject: name,
    })
  })
  if (isBanned) await removeUploadsOf(database, id)
}

/**
 * @returns what sets a new password once, within a day; an earlier one is not valid any more
 * @throws AccordError UNKNOWN_USER
 */
export async function resetUser({ database }: Accord, name: string): Promise<string> {
  const { id: userId } = await requireStoredUser(database, name)
  const secret = randomSecret()
  await database.transaction(async (session) => {
    await store.replaceReset(session, {
      userId,
      hash: hashSecret(secret),
      expiresAt: timeAfterDays(RESET_DAYS),
    })
    await note(session, 'resetUser', name)
  })
  return secret
}

/** The audit log, in pages. */
export async function* auditLog({ database }: Pick<Accord, 'database'>): AsyncGenerator<AuditEntry> {
  let afterId = 0
  for (;;) {
    const page = await store.auditEntries(database, afterId, 1000)
    yield* page
    if (page.length === 0) return
    afterId = page[page.length - 1].id
  }
}

/** @throws AccordError UNKNOWN_USER */
export async function requireStoredUser(session: Session, name: string): Promise<User> {
  const user = await store.findUserByKey(session, nameKey(name))
  if (user) return user
  throw new AccordError('UNKNOWN_USER', 'unknown user', { found: quote(name) })
}

function note(session: Session, action: string, subject: string): Promise<void> {
  return store.insertAuditEntry(session, { actor: null, action, subject })
}
