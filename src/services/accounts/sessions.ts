import { LRUCache } from 'lru-cache'
import { currentTime } from '../../clock.js'
import { AccordError } from '../../errors.js'
import * as store from '../../store/accounts.js'
import type { Database, Session } from '../../store/engine/session.js'
import type { Scope, User, UserRole } from '../../store/schema/account-tables.js'
import { hashSecret, randomSecret } from './secrets.js'
import { ANONYMOUS, type Named, requireUser, type Viewer } from './viewer.js'

/** Who sends a request: found by the hash of a secret, that of a session in a cookie or that of a token. */

/** How a client shows who it is: the secret of its cookie, or a token. */
export interface Credential {
  readonly kind: 'SESSION' | 'TOKEN'
  readonly secret: string
}

/** Days after which a browser signs in again. A session is not prolonged: requests write nothing. */
export const SESSION_DAYS = 7

/** Milliseconds for which a credential that was found is not looked up again: by then a revocation by another server is effective. */
const REMEMBERED_MS = 5000
const MAX_REMEMBERED = 10_000
/** Ours have about 50 characters; those of a client that writes its own can have thousands. */
const MAX_REMEMBERED_LENGTH = 100

/** Milliseconds between two notes of the last use of a token. */
const USE_MS = 60_000

/** What a role allows. */
const SCOPES: Readonly<Record<UserRole, readonly Scope[]>> = {
  user: ['read', 'submit'],
  host: ['read', 'submit', 'host'],
  admin: ['read', 'submit', 'host'],
}

/** Scopes from the smallest one: each includes those before it. */
const ORDER: readonly Scope[] = ['read', 'submit', 'host']

/** Starts a session, and removes those of the user that have expired. @returns its secret, which is not stored */
export async function startSession(session: Session, userId: string): Promise<string> {
  const secret = randomSecret()
  await store.deleteExpiredSessions(session, userId)
  await store.insertSession(session, {
    hash: hashSecret(secret),
    userId,
    expiresAt: timeAfterDays(SESSION_DAYS),
  })
  return secret
}

/** The time in some days. */
export function timeAfterDays(days: number): string {
  return new Date(currentTime() + days * 24 * 3600 * 1000).toISOString()
}

/** Finds those who send requests. */
export function createIdentification(database: Database) {
  const remembered = new LRUCache<string, Viewer>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })

  async function bySession(secret: string): Promise<Viewer> {
    const user = await store.findSessionUser(database, hashSecret(secret))
    return user === null || user.isBanned ? ANONYMOUS : viewerOf(user, 'host')
  }

  async function byToken(secret: string): Promise<Viewer> {
    const token = await store.findAccessToken(database, hashSecret(secret))
    const user = token && (await store.findUser(database, token.userId))
    if (!user || user.isBanned) throw invalidToken()
    const isNoted = token.usedAt !== null && currentTime() - Date.parse(token.usedAt) < USE_MS
    if (!isNoted && !database.isReadOnly) await store.markUsed(database, token.id)
    return viewerOf(user, token.scope)
  }

  async function viewerOf({ id, name, role }: User, scope: Scope): Promise<Viewer> {
    const included = ORDER.slice(0, ORDER.indexOf(scope) + 1)
    const teams = await store.teamsOf(database, id)
    return {
      user: { id, name },
      isAdministrator: role === 'admin' && scope === 'host',
      scopes: new Set(SCOPES[role].filter((one) => included.includes(one))),
      teams: teams.map((team) => ({ id: team.id, name: team.name })),
    }
  }

  return {
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
      const viewer = await (kind === 'TOKEN' ? byToken(secret) : bySession(secret))
      if (secret.length <= MAX_REMEMBERED_LENGTH) remembered.set(key, viewer)
      return viewer
    },

    /** The user of a session, looked up anew. @throws AccordError UNAUTHENTICATED without a session */
    async requireSignedIn(secret: string | null): Promise<Named> {
      if (secret === null) throw new AccordError('UNAUTHENTICATED', 'sign in; a token is not enough')
      return requireUser(await bySession(secret))
    },

    /** Forgets what was found: sessions, tokens or teams have changed. */
    forget(): void {
      remembered.clear()
    },
  }
}

function invalidToken(): AccordError {
  return new AccordError('UNAUTHENTICATED', 'the token is not valid', {
    expected: 'a token that has not expired and was not revoked',
  })
}
