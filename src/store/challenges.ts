import { nameTaken, unknownName } from '../errors.js'
import { translateViolations } from './engine/constraints.js'
import { lockRow } from './engine/locks.js'
import { find, findOne, insert, rowsBy, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { type Challenge, ChallengeEntity, type Phase, PhaseEntity } from './schema/entities.js'

/** A challenge before it has an id. */
export type NewChallenge = Omit<Challenge, 'id' | 'createdAt'>

/** @returns its id @throws AccordError NAME_TAKEN */
export function insertChallenge(session: Session, challenge: NewChallenge): Promise<number> {
  const row = { ...challenge, createdAt: new Date().toISOString() }
  return translateViolations(() => insert(session, ChallengeEntity, row), {
    UNIQUE: () => nameTaken('a challenge of this name exists', 'name', challenge.name),
  })
}

export async function updateChallenge(
  session: Session,
  id: number,
  changes: Partial<Omit<NewChallenge, 'name'>>,
): Promise<void> {
  await update(session, ChallengeEntity, changes, sql`id = ${id}`)
}

/** Removes a challenge with its phases, submissions, their captions and scores, grants and audit log. */
export async function deleteChallenge(session: Session, id: number): Promise<void> {
  const systems = await session.all<{ id: number }>(sql`
    SELECT system_id AS id FROM submission JOIN phase ON phase.id = submission.phase_id
    WHERE phase.challenge_id = ${id} AND system_id IS NOT NULL`)
  await session.run(sql`DELETE FROM challenge WHERE id = ${id}`)
  await session.run(sql`DELETE FROM system WHERE id ${among(systems.map((system) => system.id))}`)
}

/** All challenges by name. */
export function listChallenges(session: Session): Promise<Challenge[]> {
  return find(session, ChallengeEntity, sql`ORDER BY name`)
}

export function findChallenge(session: Session, name: string): Promise<Challenge | null> {
  return findOne(session, ChallengeEntity, sql`WHERE name = ${name}`)
}

/** @throws AccordError UNKNOWN_CHALLENGE, listing the existing challenges */
export async function requireChallenge(session: Session, name: string): Promise<Challenge> {
  const challenge = await findChallenge(session, name)
  if (challenge) return challenge
  const known = (await listChallenges(session)).map((existing) => existing.name)
  const none = 'a challenge; there is none yet'
  throw unknownName('UNKNOWN_CHALLENGE', 'unknown challenge', {
    source: 'challenge',
    known,
    none,
    found: name,
  })
}

/** Challenges by id, in no particular order. */
export const findChallenges = rowsBy(ChallengeEntity, 'id')

/** Adds a phase, or replaces the one of this name. @returns its id */
export async function savePhase(session: Session, phase: Omit<Phase, 'id'>): Promise<number> {
  const { challengeId, name, ...changes } = phase
  const known = await findOne(
    session,
    PhaseEntity,
    sql`WHERE challenge_id = ${challengeId} AND name = ${name}`,
  )
  if (!known) return insert(session, PhaseEntity, phase)
  await update(session, PhaseEntity, changes, sql`id = ${known.id}`)
  return known.id
}

/** The phases of challenges, oldest first. */
export const findPhasesOfChallenges = rowsBy(PhaseEntity, 'challengeId', 'id')

/** Phases by id, in no particular order. */
export const findPhases = rowsBy(PhaseEntity, 'id')

/** Lets other transactions that accept submissions to a phase wait for the end of this one. */
export async function lockPhase(session: Session, id: number): Promise<void> {
  await lockRow(session, PhaseEntity, id)
}
