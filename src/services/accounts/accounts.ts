import { setTimeout as sleep } from 'node:timers/promises'
import { timeNow } from '../../clock.js'
import { AccordError, hasCode } from '../../errors.js'
import * as store from '../../store/accounts.js'
import type { AccessToken, Scope } from '../../store/schema/account-tables.js'
import type { Accord } from '../shared/accord.js'
import { groupBy } from '../shared/groups.js'
import { removeUploadsOf } from '../uploads/uploads.js'
import { nameKey, parseName } from './account-names.js'
import {
  checkNewPassword,
  type HashClient,
  hashPassword,
  hashSecret,
  isOutdated,
  isPassword,
  randomId,
  randomSecret,
} from './secrets.js'
import { createIdentification, startSession, timeAfterDays } from './sessions.js'
import { addTeam, type Invitation, inviteByUser, joinTeam, unknownInvitation } from './teams.js'
import { createThrottle, createWaitingRoom } from './throttle.js'
import { banUser, type Login, registerUser } from './users.js'
import { type Named, requireAdministrator, requireUser, type Viewer } from './viewer.js'

/** A token begins with this, by which people and scanners recognise it. */
export const TOKEN_PREFIX = 'accord_'

/** Days after which a token expires. */
const TOKEN_DAYS = { min: 1, max: 365 } as const

/** Tokens of a user. */
const MAX_TOKENS = 50

/**
 * Attempts in {@link MINUTES}: of one client to sign up or to set a password by a link; of a user to create teams and tokens, to
 * send and accept invitations, and to change the password; and with the password of a session.
 */
const ATTEMPTS = { user: 10, client: 50, changes: 50 } as const
const MINUTES = 15

/**
 * Wrong passwords lock nobody out: the right one signs in. They delay the next attempts, first those of the client on this user, and
 * after more of them an attempt with a wrong password is told to wait.
 */
const FAILURES = { beforeDelay: 10, beforeRefusal: 50 } as const

/** Attempts to sign in of one client that wait at the same time. */
const MAX_WAITING = 20

/** Milliseconds: each further wrong password doubles the delay of the next attempt. */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 3000

function delayAfter(failures: number): number {
  return failures <= FAILURES.beforeDelay
    ? 0
    : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(10, failures - FAILURES.beforeDelay - 1))
}

export interface SignInClient {
  /** For turns and limits. */
  readonly address: string
  /** The secret of the session that the browser has; it ends. */
  readonly session?: string | null
  /** Aborted when the client is gone. */
  readonly signal?: AbortSignal
}

/** The accounts of a server. Functions that take a session throw AccordError UNAUTHENTICATED without one. */
export type Accounts = ReturnType<typeof createAccounts>

/**
 * The accounts of a database.
 *
 * @param isInvitationRequired whether only those who are invited to a team can sign up
 * @param wait waits after wrong passwords, for milliseconds
 */
