import { chooseReferences, whyNoAgreement } from '../../services/datasets/references.js'
import {
  definedScores,
  meanOverFolds,
  pickMetrics,
  resolveMetric,
} from '../../services/evaluations/scores.js'
import type { AgreementScore, Dataset, MetricScore, System } from '../../store/schema/entities.js'
import type { ImageScores } from '../../store/scores.js'
import { loadDataset } from '../datasets/loaders.js'
import type { Context } from '../execution/context.js'
import { present } from '../execution/present.js'
import { loadAgreement, loadFoldScores, loadImageScores, loadScores } from './loaders.js'
import type { HumanAgreementModel, MetricScoreModel } from './models.js'

/** k, or as many references as people have. */
export interface ReferenceChoice {
  readonly references?: number | null
  readonly isAsPeople?: boolean | null
}

/** The number of references that is meant: null for all captions of each image, and 0 as of people with one caption. */
export async function chosenReferences(
  datasetId: number,
  { references, isAsPeople }: ReferenceChoice,
  context: Context,
): Promise<number | null> {
  if (references != null || !isAsPeople) return references ?? null
  return present(await loadDataset(context, datasetId)).captionsPerImage - 1
}

/** The score of a system by a metric, which may not have been computed. @throws AccordError UNKNOWN_METRIC */
export async function scoreOf(
  system: System,
  { metric, ...choice }: ReferenceChoice & { readonly metric: string },
  context: Context,
): Promise<MetricScoreModel> {
  const { name } = await resolveMetric(context.accord, metric)
  const references = await chosenReferences(system.datasetId, choice, context)
  const rows = await loadScores(context, { systemId: system.id, references })
  const row = rows.find((candidate) => candidate.metric === name) ?? null
  return { system, metric: name, references, row }
}

/** The image scores of a corpus score, without images where it is undefined. */
export async function imageScoresOf({ id }: MetricScore, context: Context): Promise<ImageScores> {
  return definedScores(present(await loadImageScores(context, id)))
}

/** The image scores of people. */
export async function imageScoresOfPeople(row: AgreementScore, context: Context): Promise<ImageScores> {
  return meanOverFolds(row, present(await loadFoldScores(context, row.id)))
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
