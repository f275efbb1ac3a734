import { type FamilyScores, scoreEvaluation } from '../../compute/evaluation.js'
import type { Threads } from '../../compute/pool.js'
import { noFolds } from '../../core/agreement/leave-one-out.js'
import { captionForm } from '../../core/metrics/metric.js'
import * as provenance from '../../core/metrics/provenance.js'
import type { MetricChoice, MetricRegistry } from '../../core/metrics/registry.js'
import type { Tokenization } from '../../core/text/tokenization.js'
import { type Progress, part } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { Handler } from '../../queue/kind.js'
import type { Session } from '../../store/engine/session.js'
import { countCaptionedImages } from '../../store/image-ranges.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { AgreementScore } from '../../store/schema/score-tables.js'
import { type NewAgreement, readAgreement, saveAgreement } from '../../store/scores.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { type DocumentSource, readDocuments, requireFixedDocuments } from '../evaluations/document-source.js'
import {
  type ExternalScores,
  externalMetricsOf,
  externalScoresOfPeople,
  withExternal,
} from '../evaluations/external-scores.js'
import { type FixedDocuments, requireSameTokens } from '../evaluations/fixed-documents.js'
import { executePlan, joinArrays, type Plan, type Sharding } from '../evaluations/plan.js'
import { checkReferences, foldedImages, foldsOf, trialOfCounts } from '../evaluations/reference-lists.js'
import { recordFolds, recordScore, type ScoreContext } from '../provenance/record-provenance.js'
import { idsOf } from '../shared/groups.js'
import { reportedInterval } from '../shared/intervals.js'
import { tokenizationOf } from '../shared/tokens.js'

export interface AgreementInput extends DocumentSource {
  /** k: number of references of each held-out caption, from 1 to K − 1. */
  readonly references: number
  /** Names of metrics, which are computed with the others of their families. Default: all. */
  readonly metrics?: readonly string[]
}

/** What is stored of a leave-one-out table. */
export interface StoredAgreement {
  /** The row of each metric that has one: of those made in the same way as now the newest, else the newest of all. */
  readonly rows: readonly AgreementScore[]
  /** Names of the wanted metrics without a row that was made in the same way as now. */
  readonly missing: readonly string[]
}

/**
 * What is stored of the leave-one-out table of a dataset, rows in the order of the metrics. Without names of metrics, all
 * rows are returned, and the metrics that are computed by default are wanted.
 *
 * @throws AccordError UNKNOWN_METRIC; errors of resources
 */
export async function storedAgreement(
  session: Session,
  registry: MetricRegistry,
  dataset: Dataset,
  input: AgreementInput,
): Promise<StoredAgreement> {
  const [table] = await storedAgreements(session, registry, [dataset], input)
  return table
}

/** The same of several datasets, with as many statements as for one; with K − 1 references where `references` is absent. */
export async function storedAgreements(
  session: Session,
  registry: MetricRegistry,
  datasets: readonly Dataset[],
  { references, metrics, ...source }: Partial<AgreementInput>,
): Promise<StoredAgreement[]> {
  const ids = idsOf(datasets)
  const stored = await withRecords(session, await readAgreement(session, ids))
  const fixed = await readDocuments(session, source)
  return datasets.map((dataset) => {
    const k = references ?? dataset.captionsPerImage - 1
    const ofTable = stored.filter((row) => row.datasetId === dataset.id && row.referenceCount === k)
    const context = contextOf(dataset, k, fixed)
    const tokenization = tokenizationOf(dataset)
    const wanted = registry.choose(metrics, 'metrics', tokenization)
    const shown = metrics === undefined ? chooseAll(registry, tokenization) : wanted
    return pickRows(registry, { shown, wanted }, context, ofTable, fixed?.record.hash)
  })
}

/** All metrics that exist for captions. */
function chooseAll(registry: MetricRegistry, tokenization: Tokenization): MetricChoice {
  const names = registry.metrics.map(({ name }) => name)
  return registry.choose(
    names.filter((name) => registry.applies(name, tokenization)),
    'metrics',
    tokenization,
  )
}

function pickRows(
  registry: MetricRegistry,
  { shown, wanted }: { readonly shown: MetricChoice; readonly wanted: MetricChoice },
  context: ScoreContext,
  stored: readonly (AgreementScore & { readonly record: provenance.ProvenanceRecord })[],
  documents: string | undefined,
): StoredAgreement {
  const rows: AgreementScore[] = []
  const missing: string[] = []
  for (const family of shown.families) {
    for (const metric of family.metrics.filter(shown.includes)) {
      const ofMetric = stored.filter(
        (row) => row.metric === metric.name && provenance.hasDocuments(row.record, documents),
      )
      const current = ofMetric.findLast(({ record }) => {
        const now = recordScore(registry, family, metric, context)
        return provenance.findDifference(record, now, { sharedImages: false }) === null
      })
      const row = current ?? ofMetric.at(-1)
      if (row) rows.push(row)
      if (!current && wanted.includes(metric)) missing.push(metric.name)
    }
  }
  return { rows, missing }
}

