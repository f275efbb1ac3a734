import { AccordError } from '../errors.js'
import { countDocumentFrequencies, type DocumentFrequencies } from '../metrics/document-frequencies.js'
import { countImages, type Trial } from '../metrics/metric.js'
import type { MetricChoice } from '../metrics/registry.js'
import { type ScoringContext, signature, TOKENIZER } from '../metrics/signature.js'
import { VERSION } from '../project.js'
import { requireDataset } from '../store/datasets.js'
import type { Dataset, MetricScore, System } from '../store/entities.js'
import {
  type CaptionedImages,
  countCaptionedImages,
  readCaptionCounts,
  splitImages,
} from '../store/image-ranges.js'
import { type ImageRange, readReferenceCaptions } from '../store/images.js'
import { type NewMeasurement, saveScores } from '../store/scores.js'
import type { Session } from '../store/session.js'
import { readSystemSequences } from '../store/systems.js'
import { readTokenTexts } from '../store/tokens.js'
import { type Corpus, concatenate } from '../text/sequences.js'
import { requireCaptions } from './captioning-system.js'
import { computeEvaluation, type FamilyScores, scoreEvaluation } from './compute/evaluation.js'
import { measureShard } from './compute/shard.js'
import type { Threads } from './compute/threads.js'
import { type Progress, part } from './progress.js'
import { listAllReferences, listReferences, trialOfCounts } from './reference-lists.js'
import type { SplitComputation } from './split-computation.js'

/** Seed of all bootstraps over images: systems of one dataset are measured on the same resamples. */
export const SEED = 1

export interface EvaluateInput {
  /** Names of metrics. Default: all. */
  readonly metrics?: readonly string[]
  /** Name of the dataset in whose captions document frequencies are counted. Default: the system's own references. */
  readonly documents?: string
}

export interface EvaluateReport {
  readonly scores: readonly Omit<
    MetricScore,
    'id' | 'systemId' | 'statisticsId' | 'provenanceId' | 'imageScores'
  >[]
  readonly imageIds: Int32Array
  /** For each score, aligned to `imageIds`. */
  readonly imageScores: readonly Float64Array[]
  /** Number of images of the system without a human caption, which have no score. */
  readonly unscoredImageCount: number
}

/**
 * Computes a captioning system's scores with intervals and stores them, replacing those of the same signature. The
 * corpus consists of the images with a caption of the system and a human caption.
 *
 * @throws AccordError NOT_APPLICABLE if the system has no captions, or none of its images has a human caption;
 * UNKNOWN_METRIC; UNKNOWN_DATASET; UNKNOWN_SYSTEM if the system was removed; errors of resources
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
  const { corpus, trial, imageIds } = await readTrial(session, system)
  const measured = { ...trial, documentFrequencies: await countOtherDocuments(session, evaluation) }
  const families = await computeEvaluation(threads, corpus, measured, evaluation.choice.families, {
    seed: SEED,
    onProgress: part(progress, 0.1, 0.95),
  })
  return save(session, evaluation, { families, trial: measured, imageIds }, progress)
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
  const { choice, images, documents } = evaluation
  return {
    families: choice.families,
    imageCount: evaluation.imageCount,
    async documentRanges(imagesPerRange) {
      if (!needsDocumentFrequencies(evaluation)) return []
      return splitImages(session, documents ? describedImages(documents) : images, imagesPerRange)
    },
    async countDocuments(range) {
      if (documents) return countReferences(session, documents, { range, partial: true })
      const { corpus, trial } = await readTrial(session, system, range)
      return countDocumentFrequencies(corpus, [trial], { partial: true })
    },
    imageRanges: (imagesPerRange) => splitImages(session, images, imagesPerRange),
    async measure(range, [documentFrequencies], progress) {
      progress(0, 'reading captions')
      const { corpus, trial } = await readTrial(session, system, range)
      const measuring = part(progress, 0.1, 1)
      return measureShard(choice.families, corpus, [{ ...trial, documentFrequencies }], (share) =>
        measuring(share, 'measuring'),
      )
    },
    async finish(rows, [documentFrequencies], progress) {
      progress(0, 'reading images')
      const { imageIds, captionCounts } = await readCaptionCounts(session, images)
      const trial = trialOfCounts(captionCounts, documentFrequencies)
      const statistics = rows.map(([ofSystem]) => ofSystem)
      const families = await scoreEvaluation(threads, choice.families, statistics, trial, {
        seed: SEED,
        onProgress: part(progress, 0.1, 0.95),
      })
      return save(session, evaluation, { families, trial, imageIds }, progress)
    },
  }
}

/** The data of an evaluation. */
interface Evaluation {
  readonly system: System
  readonly choice: MetricChoice
  /** The dataset in which document frequencies are counted; null for the system's own references. */
  readonly documents: Dataset | null
  /** The images with a caption of the system and a human caption. */
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
  const documents = input.documents === undefined ? null : await requireDataset(session, input.documents)
  const images = { datasetId: system.datasetId, systemId: system.id, minCaptionCount: 1 }
  const imageCount = await countCaptionedImages(session, images)
  if (imageCount > 0) return { system, choice, documents, images, imageCount }
  throw new AccordError('NOT_APPLICABLE', 'no image of the system has a human caption', {
    source: 'system',
    found: JSON.stringify(system.name),
  })
}

