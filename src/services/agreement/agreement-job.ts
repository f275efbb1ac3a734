import type { Handler } from '../../queue/kind.js'
import { requireDatasetById } from '../datasets/subjects.js'
import type { Division } from '../evaluations/division.js'
import { continueSharded } from '../evaluations/sharded-computation.js'
import { type AgreementInput, computeAgreement, planAgreement, storedAgreement } from './human-agreement.js'

export type AgreementJobInput = AgreementInput & { readonly datasetId: number }

/** Computes and stores a leave-one-out table, as far as it is not stored. */
export function createAgreementJob({
  maxUndividedImages,
  imagesPerShard,
}: Division): Handler<AgreementJobInput, null> {
  return async (context) => {
    const { input, database, progress } = context
    const threads = await context.threads()
    const dataset = await requireDatasetById(database, input.datasetId)
    // An equal job may have ended between the request and this one.
    const { missing } = await storedAgreement(database, threads.registry, dataset, input)
    if (missing.length === 0) return null
    const computation = await planAgreement(database, threads, dataset, input)
    if (computation.imageCount <= maxUndividedImages) {
      await computeAgreement(database, threads, dataset, input, progress)
      return null
    }
    return (await continueSharded(context, computation, imagesPerShard)) ?? null
  }
}
