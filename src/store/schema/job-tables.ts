import type { ErrorData } from '../../errors.js'
import {
  boolean,
  bytes,
  distinct,
  double,
  id,
  index,
  indexed,
  integer,
  json,
  key,
  optional,
  type Row,
  reference,
  tableList,
  text,
  textReference,
  time,
} from '../engine/columns.js'

const tables = tableList()
const { entity } = tables

/** Each after those that it refers to. */
export const JOB_TABLES = tables.entities

export type JobStatus = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'

/** Why a job failed: of a bug, without its details. */
export type JobFailure = ErrorData

/** A job, executed by any worker. */
export const JobEntity = entity(
  'job',
  [index('status', 'owner', 'priority', 'id'), index('owner', 'startedAt')],
  {
    id: id(),
    kind: text(),
    /** The client that requested it; workers alternate between owners. */
    owner: text(),
    /** At most one unfinished job has this key. */
    uniqueKey: distinct(optional(text()), "status IN ('QUEUED', 'RUNNING')"),
    /** Of queries: their input and the state of what they ask about. Its result is the answer to equal queries. */
    cacheKey: indexed(optional(text())),
    /** Jobs of one owner are executed by descending priority; below 0, when no other job is queued. */
    priority: integer(),
    /** A job that waits for its parts is RUNNING without a worker. */
    status: text<JobStatus>(),
    input: json<unknown>(),
    /** Null until the job is done, and for jobs without a result. */
    result: optional(json<unknown>()),
    failure: optional(json<JobFailure>()),
    /** 0 to 1, with a message about the current step. */
    progress: double(),
    message: optional(text()),
    /** Number of starts by workers since it was added or last waited for shards. */
    attempts: integer(),
    /** The claim of the worker that runs it, and the time until which the lease is valid. */
    worker: optional(text()),
    leaseUntil: optional(time()),
    /** Whether its cancellation was requested. */
    cancelRequested: boolean(),
    /** Number of requests that wait for it; null if it is executed even when nobody waits. */
    waiterCount: optional(integer()),
    /** The job of which it is a shard. */
    parentId: indexed(optional(reference('job'))),
    /** The subject of the job, which is removed with it. */
    datasetId: indexed(optional(reference('dataset'))),
    systemId: indexed(optional(reference('system'))),
    createdAt: time(),
    startedAt: optional(time()),
    endedAt: optional(time()),
  },
)
export type Job = Row<typeof JobEntity>

/** Output of the shards of a job, read by the job. */
export const ShardEntity = entity('shard', [], {
  jobId: key(reference('job')),
  /** Step of the job, such as document frequencies. */
  step: key(text()),
  position: key(integer()),
  content: bytes(),
})

/** A file that a client sent, to be imported by any worker. It is removed by its import, or after it has expired. */
export const UploadEntity = entity('upload', [], {
  /** Random: whoever knows it may import the file. */
  id: key(text()),
  /** The client that sent it. */
  owner: indexed(text()),
  /** Name of the file for errors and readers. */
  name: text(),
  /** Size of its pieces so far. */
  bytes: double(),
  /** In hexadecimal digits; null until all bytes have arrived. */
  sha256: optional(text()),
  /** The last job that imports it, which may have ended. */
  jobId: optional(integer()),
  /** While its job is unfinished it does not expire. */
  expiresAt: time(),
})
export type Upload = Row<typeof UploadEntity>

/** The content of an upload, in pieces that are written one at a time. */
export const UploadPieceEntity = entity('upload_piece', [], {
  uploadId: key(textReference('upload')),
  position: key(integer()),
  content: bytes(),
})
