import {
  type AgreementScore as ComputedScore,
  type LeaveOneOutTrials,
  leaveOneOutTrials,
  summarizeFolds,
} from '../agreement/leave-one-out.js'
import { requireReferences } from '../agreement/references.js'
import { AccordError } from '../errors.js'
import { countDocumentFrequencies } from '../metrics/document-frequencies.js'
import type { Metric, MetricFamily } from '../metrics/metric.js'
import type { MetricRegistry } from '../metrics/registry.js'
import { signature, TOKENIZER } from '../metrics/signature.js'
import { VERSION } from '../project.js'
import type { AgreementScore, Dataset } from '../store/entities.js'
import {
  type CaptionedImages,
  countCaptionedImages,
  readCaptionCounts,
  splitImages,
} from '../store/image-ranges.js'
import { type ImageRange, readReferenceCaptions } from '../store/images.js'
import { readAgreement, saveAgreement } from '../store/scores.js'
import type { Session } from '../store/session.js'
import { readTokenTexts } from '../store/tokens.js'
import type { Corpus } from '../text/sequences.js'
import { computeLeaveOneOut } from './compute/agreement.js'
import { resample } from './compute/resampling.js'
import { measureShard } from './compute/shard.js'
import type { Threads } from './compute/threads.js'
import { SEED } from './evaluate.js'
import { type Progress, part } from './progress.js'
import { listAllReferences, trialOfCounts } from './reference-lists.js'
import { joinArrays, type SplitComputation } from './split-computation.js'

export interface AgreementInput {
  /** k: number of references of each held-out caption, from 1 to K − 1. */
  readonly references: number
  /** Names of metrics, which are computed with the others of their families. Default: all. */
  readonly metrics?: readonly string[]
}

/**
 * The stored leave-one-out table of a dataset, one row per metric. Null if it has not been computed with these metrics,
 * or if k is not from 1 to K − 1.
 *
 * @throws AccordError UNKNOWN_METRIC; errors of resources
 */
export async function storedAgreement(
  session: Session,
  registry: MetricRegistry,
  dataset: Dataset,
  { references, metrics }: AgreementInput,
): Promise<AgreementScore[] | null> {
  if (!Number.isInteger(references) || references < 1 || references >= dataset.captionsPerImage) return null
  const signatures = registry
    .choose(metrics)
    .families.flatMap((family) => family.metrics.map((metric) => signatureOf(family, metric, references)))
  const rows = await readAgreement(session, dataset.id, references, signatures)
  const bySignature = new Map(rows.map((row) => [row.signature, row]))
  const table = signatures.flatMap((wanted) => bySignature.get(wanted) ?? [])
  return table.length === signatures.length ? table : null
}

/**
 * Computes the leave-one-out table of a dataset and stores it, replacing rows of the same signature.
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
  const { images, scores } = await computeLeaveOneOut(threads, corpus, lists, families, {
    captionsPerImage: dataset.captionsPerImage,
    references,
    seed: SEED,
    onProgress: part(progress, 0.05, 0.95),
  })
  const measured = images.map((image) => imageIds[image])
  await save(session, dataset, { references, imageIds: measured, scores }, progress)
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
      const resampling = part(progress, 0.1, 0.95)
      const resampled = await resample(threads, measurements, {
        seed: SEED,
        onProgress: (share) => resampling(share, 'resampling images'),
      })
      const fold = trialOfCounts(new Int32Array(imageIds.length).fill(references), documentFrequencies)
      const folds: LeaveOneOutTrials = {
        trials: Array.from({ length: dataset.captionsPerImage }, () => fold),
        images: imageIds.map((_, image) => image),
        excludedImageCount: dataset.excludedImageCount,
      }
      const { scores } = summarizeFolds(folds, references, measurements, resampled)
      await save(session, dataset, { references, imageIds, scores }, progress)
    },
  }
}

function checkReferences({ captionsPerImage }: Dataset, references: number): void {
  if (captionsPerImage < 2) {
    throw new AccordError('NOT_APPLICABLE', 'people can be compared only if they describe the same image', {
      source: 'dataset',
      expected: 'at least two captions per image',
      found: String(captionsPerImage),
    })
  }
  requireReferences(captionsPerImage, references)
}

/** The folds over a range of images; at least one image of the range has K captions. */
async function readFolds(
  session: Session,
  { id, captionsPerImage }: Dataset,
  references: number,
  range: ImageRange,
): Promise<Pick<LeaveOneOutTrials, 'trials'> & { readonly corpus: Corpus }> {
  const captions = await readReferenceCaptions(session, id, range)
  const { lists } = listAllReferences(captions)
  return {
    corpus: { ...captions.sequences, texts: await readTokenTexts(session) },
    trials: leaveOneOutTrials(lists, captionsPerImage, references).trials,
  }
}

interface ComputedTable {
  readonly references: number
  readonly imageIds: Int32Array
  readonly scores: readonly ComputedScore[]
}

async function save(
  session: Session,
  dataset: Dataset,
  { references, imageIds, scores }: ComputedTable,
  progress: Progress,
): Promise<void> {
  progress(0.95, 'writing')
  await saveAgreement(
    session,
    dataset.id,
    scores.map(({ metric, family, folds, mean, standardDeviation, interval, imageScores, warnings }) => ({
      referenceCount: references,
      metric: metric.name,
      signature: signatureOf(family, metric, references),
      imageCount: imageIds.length,
      folds: [...folds],
      mean,
      standardDeviation,
      lower: interval.lower,
      upper: interval.upper,
      warnings: [...warnings],
      imageIds,
      imageScores: joinArrays(imageScores),
    })),
  )
  progress(1, 'done')
}

function signatureOf(family: MetricFamily, metric: Metric, references: number): string {
  const oneImage = { references: new Int32Array(references), referenceOffsets: Int32Array.of(0, references) }
  return signature(family, metric, { references: oneImage, tokenizer: TOKENIZER, version: VERSION })
}
