import { setTimeout as sleep } from 'node:timers/promises'
import { AccordError } from '../../errors.js'
import {
  accessTokensOf,
  deleteAccessToken,
  deleteAccessTokens,
  deleteSession,
  deleteSessions,
  deleteUser,
  findPasswordHash,
  findUser,
  findUserByKey,
  hasInvitation,
  insertAccessToken,
  insertAuditEntry,
  membersOf,
  savePasswordHash,
  takeReset,
} from '../../store/accounts.js'
import type { AccessToken, Scope } from '../../store/schema/account-tables.js'
import type { Accord } from '../shared/accord.js'
import { groupBy } from '../shared/groups.js'
import { nameKey, parseName } from './account-names.js'
import { hashPassword, hashSecret, isPassword, randomId, randomSecret } from './secrets.js'
import { createIdentification, startSession, timeAfterDays } from './sessions.js'
import { addTeam, type Invitation, inviteByUser, joinTeam, unknownInvitation } from './teams.js'
import { createThrottle } from './throttle.js'
import { banUser, type Login, registerUser } from './users.js'
import { type Named, requireAdministrator, requireUser, type Viewer } from './viewer.js'

/** A token begins with this, by which people and scanners recognise it. */
export const TOKEN_PREFIX = 'accord_'

/** Days after which a token expires. */
const TOKEN_DAYS = { min: 1, max: 365 } as const

/** Tokens of a user. */
const MAX_TOKENS = 50

/**
 * Attempts in {@link MINUTES} of one client to sign in as one user, and as any; and of a user to create teams and tokens, to send
 * and accept invitations, and to change the password. Attempts of other clients lock nobody out: they delay the next ones.
 */
const ATTEMPTS = { user: 10, client: 50, changes: 50 } as const
const MINUTES = 15

/** Milliseconds: after as many attempts of all clients on a user as one client has, each doubles the delay of the next one. */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 3000

function delayAfter(attempts: number): number {
  return attempts <= ATTEMPTS.user
    ? 0
    : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(10, attempts - ATTEMPTS.user - 1))
}

/** The accounts of a server. Functions that take a session throw AccordError UNAUTHENTICATED without one. */
export type Accounts = ReturnType<typeof createAccounts>

/**
 * The accounts of a database.
 *
 * @param isInvitationRequired whether only those who are invited to a team can sign up
 */
