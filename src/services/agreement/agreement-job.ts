import type { Handler } from '../../queue/kind.js'
import { requireDatasetById } from '../datasets/subjects.js'
import type { Sharding } from '../evaluations/division.js'
import { executePlan } from '../evaluations/plan-shards.js'
import { type AgreementInput, planAgreement, storedAgreement } from './human-agreement.js'

export type AgreementJobInput = AgreementInput & { readonly datasetId: number }

/** Computes and stores the rows of a leave-one-out table that are missing. */
export function createAgreementJob(sharding: Sharding): Handler<AgreementJobInput, null> {
  return async (context) => {
    const { input, database } = context
    const threads = await context.threads()
    const dataset = await requireDatasetById(database, input.datasetId)
    // An equal job may have ended between the request and this one.
    const { missing } = await storedAgreement(database, threads.registry, dataset, input)
    if (missing.length === 0) return null
    return executePlan(context, await planAgreement(database, threads, dataset, input), sharding)
  }
}
