import type { IncomingMessage, ServerResponse } from 'node:http'
import { AccordError, hasCode } from '../../errors.js'
import { type Accounts, TOKEN_PREFIX } from '../../services/accounts/accounts.js'
import { type Credential, SESSION_DAYS } from '../../services/accounts/sessions.js'
import { OPEN_VIEWER, type Viewer } from '../../services/accounts/viewer.js'
import { ownerOfUser } from '../../services/uploads/import-job.js'
import { refusal } from '../schema/limits.js'
import type { Identity } from '../shared/context.js'
import { createLocalCheck } from './client-name.js'

/** Whom a server answers. */
export interface IdentityOptions {
  /** Origins of web pages that may send requests; `*` for all. Default: none. */
  readonly allowedOrigins?: readonly string[]
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted. Default: none. */
  readonly trustedProxies?: readonly string[]
  /** Who has accounts and may sign up. Default: the server has none. */
  readonly accounts?: 'OPEN' | 'INVITED'
  /** Who may send mutations and uploads. With accounts, users decide unless it is `NONE`. Default: clients on this machine. */
  readonly changes?: 'ALL' | 'LOCAL' | 'NONE'
  /** Begins all paths, for example `/accord`. Default: none. */
  readonly pathPrefix?: string
}

/** Who waits for an answer. */
export interface Asker {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The name of the client by its address. */
  readonly name: string | undefined
}

const COOKIE = 'accord_session'

/** From where a browser sends a request. */
type Site = 'OWN' | 'OTHER' | 'UNKNOWN'

/**
 * Returns a function that tells who sent a request. With accounts it is the user of a token in the header Authorization, or of
 * the session in a cookie. Pages of other sites cannot use the session, nor change anything.
 *
 * @param accounts null for a server without accounts
 */
export function createIdentities(
  accounts: Accounts | null,
  options: IdentityOptions,
): (asker: Asker) => Identity | Promise<Identity> {
  const mayChange = changeCheck(options)
  const isReadOnly = options.changes === 'NONE'
  if (accounts === null) {
    return ({ request, name }) => ({
      owner: name,
      viewer: OPEN_VIEWER,
      account: null,
      mayChange: mayChange(request),
      isReadOnly,
    })
  }
  const allowedOrigins = new Set(options.allowedOrigins ?? [])
  const path = options.pathPrefix || '/'
  return async ({ request, response, name: address = '' }) => {
    const site = siteOf(request, allowedOrigins)
    const credential = credentialOf(request, site)
    const viewer = await accounts.identify(credential).catch(refuse)
    const isSession = credential?.kind === 'SESSION'
    return {
      // Jobs and uploads belong to the user, wherever the requests come from.
      owner: viewer.user ? ownerOfUser(viewer.user.id) : address,
      viewer,
      account: {
        accounts,
        session: isSession ? credential.secret : null,
        address,
        isCurrent: () => accounts.identify(credential).then((now) => hasRightsOf(now, viewer), isUnknown),
        keep: (session) => keep(request, response, session, path),
      },
      mayChange: !isReadOnly && (site === 'OWN' || (site === 'UNKNOWN' && !isSession)),
      isReadOnly,
    }
  }
}

/** Whether a client of a server without accounts may send mutations and uploads. */
function changeCheck({
  changes = 'LOCAL',
  trustedProxies = [],
}: IdentityOptions): (request: IncomingMessage) => boolean {
  if (changes === 'LOCAL') return createLocalCheck(trustedProxies)
  return () => changes === 'ALL'
}

/** Browsers say from which page a request comes; programs do not. */
function siteOf({ headers }: IncomingMessage, allowedOrigins: ReadonlySet<string>): Site {
  const { origin, host } = headers
  if (origin !== undefined) {
    return isOf(origin, host?.toLowerCase()) || allowedOrigins.has(origin) ? 'OWN' : 'OTHER'
  }
  const site = headers['sec-fetch-site']
  return site === undefined ? 'UNKNOWN' : site === 'same-origin' || site === 'none' ? 'OWN' : 'OTHER'
}

function isOf(origin: string, host: string | undefined): boolean {
  // As browsers write it: parsing it takes longer than most of the check.
  if (origin === `http://${host}` || origin === `https://${host}`) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

function credentialOf({ headers }: IncomingMessage, site: Site): Credential | null {
  const [, token] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (token?.startsWith(TOKEN_PREFIX)) return { kind: 'TOKEN', secret: token }
  if (site === 'OTHER') return null
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim())
  const session = cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
  return session ? { kind: 'SESSION', secret: session } : null
}

/** Whether a viewer is the same user, and may do all that the other one may. */
function hasRightsOf(now: Viewer, before: Viewer): boolean {
  return (
    now.user?.id === before.user?.id &&
    now.isAdministrator === before.isAdministrator &&
    [...before.scopes].every((scope) => now.scopes.has(scope)) &&
    before.teams.every(({ id }) => now.teams.some((team) => team.id === id))
  )
}

/** @returns false for a credential that is not valid any more; true where nothing is known of it at the moment */
function isUnknown(error: unknown): boolean {
  return !hasCode(error, 'UNAUTHENTICATED')
}

/** An invalid token is an error of the whole request: it would otherwise be answered as that of nobody. */
function refuse(error: unknown): never {
  if (error instanceof AccordError) throw refusal(`${error.message}.`, error.code, 401)
  throw error
}

/** Sets the cookie, or removes it. Scripts cannot read it, and browsers send it only from pages of this site. */
function keep(
  request: IncomingMessage,
  response: ServerResponse,
  session: string | null,
  path: string,
): void {
  if (response.headersSent) {
    throw new AccordError('NOT_APPLICABLE', 'an event stream cannot set a cookie', {
      expected: 'a request with another Accept header',
    })
  }
  const age = session === null ? 0 : SESSION_DAYS * 24 * 3600
  const secure = request.headers.origin?.startsWith('https:') ? '; Secure' : ''
  response.setHeader(
    'set-cookie',
    `${COOKIE}=${session ?? ''}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`,
  )
}
