import { randomUUID } from 'node:crypto'
import { fromErrorData } from '../errors.js'
import type { Progress } from '../progress.js'
import { findJobs, insertRunningJob, renewLease } from '../store/jobs.js'
import type { InputOf, KindName, Kinds, ResultOf } from './kind.js'
import { passCancellations, recoverExpired } from './lease.js'
import { addRow, DEFAULT_OWNER, subjectOf } from './queue.js'
import { CANCELLATION, type Runtime, runJob } from './run-job.js'

export interface PerformOptions {
  readonly owner?: string
  readonly signal?: AbortSignal
  readonly progress?: Progress
}

/** Interval of looks at the row of the job, in milliseconds. */
const LOOK_INTERVAL_MS = 1000

/** A computation can keep this thread from renewing its lease for as long. */
const LEASE_MS = 120_000

/** Where the job of a killed process continues from a checkpoint, others take it over sooner. */
const RESUMABLE_LEASE_MS = 15_000

/**
 * Executes a job in this process, which holds its lease. If the process is killed, the job fails: what it needs, such as
 * a file, may exist only here.
 *
 * @throws the error of the job; the reason of the signal
 */
export async function performJob<Table extends Kinds, Name extends KindName<Table>>(
  runtime: Runtime & { readonly kinds: Table },
  kind: Name,
  input: InputOf<Table[Name]>,
  { owner = DEFAULT_OWNER, signal, progress }: PerformOptions = {},
): Promise<ResultOf<Table[Name]>> {
  const { database, kinds } = runtime
  const leaseMs = kinds[kind].isResumable ? RESUMABLE_LEASE_MS : LEASE_MS
  await recoverExpired(database)
  const worker = randomUUID()
  const row = { kind, owner, worker, priority: kinds[kind].priority, input: JSON.stringify(input) }
  const job = await addRow(await subjectOf(database, kinds[kind], input), (subject) =>
    database.transaction((session) => insertRunningJob(session, { ...row, ...subject }, leaseMs)),
  )
  const claim = { id: job.id, worker }
  const cancellation = new Int32Array(new SharedArrayBuffer(4))
  const state = { fraction: 0, message: null as string | null }
  const look = async () => {
    await renewLease(database, claim, state, leaseMs)
    await passCancellations(database, [{ claim, cancellation }])
  }
  // What goes wrong with a look is repeated by the next one, and by the end of the job.
  const timer = setInterval(() => look().catch(() => {}), LOOK_INTERVAL_MS)
  const abort = () => Atomics.compareExchange(cancellation, 0, CANCELLATION.none, CANCELLATION.cancel)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  try {
    const error = await runJob(runtime, { job, claim, cancellation, isLocal: true }, (fraction, message) => {
      Object.assign(state, { fraction, message })
      progress?.(fraction, message)
    })
    signal?.throwIfAborted()
    if (error !== undefined) throw error
  } finally {
    clearInterval(timer)
    signal?.removeEventListener('abort', abort)
  }
  const [ended] = await findJobs(database, [job.id])
  if (ended?.failure) throw fromErrorData(ended.failure)
  return ended?.result as never
}
