import { AccordError } from '../../errors.js'
import { chooseReferences, whyNoAgreement } from '../../services/datasets/references.js'
import {
  hashOfDocuments,
  requireDocuments,
  requireFixedDocuments,
} from '../../services/evaluations/document-source.js'
import { definedScores, meanOverFolds } from '../../services/evaluations/image-scores.js'
import {
  hasFrequencies,
  pickMetrics,
  requireFrequencies,
  resolveMetric,
} from '../../services/evaluations/metrics.js'
import type { RecordedScore } from '../../services/evaluations/scores.js'
import type { ScoreTable } from '../../services/exports/score-table.js'
import { subtractScores } from '../../services/images/image-lists.js'
import { requireSystem } from '../../services/systems/systems.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { AgreementScore, MetricScore } from '../../store/schema/score-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import type { ImageScores } from '../../store/scores.js'
import { loadDataset } from '../loaders/datasets.js'
import { loadAgreement, loadFoldScores, loadImageScores, loadScores } from '../loaders/systems.js'
import { unusedArgument } from '../shared/arguments.js'
import type { Context } from '../shared/context.js'
import { present } from '../shared/loader.js'
import type * as schema from '../shared/schema-types.js'

export interface CaptionScoreModel {
  readonly metric: string
  readonly value: number
  readonly signature: string
}

export interface MetricScoreModel {
  readonly system: System
  readonly metric: string
  /** k of the folds; null: against all captions of each image. */
  readonly references: number | null
  /** Where document frequencies come from. Absent: the measured images. */
  readonly documents?: string | null
  /** Null if it was not computed. */
  readonly row: RecordedScore | null
}

export interface ScoreVectorModel {
  readonly datasetId: number
  readonly scores: ImageScores
}

export interface ScoreTableModel extends ScoreTable {
  readonly datasetId: number
}

export interface AgreementScoreModel extends AgreementScore {
  /** Where document frequencies come from. Absent: each fold. */
  readonly documents?: string | null
}

/** Human agreement with k references. */
export interface HumanAgreementModel {
  readonly dataset: Dataset
  /** k. Null if no caption can be held out. */
  readonly references: number | null
  readonly documents?: string | null
  readonly rows: readonly AgreementScoreModel[]
  readonly undefinedReason: UndefinedReason | null
}

/** k, or as many references as people have. */
export interface ReferenceChoice {
  readonly references?: number | null
  readonly against?: schema.Against | null
  /** Where document frequencies come from: `coco` or the name of a dataset. Default: the measured images. */
  readonly documents?: string | null
}

/**
 * The number of references that is meant: null for all captions of each image, and 0 as of people with one caption.
 *
 * @throws AccordError OUT_OF_RANGE; NOT_APPLICABLE if it is given in both ways
 */
export async function chosenReferences(
  datasetId: number,
  { references, against }: ReferenceChoice,
  context: Context,
): Promise<number | null> {
  if (references != null && against != null)
    throw unusedArgument('against', 'the number of references is given', 'no value beside references')
  const isAsPeople = against === 'AS_PEOPLE'
  if (references == null && !isAsPeople) return null
  const dataset = present(await loadDataset(context, datasetId))
  return isAsPeople ? dataset.captionsPerImage - 1 : chooseReferences(dataset, references)
}

/** The hash of the document frequencies that are meant; undefined for those of the measured images. */
export async function chosenDocuments(
  { documents }: Pick<ReferenceChoice, 'documents'>,
  { accord }: Context,
): Promise<string | undefined> {
  return hashOfDocuments(accord.database, await requireDocuments(accord.database, { documents }))
}

/** The document frequencies that are meant, where a metric has any. */
export function ofMetric(
  { accord }: Context,
  metric: string,
  documents: string | null | undefined,
): string | null | undefined {
  return hasFrequencies(accord, metric) ? documents : undefined
}

