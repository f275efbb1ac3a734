import { computeLeaveOneOut } from '../../compute/agreement.js'
import type { Threads } from '../../compute/pool.js'
import { measureShard } from '../../compute/shard.js'
import {
  type AgreementScore as ComputedScore,
  type LeaveOneOutTrials,
  summarizeFolds,
} from '../../core/agreement/leave-one-out.js'
import { countDocumentFrequencies } from '../../core/metrics/document-frequencies.js'
import type { MetricFamily } from '../../core/metrics/metric.js'
import { findDifference, type ProvenanceRecord, signatureOf } from '../../core/metrics/provenance.js'
import type { MetricChoice, MetricRegistry } from '../../core/metrics/registry.js'
import type { Measurement } from '../../core/stats/measurement.js'
import { type Progress, part } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { Session } from '../../store/engine/session.js'
import {
  type CaptionedImages,
  countCaptionedImages,
  readCaptionCounts,
  splitImages,
} from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import { readProvenance } from '../../store/provenance.js'
import type { AgreementScore, Dataset } from '../../store/schema/entities.js'
import { type NewAgreement, readAgreement, saveAgreement } from '../../store/scores.js'
import { readTokenTexts } from '../../store/tokens.js'
import { checkReferences, readFolds } from '../evaluations/folds.js'
import { recordFolds, recordScore } from '../evaluations/record-provenance.js'
import { listAllReferences, trialOfCounts } from '../evaluations/reference-lists.js'
import { joinArrays, type SplitComputation } from '../evaluations/split-computation.js'

export interface AgreementInput {
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
  { references, metrics }: Partial<AgreementInput>,
): Promise<StoredAgreement[]> {
  const wanted = registry.choose(metrics)
  const shown = metrics === undefined ? registry.choose(registry.metrics.map(({ name }) => name)) : wanted
  const ids = datasets.map(({ id }) => id)
  const stored = await readAgreement(session, ids)
  const records = await readProvenance(session, [...new Set(stored.map(({ provenanceId }) => provenanceId))])
  return datasets.map((dataset) => {
    const k = references ?? dataset.captionsPerImage - 1
    const ofTable = stored.filter((row) => row.datasetId === dataset.id && row.referenceCount === k)
    return pickRows(registry, { shown, wanted }, dataset, k, ofTable, records)
  })
}

function pickRows(
  registry: MetricRegistry,
  { shown, wanted }: { readonly shown: MetricChoice; readonly wanted: MetricChoice },
  dataset: Dataset,
  references: number,
  stored: readonly AgreementScore[],
  records: ReadonlyMap<number, ProvenanceRecord>,
): StoredAgreement {
  const rows: AgreementScore[] = []
  const missing: string[] = []
  for (const family of shown.families) {
    for (const metric of family.metrics.filter(shown.includes)) {
      const ofMetric = stored.filter((row) => row.metric === metric.name)
      const current = ofMetric.findLast(({ provenanceId }) => {
        const record = records.get(provenanceId) as ProvenanceRecord
        const now = recordScore(registry, family, metric, contextOf(dataset, references))
        return findDifference(record, now, { sharedImages: false }) === null
      })
      const row = current ?? ofMetric.at(-1)
      if (row) rows.push(row)
      if (!current && wanted.includes(metric)) missing.push(metric.name)
    }
  }
  return { rows, missing }
}

/** How the scores of people are made. */
function contextOf(
  { captionsPerImage, imageCount, excludedImageCount, revision }: Dataset,
  references: number,
) {
  const count = imageCount - excludedImageCount
  return {
    dataset: revision,
    subject: { kind: 'people', content: revision } satisfies ProvenanceRecord['subject'],
    references: { count: references, least: references, most: references, folds: captionsPerImage },
    images: { count, of: count, hash: null },
    documentFrequencies: recordFolds(revision, references, count),
  }
}

/**
 * Computes the leave-one-out table of a dataset and saves it, replacing rows that were made in the same way.
 *
 * @throws AccordError OUT_OF_RANGE for k; NOT_APPLICABLE if images have one caption, or none has K; UNKNOWN_METRIC;
 * UNKNOWN_DATASET if the dataset was removed; errors of resources
 */
