import type { ErrorData } from '../../errors.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const JOB_TABLES = entities

export type JobStatus = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'

/** Why a job failed: of a bug, without its details. */
export type JobFailure = ErrorData

/** A job, executed by any worker. */
export const JobEntity = entity(
  'job',
  [t.index('status', 'owner', 'priority', 'id'), t.index('owner', 'startedAt')],
  {
    id: t.id(),
    kind: t.text(),
    /** The client that requested it; workers alternate between owners. */
    owner: t.text(),
    /** At most one unfinished job has this key. */
    uniqueKey: t.distinct(t.optional(t.text()), "status IN ('QUEUED', 'RUNNING')"),
    /** Of queries: their input and the state of what they ask about. Its result is the answer to equal queries. */
    cacheKey: t.indexed(t.optional(t.text())),
    /** Jobs of one owner are executed by descending priority; below 0, when no other job is queued. */
    priority: t.integer(),
    /** A job that waits for its parts is RUNNING without a worker. */
    status: t.text<JobStatus>(),
    input: t.json<unknown>(),
    /** Null for jobs without a result, and until the job is done; of imports of files until it has imported them. */
    result: t.optional(t.json<unknown>()),
    failure: t.optional(t.json<JobFailure>()),
    /** 0 to 1, with a message about the current step. */
    progress: t.double(),
    message: t.optional(t.text()),
    /** Number of starts by workers since it was added or last waited for shards. */
    attempts: t.integer(),
    /** The claim of the worker that runs it, and the time until which the lease is valid. */
    worker: t.optional(t.text()),
    leaseUntil: t.optional(t.time()),
    /** Whether its cancellation was requested. */
    cancelRequested: t.boolean(),
    /** Number of requests that wait for it; null if it is executed even when nobody waits. */
    waiterCount: t.optional(t.integer()),
    /** The job of which it is a shard. */
    parentId: t.indexed(t.optional(t.reference('job'))),
    /** The subject of the job, which is removed with it. */
    datasetId: t.indexed(t.optional(t.reference('dataset'))),
    systemId: t.indexed(t.optional(t.reference('system'))),
    createdAt: t.time(),
    startedAt: t.optional(t.time()),
    endedAt: t.optional(t.time()),
  },
)
export type Job = t.Row<typeof JobEntity>

/** Output of the shards of a job, read by the job. */
export const ShardEntity = entity('shard', [], {
  jobId: t.key(t.reference('job')),
  /** Step of the job, such as document frequencies. */
  step: t.key(t.text()),
  position: t.key(t.integer()),
  content: t.bytes(),
})

/** A file that a client sent, to be imported by any worker. It is removed by its import, or after it has expired. */
export const UploadEntity = entity('upload', [], {
  /** Random: whoever knows it may import the file. */
  id: t.key(t.text()),
  /** The client that sent it. */
  owner: t.indexed(t.text()),
  /** Name of the file for errors and readers. */
  name: t.text(),
  /** Size of its pieces so far. */
  bytes: t.double(),
  /** In hexadecimal digits; null until all bytes have arrived. */
  sha256: t.optional(t.text()),
  /** The last job that imports it, which may have ended. */
  jobId: t.optional(t.integer()),
  /** While its job is unfinished it does not expire. */
  expiresAt: t.time(),
})
export type Upload = t.Row<typeof UploadEntity>

/** The content of an upload, in pieces that are written one at a time. */
export const UploadPieceEntity = entity('upload_piece', [], {
  uploadId: t.key(t.textReference('upload')),
  position: t.key(t.integer()),
  content: t.bytes(),
})
