import { fromNow, LONG_AGO, NOW } from './engine/clock.js'
import { type Direction, type Order, type PagedRows, pagedRows } from './engine/keyset.js'
import { columnsOf, decode, encode, find, findOne, parseJson, rowsBy } from './engine/rows.js'
import { ConstraintViolation, type Session } from './engine/session.js'
import { among, EMPTY, perEngine, raw, sql } from './engine/sql.js'
import { type Job, JobEntity, type JobFailure, type JobStatus } from './schema/job-tables.js'

/**
 * The job table. A worker claims a job for a limited time, the lease, and renews the lease while the job runs. Its
 * writes to the job are conditional on the claim, so that a worker that has lost its lease changes nothing. All times
 * are taken from the clock of the database.
 *
 * A job that waits for its parts is running without a worker.
 *
 * Functions that change several rows must be called in a transaction. The row of a job is changed after the row of its
 * parent is locked: if the last two shards end at the same time, one of them sees the end of the other.
 */

/** The channel that is notified when a job was queued or ended, or its cancellation was requested. */
export const JOB_CHANNEL = 'accord_jobs'

/** The channel that is notified when the progress of a job was stored. */
export const PROGRESS_CHANNEL = 'accord_progress'

/** Maximum number of attempts at a job whose workers are lost. */
export const MAX_ATTEMPTS = 3

/** The same where the database was lost instead of the worker. */
export const MAX_OUTAGES = 20

export type JobRow = Job

export interface NewJob
  extends Pick<Job, 'kind' | 'owner' | 'uniqueKey' | 'priority' | 'parentId' | 'datasetId' | 'systemId'> {
  readonly cacheKey?: string
  /** Default: null. */
  readonly waiterCount?: number
  /** JSON. */
  readonly input: string
}

/** The right of a worker to execute a job. */
export interface Claim {
  readonly id: number
  /** Unique among all claims. */
  readonly worker: string
}

export type Ending =
  | { readonly status: 'DONE'; readonly result: unknown }
  | { readonly status: 'FAILED'; readonly failure: JobFailure }
  | { readonly status: 'CANCELLED' }

/** The claim is no longer valid: the lease expired and the job was queued again, ended or removed. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease of the job was lost.')
    this.name = 'LeaseLost'
  }
}

const UNFINISHED: readonly JobStatus[] = ['QUEUED', 'RUNNING']

/** Must equal the condition of the partial index `job_by_unique_key`. */
export const IS_UNFINISHED = raw("status IN ('QUEUED', 'RUNNING')")

/** Locks the rows of a query until the end of the transaction; on SQLite a transaction locks the whole database. */
const LOCK_ROWS = perEngine({ sqlite: '', postgres: 'FOR NO KEY UPDATE' })

export function isFinished({ status }: Pick<Job, 'status'>): boolean {
  return !UNFINISHED.includes(status)
}

/**
 * Adds a job to the queue.
 *
 * @returns its id; null if an unfinished job has the same key
 * @throws ConstraintViolation if its dataset or system was removed
 */
export async function insertJob(session: Session, job: NewJob): Promise<number | null> {
  const rows = await session.all<{ id: number }>(sql`
    INSERT INTO job (kind, owner, unique_key, cache_key, priority, status, input, progress, attempts, cancel_requested,
                     waiter_count, parent_id, dataset_id, system_id, created_at)
    VALUES (${job.kind}, ${job.owner}, ${job.uniqueKey}, ${job.cacheKey ?? null}, ${job.priority}, 'QUEUED', ${job.input},
            0, 0, FALSE, ${job.waiterCount ?? null}, ${job.parentId}, ${job.datasetId}, ${job.systemId}, ${NOW})
    ON CONFLICT (unique_key) WHERE ${IS_UNFINISHED} DO NOTHING
    RETURNING id`)
  await session.notify(JOB_CHANNEL)
  return rows[0]?.id ?? null
}