export async function computeAgreement(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  { references, metrics }: AgreementInput,
  progress: Progress,
): Promise<void> {
  checkReferences(dataset, references)
  const { families } = threads.registry.choose(metrics)
  progress(0, 'reading captions')
  threads.start()
  const captions = await readReferenceCaptions(session, dataset.id)
  const corpus = { ...captions.sequences, texts: await readTokenTexts(session) }
  const { imageIds, lists } = listAllReferences(captions)
  const { measurements, table } = await computeLeaveOneOut(threads, corpus, lists, families, {
    captionsPerImage: dataset.captionsPerImage,
    references,
    onProgress: part(progress, 0.05, 0.95),
  })
  const measured = table.images.map((image) => imageIds[image])
  await save(
    session,
    threads,
    dataset,
    { references, imageIds: measured, measurements, scores: table.scores },
    progress,
  )
}

/**
 * The same table, divided into steps on ranges of images.
 *
 * @throws AccordError as {@link computeAgreement}
 */
export async function planAgreement(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  { references, metrics }: AgreementInput,
): Promise<SplitComputation<void>> {
  checkReferences(dataset, references)
  const { families } = threads.registry.choose(metrics)
  const images: CaptionedImages = { datasetId: dataset.id, minCaptionCount: dataset.captionsPerImage }
  const split = (imagesPerRange: number) => splitImages(session, images, imagesPerRange)
  return {
    families,
    imageCount: await countCaptionedImages(session, images),
    documentRanges: async (imagesPerRange) =>
      families.some(({ needs }) => needs.documentFrequencies) ? split(imagesPerRange) : [],
    async countDocuments(range) {
      const { corpus, trials } = await readFolds(session, dataset, references, range)
      return countDocumentFrequencies(corpus, trials, { partial: true })
    },
    imageRanges: split,
    async measure(range, tables, progress) {
      progress(0, 'reading captions')
      const { corpus, trials } = await readFolds(session, dataset, references, range)
      const folds = trials.map((trial, fold) => ({ ...trial, documentFrequencies: tables[fold] }))
      const measuring = part(progress, 0.1, 1)
      return measureShard(families, corpus, folds, (share) => measuring(share, 'measuring'))
    },
    async finish(rows, [documentFrequencies], progress) {
      progress(0, 'reading images')
      const { imageIds } = await readCaptionCounts(session, images)
      const measurements = families.map((family, index) => ({ family, trials: rows[index] }))
      const computing = part(progress, 0.1, 0.95)
      const fold = trialOfCounts(new Int32Array(imageIds.length).fill(references), documentFrequencies)
      const folds: LeaveOneOutTrials = {
        trials: Array.from({ length: dataset.captionsPerImage }, () => fold),
        images: imageIds.map((_, image) => image),
        excludedImageCount: dataset.excludedImageCount,
      }
      const { scores } = summarizeFolds(folds, references, measurements, (share) =>
        computing(share, 'computing intervals'),
      )
      await save(session, threads, dataset, { references, imageIds, measurements, scores }, progress)
    },
  }
}

interface ComputedTable {
  readonly references: number
  readonly imageIds: Int32Array
  readonly measurements: readonly Measurement<MetricFamily>[]
  readonly scores: readonly ComputedScore[]
}

async function save(
  session: Session,
  { registry }: Threads,
  dataset: Dataset,
  { references, imageIds, measurements, scores }: ComputedTable,
  progress: Progress,
): Promise<void> {
  progress(0.95, 'writing')
  const context = contextOf(dataset, references)
  const families = measurements.map(
    ({ family, trials }): NewAgreement => ({
      family: family.name,
      layoutRevision: family.layoutRevision,
      imageIds,
      statistics: joinArrays(trials),
      scores: scores
        .filter((score) => score.family === family)
        .map(({ metric, folds, mean, standardDeviation, interval, imageScores, warnings }) => {
          const record = recordScore(registry, family, metric, context)
          return {
            referenceCount: references,
            metric: metric.name,
            signature: signatureOf(record, VERSION),
            imageCount: imageIds.length,
            folds: [...folds],
            mean,
            standardDeviation,
            lower: interval?.lower ?? null,
            upper: interval?.upper ?? null,
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
