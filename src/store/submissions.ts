import { columnsOf, decode, insert, rowsBy, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, sql } from './engine/sql.js'
import { IS_UNFINISHED } from './jobs.js'
import {
  GrantEntity,
  type JobStatus,
  type Phase,
  type Submission,
  SubmissionEntity,
} from './schema/entities.js'

/**
 * Submissions are the ledger of their teams. There is no second record of what is charged: a submission is charged to its day
 * unless its job has failed or was cancelled, so that the ledger and the jobs cannot disagree.
 */

/** A submission before it has a job. */
export type NewSubmission = Omit<Submission, 'id' | 'jobId' | 'systemId' | 'isWithdrawn' | 'isChosen'>

/** Writes a submission. @returns its id */
export function insertSubmission(session: Session, row: NewSubmission): Promise<number> {
  return insert(session, SubmissionEntity, { ...row, isWithdrawn: 0, isChosen: 0 })
}

export async function updateSubmission(
  session: Session,
  id: number,
  changes: Partial<Pick<Submission, 'jobId' | 'isWithdrawn' | 'isChosen'>>,
): Promise<void> {
  await update(session, SubmissionEntity, changes, sql`id = ${id}`)
}

/** Stores that the captions of a submission are those of a system. Removes its file unless another one needs it. */
export async function finishImport(
  session: Session,
  { id, uploadId }: Pick<Submission, 'id' | 'uploadId'>,
  systemId: number,
): Promise<void> {
  await session.run(sql`UPDATE submission SET system_id = ${systemId}, upload_id = NULL WHERE id = ${id}`)
  await session.run(sql`
    DELETE FROM upload WHERE id = ${uploadId}
      AND NOT EXISTS (SELECT 1 FROM submission WHERE submission.upload_id = upload.id AND submission.system_id IS NULL)`)
}

/** Submissions by id, in no particular order. */
export const findSubmissions = rowsBy(SubmissionEntity, 'id')

/** The submissions whose captions systems have, in no particular order. */
export const findSubmissionsOfSystems = rowsBy(SubmissionEntity, 'systemId')

/** A submission with the state of its job. */
export interface SubmissionWithJob extends Submission {
  readonly status: JobStatus
}

/** The submissions to phases, oldest first. @param team Default: all teams */
export async function listSubmissions(
  session: Session,
  phaseIds: readonly number[],
  team?: string,
): Promise<SubmissionWithJob[]> {
  const rows = await session.all<SubmissionWithJob>(sql`
    SELECT ${columnsOf(SubmissionEntity)}, job.status AS status
    FROM submission JOIN job ON job.id = submission.job_id
    WHERE submission.phase_id ${among(phaseIds)} ${team === undefined ? EMPTY : sql`AND submission.team = ${team}`}
    ORDER BY submission.id`)
  return decode(SubmissionEntity, rows)
}

/** Makes a submission the entry of its team, or lets its best one be it. */
export async function chooseSubmission(
  session: Session,
  { id: phaseId }: Pick<Phase, 'id'>,
  team: string,
  submissionId: number | null,
): Promise<void> {
  await session.run(sql`
    UPDATE submission SET is_chosen = CASE WHEN id = ${submissionId ?? 0} THEN 1 ELSE 0 END
    WHERE phase_id = ${phaseId} AND team = ${team}`)
}

/** What a team has used, as numbers of submissions to a phase. */
export interface Usage {
  /** Charged to the day, and to any day; without those that are charged to grants. */
  readonly day: number
  readonly total: number
  readonly unfinished: number
  /** All that were ever accepted. */
  readonly attempts: number
  readonly granted: number
  readonly usedGrants: number
}

/** Reads what a team has used. @param day the date in the time zone of the challenge */
export async function readUsage(
  session: Session,
  phaseId: number,
  team: string,
  day: string,
): Promise<Usage> {
  const isCharged = sql`job.status NOT IN ('FAILED', 'CANCELLED')`
  const [usage] = await session.all<Usage>(sql`
    SELECT COUNT(CASE WHEN ${isCharged} AND is_granted = 0 AND day = ${day} THEN 1 END) AS day,
           COUNT(CASE WHEN ${isCharged} AND is_granted = 0 THEN 1 END) AS total,
           COUNT(CASE WHEN ${IS_UNFINISHED} THEN 1 END) AS unfinished,
           COUNT(submission.id) AS attempts,
           (SELECT COALESCE(SUM(count), 0) FROM submission_grant WHERE phase_id = ${phaseId} AND team = ${team}) AS granted,
           COUNT(CASE WHEN ${isCharged} AND is_granted = 1 THEN 1 END) AS "usedGrants"
    FROM submission JOIN job ON job.id = submission.job_id
    WHERE submission.phase_id = ${phaseId} AND submission.team = ${team}`)
  return usage
}

export async function insertGrant(
  session: Session,
  grant: { readonly phaseId: number; readonly team: string; readonly count: number },
): Promise<void> {
  await insert(session, GrantEntity, { ...grant, grantedAt: new Date().toISOString() })
}

/** Where a queued submission stands. */
export interface QueuePlace {
  /** Number of jobs that workers execute before it; 0 while it runs. Workers alternate between owners. */
  readonly before: number
  /** Milliseconds that it is expected to wait; null while no submission has ended yet. */
  readonly waitMs: number | null
}

/** Ended submissions that the expected wait is computed from. */
const RECENT = 20

/** The places of queued submissions in the queue, by id of their job. */
export async function readQueuePlaces(session: Session): Promise<Map<number, QueuePlace>> {
  const jobs = await session.all<{ id: number; owner: string; kind: string; status: JobStatus }>(sql`
    SELECT id, owner, kind, status FROM job
    WHERE ${IS_UNFINISHED} AND parent_id IS NULL AND priority >= 0 ORDER BY priority DESC, id`)
  const recent = await session.all<{ startedAt: string; endedAt: string }>(sql`
    SELECT started_at AS "startedAt", ended_at AS "endedAt" FROM job
    WHERE kind = 'submission' AND status = 'DONE' ORDER BY id DESC LIMIT ${RECENT}`)
  const times = recent.map(({ startedAt, endedAt }) => Date.parse(endedAt) - Date.parse(startedAt))
  const mean = times.length > 0 ? times.reduce((sum, time) => sum + time, 0) / times.length : null
  const running = Math.max(1, jobs.filter(({ status }) => status === 'RUNNING').length)
  const lengths = new Map<string, number>()
  const queued = jobs
    .filter(({ status }) => status === 'QUEUED')
    .map((job) => {
      const turn = lengths.get(job.owner) ?? 0
      lengths.set(job.owner, turn + 1)
      return { ...job, turn }
    })
    .sort((one, other) => one.turn - other.turn || one.id - other.id)
  return new Map(
    queued.map(({ id }, before) => [
      id,
      { before, waitMs: mean === null ? null : Math.round(((before + 1) * mean) / running) },
    ]),
  )
}
