import { chooseReferences, whyNoAgreement } from '../../services/datasets/references.js'
import { definedScores, pickMetrics, resolveMetric } from '../../services/evaluations/scores.js'
import type { Dataset, MetricScore, System } from '../../store/schema/entities.js'
import type { ImageScores } from '../../store/scores.js'
import type { Context } from '../execution/context.js'
import { present } from '../execution/present.js'
import { loadAgreement, loadImageScores, loadScores } from './loaders.js'
import type { HumanAgreementModel, MetricScoreModel } from './models.js'

/** The score of a system by a metric, which may not have been computed. @throws AccordError UNKNOWN_METRIC */
export async function scoreOf(
  system: System,
  { metric, references }: { readonly metric: string; readonly references?: number | null },
  context: Context,
): Promise<MetricScoreModel> {
  const { name } = await resolveMetric(context.accord, metric)
  const rows = await loadScores(context, { systemId: system.id, references: references ?? null })
  const row = rows.find((candidate) => candidate.metric === name) ?? null
  return { system, metric: name, references: references ?? null, row }
}

/** The image scores of a corpus score, without images where it is undefined. */
export async function imageScoresOf({ id }: MetricScore, context: Context): Promise<ImageScores> {
  return definedScores(present(await loadImageScores(context, id)))
}

/** The stored scores of people by the named metrics, by default all. @throws AccordError UNKNOWN_METRIC; OUT_OF_RANGE for k */
export async function agreementOf(
  dataset: Dataset,
  options: { readonly references?: number | null; readonly metrics?: readonly string[] | null },
  context: Context,
): Promise<HumanAgreementModel> {
  const undefinedReason = whyNoAgreement(dataset)
  if (undefinedReason !== null) return { dataset, references: null, rows: [], undefinedReason }
  const references = chooseReferences(dataset, options.references)
  const stored = await loadAgreement(context, { datasetId: dataset.id, references })
  const rows = await pickMetrics(context.accord, stored, options.metrics)
  return { dataset, references, rows, undefinedReason: rows.length > 0 ? null : 'NOT_COMPUTED' }
}
