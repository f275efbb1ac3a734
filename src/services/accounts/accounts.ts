import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { AccordError } from '../../errors.js'
import {
  accessTokensOf,
  deleteAccessToken,
  deleteSessions,
  deleteUser,
  findAccessToken,
  findInvitation,
  findSessionUser,
  findUser,
  insertAccessToken,
  insertAuditEntry,
  markUsed,
  membersOf,
  teamsOf,
} from '../../store/accounts.js'
import type { AccessToken, Scope, User, UserRole } from '../../store/schema/entities.js'
import type { Accord } from '../accord.js'
import { groupBy } from '../shared/groups.js'
import { emailOf, type Login, parseName, skeleton } from './account-names.js'
import { hashSecret, openAuth, translated } from './auth.js'
import { createThrottle } from './throttle.js'
import { banUser } from './users.js'
import { ANONYMOUS, type Named, requireAdministrator, requireUser, type Viewer } from './viewer.js'

/** How a client shows who it is: the secret of its cookie, or a token. */
export interface Credential {
  readonly kind: 'SESSION' | 'TOKEN'
  readonly secret: string
}

/** A token begins with this, by which people and scanners recognise it. */
export const TOKEN_PREFIX = 'accord_'

/** Milliseconds for which a credential that was found is not looked up again: by then a revocation by another server is effective. */
const REMEMBERED_MS = 5000
const MAX_REMEMBERED = 10_000
/** Ours have about 50 characters; those of a client that writes its own can have thousands. */
const MAX_REMEMBERED_LENGTH = 100

/** Milliseconds between two notes of the last use of a token. */
const USE_MS = 60_000

const DAY_MS = 24 * 3600 * 1000

/** Days after which a token expires. */
const TOKEN_DAYS = { min: 1, max: 365 } as const

/** Tokens of a user. */
const MAX_TOKENS = 50

/**
 * Attempts in {@link MINUTES} to sign in as one user, and of one client as any; and of a user to create teams and tokens, to send
 * and accept invitations, and to change the password.
 */
const ATTEMPTS = { user: 10, client: 50, changes: 50 } as const
const MINUTES = 15

/** What a role allows. */
const SCOPES: Readonly<Record<UserRole, readonly Scope[]>> = {
  user: ['read', 'submit'],
  host: ['read', 'submit', 'host'],
  admin: ['read', 'submit', 'host'],
}

/** Scopes from the smallest one: each includes those before it. */
const ORDER: readonly Scope[] = ['read', 'submit', 'host']

/** The accounts of a server. Functions that take a session throw AccordError UNAUTHENTICATED without one. */
export type Accounts = ReturnType<typeof createAccounts>

/**
 * The accounts of a database.
 *
 * @param isInvitationRequired whether only those who are invited to a team can sign up
 */
