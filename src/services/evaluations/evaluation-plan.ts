import { computeEvaluation, type FamilyScores, scoreEvaluation } from '../../compute/evaluation.js'
import { computeDocumentFrequencies } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import { measureShard } from '../../compute/shard.js'
import { leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import {
  countDocumentFrequencies,
  type DocumentFrequencies,
} from '../../core/metrics/document-frequencies.js'
import type { Trial } from '../../core/metrics/metric.js'
import { signatureOf } from '../../core/metrics/provenance.js'
import { rangeOfReferences } from '../../core/metrics/reference-lists.js'
import type { MetricChoice } from '../../core/metrics/registry.js'
import { type Corpus, concatenate } from '../../core/text/sequences.js'
import { AccordError } from '../../errors.js'
import { type Progress, part } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { ImageRange } from '../../store/caption-search.js'
import { findDatasets, requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import {
  type CaptionedImages,
  countCaptionedImages,
  readCaptionCounts,
  splitImages,
} from '../../store/image-ranges.js'
import { type ReferenceCaptions, readReferenceCaptions } from '../../store/images.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { type NewMeasurement, type NewScore, saveScores } from '../../store/scores.js'
import { readSystemSequences } from '../../store/systems.js'
import { readTokenTexts } from '../../store/tokens.js'
import { requireCaptions } from './captioning-system.js'
import { checkReferences, readFolds } from './folds.js'
import {
  recordDocuments,
  recordFolds,
  recordImages,
  recordScore,
  type ScoreContext,
} from './record-provenance.js'
import { listAllReferences, listReferences, trialOfCounts } from './reference-lists.js'
import { joinArrays, type SplitComputation } from './split-computation.js'

export interface EvaluateInput {
  /** Names of metrics. Default: all. */
  readonly metrics?: readonly string[]
  /** Name of the dataset in whose captions document frequencies are counted. Default: the system's own references. */
  readonly documents?: string
  /**
   * k: the system is measured as people are, on the K folds of k references that held-out captions are compared with, and
   * the score is the mean over folds. Null or absent: once, against all captions of each image.
   */
  readonly references?: number | null
}

export interface EvaluateReport {
  /** Of the stored scores, aligned to `scores`. */
  readonly scoreIds: readonly number[]
  readonly scores: readonly Omit<NewScore, 'imageScores'>[]
  readonly imageIds: Int32Array
  /** For each score, aligned to `imageIds`. */
  readonly imageScores: readonly Float64Array[]
  /** Images of the system without a human caption, or without K of them for folds: they have no score. */
  readonly unscoredImageCount: number
}

/**
 * Computes a captioning system's scores with their intervals and saves them, replacing those that were made in the
 * same way. The corpus is the images with a caption of the system and a human caption; for folds, with K human captions.
 *
 * On folds, document frequencies are those of the fold over all images of the dataset, whichever of them the system has:
 * the rows of statistics of its images can be compared with those of people and of other systems.
 *
 * @throws AccordError NOT_APPLICABLE for a system without captions, none of whose images has enough human captions, or
 * for `documents` with folds; OUT_OF_RANGE for `references`; UNKNOWN_METRIC; UNKNOWN_DATASET; UNKNOWN_SYSTEM where it is
 * removed meanwhile; what is wrong with a resource
 */
export async function evaluateSystem(
  session: Session,
  threads: Threads,
  system: System,
  input: EvaluateInput,
  progress: Progress,
): Promise<EvaluateReport> {
  const evaluation = await prepare(session, threads, system, input)
  progress(0, 'reading captions')
  threads.start()
  const material = await readTrials(session, evaluation)
  const tables = await countDocumentsElsewhere(session, threads, evaluation, material)
  const trials = withTables(material.trials, tables)
  const families = await computeEvaluation(
    threads,
    material.corpus,
    trials,
    evaluation.choice.families,
    part(progress, 0.1, 0.95),
  )
  return save(
    session,
    threads,
    evaluation,
    { families, trial: trials[0], imageIds: material.imageIds },
    progress,
  )
}

/**
 * The same evaluation, divided into steps on ranges of images.
 *
 * @throws AccordError as {@link evaluateSystem}
 */
export async function planEvaluation(
  session: Session,
  threads: Threads,
  system: System,
  input: EvaluateInput,
): Promise<SplitComputation<EvaluateReport>> {
  const evaluation = await prepare(session, threads, system, input)
  const { choice, images, documents, dataset, references } = evaluation
  return {
    families: choice.families,
    imageCount: evaluation.imageCount,
    async documentRanges(imagesPerRange) {
      if (!needsDocumentFrequencies(evaluation)) return []
      return splitImages(session, documentImages(evaluation), imagesPerRange)
    },
    async countDocuments(range) {
      if (documents) return countReferences(session, documents, { range, partial: true })
      const { corpus, trials } =
        references === null
          ? await readTrials(session, evaluation, range)
          : await readFolds(session, dataset, references, range)
      return countDocumentFrequencies(corpus, trials, { partial: true })
    },
    imageRanges: (imagesPerRange) => splitImages(session, images, imagesPerRange),
    async measure(range, tables, progress) {
      progress(0, 'reading captions')
      const { corpus, trials } = await readTrials(session, evaluation, range)
      const measuring = part(progress, 0.1, 1)
      return measureShard(choice.families, corpus, withTables(trials, tables), (share) =>
        measuring(share, 'measuring'),
      )
    },
    async finish(rows, [documentFrequencies], progress) {
      progress(0, 'reading images')
      const { imageIds, captionCounts } = await readCaptionCounts(session, images)
      const counts = references === null ? captionCounts : captionCounts.fill(references)
      const trial = trialOfCounts(counts, documentFrequencies)
      const families = scoreEvaluation(choice.families, rows, trial, part(progress, 0.1, 0.95))
      return save(session, threads, evaluation, { families, trial, imageIds }, progress)
    },
  }
}

/** The data of an evaluation. */
interface Evaluation {
  readonly system: System
  readonly dataset: Dataset
  readonly choice: MetricChoice
  /** k; null for all captions of each image. */
  readonly references: number | null
  /** The dataset that document frequencies are counted in; null where they are the system's own, or those of folds. */
  readonly documents: Dataset | null
  /** The images with a caption of the system and enough human captions. */
  readonly images: CaptionedImages
  readonly imageCount: number
}

async function prepare(
  session: Session,
  { registry }: Threads,
  system: System,
  input: EvaluateInput,
): Promise<Evaluation> {
  requireCaptions(system)
  const choice = registry.choose(input.metrics)
  const [dataset] = await findDatasets(session, [system.datasetId])
  if (!dataset) throw new AccordError('UNKNOWN_DATASET', 'the dataset was removed', { source: 'dataset' })
  const { references = null } = input
  if (references !== null) {
    checkReferences(dataset, references)
    checkNoDocuments(input)
  }
  const documents = input.documents === undefined ? null : await requireDataset(session, input.documents)
  const images = { ...scoredImages(dataset, references), systemId: system.id }
  const imageCount = await countCaptionedImages(session, images)
  if (imageCount > 0) return { system, dataset, choice, references, documents, images, imageCount }
  throw new AccordError(
    'NOT_APPLICABLE',
    references === null
      ? 'no image of the system has a human caption'
      : `no image of the system has ${dataset.captionsPerImage} human captions`,
    { source: 'system', found: JSON.stringify(system.name) },
  )
}

function checkNoDocuments({ documents }: EvaluateInput): void {
  if (documents === undefined) return
  throw new AccordError('NOT_APPLICABLE', 'on folds, document frequencies are those of each fold', {
    source: 'document frequencies',
    expected: 'none where a number of references is given',
    found: JSON.stringify(documents),
  })
}

/** The images that a complete system is scored on. */
function scoredImages({ id, captionsPerImage }: Dataset, references: number | null): CaptionedImages {
  return { datasetId: id, minCaptionCount: references === null ? 1 : captionsPerImage }
}

/** The images whose captions document frequencies are counted in. */
function documentImages({ documents, references, dataset, images }: Evaluation): CaptionedImages {
  if (documents) return scoredImages(documents, null)
  return references === null ? images : scoredImages(dataset, references)
}

function needsDocumentFrequencies({ choice }: Evaluation): boolean {
  return choice.families.some(({ needs }) => needs.documentFrequencies)
}

interface SystemTrials {
  readonly corpus: Corpus
  /** One against all references, or one for each fold of references. */
  readonly trials: readonly Trial[]
  /** Images of the trials, ascending. */
  readonly imageIds: Int32Array
  /** The human captions of all images, described by the system or not. */
  readonly captions: ReferenceCaptions
}

/** The system's captions with their references; images with too few human captions are left out. */
async function readTrials(
  session: Session,
  { system, dataset, references, images }: Evaluation,
  range?: ImageRange,
): Promise<SystemTrials> {
  const written = await readSystemSequences(session, system.id, range)
  const captions = await readReferenceCaptions(session, dataset.id, range)
  const captionCount = captions.sequences.offsets.length - 1
  const positionOfImage = new Map(Array.from(captions.imageIds, (imageId, image) => [imageId, image]))
  const described = Array.from(written.imageIds, (imageId, index) => ({
    imageId,
    candidate: captionCount + index,
    image: positionOfImage.get(imageId) as number,
  })).filter(
    ({ image }) => captions.firstCaption[image + 1] - captions.firstCaption[image] >= images.minCaptionCount,
  )
  const lists = listReferences(
    captions,
    described.map(({ image }) => image),
  )
  const candidates = Int32Array.from(described, ({ candidate }) => candidate)
  const folds =
    references === null ? [lists] : leaveOneOutTrials(lists, dataset.captionsPerImage, references).trials
  return {
    corpus: {
      ...concatenate([captions.sequences, written.sequences]),
      texts: await readTokenTexts(session),
    },
    trials: folds.map((fold) => ({ ...fold, candidates })),
    imageIds: Int32Array.from(described, ({ imageId }) => imageId),
    captions,
  }
}

/** The trials with one table each; without tables as they are. */
function withTables(trials: readonly Trial[], tables: readonly DocumentFrequencies[]): readonly Trial[] {
  if (tables.length === 0) return trials
  return trials.map((trial, index) => ({ ...trial, documentFrequencies: tables[index] }))
}

/** Document frequencies of other images than those of the trials, where a metric needs them; one table per trial. */
async function countDocumentsElsewhere(
  session: Session,
  threads: Threads,
  evaluation: Evaluation,
  { corpus, captions, imageIds }: SystemTrials,
): Promise<DocumentFrequencies[]> {
  const { documents, dataset, references } = evaluation
  if (!needsDocumentFrequencies(evaluation)) return []
  if (documents) return countReferences(session, documents, {})
  if (references === null) return []
  const folds = leaveOneOutTrials(listAllReferences(captions).lists, dataset.captionsPerImage, references)
  if (folds.images.length === imageIds.length) return []
  return computeDocumentFrequencies(threads, corpus, folds.trials)
}

/** Document frequencies in all captions of a dataset or of a range of its images, as one table. */
async function countReferences(
  session: Session,
  { id }: Dataset,
  { range, partial }: { readonly range?: ImageRange; readonly partial?: boolean },
): Promise<DocumentFrequencies[]> {
  const captions = await readReferenceCaptions(session, id, range)
  const corpus = { ...captions.sequences, texts: await readTokenTexts(session) }
  return countDocumentFrequencies(corpus, [listAllReferences(captions).lists], { partial })
}

interface Computed {
  readonly families: readonly FamilyScores[]
  readonly trial: Trial
  readonly imageIds: Int32Array
}

async function save(
  session: Session,
  { registry }: Threads,
  evaluation: Evaluation,
  { families, trial, imageIds }: Computed,
  progress: Progress,
): Promise<EvaluateReport> {
  progress(0.95, 'writing')
  const { system, choice, references } = evaluation
  const context = await describeContext(session, evaluation, trial, imageIds)
  const measurements = families.map(({ family, trials, scores, warnings }): NewMeasurement => {
    const chosen = scores.filter(({ metric }) => choice.includes(metric))
    return {
      family: family.name,
      layoutRevision: family.layoutRevision,
      statistics: trials.length === 1 ? trials[0] : joinArrays(trials),
      scores: chosen.map(({ metric, value, interval, imageScores, trials: folds }) => {
        const record = recordScore(registry, family, metric, context)
        return {
          metric: metric.name,
          signature: signatureOf(record, VERSION),
          referenceCount: context.references.least,
          folds: references === null ? null : [...folds],
          value,
          lower: interval?.lower ?? null,
          upper: interval?.upper ?? null,
          warnings: [...warnings],
          record,
          imageScores,
        }
      }),
    }
  })
  const scoreIds = await saveScores(session, system.id, imageIds, measurements)
  progress(1, 'done')
  const scores = measurements.flatMap((measurement) => measurement.scores)
  return {
    scoreIds,
    scores: scores.map(({ imageScores: _imageScores, ...score }) => score),
    imageIds,
    imageScores: scores.map((score) => score.imageScores),
    unscoredImageCount: system.imageCount - imageIds.length,
  }
}

/** How all scores of the evaluation are made. */
async function describeContext(
  session: Session,
  { system, dataset, documents, references }: Evaluation,
  trial: Trial,
  imageIds: Int32Array,
): Promise<ScoreContext> {
  const { revision } = dataset
  const completeCount = await countCaptionedImages(session, scoredImages(dataset, references))
  const images = await recordImages(session, dataset.id, imageIds, completeCount)
  return {
    dataset: revision,
    subject: { kind: 'system', content: system.content },
    references: {
      count: references,
      ...rangeOfReferences(trial),
      folds: references === null ? null : dataset.captionsPerImage,
    },
    images,
    documentFrequencies: documents
      ? await describeDocuments(session, documents)
      : references === null
        ? recordDocuments(revision, images, 'own')
        : recordFolds(revision, references, completeCount),
  }
}

async function describeDocuments(session: Session, documents: Dataset) {
  const count = await countCaptionedImages(session, scoredImages(documents, null))
  return recordDocuments(documents.revision, { count, hash: null }, 'dataset')
}