export function createAccounts(
  { database }: Accord,
  isInvitationRequired = false,
  wait: (milliseconds: number, signal?: AbortSignal) => Promise<void> = (milliseconds, signal) =>
    sleep(milliseconds, undefined, { signal }),
) {
  const { identify, requireSignedIn, forget } = createIdentification(database)
  const [ofUser, ofBoth, ofAccount, ofClient, changesOf] = [
    createThrottle(ATTEMPTS.user, MINUTES),
    createThrottle(ATTEMPTS.user, MINUTES),
    createThrottle(ATTEMPTS.user, MINUTES),
    createThrottle(ATTEMPTS.client, MINUTES),
    createThrottle(ATTEMPTS.changes, MINUTES),
  ]
  const waitingRoom = createWaitingRoom(MAX_WAITING)

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
    if (!(await store.hasInvitation(database, hashSecret(invitation), key))) throw unknownInvitation()
  }

  /**
   * @param userId an empty text for an unknown user, for whom the same work is done
   * @returns the stored hash
   * @throws AccordError UNAUTHENTICATED
   */
  async function requirePassword(userId: string, password: string, client: HashClient = {}): Promise<string> {
    const stored = await store.findPasswordHash(database, userId)
    if (!(await isPassword(password, stored, client))) throw wrongPassword()
    return stored as string
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
     * Starts a session in place of the one that the browser has.
     *
     * @returns the secret of the session
     * @throws AccordError UNAUTHENTICATED, the same and after the same work for unknown names, wrong passwords and banned users;
     *   TOO_MANY_ATTEMPTS instead after many wrong passwords, and where too many attempts of the client wait
     */
    async signIn(
      { name, password }: Login,
      { address, session: former = null, signal }: SignInClient,
    ): Promise<string> {
      const key = nameKey(name)
      const both = `${key} ${address}`
      const client = { owner: address, signal }
      const leave = waitingRoom.enter(address)
      try {
        const failures = [ofBoth.note(both), ofAccount.note(key)]
        await wait(delayAfter(Math.max(...failures)), signal)
        const user = await store.findUserByKey(database, key)
        const stored = await requirePassword(user?.id ?? '', password, client).catch((error) => {
          throw failures[0] > FAILURES.beforeRefusal && hasCode(error, 'UNAUTHENTICATED')
            ? tooManyFailures()
            : error
        })
        // The same answer as for a wrong password: nobody else learns of the ban.
        if (user === null || user.isBanned) throw wrongPassword()
        const renewed = isOutdated(stored) ? await hashPassword(password, client) : null
        const secret = await database.transaction(async (writer) => {
          if (renewed !== null) await store.savePasswordHash(writer, user.id, renewed)
          if (former !== null) await store.deleteSession(writer, hashSecret(former))
          return startSession(writer, user.id)
        })
        ofBoth.forget(both)
        ofAccount.forget(key)
        if (former !== null) forget()
        return secret
      } finally {
        leave()
      }
    },

    /** @param isEverywhere whether all sessions of the user end */
    async signOut(session: string | null, isEverywhere = false): Promise<void> {
      const { id } = await requireSignedIn(session)
      if (isEverywhere) await store.deleteSessions(database, id)
      else await store.deleteSession(database, hashSecret(session as string))
      forget()
    },

    /**
     * Ends all other sessions of the user.
     *
     * @param isRevokingTokens whether the tokens of the user end too
     * @returns the secret of the new session
     * @throws AccordError INVALID_VALUE, TOO_MANY_ATTEMPTS
     */
    async changePassword(
      session: string | null,
      currentPassword: string,
      newPassword: string,
      isRevokingTokens = false,
    ): Promise<string> {
      const { id, name } = await changing(session)
      ofUser.take(id)
      checkNewPassword(newPassword, name)
      const hash = await hashPassword(newPassword)
      await requirePassword(id, currentPassword)
      const secret = await database.transaction(async (writer) => {
        await store.savePasswordHash(writer, id, hash)
        await store.deleteSessions(writer, id)
        if (isRevokingTokens) await store.deleteAccessTokens(writer, id)
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
        const userId = await store.takeReset(writer, hashSecret(token))
        if (userId === null) throw new AccordError('FORBIDDEN', 'the link is not valid', { source: 'token' })
        // A password that is refused leaves the link as it is.
        checkNewPassword(newPassword, (await store.findUser(writer, userId))?.name ?? '')
        await store.savePasswordHash(writer, userId, hash)
        await store.deleteSessions(writer, userId)
        await store.deleteAccessTokens(writer, userId)
      })
      forget()
    },

    /** Removes the user, with sessions and tokens. Teams of nobody else lose their name. */
    async deleteAccount(session: string | null, password: string): Promise<void> {
      const { id } = await requireSignedIn(session)
      ofUser.take(id)
      await requirePassword(id, password)
      await database.transaction(async (writer) => {
        const user = await store.findUser(writer, id)
        if (user) await store.deleteUser(writer, user)
      })
      await removeUploadsOf(database, id)
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
      return user === null ? [] : store.accessTokensOf(database, user.id)
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
      if ((await store.accessTokensOf(database, userId)).length >= MAX_TOKENS)
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
        createdAt: timeNow(),
      }
      await store.insertAccessToken(database, token)
      return { token, secret }
    },

    /** @throws AccordError UNKNOWN_TOKEN if the user has no such token */
    async revokeToken(session: string | null, id: string): Promise<void> {
      const user = await requireSignedIn(session)
      const isRevoked = await store.deleteAccessToken(database, id, user.id)
      forget()
      if (!isRevoked) throw new AccordError('UNKNOWN_TOKEN', 'unknown token', { source: 'id' })
    },

    /** The names of the members of teams, by the id of the team. */
    async members(teamIds: readonly string[]): Promise<ReadonlyMap<string, readonly Pick<Named, 'name'>[]>> {
      return groupBy(await store.membersOf(database, teamIds), ({ team }) => team)
    },

    /** Ends sessions and tokens of a user, who cannot sign in any more. @throws AccordError FORBIDDEN, UNKNOWN_USER */
    async ban(viewer: Viewer, name: string, isBanned: boolean): Promise<void> {
      requireAdministrator(viewer)
      await banUser({ database }, name, isBanned, requireUser(viewer).name)
      forget()
    },

    /** Notes what was done, for administrators. */
    audit({ user }: Viewer, action: string, subject: string | null): Promise<void> {
      return store.insertAuditEntry(database, { actor: user?.name ?? null, action, subject })
    },
  }
}

function tooManyFailures(): AccordError {
  return new AccordError('TOO_MANY_ATTEMPTS', 'too many wrong passwords; try again later', {
    expected: `at most ${FAILURES.beforeRefusal} in ${MINUTES} minutes`,
  })
}

function wrongPassword(): AccordError {
  return new AccordError('UNAUTHENTICATED', 'wrong name or password')
}
