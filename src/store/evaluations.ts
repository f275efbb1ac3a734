import { AccordError } from '../errors.js'
import { type Database, inTransactionSoon } from './database.js'
import { type Evaluation, EvaluationEntity, type EvaluationStatus } from './entities.js'
import { In } from './typeorm.js'

/** Records a new evaluation of a system, queued. @throws AccordError UNKNOWN_SYSTEM where it was removed meanwhile */
export function insertEvaluation(database: Database, systemId: number): Promise<number> {
  const insert = database.connection.prepare(
    "INSERT INTO evaluation (system_id, status, created_at) SELECT id, 'QUEUED', ? FROM system WHERE id = ?",
  )
  return inTransactionSoon(database, () => {
    const { changes, lastInsertRowid } = insert.run(new Date().toISOString(), systemId)
    if (changes === 0) throw new AccordError('UNKNOWN_SYSTEM', 'the system was removed', { source: 'system' })
    return Number(lastInsertRowid)
  })
}

/** Moves an evaluation on; a move to RUNNING starts its time, one to an end finishes it. */
export function updateEvaluation(
  database: Database,
  id: number,
  status: EvaluationStatus,
  message?: string,
): Promise<void> {
  const column = status === 'RUNNING' ? 'started_at' : 'finished_at'
  const time = new Date().toISOString()
  const update = database.connection.prepare(
    `UPDATE evaluation SET status = ?, message = ?, ${column} = ? WHERE id = ?`,
  )
  return inTransactionSoon(database, () => {
    update.run(status, message ?? null, time, id)
  })
}

/** What an interrupted evaluation says. */
export const INTERRUPTION = 'The server stopped before it was done; start it again.'

/** Marks what a server that was killed left queued or running; not what is started from now on. */
export function interruptEvaluations(database: Database): Promise<void> {
  const { connection } = database
  const last = connection.prepare('SELECT MAX(id) FROM evaluation').pluck().get()
  const update = connection.prepare(
    `UPDATE evaluation SET status = 'INTERRUPTED', finished_at = ?, message = ?
     WHERE status IN ('QUEUED', 'RUNNING') AND id <= ?`,
  )
  return inTransactionSoon(database, () => {
    update.run(new Date().toISOString(), INTERRUPTION, last)
  })
}

/** Evaluations by id, in no particular order. */
export function findEvaluations(database: Database, ids: readonly number[]): Promise<Evaluation[]> {
  return database.source.getRepository(EvaluationEntity).findBy({ id: In(ids) })
}

/** The newest evaluation of each system that has one, in no particular order. */
export function findNewestEvaluations(
  database: Database,
  systemIds: readonly number[],
): Promise<Evaluation[]> {
  return database.source
    .getRepository(EvaluationEntity)
    .createQueryBuilder('evaluation')
    .where(
      `evaluation.id IN (SELECT MAX(id) FROM evaluation
                         WHERE system_id IN (SELECT value FROM json_each(:ids)) GROUP BY system_id)`,
      { ids: JSON.stringify(systemIds) },
    )
    .getMany()
}
