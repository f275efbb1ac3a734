import { AccordError } from '../../errors.js'
import type { Scope } from '../../store/schema/account-tables.js'

/** A team, or the user of an open server. */
export interface Named {
  readonly id: string
  readonly name: string
}

/** For whom a request is answered. The services decide by it, and by nothing else, who may see and do what. */
export interface Viewer {
  /** Null for a client that has not signed in. */
  readonly user: Named | null
  /** Whether the user may do everything, as on an open server. */
  readonly isAdministrator: boolean
  readonly scopes: ReadonlySet<Scope>
  /** The teams of which the user is a member. */
  readonly teams: readonly Named[]
}

const LOCAL: Named = { id: 'local', name: 'local' }

/** The single user of a server without accounts, and of the command line. */
export const OPEN_VIEWER: Viewer = {
  user: LOCAL,
  isAdministrator: true,
  scopes: new Set<Scope>(['read', 'submit', 'host']),
  teams: [LOCAL],
}

/** A client that has not signed in to a server with accounts. */
export const ANONYMOUS: Viewer = {
  user: null,
  isAdministrator: false,
  scopes: new Set<Scope>(['read']),
  teams: [],
}

/** The user. @throws AccordError UNAUTHENTICATED */
export function requireUser({ user }: Viewer): Named {
  if (user === null) throw new AccordError('UNAUTHENTICATED', 'sign in, or send a token')
  return user
}

/** @throws AccordError UNAUTHENTICATED; FORBIDDEN without the scope */
export function requireScope(viewer: Viewer, scope: Scope): void {
  if (viewer.scopes.has(scope)) return
  requireUser(viewer)
  throw forbidden(`the scope ${scope}`)
}

/**
 * The team, of which the user is a member.
 *
 * @throws AccordError UNAUTHENTICATED; FORBIDDEN for others, whether the team exists or not
 */
export function requireTeam(viewer: Viewer, teamId: string): Named {
  requireUser(viewer)
  const team = viewer.teams.find(({ id }) => id === teamId)
  if (!team) throw forbidden('a member of the team')
  return team
}

/** The error for a viewer who is in no team, and needs one. */
export function withoutTeam(): AccordError {
  return forbidden(
    'a member of a team; create one, or accept an invitation, on the page Account of the dashboard or by the mutations createTeam and acceptInvitation',
  )
}

/** @throws AccordError UNAUTHENTICATED; FORBIDDEN */
export function requireAdministrator(viewer: Viewer): void {
  requireUser(viewer)
  if (!viewer.isAdministrator) throw forbidden('an administrator')
}

/** The error for what the viewer may not do. @param expected who may */
export function forbidden(expected: string): AccordError {
  return new AccordError('FORBIDDEN', 'this is not allowed', { expected })
}
