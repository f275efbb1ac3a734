import { columnsOf, decode } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { BoardEntity, type StoredBoard } from './schema/challenge-tables.js'

/**
 * Boards of phases are computed when what they show has changed, and read as one row. A change adds a row to `board_change`; the
 * computation removes those that it has seen. Changes of concurrent transactions do not wait for each other.
 */

export interface BoardState {
  /** Another one for each computation. */
  readonly version: number
  /** Whether something that it shows has changed since. */
  readonly isStale: boolean
}

/** Stores that what the board of a phase shows has changed. Call it in the transaction of the change. */
export async function changeBoard(session: Session, phaseId: number): Promise<void> {
  await session.run(sql`INSERT INTO board_change (phase_id) VALUES (${phaseId})`)
}

/** The same for all phases on a dataset. */
export async function changeBoardsOfDataset(session: Session, datasetId: number): Promise<void> {
  await session.run(
    sql`INSERT INTO board_change (phase_id) SELECT id FROM phase WHERE dataset_id = ${datasetId} ORDER BY id`,
  )
}

/** The same for all phases on the dataset of a system. */
export async function changeBoardsOfSystem(session: Session, systemId: number): Promise<void> {
  await session.run(
    sql`INSERT INTO board_change (phase_id) SELECT phase.id FROM phase
        JOIN system ON system.dataset_id = phase.dataset_id WHERE system.id = ${systemId} ORDER BY phase.id`,
  )
}

/** The same for all phases that a team submitted to. */
export async function changeBoardsOfTeam(session: Session, team: string): Promise<void> {
  await session.run(
    sql`INSERT INTO board_change (phase_id) SELECT DISTINCT phase_id FROM submission WHERE team = ${team}`,
  )
}

/** The same for the phase that a job evaluates a submission to, if it does. */
export async function changeBoardOfJob(session: Session, jobId: number): Promise<void> {
  await session.run(
    sql`INSERT INTO board_change (phase_id) SELECT phase_id FROM submission WHERE job_id = ${jobId}`,
  )
}

/** The state of the board of a phase; null before it was computed. */
export async function readBoardState(session: Session, phaseId: number): Promise<BoardState | null> {
  const [row] = await session.all<{ version: number; changeId: number | null }>(sql`
    SELECT version, (SELECT MAX(id) FROM board_change WHERE phase_id = ${phaseId}) AS "changeId"
    FROM board WHERE phase_id = ${phaseId}`)
  return row ? { version: row.version, isStale: row.changeId !== null } : null
}

/** The board of a phase as it was computed last; null before. */
export async function readStoredBoard(
  session: Session,
  phaseId: number,
): Promise<{ readonly version: number; readonly content: StoredBoard } | null> {
  const rows = await session.all<{ version: number; content: StoredBoard }>(
    sql`SELECT ${columnsOf(BoardEntity)} FROM board WHERE phase_id = ${phaseId}`,
  )
  return decode(BoardEntity, rows).at(0) ?? null
}

/** What the board of a phase does not contain yet. */
export interface BoardChanges {
  readonly ids: readonly number[]
  /** Id of the newest change, of these and of those that the board contains. */
  readonly newest: number
}

/** Read them before what the board shows. */
export async function readBoardChanges(session: Session, phaseId: number): Promise<BoardChanges> {
  const rows = await session.all<{ id: number }>(
    sql`SELECT id FROM board_change WHERE phase_id = ${phaseId} ORDER BY id`,
  )
  const [board] = await session.all<{ newest: number }>(
    sql`SELECT newest_change AS newest FROM board WHERE phase_id = ${phaseId}`,
  )
  const ids = rows.map(({ id }) => id)
  return { ids, newest: Math.max(board?.newest ?? 0, ids.at(-1) ?? 0) }
}

/** Stores the board of a phase, unless a computation that has seen newer changes has ended before. @param changes that it contains */
export async function saveBoard(
  session: Session,
  phaseId: number,
  content: StoredBoard,
  { ids, newest }: BoardChanges,
): Promise<void> {
  await session.transaction(async (session) => {
    const stored = await session.run(sql`
      INSERT INTO board (phase_id, version, newest_change, content)
      VALUES (${phaseId}, 1, ${newest}, ${JSON.stringify(content)})
      ON CONFLICT (phase_id) DO UPDATE SET version = board.version + 1, content = excluded.content,
        newest_change = excluded.newest_change
      WHERE board.newest_change <= excluded.newest_change`)
    if (stored === 0) return
    await session.run(sql`DELETE FROM board_change WHERE id ${among(ids)}`)
  })
}
