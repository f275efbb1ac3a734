import { AccordError, quote } from '../../errors.js'
import {
  auditEntries,
  deleteAccessTokens,
  findUserByEmail,
  findUsers,
  insertAuditEntry,
  listUsers as listStoredUsers,
  setBanned,
  setUserRole,
} from '../../store/accounts.js'
import type { AuditEntry, User, UserRole } from '../../store/schema/entities.js'
import type { Accord } from '../accord.js'
import { keyedRows, ofDatabase } from '../shared/groups.js'
import { emailOf, type Login, parseName } from './account-names.js'
import { openAuth, translated } from './auth.js'

/** What administrators do on the server itself. Running servers know of it after a few seconds. */

/** @throws AccordError NAME_TAKEN, also for a name that looks like another one; INVALID_VALUE */
export async function addUser(
  { database }: Accord,
  { name, password }: Login,
  role: UserRole,
): Promise<void> {
  const { api } = await openAuth(database)
  const body = { name: parseName(name), email: emailOf(name), password }
  const { user } = await translated(api.signUpEmail({ body }))
  await setUserRole(database, user.id, role)
  await note({ database }, 'addUser', name)
}

/** All users, by name. */
export const listUsers = ofDatabase(listStoredUsers)

/** Users by id. */
export const usersById = keyedRows(findUsers, ({ id }) => id)

/** @throws AccordError UNKNOWN_USER */
export async function setRole({ database }: Accord, name: string, role: UserRole): Promise<void> {
  const { id } = await requireStored({ database }, name)
  await setUserRole(database, id, role)
  await note({ database }, 'setRole', name)
}

/**
 * Ends all sessions and tokens of a user, who cannot sign in any more.
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
  const { id } = await requireStored({ database }, name)
  await setBanned(database, id, isBanned)
  if (isBanned) await deleteAccessTokens(database, id)
  await insertAuditEntry(database, { actor, action: isBanned ? 'banUser' : 'unbanUser', subject: name })
}

/** @returns what sets a new password once, within a day @throws AccordError UNKNOWN_USER */
export async function resetUser({ database }: Accord, name: string): Promise<string> {
  const { email } = await requireStored({ database }, name)
  const { resetTokenOf } = await openAuth(database)
  const token = await resetTokenOf(email)
  await note({ database }, 'resetUser', name)
  return token as string
}

/** The audit log, in pages. */
export async function* auditLog({ database }: Pick<Accord, 'database'>): AsyncGenerator<AuditEntry> {
  let afterId = 0
  for (;;) {
    const page = await auditEntries(database, afterId, 1000)
    yield* page
    if (page.length === 0) return
    afterId = page[page.length - 1].id
  }
}

async function requireStored({ database }: Pick<Accord, 'database'>, name: string): Promise<User> {
  const user = await findUserByEmail(database, emailOf(name))
  if (user) return user
  throw new AccordError('UNKNOWN_USER', 'unknown user', { found: quote(name) })
}

function note({ database }: Pick<Accord, 'database'>, action: string, subject: string): Promise<void> {
  return insertAuditEntry(database, { actor: null, action, subject })
}
