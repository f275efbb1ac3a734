import { timeNow } from '../clock.js'
import { AccordError, nameTaken, quote } from '../errors.js'
import { changeBoard } from './boards.js'
import { find, findOne, insert, lockRow, rowsBy, translateViolations, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { type Challenge, ChallengeEntity, type Phase, PhaseEntity } from './schema/challenge-tables.js'
import type { System } from './schema/system-tables.js'

export type NewChallenge = Omit<Challenge, 'id' | 'createdAt'>

/** @returns its id @throws AccordError NAME_TAKEN */
export function insertChallenge(session: Session, challenge: NewChallenge): Promise<number> {
  const row = { ...challenge, createdAt: timeNow() }
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
  await changeBoard(session, known.id)
  return known.id
}

/** @throws AccordError NOT_APPLICABLE for a system that a phase has as a baseline */
export async function requireNoBaseline(
  session: Session,
  { datasetId, name }: Pick<System, 'datasetId' | 'name'>,
): Promise<void> {
  const phases = await find(session, PhaseEntity, sql`WHERE dataset_id = ${datasetId} ORDER BY id`)
  const using = phases.find(({ settings }) => settings.baselines.includes(name))
  if (using) throw inUse(`the system is a baseline of the phase ${quote(using.name)}`, 'system', name)
}

/** @throws AccordError NOT_APPLICABLE for a metric that a phase shows */
export async function requireNoBoard(session: Session, metric: string): Promise<void> {
  const phases = await find(session, PhaseEntity, sql`ORDER BY id`)
  const using = phases.find(({ settings }) => settings.metrics.includes(metric))
  if (using) throw inUse(`the phase ${quote(using.name)} shows the metric`, 'name', metric)
}

function inUse(summary: string, source: string, name: string): AccordError {
  return new AccordError('NOT_APPLICABLE', `${summary} of a challenge`, {
    source,
    expected: 'one that no challenge uses; accord challenge update changes what its phases use',
    found: quote(name),
  })
}

/** The phases of challenges, oldest first. */
export const findPhasesOfChallenges = rowsBy(PhaseEntity, 'challengeId', 'id')
export const findPhases = rowsBy(PhaseEntity, 'id')

/** Lets other transactions that accept submissions to a phase wait for the end of this one. */
export async function lockPhase(session: Session, id: number): Promise<void> {
  await lockRow(session, PhaseEntity, id)
}
