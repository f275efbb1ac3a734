import { type Handler, RECORDED } from '../../queue/kind.js'
import { requireSystemById } from '../datasets/subjects.js'
import type { Division } from './division.js'
import { type EvaluateInput, type EvaluateReport, evaluateSystem, planEvaluation } from './evaluation-plan.js'
import { continueSharded } from './sharded-computation.js'

export type EvaluateJobInput = EvaluateInput & { readonly datasetId: number; readonly systemId: number }

/** What is known of an evaluation beside the stored scores. */
export type EvaluateResult = Pick<EvaluateReport, 'scoreIds' | 'unscoredImageCount'>

/** Computes and stores the scores of a system. */
export function createEvaluateJob({
  maxUndividedImages,
  imagesPerShard,
}: Division): Handler<EvaluateJobInput, EvaluateResult> {
  return async (context) => {
    const { input, database, progress } = context
    const threads = await context.threads()
    const system = await requireSystemById(database, input.systemId)
    const computation = await planEvaluation(database, threads, system, input)
    if (computation.imageCount <= maxUndividedImages) {
      return toResult(await evaluateSystem(database, threads, system, input, progress))
    }
    const report = await continueSharded(context, computation, imagesPerShard)
    return report === RECORDED ? report : toResult(report)
  }
}

function toResult({ scoreIds, unscoredImageCount }: EvaluateReport): EvaluateResult {
  return { scoreIds, unscoredImageCount }
}