export function createAccounts({ database }: Accord, isInvitationRequired = false) {
  const { identify, requireSignedIn, forget } = createIdentification(database)
  const [ofUser, ofBoth, ofAccount, ofClient, changesOf] = [
    createThrottle(ATTEMPTS.user, MINUTES),
    createThrottle(ATTEMPTS.user, MINUTES),
    createThrottle(ATTEMPTS.user, MINUTES),
    createThrottle(ATTEMPTS.client, MINUTES),
    createThrottle(ATTEMPTS.changes, MINUTES),
  ]

  /** The user of a session, who makes few changes. @throws AccordError UNAUTHENTICATED, TOO_MANY_ATTEMPTS */
  async function changing(session: string | null): Promise<Named> {
    const user = await requireSignedIn(session)
    changesOf.take(user.id)
    return user
  }

  async function requireInvitation(invitation: string | undefined, key: string): Promise<void> {
    if (invitation === undefined) {
      if (!isInvitationRequired) return
      const reason = 'this server admits only those who are invited'
      throw new AccordError('FORBIDDEN', reason, { source: 'invitation' })
    }
    if (!(await hasInvitation(database, hashSecret(invitation), key))) throw unknownInvitation()
  }

  /** @param userId an empty text for an unknown user, for whom the same work is done @throws AccordError UNAUTHENTICATED */
  async function requirePassword(userId: string, password: string): Promise<void> {
    const stored = await findPasswordHash(database, userId)
    if (!(await isPassword(password, stored))) throw wrongPassword()
  }

  return {
    identify,

    /**
     * Adds a user. With an invitation, the user joins its team.
     *
     * @param client who asks, for the limit of attempts
     * @returns the secret of a session
     * @throws AccordError NAME_TAKEN, also for a name that looks like another one; INVALID_VALUE; FORBIDDEN without a valid invitation;
     *   TOO_MANY_ATTEMPTS
     */
    async signUp(login: Login, client: string, invitation?: string): Promise<string> {
      ofClient.take(client)
      await requireInvitation(invitation, nameKey(parseName(login.name)))
      return registerUser(database, login, 'user', async (session, user) => {
        if (invitation !== undefined) await joinTeam(session, user, invitation)
        return startSession(session, user.id)
      })
    },

    /**
     * @returns the secret of a session
     * @throws AccordError UNAUTHENTICATED, the same and after the same work for unknown names, wrong passwords and banned users;
     *   TOO_MANY_ATTEMPTS
     */
    async signIn({ name, password }: Login, client: string): Promise<string> {
      const key = nameKey(name)
      ofClient.take(client)
      const both = `${key} ${client}`
      ofBoth.take(both)
      await sleep(delayAfter(ofAccount.note(key)))
      const user = await findUserByKey(database, key)
      await requirePassword(user?.id ?? '', password)
      // The same answer as for a wrong password: nobody else learns of the ban.
      if (user === null || user.isBanned) throw wrongPassword()
      const session = await database.transaction((writer) => startSession(writer, user.id))
      ofBoth.forget(both)
      ofAccount.forget(key)
      ofClient.giveBack(client)
      return session
    },

    /** @param isEverywhere whether all sessions of the user end */
    async signOut(session: string | null, isEverywhere = false): Promise<void> {
      const { id } = await requireSignedIn(session)
      if (isEverywhere) await deleteSessions(database, id)
      else await deleteSession(database, hashSecret(session as string))
      forget()
    },

    /** Ends all other sessions of the user. @returns the secret of the new session @throws AccordError TOO_MANY_ATTEMPTS */
    async changePassword(
      session: string | null,
      currentPassword: string,
      newPassword: string,
    ): Promise<string> {
      const { id } = await changing(session)
      ofUser.take(id)
      const hash = await hashPassword(newPassword)
      await requirePassword(id, currentPassword)
      const secret = await database.transaction(async (writer) => {
        await savePasswordHash(writer, id, hash)
        await deleteSessions(writer, id)
        return startSession(writer, id)
      })
      ofUser.forget(id)
      forget()
      return secret
    },

    /**
     * Sets a new password by an administrator's link, and ends all sessions and tokens of the user.
     *
     * @throws AccordError FORBIDDEN for a link that is unknown, expired or used; INVALID_VALUE; TOO_MANY_ATTEMPTS
     */
    async resetPassword(token: string, newPassword: string, client: string): Promise<void> {
      ofClient.take(client)
      // Before the transaction, for which others wait.
      const hash = await hashPassword(newPassword)
      await database.transaction(async (writer) => {
        const userId = await takeReset(writer, hashSecret(token))
        if (userId === null) throw new AccordError('FORBIDDEN', 'the link is not valid', { source: 'token' })
        await savePasswordHash(writer, userId, hash)
        await deleteSessions(writer, userId)
        await deleteAccessTokens(writer, userId)
      })
      forget()
    },

    /** Removes the user, with sessions and tokens. Teams of nobody else lose their name. */
    async deleteAccount(session: string | null, password: string): Promise<void> {
      const { id } = await requireSignedIn(session)
      ofUser.take(id)
      await requirePassword(id, password)
      await database.transaction(async (writer) => {
        const user = await findUser(writer, id)
        if (user) await deleteUser(writer, user)
      })
      forget()
    },

    /** @throws AccordError NAME_TAKEN, also for a name that looks like another one; INVALID_VALUE; TOO_MANY_ATTEMPTS */
    async createTeam(session: string | null, name: string): Promise<Named> {
      const { id } = await changing(session)
      const team = await addTeam(database, name, id)
      forget()
      return team
    },

    /**
     * Invites a user to a team, who may not have an account yet.
     *
     * @returns what the user accepts the invitation by, and until when
     * @throws AccordError FORBIDDEN for others than the user who created the team; NOT_APPLICABLE; TOO_MANY_ATTEMPTS
     */
    async inviteMember(session: string | null, teamId: string, name: string): Promise<Invitation> {
      const { id } = await changing(session)
      return inviteByUser(database, id, teamId, name)
    },

    /** @throws AccordError FORBIDDEN for an invitation that is unknown, expired, used or of another user; TOO_MANY_ATTEMPTS */
    async acceptInvitation(session: string | null, invitation: string): Promise<void> {
      const user = await changing(session)
      await database.transaction((writer) => joinTeam(writer, user, invitation))
      forget()
    },

    /** The tokens of the viewer, the newest first. */
    async tokens({ user }: Viewer): Promise<AccessToken[]> {
      return user === null ? [] : accessTokensOf(database, user.id)
    },

    /**
     * Creates a token.
     *
     * @param days until it expires, 1 to 365
     * @returns its secret, which is not stored
     * @throws AccordError OUT_OF_RANGE; FORBIDDEN for a scope that the user does not have; TOO_MANY_ATTEMPTS
     */
    async createToken(
      session: string | null,
      { name, scope, days }: { readonly name: string; readonly scope: Scope; readonly days: number },
    ): Promise<{ readonly token: AccessToken; readonly secret: string }> {
      const { id: userId } = await changing(session)
      const { scopes } = await identify({ kind: 'SESSION', secret: session as string })
      if (!scopes.has(scope))
        throw new AccordError('FORBIDDEN', 'the user does not have the scope', {
          source: 'scope',
          found: scope,
        })
      if (days < TOKEN_DAYS.min || days > TOKEN_DAYS.max) {
        const expected = `${TOKEN_DAYS.min} to ${TOKEN_DAYS.max}`
        throw new AccordError('OUT_OF_RANGE', 'invalid duration', {
          source: 'expiresInDays',
          expected,
          found: String(days),
        })
      }
      if ((await accessTokensOf(database, userId)).length >= MAX_TOKENS)
        throw new AccordError('NOT_APPLICABLE', 'the user has too many tokens; revoke some', {
          expected: `at most ${MAX_TOKENS}`,
        })
      const secret = TOKEN_PREFIX + randomSecret()
      const token: AccessToken = {
        id: randomId(),
        userId,
        name: parseName(name),
        hash: hashSecret(secret),
        start: secret.slice(0, TOKEN_PREFIX.length + 4),
        scope,
        expiresAt: timeAfterDays(days),
        usedAt: null,
        createdAt: new Date().toISOString(),
      }
      await insertAccessToken(database, token)
      return { token, secret }
    },

    /** @throws AccordError UNKNOWN_TOKEN if the user has no such token */
    async revokeToken(session: string | null, id: string): Promise<void> {
      const user = await requireSignedIn(session)
      const isRevoked = await deleteAccessToken(database, id, user.id)
      forget()
      if (!isRevoked) throw new AccordError('UNKNOWN_TOKEN', 'unknown token', { source: 'id' })
    },

    /** The names of the members of teams, by the id of the team. */
    async members(teamIds: readonly string[]): Promise<ReadonlyMap<string, readonly Pick<Named, 'name'>[]>> {
      return groupBy(await membersOf(database, teamIds), ({ team }) => team)
    },

    /** Ends sessions and tokens of a user, who cannot sign in any more. @throws AccordError FORBIDDEN, UNKNOWN_USER */
    async ban(viewer: Viewer, name: string, isBanned: boolean): Promise<void> {
      requireAdministrator(viewer)
      await banUser({ database }, name, isBanned, requireUser(viewer).name)
      forget()
    },

    /** Notes what was done, for administrators. */
    audit({ user }: Viewer, action: string, subject: string | null): Promise<void> {
      return insertAuditEntry(database, { actor: user?.name ?? null, action, subject })
    },
  }
}

function wrongPassword(): AccordError {
  return new AccordError('UNAUTHENTICATED', 'wrong name or password')
}