/**
 * Adds a job that a worker already executes. It is not started again if the worker stops.
 *
 * @throws ConstraintViolation if its dataset or system was removed
 */
export async function insertRunningJob(
  session: Session,
  job: Omit<NewJob, 'uniqueKey' | 'parentId'> & { readonly worker: string },
  leaseMs: number,
): Promise<JobRow> {
  const rows = await session.all<JobRow>(sql`
    INSERT INTO job (kind, owner, priority, status, input, progress, attempts, cancel_requested,
                     worker, lease_until, dataset_id, system_id, created_at, started_at)
    VALUES (${job.kind}, ${job.owner}, ${job.priority}, 'RUNNING', ${job.input}, 0, ${MAX_ATTEMPTS}, FALSE,
            ${job.worker}, ${fromNow(leaseMs)}, ${job.datasetId}, ${job.systemId}, ${NOW}, ${NOW})
    RETURNING ${columnsOf(JobEntity)}`)
  return decode(JobEntity, rows)[0]
}

/**
 * The result of the newest job that is done with this key; null if there is none.
 *
 * @throws AccordError RESOURCE_MISSING if the result is not JSON
 */
export async function findAnswer(session: Session, cacheKey: string): Promise<unknown> {
  const [answer] = await session.all<{ id: number; result: string | null }>(
    sql`SELECT id, result FROM job
        WHERE id = (SELECT max(id) FROM job WHERE cache_key = ${cacheKey} AND status = 'DONE')`,
  )
  return answer && answer.result !== null ? parseJson(JobEntity, answer, answer.result) : null
}

/** The result of a query. */
export interface NewAnswer extends Pick<NewJob, 'kind' | 'owner' | 'input' | 'datasetId'> {
  readonly cacheKey: string
  readonly result: unknown
}

/** Stores the result of a query that was not executed by a worker. */
export async function insertAnswer(session: Session, job: NewAnswer): Promise<void> {
  await session.run(sql`
    INSERT INTO job (kind, owner, cache_key, priority, status, input, result, progress, attempts,
                     cancel_requested, dataset_id, created_at, started_at, ended_at)
    VALUES (${job.kind}, ${job.owner}, ${job.cacheKey}, 0, 'DONE', ${job.input}, ${encode(JobEntity, 'result', job.result)}, 1, 1, FALSE,
            ${job.datasetId}, ${NOW}, ${NOW}, ${NOW})`)
}

export function findUnfinishedJob(session: Session, uniqueKey: string): Promise<JobRow | null> {
  return findOne(session, JobEntity, sql`WHERE unique_key = ${uniqueKey} AND ${IS_UNFINISHED}`)
}

/**
 * The number of unfinished jobs of these kinds, without shards. Concurrent callers wait for the end of the transaction,
 * so that they count the jobs that it adds.
 */
export async function countUnfinishedJobs(
  session: Session,
  owner: string,
  kinds: readonly string[],
): Promise<{ readonly all: number; readonly ofOwner: number }> {
  if (session.engine === 'postgres')
    await session.run(sql`SELECT pg_advisory_xact_lock(hashtext(${JOB_CHANNEL}))`)
  const [counts] = await session.all<{ all: number; ofOwner: number }>(sql`
    SELECT COUNT(*) AS "all", COUNT(CASE WHEN owner = ${owner} THEN 1 END) AS "ofOwner"
    FROM job WHERE ${IS_UNFINISHED} AND parent_id IS NULL AND kind ${among(kinds)}`)
  return counts
}

export const findJobs = rowsBy(JobEntity, 'id')

/** The newest job of a kind of each system that has one, in no particular order. */
export function findNewestJobs(
  session: Session,
  kind: string,
  systemIds: readonly number[],
): Promise<JobRow[]> {
  return find(
    session,
    JobEntity,
    sql`WHERE id IN (SELECT MAX(id) FROM job WHERE kind = ${kind} AND system_id ${among(systemIds)}
                     GROUP BY system_id)`,
  )
}

