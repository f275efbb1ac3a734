import { AccordError } from '../errors.js'
import type { Database } from '../store/engine/session.js'
import {
  type Claim,
  expireLease,
  findExpiredJobs,
  MAX_ATTEMPTS,
  readClaims,
  recoverJob,
} from '../store/jobs.js'
import { CANCELLATION, type ClaimedJob, toFailure } from './run-job.js'

const WORKER_LOST = toFailure(
  new AccordError(
    'WORKER_LOST',
    `the job was started ${MAX_ATTEMPTS} times, and its worker stopped each time`,
  ),
)

/** Passes cancellation requests and lost leases to running jobs. */
export async function passCancellations(
  database: Database,
  runs: readonly Pick<ClaimedJob, 'claim' | 'cancellation'>[],
): Promise<void> {
  if (runs.length === 0) return
  const claims = await readClaims(
    database,
    runs.map(({ claim }) => claim.id),
  )
  const byWorker = new Map(claims.map((status) => [status.worker, status]))
  for (const { claim, cancellation } of runs) {
    const status = byWorker.get(claim.worker)
    if (status === undefined) Atomics.store(cancellation, 0, CANCELLATION.leaseLost)
    else if (status.cancelRequested)
      Atomics.compareExchange(cancellation, 0, CANCELLATION.none, CANCELLATION.cancel)
  }
}

/** Recovers jobs with expired leases. */
export async function recoverExpired(database: Database): Promise<void> {
  for (const id of await findExpiredJobs(database))
    await database.transaction((session) => recoverJob(session, id, WORKER_LOST))
}

/** Recovers the job of a worker that is known to have stopped. */
export async function recoverFrom(database: Database, claim: Claim): Promise<void> {
  await database.transaction(async (session) => {
    await expireLease(session, claim)
    await recoverJob(session, claim.id, WORKER_LOST)
  })
}