/** The score of a system by a metric, which may not have been computed. @throws AccordError UNKNOWN_METRIC */
export async function scoreOf(
  system: System,
  { metric, ...choice }: ReferenceChoice & { readonly metric: string },
  context: Context,
): Promise<MetricScoreModel> {
  const { name } = await resolveMetric(context.accord, metric)
  const references = await chosenReferences(system.datasetId, choice, context)
  await requireFrequencies(context.accord, [name], choice)
  const documents = await chosenDocuments(choice, context)
  const rows = await loadScores(context, { systemId: system.id, references, documents })
  const row = rows.find((candidate) => candidate.metric === name) ?? null
  return { system, metric: name, references, documents: choice.documents, row }
}

/** The image scores of a corpus score, without images where it is undefined. */
export async function imageScoresOf({ id }: MetricScore, context: Context): Promise<ImageScores> {
  return definedScores(present(await loadImageScores(context, id)))
}

export async function imageScoresOfPeople(row: AgreementScore, context: Context): Promise<ImageScores> {
  return meanOverFolds(row, present(await loadFoldScores(context, row.id)))
}

/**
 * The scores of images that an order of images reads: of a side, or of it minus another.
 *
 * @throws AccordError UNKNOWN_SYSTEM, UNKNOWN_METRIC; NOT_APPLICABLE for scores that are not stored, and for people against all captions
 */
export async function scoresToOrder(
  dataset: Dataset,
  { metric, side, minus, against }: schema.ImageOrderField,
  context: Context,
): Promise<ImageScores> {
  const withPeople = [side, minus].some((one) => one?.human != null)
  if (withPeople && against === 'ALL')
    throw unusedArgument('against', 'people cannot be scored against all captions', 'AS_PEOPLE, or no value')
  const choice = { metric, against: withPeople ? ('AS_PEOPLE' as const) : against }
  const first = await scoresOfSide(dataset, side, choice, context)
  return minus ? subtractScores(first, await scoresOfSide(dataset, minus, choice, context)) : first
}

async function scoresOfSide(
  dataset: Dataset,
  { system: name }: schema.SideInput,
  choice: ReferenceChoice & { readonly metric: string },
  context: Context,
): Promise<ImageScores> {
  const { metric } = choice
  if (name == null) {
    const [row] = (await agreementOf(dataset, { metrics: [metric] }, context)).rows
    if (row) return imageScoresOfPeople(row, context)
  } else {
    const { row } = await scoreOf(await requireSystem(context.accord, dataset, name), choice, context)
    if (row) return imageScoresOf(row, context)
  }
  throw new AccordError('NOT_APPLICABLE', 'there are no scores to order the images by', {
    source: 'orderBy',
    expected: 'a metric whose scores are stored, which startEvaluation and computeHumanAgreement compute',
    found: `${metric} of ${name ?? 'people'}`,
  })
}

/** Which scores of people are meant. */
interface AgreementChoice extends Pick<ReferenceChoice, 'references' | 'documents'> {
  readonly metrics?: readonly string[] | null
}

/**
 * The stored scores of people by the named metrics, by default all.
 *
 * @throws AccordError UNKNOWN_METRIC; OUT_OF_RANGE for k; NOT_APPLICABLE for the document frequencies of a dataset
 */
export async function agreementOf(
  dataset: Dataset,
  { documents, ...options }: AgreementChoice,
  context: Context,
): Promise<HumanAgreementModel> {
  const undefinedReason = whyNoAgreement(dataset)
  if (undefinedReason !== null) return { dataset, references: null, documents, rows: [], undefinedReason }
  const references = chooseReferences(dataset, options.references)
  const source = await requireDocuments(context.accord.database, { documents })
  requireFixedDocuments(source)
  const stored = await loadAgreement(context, { datasetId: dataset.id, references, ...source })
  const rows = (await pickMetrics(context.accord, stored, options.metrics)).map((row) => ({
    ...row,
    documents: ofMetric(context, row.metric, documents),
  }))
  return { dataset, references, documents, rows, undefinedReason: rows.length > 0 ? null : 'NOT_COMPUTED' }
}
