import type { Handler } from '../../queue/kind.js'
import { requireSystemById } from '../datasets/subjects.js'
import type { Sharding } from './division.js'
import { type EvaluateInput, type EvaluateResult, planEvaluation } from './evaluation-plan.js'
import { executePlan } from './plan-shards.js'

export type EvaluateJobInput = EvaluateInput & { readonly datasetId: number; readonly systemId: number }

/** Computes and stores the scores of a system. */
export function createEvaluateJob(sharding: Sharding): Handler<EvaluateJobInput, EvaluateResult> {
  return async (context) => {
    const { input, database } = context
    const system = await requireSystemById(database, input.systemId)
    const plan = await planEvaluation(database, await context.threads(), system, input)
    return executePlan(context, plan, sharding)
  }
}
