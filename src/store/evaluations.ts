import { In } from 'typeorm'
import type { Database } from './database.js'
import { type Evaluation, EvaluationEntity, type EvaluationStatus } from './entities.js'

/** Records a new evaluation of a system, queued. */
export function insertEvaluation(database: Database, systemId: number): number {
  const { lastInsertRowid } = database.connection
    .prepare("INSERT INTO evaluation (system_id, status, created_at) VALUES (?, 'QUEUED', ?)")
    .run(systemId, new Date().toISOString())
  return Number(lastInsertRowid)
}

/** Moves an evaluation on; a move to RUNNING starts its time, one to an end finishes it. */
export function updateEvaluation(
  database: Database,
  id: number,
  status: EvaluationStatus,
  message: string | null = null,
): void {
  const time = status === 'RUNNING' ? 'started_at' : 'finished_at'
  database.connection
    .prepare(`UPDATE evaluation SET status = ?, message = ?, ${time} = ? WHERE id = ?`)
    .run(status, message, new Date().toISOString(), id)
}

/** Marks what a server that stopped left queued or running. */
export function interruptEvaluations(database: Database): void {
  database.connection
    .prepare(
      `UPDATE evaluation SET status = 'INTERRUPTED', finished_at = ?,
                             message = 'The server stopped before it was done; start it again.'
       WHERE status IN ('QUEUED', 'RUNNING')`,
    )
    .run(new Date().toISOString())
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