const describedImages = ({ id }: Dataset): CaptionedImages => ({ datasetId: id, minCaptionCount: 1 })

function needsDocumentFrequencies({ choice }: Evaluation): boolean {
  return choice.families.some(({ needs }) => needs.documentFrequencies)
}

interface SystemTrial {
  readonly corpus: Corpus
  readonly trial: Trial
  /** Images of the trial, ascending. */
  readonly imageIds: Int32Array
}

/** The system's captions, each with all human captions of its image as references; images without one are excluded. */
async function readTrial(
  session: Session,
  { id, datasetId }: System,
  range?: ImageRange,
): Promise<SystemTrial> {
  const candidates = await readSystemSequences(session, id, range)
  const references = await readReferenceCaptions(session, datasetId, range)
  const captionCount = references.sequences.offsets.length - 1
  const positionOfImage = new Map(Array.from(references.imageIds, (imageId, image) => [imageId, image]))
  const described = Array.from(candidates.imageIds, (imageId, index) => ({
    imageId,
    candidate: captionCount + index,
    image: positionOfImage.get(imageId) as number,
  })).filter(({ image }) => references.firstCaption[image + 1] > references.firstCaption[image])
  const lists = listReferences(
    references,
    described.map(({ image }) => image),
  )
  return {
    corpus: {
      ...concatenate([references.sequences, candidates.sequences]),
      texts: await readTokenTexts(session),
    },
    trial: { candidates: Int32Array.from(described, ({ candidate }) => candidate), ...lists },
    imageIds: Int32Array.from(described, ({ imageId }) => imageId),
  }
}

/** Document frequencies of another dataset, if one is specified and a metric needs them. */
async function countOtherDocuments(
  session: Session,
  evaluation: Evaluation,
): Promise<DocumentFrequencies | undefined> {
  const { documents } = evaluation
  if (!documents || !needsDocumentFrequencies(evaluation)) return undefined
  return (await countReferences(session, documents, {}))[0]
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
  { system, choice, documents }: Evaluation,
  { families, trial, imageIds }: Computed,
  progress: Progress,
): Promise<EvaluateReport> {
  progress(0.95, 'writing')
  const context = { references: trial, tokenizer: TOKENIZER, documents: documents?.name, version: VERSION }
  const measurements = families.map((scored): NewMeasurement => {
    const chosen = scored.scores.filter(({ metric }) => choice.includes(metric))
    return {
      family: scored.family.name,
      layoutRevision: scored.family.layoutRevision,
      statistics: scored.statistics,
      scores: describeScores({ ...scored, scores: chosen }, context, smallestReferenceCount(trial)),
    }
  })
  await saveScores(session, system.id, imageIds, measurements)
  progress(1, 'done')
  const scores = measurements.flatMap((measurement) => measurement.scores)
  return {
    scores: scores.map(({ imageScores: _imageScores, ...score }) => score),
    imageIds,
    imageScores: scores.map((score) => score.imageScores),
    unscoredImageCount: system.imageCount - imageIds.length,
  }
}

function describeScores(
  { family, scores, warnings }: FamilyScores,
  context: ScoringContext,
  referenceCount: number,
): NewMeasurement['scores'] {
  return scores.map(({ metric, value, interval, imageScores }) => ({
    metric: metric.name,
    signature: signature(family, metric, context),
    referenceCount,
    value,
    lower: interval.lower,
    upper: interval.upper,
    warnings: [...warnings],
    imageScores,
  }))
}

function smallestReferenceCount(trial: Trial): number {
  const imageCount = countImages(trial)
  let smallest = Number.POSITIVE_INFINITY
  for (let image = 0; image < imageCount; image++)
    smallest = Math.min(smallest, trial.referenceOffsets[image + 1] - trial.referenceOffsets[image])
  return smallest
}
