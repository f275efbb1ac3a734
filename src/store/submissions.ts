import { timeNow } from '../clock.js'
import { AccordError } from '../errors.js'
import { changeBoard } from './boards.js'
import { type PagedRows, pagedRows } from './engine/keyset.js'
import { columnsOf, count, decode, insert, rowsBy, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, raw, sql } from './engine/sql.js'
import { IS_UNFINISHED } from './jobs.js'
import { GrantEntity, type Phase, type Submission, SubmissionEntity } from './schema/challenge-tables.js'
import { JobEntity, type JobStatus } from './schema/job-tables.js'

/**
 * Submissions are the ledger of their teams. There is no second record of what is charged: a submission is charged to its day
 * unless its job has failed or was cancelled, so that the ledger and the jobs cannot disagree.
 */

/** A submission before it has a job. */
export type NewSubmission = Omit<Submission, 'id' | 'jobId' | 'systemId' | 'isWithdrawn' | 'isChosen'> & {
  /** Markdown, as it was written. */
  readonly method: string
}

/** Writes a submission. @returns its id */
export async function insertSubmission(session: Session, row: NewSubmission): Promise<number> {
  const id = await insert(session, SubmissionEntity, { ...row, isWithdrawn: false, isChosen: false })
  await changeBoard(session, row.phaseId)
  return id
}

/** Stores the job that evaluates a submission. */
export async function setSubmissionJob(session: Session, id: number, jobId: number): Promise<void> {
  await update(session, SubmissionEntity, { jobId }, sql`id = ${id}`)
}

export async function withdrawSubmission(
  session: Session,
  { id, phaseId }: Pick<Submission, 'id' | 'phaseId'>,
): Promise<void> {
  await update(session, SubmissionEntity, { isWithdrawn: true, isChosen: false }, sql`id = ${id}`)
  await changeBoard(session, phaseId)
}

/**
 * Stores that the captions of a submission are those of a system. Removes its file unless another one needs it.
 *
 * @throws AccordError UNKNOWN_SUBMISSION if it was removed
 */
export async function finishImport(
  session: Session,
  { id, uploadId }: Pick<Submission, 'id' | 'uploadId'>,
  systemId: number,
): Promise<void> {
  const row = sql`UPDATE submission SET system_id = ${systemId}, upload_id = NULL WHERE id = ${id}`
  if ((await session.run(row)) === 0) throw submissionRemoved()
  await session.run(sql`UPDATE system SET is_submission = TRUE WHERE id = ${systemId}`)
  await removeUnusedUpload(session, uploadId)
}

/** Removes a file unless a submission needs it. */
export async function removeUnusedUpload(session: Session, uploadId: string | null): Promise<void> {
  await session.run(sql`
    DELETE FROM upload WHERE id = ${uploadId}
      AND NOT EXISTS (SELECT 1 FROM submission WHERE submission.upload_id = upload.id AND submission.system_id IS NULL)`)
}

/** A condition on the job of a submission. */
const IS_CHARGED = sql`job.status NOT IN ('FAILED', 'CANCELLED')`

/** The submission that a user has sent for a team with an idempotency key, unless it has failed, or was cancelled or withdrawn. */
export async function findRepeated(
  session: Session,
  phaseId: number,
  { team, submitter, idempotencyKey }: Pick<Submission, 'team' | 'submitter' | 'idempotencyKey'>,
): Promise<Submission | undefined> {
  if (idempotencyKey === null) return undefined
  const rows = await session.all<Submission>(sql`
    SELECT ${columnsOf(SubmissionEntity)} FROM submission JOIN job ON job.id = submission.job_id
    WHERE submission.phase_id = ${phaseId} AND submission.team = ${team} AND submitter = ${submitter}
      AND idempotency_key = ${idempotencyKey} AND NOT is_withdrawn AND ${IS_CHARGED}
    ORDER BY submission.id LIMIT 1`)
  return decode(SubmissionEntity, rows).at(0)
}

export function submissionRemoved(): AccordError {
  return new AccordError('UNKNOWN_SUBMISSION', 'the submission was removed', { source: 'id' })
}

export const findSubmissions = rowsBy(SubmissionEntity, 'id')

/** The submissions whose captions systems have, in no particular order. */
export const findSubmissionsOfSystems = rowsBy(SubmissionEntity, 'systemId')

/** The descriptions of the methods of submissions, in no particular order. */
export function readMethods(
  session: Session,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly method: string }[]> {
  return session.all(sql`SELECT id, method FROM submission WHERE id ${among(ids)}`)
}

