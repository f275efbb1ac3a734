import type { Threads } from '../../compute/pool.js'
import type { Handler } from '../../queue/kind.js'
import type { Session } from '../../store/engine/session.js'
import { findJobs, LeaseLost } from '../../store/jobs.js'
import type { AgreementJobInput } from '../agreement/agreement-job.js'
import { planAgreement } from '../agreement/human-agreement.js'
import { requireDatasetById, requireSystemById } from '../datasets/subjects.js'
import type { EvaluateJobInput } from '../evaluations/evaluate-job.js'
import { planEvaluation } from '../evaluations/evaluation-plan.js'
import { countShard, measureShardImages, type ShardInput } from '../evaluations/sharded-computation.js'
import type { SplitComputation } from '../evaluations/split-computation.js'

/** Counts the document frequencies of a range of images. */
export const countDocumentsJob: Handler<ShardInput, null> = async (context) =>
  countShard(context, await planOf(context.database, await context.threads(), context.input))

/** Measures a range of images. */
export const measureImagesJob: Handler<ShardInput, null> = async (context) =>
  measureShardImages(context, await planOf(context.database, await context.threads(), context.input))

/** The computation that a shard is a part of. @throws LeaseLost if the parent, and with it the shard, was removed */
async function planOf(
  session: Session,
  threads: Threads,
  { jobId }: ShardInput,
): Promise<SplitComputation<unknown>> {
  const [job] = await findJobs(session, [jobId])
  if (job === undefined) throw new LeaseLost()
  if (job.kind === 'evaluate') {
    const input = job.input as EvaluateJobInput
    return planEvaluation(session, threads, await requireSystemById(session, input.systemId), input)
  }
  const input = job.input as AgreementJobInput
  return planAgreement(session, threads, await requireDatasetById(session, input.datasetId), input)
}