/** How the scores of people are made. @param fixed document frequencies that are not counted in the folds */
function contextOf(
  { captionsPerImage, imageCount, excludedImageCount, revision, language, tokenizer }: Dataset,
  references: number,
  fixed: FixedDocuments | null,
): ScoreContext {
  const count = imageCount - excludedImageCount
  return {
    dataset: revision,
    subject: { kind: 'people', content: revision },
    references: { count: references, least: references, most: references, folds: captionsPerImage },
    images: { count, of: count, hash: null },
    language,
    tokenizer,
    documentFrequencies: fixed?.record ?? recordFolds(revision, references, count),
  }
}

/**
 * Computes the leave-one-out table of a dataset and saves it, replacing rows that were made in the same way.
 *
 * @param given scores by other programs. Default: those that are stored
 * @throws AccordError OUT_OF_RANGE for k; NOT_APPLICABLE if images have one caption, or none has K, and for a dataset as
 * `documents`; UNKNOWN_METRIC;
 * UNKNOWN_DATASET if the dataset was removed; errors of resources
 */
export async function planAgreement(
  session: Session,
  { registry }: Pick<Threads, 'registry'>,
  dataset: Dataset,
  { references, metrics, ...source }: AgreementInput,
  given?: ExternalScores,
): Promise<Plan<null>> {
  checkReferences(dataset, references)
  requireFixedDocuments(source)
  const fixed = await readDocuments(session, source)
  if (fixed !== null) requireSameTokens(fixed.counted, dataset)
  const { families } = registry.choose(metrics, 'metrics', tokenizationOf(dataset))
  const imageCount = await countCaptionedImages(session, foldedImages(dataset))
  if (imageCount === 0) throw noFolds(dataset.captionsPerImage)
  const folds = foldsOf(session, dataset, references, imageCount, captionForm(families))
  const external =
    given ??
    (await externalScoresOfPeople(session, dataset.id, externalMetricsOf(registry, families), references))
  const measured: Plan<null>['measured'] = {
    ...folds,
    read: async (range) => withExternal(await folds.read(range), external),
  }
  return {
    families,
    measured,
    documents: fixed === null && families.some(({ needs }) => needs.documentFrequencies) ? measured : null,
    ...(fixed && { fixed: fixed.table }),
    async finish({ imageIds, referenceCounts, statistics }, documentFrequencies, progress) {
      const fold = trialOfCounts(referenceCounts, documentFrequencies)
      const scored = scoreEvaluation(families, statistics, fold, part(progress, 0, 0.5))
      const context = contextOf(dataset, references, fixed)
      await save(session, registry, dataset, { references, imageIds, scored, context }, progress)
      return null
    },
  }
}

interface ComputedTable {
  readonly references: number
  readonly context: ScoreContext
  readonly imageIds: Int32Array
  readonly scored: readonly FamilyScores[]
}

async function save(
  session: Session,
  registry: MetricRegistry,
  dataset: Dataset,
  { references, context, imageIds, scored }: ComputedTable,
  progress: Progress,
): Promise<void> {
  progress(0.5, 'writing')
  const families = scored.map(
    ({ family, trials, scores, warnings }): NewAgreement => ({
      family: family.name,
      layoutRevision: family.layoutRevision,
      imageIds,
      statistics: joinArrays(trials),
      scores: scores.map(({ metric, trials: folds, value: mean, interval, imageScores }) => {
        const record = recordScore(registry, family, metric, context)
        const reported = reportedInterval(interval, record)
        return {
          referenceCount: references,
          metric: metric.name,
          signature: provenance.signatureOf(record, VERSION),
          imageCount: imageIds.length,
          folds: [...folds],
          mean,
          standardDeviation: standardDeviation(folds, mean),
          lower: reported?.lower ?? null,
          upper: reported?.upper ?? null,
          warnings: [...warnings],
          record,
          imageScores: joinArrays(imageScores),
        }
      }),
    }),
  )
  await saveAgreement(session, dataset.id, families)
  progress(1, 'done')
}

/** Of the scores of folds (divisor K − 1). */
function standardDeviation(folds: readonly number[], mean: number): number {
  const squares = folds.reduce((sum, score) => sum + (score - mean) ** 2, 0)
  return Math.sqrt(squares / (folds.length - 1))
}

export type AgreementJobInput = AgreementInput & { readonly datasetId: number }

/** Computes and stores the rows of a leave-one-out table that are missing. */
export function createAgreementJob(sharding?: Sharding): Handler<AgreementJobInput, null> {
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