/** A submission with the state of its job. */
export interface SubmissionWithJob extends Submission {
  readonly status: JobStatus
  /** Whether its cancellation was requested. */
  readonly cancelRequested: boolean
}

/** The submissions to phases, oldest first. @param team Default: all teams */
export async function listSubmissions(
  session: Session,
  phaseIds: readonly number[],
  team?: string,
): Promise<SubmissionWithJob[]> {
  const rows = await session.all<SubmissionWithJob>(sql`
    SELECT ${columnsOf(SubmissionEntity)}, job.status AS status, job.cancel_requested AS "cancelRequested"
    FROM submission JOIN job ON job.id = submission.job_id
    WHERE submission.phase_id ${among(phaseIds)} ${team === undefined ? EMPTY : sql`AND submission.team = ${team}`}
    ORDER BY submission.id`)
  return decode(JobEntity, decode(SubmissionEntity, rows))
}

/** The submissions to a phase, oldest first. @param teams Default: all teams */
export function pagedSubmissions(
  session: Session,
  phaseId: number,
  teams: readonly string[] | null,
): PagedRows<Submission> {
  const ofTeams = teams === null ? [] : [sql`submission.team ${among(teams)}`]
  return pagedRows(session, {
    entity: SubmissionEntity,
    conditions: [sql`submission.phase_id = ${phaseId}`, ...ofTeams],
    order: { expression: raw('submission.id'), type: 'integer', direction: 'ASC' },
  })
}

/** Makes a submission the entry of its team, or lets its best one be it. */
export async function chooseSubmission(
  session: Session,
  { id: phaseId }: Pick<Phase, 'id'>,
  team: string,
  submissionId: number | null,
): Promise<void> {
  await session.run(sql`
    UPDATE submission SET is_chosen = (id = ${submissionId ?? 0})
    WHERE phase_id = ${phaseId} AND team = ${team}`)
  await changeBoard(session, phaseId)
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
  const [usage] = await session.all<Usage>(sql`
    SELECT COUNT(CASE WHEN ${IS_CHARGED} AND NOT is_granted AND day = ${day} THEN 1 END) AS day,
           COUNT(CASE WHEN ${IS_CHARGED} AND NOT is_granted THEN 1 END) AS total,
           COUNT(CASE WHEN ${IS_UNFINISHED} THEN 1 END) AS unfinished,
           COUNT(submission.id) AS attempts,
           (SELECT COALESCE(SUM(count), 0) FROM submission_grant WHERE phase_id = ${phaseId} AND team = ${team}) AS granted,
           COUNT(CASE WHEN ${IS_CHARGED} AND is_granted THEN 1 END) AS "usedGrants"
    FROM submission JOIN job ON job.id = submission.job_id
    WHERE submission.phase_id = ${phaseId} AND submission.team = ${team}`)
  return usage
}

/** The teams with submissions to a phase for which a user has submitted, or of which the user is a member. @returns their names by id */
export async function teamsOfUser(
  session: Session,
  phaseId: number,
  userId: string,
): Promise<Map<string, string>> {
  const rows = await session.all<{ team: string; name: string }>(sql`
    SELECT team, MAX(team_name) AS name FROM submission
    WHERE phase_id = ${phaseId} AND (submitter = ${userId}
      OR team IN (SELECT team_id FROM team_member WHERE user_id = ${userId}))
    GROUP BY team ORDER BY team`)
  return new Map(rows.map(({ team, name }) => [team, name]))
}

/** Whether a user takes part in a challenge on a dataset: by submissions, or those of a team. */
export async function takesPart(session: Session, datasetId: number, userId: string): Promise<boolean> {
  const rows = await session.all(sql`
    SELECT 1 AS found FROM submission JOIN phase ON phase.id = submission.phase_id
    WHERE phase.dataset_id = ${datasetId} AND (submitter = ${userId}
      OR team IN (SELECT team_id FROM team_member WHERE user_id = ${userId})) LIMIT 1`)
  return rows.length > 0
}

/** How often the job of a submission was added. */
export function countRuns(
  session: Session,
  { id: submissionId }: Pick<Submission, 'id'>,
  { datasetId }: Pick<Phase, 'datasetId'>,
): Promise<number> {
  const input = JSON.stringify({ submissionId, datasetId })
  return count(
    session,
    sql`FROM job WHERE kind = 'submission' AND dataset_id = ${datasetId} AND input = ${input}`,
  )
}

export async function insertGrant(
  session: Session,
  grant: { readonly phaseId: number; readonly team: string; readonly count: number },
): Promise<void> {
  await insert(session, GrantEntity, { ...grant, grantedAt: timeNow() })
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
