import type { Threads } from '../../compute/pool.js'
import type { FrequencyTables } from '../../core/metrics/frequency-tables.js'
import type { Handler, JobContext } from '../../queue/kind.js'
import type { Database } from '../../store/engine/session.js'
import { findJobs, LeaseLost } from '../../store/jobs.js'
import { type AgreementJobInput, planAgreement } from '../agreement/human-agreement.js'
import { planSubmission, type SubmissionInput } from '../challenges/submission-job.js'
import { requireDatasetById, requireSystemById } from '../datasets/require-subjects.js'
import { type EvaluateJobInput, planEvaluation } from '../evaluations/evaluate-job.js'
import { countShard, measureShard, type Plan, readTables, type ShardInput } from '../evaluations/plan.js'

/** Counts the document frequencies of a range of images. */
export const countDocumentsJob: Handler<ShardInput, null> = async (context) => {
  const { plan } = await openPlan(context)
  return countShard(context, plan)
}

export const measureImagesJob: Handler<ShardInput, null> = async (context) => {
  const opened = await openPlan(context)
  opened.tables ??= await readTables(context.database, opened.jobId)
  return measureShard(context, opened.plan, opened.tables)
}

/** The plan of a job whose shards are executed here. */
interface OpenPlan {
  readonly jobId: number
  readonly plan: Plan<unknown>
  /** Document frequencies, read by the first shard that needs them. */
  tables?: FrequencyTables
}

const openPlans = new WeakMap<Database, OpenPlan>()

/**
 * The plan that a shard is a part of. That of the last job is kept: a worker mostly executes shards of one job in a row.
 *
 * @throws LeaseLost if the job, and with it the shard, was removed
 */
async function openPlan({
  database,
  threads,
  input: { jobId },
}: JobContext<ShardInput, null>): Promise<OpenPlan> {
  const last = openPlans.get(database)
  if (last?.jobId === jobId) return last
  const opened = { jobId, plan: await planOf(database, await threads(), jobId) }
  openPlans.set(database, opened)
  return opened
}

async function planOf(database: Database, threads: Threads, jobId: number): Promise<Plan<unknown>> {
  const [job] = await findJobs(database, [jobId])
  if (job === undefined) throw new LeaseLost()
  if (job.kind === 'evaluate') {
    const input = job.input as EvaluateJobInput
    return planEvaluation(database, threads, await requireSystemById(database, input.systemId), input)
  }
  if (job.kind === 'submission') return planSubmission(database, threads, job.input as SubmissionInput)
  const input = job.input as AgreementJobInput
  return planAgreement(database, threads, await requireDatasetById(database, input.datasetId), input)
}