/** Selects jobs; parts of jobs are never selected. */
export interface JobFilter {
  readonly kinds?: readonly string[]
  readonly statuses?: readonly JobStatus[]
  readonly datasetId?: number
  readonly systemId?: number
}

/** Jobs by id. */
export function pagedJobs(
  session: Session,
  { kinds, statuses, datasetId, systemId }: JobFilter,
  direction: Direction,
): PagedRows<JobRow> {
  const order: Order = { expression: sql`job.id`, type: 'integer', direction }
  const conditions = [
    sql`job.parent_id IS NULL`,
    ...(kinds ? [sql`job.kind ${among(kinds)}`] : []),
    ...(statuses ? [sql`job.status ${among(statuses)}`] : []),
    ...(datasetId === undefined ? [] : [sql`job.dataset_id = ${datasetId}`]),
    ...(systemId === undefined ? [] : [sql`job.system_id = ${systemId}`]),
  ]
  return pagedRows(session, { entity: JobEntity, conditions, order })
}

/** Number of jobs that wait, and that run, without the parts of divided ones. */
export async function countOpenJobs(
  session: Session,
): Promise<Readonly<Record<'QUEUED' | 'RUNNING', number>>> {
  const rows = await session.all<{ status: 'QUEUED' | 'RUNNING'; count: number }>(
    sql`SELECT status, CAST(COUNT(*) AS integer) AS count FROM job
        WHERE parent_id IS NULL AND status IN ('QUEUED', 'RUNNING') GROUP BY status`,
  )
  return { QUEUED: 0, RUNNING: 0, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) }
}

/** Whether a job of these kinds is queued. Cheaper than an attempt to claim one. */
export async function hasQueuedJob(session: Session, kinds: readonly string[]): Promise<boolean> {
  const rows = await session.all(
    sql`SELECT 1 AS found FROM job WHERE status = 'QUEUED' AND kind ${among(kinds)} LIMIT 1`,
  )
  return rows.length > 0
}

/**
 * Claims a queued job for a worker. Workers alternate between owners: the owner with the fewest running jobs is next;
 * of several, the one whose last start is longest ago. Jobs of one owner are ordered by descending priority, then by
 * age, oldest first. Jobs with a negative priority are claimed when no other job is queued.
 *
 * @param worker unique to this claim
 * @returns null if no job is queued
 */
export async function claimJob(
  session: Session,
  { worker, kinds, leaseMs }: { worker: string; kinds: readonly string[]; leaseMs: number },
): Promise<JobRow | null> {
  const isQueued = sql`status = 'QUEUED' AND kind ${among(kinds)}`
  const rows = await session.all<JobRow>(sql`
    UPDATE job SET status = 'RUNNING', worker = ${worker}, lease_until = ${fromNow(leaseMs)},
                   attempts = attempts + 1, started_at = COALESCE(started_at, ${NOW})
    WHERE id = (
      SELECT queued.id
      FROM job AS queued
      JOIN (
        SELECT owner,
               (SELECT COUNT(*) FROM job AS running
                WHERE running.status = 'RUNNING' AND running.worker IS NOT NULL AND running.owner = waiting.owner) AS running_count,
               (SELECT MAX(started_at) FROM job AS served WHERE served.owner = waiting.owner) AS last_served
        FROM (SELECT DISTINCT owner FROM job WHERE ${isQueued}) AS waiting
      ) AS turn ON turn.owner = queued.owner
      WHERE queued.status = 'QUEUED' AND queued.kind ${among(kinds)}
      ORDER BY queued.priority < 0, turn.running_count, COALESCE(turn.last_served, ''), queued.priority DESC, queued.id
      LIMIT 1
      ${perEngine({ sqlite: '', postgres: 'FOR UPDATE OF queued SKIP LOCKED' })}
    )
    RETURNING ${columnsOf(JobEntity)}`)
  return decode(JobEntity, rows)[0] ?? null
}