export function createAccounts({ database }: Accord, isInvitationRequired = false) {
  const remembered = new LRUCache<string, Viewer>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })
  const [ofUser, ofClient, changesOf] = [
    createThrottle(ATTEMPTS.user, MINUTES),
    createThrottle(ATTEMPTS.client, MINUTES),
    createThrottle(ATTEMPTS.changes, MINUTES),
  ]

  async function bySession(hash: string): Promise<Viewer> {
    const user = await findSessionUser(database, hash, new Date().toISOString())
    return user === null || user.banned === 1 ? ANONYMOUS : viewerOf(user, 'host')
  }

  async function byToken(hash: string): Promise<Viewer> {
    const token = await findAccessToken(database, hash, Date.now())
    const user = token && (await findUser(database, token.userId))
    if (!user || user.banned === 1) throw invalidToken()
    const isNoted = token.usedAt !== null && Date.now() - token.usedAt < USE_MS
    if (!isNoted && !database.isReadOnly) await markUsed(database, token.id, Date.now())
    return viewerOf(user, token.scope)
  }

  async function viewerOf({ id, name, role }: User, scope: Scope): Promise<Viewer> {
    const included = ORDER.slice(0, ORDER.indexOf(scope) + 1)
    const teams = await teamsOf(database, id)
    return {
      user: { id, name },
      isAdministrator: role === 'admin' && scope === 'host',
      scopes: new Set(SCOPES[role].filter((one) => included.includes(one))),
      teams: teams.map((team) => ({ id: team.id, name: team.name })),
    }
  }

  /** The user of a session, and what better-auth recognises it by. */
  async function signedIn(session: string | null): Promise<{ user: Named; headers: Headers }> {
    if (session === null) throw new AccordError('UNAUTHENTICATED', 'sign in; a token is not enough')
    const user = requireUser(await bySession(hashSecret(session)))
    return { user, headers: new Headers({ authorization: `Bearer ${session}` }) }
  }

  /** The same, for a change of which a user makes few. @throws AccordError TOO_MANY_ATTEMPTS */
  async function changing(session: string | null) {
    const found = await signedIn(session)
    changesOf.take(found.user.id)
    return found
  }

  async function requireInvitation(invitation: string | undefined, email: string): Promise<void> {
    const now = new Date().toISOString()
    if (invitation !== undefined && (await findInvitation(database, invitation, email, now))) return
    if (invitation === undefined && !isInvitationRequired) return
    const reason =
      invitation === undefined
        ? 'this server admits only those who are invited'
        : 'the invitation is not valid'
    throw new AccordError('FORBIDDEN', reason, { source: 'invitation' })
  }

  const accounts = {
    /**
     * For whom a request is answered. An unknown or expired session is that of nobody.
     *
     * @throws AccordError UNAUTHENTICATED for a token that is unknown, expired or revoked, or of a banned user
     */
    async identify(credential: Credential | null): Promise<Viewer> {
      if (credential === null) return ANONYMOUS
      const { kind, secret } = credential
      const key = `${kind} ${secret}`
      const known = remembered.get(key)
      if (known) return known
      const hash = hashSecret(secret)
      const viewer = await (kind === 'TOKEN' ? byToken(hash) : bySession(hash))
      if (secret.length <= MAX_REMEMBERED_LENGTH) remembered.set(key, viewer)
      return viewer
    },

    /**
     * Adds a user. With an invitation, the user joins its team.
     *
     * @param client who asks, for the limit of attempts
     * @returns the secret of a session
     * @throws AccordError NAME_TAKEN, also for a name that looks like another one; INVALID_VALUE; FORBIDDEN without a valid invitation;
     *   TOO_MANY_ATTEMPTS
     */
    async signUp({ name, password }: Login, client: string, invitation?: string): Promise<string> {
      ofClient.take(client)
      const email = emailOf(parseName(name))
      await requireInvitation(invitation, email)
      const { api } = await openAuth(database)
      const body = { name: parseName(name), email, password }
      const { token } = await translated(api.signUpEmail({ body }))
      const session = token as string
      if (invitation !== undefined) await accounts.acceptInvitation(session, invitation)
      return session
    },

    /**
     * @returns the secret of a session
     * @throws AccordError UNAUTHENTICATED, the same and after the same work for unknown names, wrong passwords and banned users;
     *   TOO_MANY_ATTEMPTS
     */
    async signIn({ name, password }: Login, client: string): Promise<string> {
      const email = emailOf(name)
      ofClient.take(client)
      ofUser.take(email)
      const { api } = await openAuth(database)
      const { token } = await translated(api.signInEmail({ body: { email, password } }))
      ofUser.forget(email)
      ofClient.giveBack(client)
      return token
    },

    /** @param isEverywhere whether all sessions of the user end */
    async signOut(session: string | null, isEverywhere = false): Promise<void> {
      const { user, headers } = await signedIn(session)
      const { api } = await openAuth(database)
      if (isEverywhere) await deleteSessions(database, user.id)
      else await translated(api.signOut({ headers }))
      remembered.clear()
    },

    /** Ends all other sessions of the user. @returns the secret of the new session @throws AccordError TOO_MANY_ATTEMPTS */
    async changePassword(
      session: string | null,
      currentPassword: string,
      newPassword: string,
    ): Promise<string> {
      const { user, headers } = await changing(session)
      ofUser.take(user.id)
      const { api } = await openAuth(database)
      const body = { currentPassword, newPassword, revokeOtherSessions: true }
      const { token } = await translated(api.changePassword({ headers, body }))
      ofUser.forget(user.id)
      remembered.clear()
      return token as string
    },

    /** Sets a new password by an administrator's link, and ends all sessions and tokens of the user. */
    async resetPassword(token: string, newPassword: string, client: string): Promise<void> {
      ofClient.take(client)
      const { api } = await openAuth(database)
      await translated(api.resetPassword({ body: { token, newPassword } }))
      remembered.clear()
    },

    /** Removes the user, with sessions and tokens. Teams of nobody else lose their name. */
    async deleteAccount(session: string | null, password: string): Promise<void> {
      const { user, headers } = await signedIn(session)
      ofUser.take(user.id)
      const { api } = await openAuth(database)
      await translated(api.verifyPassword({ headers, body: { password } }))
      await database.transaction(async (writer) => {
        const row = await findUser(writer, user.id)
        if (row) await deleteUser(writer, row)
      })
      remembered.clear()
    },

    /** @throws AccordError NAME_TAKEN, also for a name that looks like another one; INVALID_VALUE; TOO_MANY_ATTEMPTS */
    async createTeam(session: string | null, name: string): Promise<Named> {
      const { headers } = await changing(session)
      const { api } = await openAuth(database)
      const body = { name: parseName(name), slug: skeleton(parseName(name)) }
      const team = await translated(api.createOrganization({ headers, body }))
      remembered.clear()
      return { id: team.id, name: team.name }
    },

    /**
     * Invites a user to a team, who may not have an account yet.
     *
     * @returns what the user accepts the invitation by, and until when
     * @throws AccordError FORBIDDEN for others than the user who created the team; NOT_APPLICABLE; TOO_MANY_ATTEMPTS
     */
    async inviteMember(
      session: string | null,
      teamId: string,
      name: string,
    ): Promise<{ readonly id: string; readonly expiresAt: Date }> {
      const { headers } = await changing(session)
      const { api } = await openAuth(database)
      const body = { organizationId: teamId, email: emailOf(parseName(name)), role: 'member' as const }
      const { id, expiresAt } = await translated(api.createInvitation({ headers, body }))
      return { id, expiresAt: new Date(expiresAt) }
    },

    /** @throws AccordError FORBIDDEN for an invitation that is unknown, expired, used or of another user; TOO_MANY_ATTEMPTS */
    async acceptInvitation(session: string | null, invitationId: string): Promise<void> {
      const { headers } = await changing(session)
      const { api } = await openAuth(database)
      await translated(api.acceptInvitation({ headers, body: { invitationId } }))
      remembered.clear()
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
      const { user } = await changing(session)
      const { scopes } = await accounts.identify({ kind: 'SESSION', secret: session as string })
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
      if ((await accessTokensOf(database, user.id)).length >= MAX_TOKENS)
        throw new AccordError('NOT_APPLICABLE', 'the user has too many tokens; revoke some', {
          expected: `at most ${MAX_TOKENS}`,
        })
      const secret = TOKEN_PREFIX + randomBytes(32).toString('base64url')
      const token: AccessToken = {
        id: randomBytes(16).toString('base64url'),
        userId: user.id,
        name: parseName(name),
        hash: hashSecret(secret),
        start: secret.slice(0, TOKEN_PREFIX.length + 4),
        scope,
        expiresAt: Date.now() + days * DAY_MS,
        usedAt: null,
        createdAt: new Date().toISOString(),
      }
      await insertAccessToken(database, token)
      return { token, secret }
    },

    /** @throws AccordError UNKNOWN_TOKEN if the user has no such token */
    async revokeToken(session: string | null, id: string): Promise<void> {
      const { user } = await signedIn(session)
      const isRevoked = await deleteAccessToken(database, id, user.id)
      remembered.clear()
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
      remembered.clear()
    },

    /** Notes what was done, for administrators. */
    audit({ user }: Viewer, action: string, subject: string | null): Promise<void> {
      return insertAuditEntry(database, { actor: user?.name ?? null, action, subject })
    },
  }
  return accounts
}

function invalidToken(): AccordError {
  return new AccordError('UNAUTHENTICATED', 'the token is not valid', {
    expected: 'a token that has not expired and was not revoked',
  })
}
