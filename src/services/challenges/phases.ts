import { AccordError, unknownName } from '../../errors.js'
import * as store from '../../store/challenges.js'
import type { Session } from '../../store/engine/session.js'
import type { Challenge, Phase } from '../../store/schema/challenge-tables.js'
import type { Viewer } from '../accounts/viewer.js'
import { requireChallenge } from './hosts.js'

export interface ChallengePhase {
  readonly challenge: Challenge
  readonly phase: Phase
}

/** A phase by the names; without the name of a phase, the only one. @throws AccordError UNKNOWN_CHALLENGE */
export async function requirePhase(
  session: Session,
  viewer: Viewer,
  name: string,
  phaseName: string | null | undefined,
): Promise<ChallengePhase> {
  const challenge = await requireChallenge(session, viewer, name)
  const phases = await store.findPhasesOfChallenges(session, [challenge.id])
  const phase =
    phaseName == null && phases.length === 1 ? phases[0] : phases.find((one) => one.name === phaseName)
  if (phase) return { challenge, phase }
  const known = phases.map((one) => one.name)
  if (phaseName != null) {
    throw unknownName('UNKNOWN_CHALLENGE', 'unknown phase', { source: 'phase', known, found: phaseName })
  }
  throw new AccordError('UNKNOWN_CHALLENGE', 'no phase was named', {
    source: 'phase',
    expected: `one of ${known.join(', ')}`,
  })
}

/** The phase with its challenge. @throws AccordError UNKNOWN_CHALLENGE */
export async function requirePhaseById(session: Session, id: number): Promise<ChallengePhase> {
  const [phase] = await store.findPhases(session, [id])
  const [challenge] = phase ? await store.findChallenges(session, [phase.challengeId]) : []
  if (challenge) return { challenge, phase }
  throw unknownPhase()
}

export function unknownPhase(): AccordError {
  return new AccordError('UNKNOWN_CHALLENGE', 'unknown phase', {
    source: 'phase',
    expected: 'a phase that was not removed',
  })
}

/** The input of the computation of the board of a phase. */
export function boardOf({ id: phaseId, datasetId }: Phase) {
  return { phaseId, datasetId }
}

/** The ids of the datasets of all phases of a challenge. */
export async function datasetsOf(session: Session, { id }: Pick<Challenge, 'id'>): Promise<number[]> {
  const phases = await store.findPhasesOfChallenges(session, [id])
  return [...new Set(phases.map(({ datasetId }) => datasetId))]
}

/** The input of the evaluation of a system of a phase. */
export function evaluationOf({ datasetId, settings: { metrics, references } }: Phase, systemId: number) {
  return { datasetId, systemId, metrics, ...(references !== null && { references }) }
}