/** Whether a job waits although no worker executes any job. */
export async function isWithoutWorker(session: Session, id: number): Promise<boolean> {
  const taken = await session.all(sql`
    SELECT id FROM job
    WHERE id = ${id} AND status <> 'QUEUED' OR status = 'RUNNING' AND worker IS NOT NULL AND lease_until > ${NOW}
    LIMIT 1`)
  return taken.length === 0
}

/** The state of a job that a worker must react to. */
export interface ClaimStatus {
  readonly id: number
  readonly worker: string | null
  readonly cancelRequested: boolean
}

/** The status of jobs, in no particular order; removed jobs are omitted. */
export async function readClaims(session: Session, ids: readonly number[]): Promise<ClaimStatus[]> {
  const rows = await session.all<ClaimStatus>(sql`
    SELECT ${columnsOf(JobEntity, [], ['id', 'worker', 'cancelRequested'])} FROM job WHERE id ${among(ids)}`)
  return decode(JobEntity, rows)
}

/** Renews a lease and stores the progress. No effect if the lease was lost. */
export async function renewLease(
  session: Session,
  { id, worker }: Claim,
  progress: { readonly fraction: number; readonly message: string | null },
  leaseMs: number,
): Promise<void> {
  await session.run(sql`
    UPDATE job SET lease_until = ${fromNow(leaseMs)}, progress = ${progress.fraction},
                   message = ${progress.message}
    WHERE id = ${id} AND worker = ${worker} AND status = 'RUNNING'`)
  await session.notify(PROGRESS_CHANNEL)
}

/**
 * Ends a claimed job and its shards. For a shard, ends the parent; a shard that is done ends with {@link endShard}.
 *
 * @throws LeaseLost
 */
export async function endClaimedJob(session: Session, { id, worker }: Claim, ending: Ending): Promise<void> {
  const parentId = await lockParent(session, id)
  await requireClaim(session, { id, worker })
  await endJob(session, parentId ?? id, ending)
}

/**
 * Ends a claimed shard. The parent is queued again after its last shard has ended.
 *
 * @param progressOf progress of the parent for a share of ended shards
 * @throws LeaseLost
 */
export async function endShard(
  session: Session,
  claim: Claim,
  progressOf: (share: number) => number,
): Promise<void> {
  const parentId = await lockParent(session, claim.id)
  await requireClaim(session, claim)
  if (parentId === null) throw new Error(`Job ${claim.id} is not a shard.`)
  await endJob(session, claim.id, { status: 'DONE', result: null })
  const [{ kind }] = await findJobs(session, [claim.id])
  const [{ all, unfinished }] = await session.all<{ all: number; unfinished: number }>(sql`
    SELECT COUNT(*) AS "all", COUNT(CASE WHEN ${IS_UNFINISHED} THEN 1 END) AS unfinished
    FROM job WHERE parent_id = ${parentId} AND kind = ${kind}`)
  await session.run(sql`
    UPDATE job SET progress = ${progressOf((all - unfinished) / all)},
                   status = ${unfinished === 0 ? 'QUEUED' : 'RUNNING'}
    WHERE id = ${parentId} AND status = 'RUNNING' AND worker IS NULL`)
  await session.notify(unfinished === 0 ? JOB_CHANNEL : PROGRESS_CHANNEL)
}

/**
 * Adds shards to a claimed job, which then waits for their end without a worker. Shards have the owner of the job and a
 * higher priority, so that started jobs finish first.
 *
 * @throws LeaseLost
 */
export async function waitForShards(
  session: Session,
  claim: Claim,
  shards: readonly { readonly kind: string; readonly input: unknown }[],
  message: string,
): Promise<void> {
  await requireClaim(session, claim)
  const [{ owner, priority }] = await findJobs(session, [claim.id])
  for (const { kind, input } of shards) {
    await insertJob(session, {
      kind,
      input: JSON.stringify(input),
      owner,
      priority: priority + 1,
      parentId: claim.id,
      uniqueKey: null,
      datasetId: null,
      systemId: null,
    })
  }
  await session.run(sql`
    UPDATE job SET worker = NULL, lease_until = NULL, attempts = 0, message = ${message}
    WHERE id = ${claim.id}`)
}

