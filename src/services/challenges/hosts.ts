import { unknownName } from '../../errors.js'
import * as store from '../../store/challenges.js'
import type { Session } from '../../store/engine/session.js'
import type { Challenge, Submission } from '../../store/schema/challenge-tables.js'
import { forbidden, requireScope, requireUser, type Viewer } from '../accounts/viewer.js'

/** Whether the viewer is a host of the challenge, or an administrator. */
export function isHostOf(
  { isAdministrator, teams }: Viewer,
  { hostTeam }: Pick<Challenge, 'hostTeam'>,
): boolean {
  return isAdministrator || teams.some(({ id }) => id === hostTeam)
}

/** Whether the viewer knows of a challenge: of a draft its hosts do. */
export function mayKnow(viewer: Viewer, challenge: Pick<Challenge, 'hostTeam' | 'isDraft'>): boolean {
  return !challenge.isDraft || isHostOf(viewer, challenge)
}

/** Whether the viewer sees a submission beyond its entry on the board: its team does, and hosts. */
export function maySee(viewer: Viewer, challenge: Challenge, { team }: Pick<Submission, 'team'>): boolean {
  return isHostOf(viewer, challenge) || viewer.teams.some(({ id }) => id === team)
}

/** @throws AccordError UNAUTHENTICATED; FORBIDDEN */
export function requireHost(viewer: Viewer, challenge: Pick<Challenge, 'hostTeam'>): void {
  requireScope(viewer, 'host')
  requireUser(viewer)
  if (!isHostOf(viewer, challenge)) throw forbidden('a host of the challenge')
}

/** The challenges that the viewer knows of, by name. */
export async function listChallenges(session: Session, viewer: Viewer): Promise<Challenge[]> {
  return (await store.listChallenges(session)).filter((challenge) => mayKnow(viewer, challenge))
}

/** A challenge; null if there is none of this name, and for a draft of others. */
export async function findChallenge(
  session: Session,
  viewer: Viewer,
  name: string,
): Promise<Challenge | null> {
  const challenge = await store.findChallenge(session, name)
  return challenge && mayKnow(viewer, challenge) ? challenge : null
}

/** @throws AccordError UNKNOWN_CHALLENGE with the names that the viewer may know */
export async function requireChallenge(session: Session, viewer: Viewer, name: string): Promise<Challenge> {
  const challenge = await findChallenge(session, viewer, name)
  if (challenge) return challenge
  throw unknownName('UNKNOWN_CHALLENGE', 'unknown challenge', {
    source: 'challenge',
    known: (await listChallenges(session, viewer)).map((existing) => existing.name),
    none: 'a challenge; there is none yet',
    found: name,
  })
}