/** The distinct kinds of a job's shards. */
export async function findShardKinds(session: Session, parentId: number): Promise<string[]> {
  const rows = await session.all<{ kind: string }>(
    sql`SELECT DISTINCT kind FROM job WHERE parent_id = ${parentId}`,
  )
  return rows.map(({ kind }) => kind)
}

/** Returns a claimed job to the queue without counting the attempt. No effect if the lease was lost. */
export async function releaseJob(session: Session, { id, worker }: Claim): Promise<void> {
  await session.run(sql`
    UPDATE job SET status = 'QUEUED', worker = NULL, lease_until = NULL, attempts = attempts - 1, message = NULL
    WHERE id = ${id} AND worker = ${worker} AND status = 'RUNNING'`)
  await session.notify(JOB_CHANNEL)
}

/** Ends the lease of a worker that is known to have stopped. */
export async function expireLease(session: Session, { id, worker }: Claim): Promise<void> {
  await session.run(sql`UPDATE job SET lease_until = ${LONG_AGO} WHERE id = ${id} AND worker = ${worker}`)
}

/** Ids of jobs whose lease has expired. */
export async function findExpiredJobs(session: Session): Promise<number[]> {
  const rows = await session.all<{ id: number }>(
    sql`SELECT id FROM job WHERE status = 'RUNNING' AND worker IS NOT NULL AND lease_until < ${NOW}`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Returns a job whose lease has expired to the queue. If its cancellation was requested, it is cancelled; after
 * `maxAttempts` it fails. No effect if the lease is valid.
 *
 * @param maxAttempts Default: {@link MAX_ATTEMPTS}
 */
export async function recoverJob(
  session: Session,
  id: number,
  failure: JobFailure,
  maxAttempts = MAX_ATTEMPTS,
): Promise<void> {
  const parentId = await lockParent(session, id)
  const [job] = await find(
    session,
    JobEntity,
    sql`WHERE id = ${id} AND status = 'RUNNING' AND worker IS NOT NULL AND lease_until < ${NOW} ${LOCK_ROWS}`,
  )
  if (job === undefined) return
  if (job.cancelRequested) await endJob(session, id, { status: 'CANCELLED' })
  else if (job.attempts >= maxAttempts) await endJob(session, parentId ?? id, { status: 'FAILED', failure })
  else {
    await session.run(sql`
      UPDATE job SET status = 'QUEUED', worker = NULL, lease_until = NULL, message = NULL WHERE id = ${id}`)
    await session.notify(JOB_CHANNEL)
  }
}

/**
 * Cancels a job immediately if it is not running; otherwise its worker is asked to cancel it. A later request for the
 * same work creates a new job.
 *
 * @returns false if the job has ended, does not exist, or is a shard, which is cancelled only with its parent
 */
export async function requestCancellation(session: Session, id: number): Promise<boolean> {
  const [job] = await find(
    session,
    JobEntity,
    sql`WHERE id = ${id} AND parent_id IS NULL AND ${IS_UNFINISHED} ${LOCK_ROWS}`,
  )
  if (job === undefined) return false
  if (job.worker !== null) {
    await session.run(sql`UPDATE job SET cancel_requested = TRUE, unique_key = NULL WHERE id = ${id}`)
    await session.notify(JOB_CHANNEL)
  } else await endJob(session, id, { status: 'CANCELLED' })
  return true
}

/** Adds a request that waits for an unfinished job. */
export async function joinJob(session: Session, id: number): Promise<void> {
  await session.run(sql`UPDATE job SET waiter_count = waiter_count + 1 WHERE id = ${id}`)
}

/** Lets a job be executed even when nobody waits. */
export async function keepJob(session: Session, id: number): Promise<void> {
  await session.run(sql`UPDATE job SET waiter_count = NULL WHERE id = ${id}`)
}

/** Removes a request that waited for a job. The job is cancelled with the last one. */
export async function leaveJob(session: Session, id: number): Promise<void> {
  const rows = await session.all<{ waiterCount: number | null }>(
    sql`UPDATE job SET waiter_count = waiter_count - 1 WHERE id = ${id} RETURNING waiter_count AS "waiterCount"`,
  )
  if (rows.length > 0 && rows[0].waiterCount === 0) await requestCancellation(session, id)
}

/** Removes jobs of these kinds that ended more than `ageMs` milliseconds ago, except the newest `kept`. */
export async function deleteFinishedJobs(
  session: Session,
  kinds: readonly string[],
  { ageMs, kept }: { readonly ageMs: number; readonly kept: number },
): Promise<void> {
  await session.run(sql`
    DELETE FROM job WHERE kind ${among(kinds)} AND NOT (${IS_UNFINISHED})
                      AND ended_at < ${fromNow(-ageMs)}
                      AND id NOT IN (SELECT id FROM job WHERE kind ${among(kinds)} ORDER BY id DESC LIMIT ${kept})`)
}

/** Whether an error means that the dataset, system or parent of a row was removed. */
export function isRemovedSubject(error: unknown): boolean {
  return error instanceof ConstraintViolation && error.kind === 'FOREIGN_KEY'
}

/** Locks the parent of a job. @returns its id; null if there is none */
async function lockParent(session: Session, id: number): Promise<number | null> {
  const [parent] = await session.all<{ id: number }>(sql`
    SELECT id FROM job WHERE id = (SELECT parent_id FROM job WHERE id = ${id}) ${LOCK_ROWS}`)
  return parent?.id ?? null
}

/** @throws LeaseLost */
export async function requireClaim(session: Session, { id, worker }: Claim): Promise<void> {
  const rows = await session.all(sql`
    SELECT id FROM job WHERE id = ${id} AND worker = ${worker} AND status = 'RUNNING' ${LOCK_ROWS}`)
  if (rows.length === 0) throw new LeaseLost()
}

/**
 * Stores the result of a claimed job before its end: it stays where the job then fails or is cancelled. A dataset that it has made
 * becomes its subject.
 *
 * @throws LeaseLost
 */
export async function storeResult(
  session: Session,
  claim: Claim,
  result: { readonly datasetId: number },
): Promise<void> {
  await requireClaim(session, claim)
  await session.run(sql`
    UPDATE job SET result = ${encode(JobEntity, 'result', result)}, dataset_id = ${result.datasetId} WHERE id = ${claim.id}`)
}

/**
 * Ends a job in any state. A dataset that it has made becomes its subject. Its shards are removed with their output, and their workers
 * lose their leases.
 */
async function endJob(session: Session, id: number, ending: Ending): Promise<void> {
  const result = encode(JobEntity, 'result', ending.status === 'DONE' ? ending.result : null)
  const made = ending.status === 'DONE' ? (ending.result as { datasetId?: number } | null)?.datasetId : null
  const failure = ending.status === 'FAILED' ? encode(JobEntity, 'failure', ending.failure) : null
  await session.run(sql`
    UPDATE job SET status = ${ending.status}, result = COALESCE(${result}, result), failure = ${failure},
                   message = NULL, worker = NULL, lease_until = NULL, ended_at = ${NOW},
                   dataset_id = COALESCE(dataset_id, (SELECT id FROM dataset WHERE id = ${made ?? null}))
                   ${ending.status === 'DONE' ? raw(', progress = 1') : EMPTY}
    WHERE id = ${id} AND ${IS_UNFINISHED}`)
  await session.run(sql`DELETE FROM shard WHERE job_id = ${id}`)
  await session.run(sql`DELETE FROM job WHERE parent_id = ${id}`)
  await session.notify(JOB_CHANNEL)
}
