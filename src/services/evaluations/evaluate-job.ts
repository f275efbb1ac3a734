import { type FamilyScores, scoreEvaluation } from '../../compute/evaluation.js'
import type { Threads } from '../../compute/pool.js'
import { leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import { captionForm, type Trial, undefinedScoreWarnings } from '../../core/metrics/metric.js'
import { signatureOf } from '../../core/metrics/provenance.js'
import { type ReferenceLists, rangeOfReferences } from '../../core/metrics/reference-lists.js'
import type { MetricChoice, MetricRegistry } from '../../core/metrics/registry.js'
import { concatenate } from '../../core/text/sequences.js'
import { AccordError } from '../../errors.js'
import { type Progress, part } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { Handler } from '../../queue/kind.js'
import type { ImageRange } from '../../store/caption-search.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { type CaptionedImages, countCaptionedImages } from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { type NewMeasurement, saveScores } from '../../store/scores.js'
import { readSystemSequences } from '../../store/systems.js'
import { createTextReader } from '../../store/tokens.js'
import { requireCaptions, requireDatasetById, requireSystemById } from '../datasets/require-subjects.js'
import { recordImages } from '../provenance/record-images.js'
import {
  recordDocuments,
  recordFolds,
  recordScore,
  type ScoreContext,
} from '../provenance/record-provenance.js'
import { reportedInterval } from '../shared/intervals.js'
import { tokenizationOf } from '../shared/tokens.js'
import { type AnnotatedObjects, withObjects } from './annotated-objects.js'
import {
  captionsOf,
  type DocumentSource,
  readDocuments,
  recordDataset,
  requireFixedDocuments,
} from './document-source.js'
import {
  type ExternalScores,
  externalMetricsOf,
  externalScoresOfSystem,
  withExternal,
} from './external-scores.js'
import { type FixedDocuments, requireSameTokens } from './fixed-documents.js'
import {
  computePlan,
  executePlan,
  joinArrays,
  type Material,
  type Plan,
  type Sharding,
  type Source,
} from './plan.js'
import { checkReferences, foldsOf, listReferences, trialOfCounts } from './reference-lists.js'
import { storedObjects } from './stored-objects.js'

export interface EvaluateInput extends DocumentSource {
  /** Names of metrics. Default: all. */
  readonly metrics?: readonly string[]
  /**
   * k: the system is measured as people are, on the K folds of k references that held-out captions are compared with, and
   * the score is the mean over folds. Null or absent: once, against all captions of each image.
   */
  readonly references?: number | null
}

/** What is known of an evaluation beside the stored scores. */
export interface EvaluateResult {
  /** Of the stored scores, in the order of the metrics. */
  readonly scoreIds: readonly number[]
}

/**
 * Computes a captioning system's scores with their intervals and saves them, replacing those that were made in the
 * same way. The corpus is the images with a caption of the system and a human caption; for folds, with K human captions.
 *
 * On folds, document frequencies that are counted are those of the fold over all images of the dataset, not only over those
 * of the system: the rows of statistics of its images can be compared with those of people and of other systems.
 *
 * @param given scores by other programs. Default: those that are stored
 * @throws AccordError NOT_APPLICABLE for a system without captions, none of whose images has enough human captions, or
 * for a dataset as `documents` with folds; OUT_OF_RANGE for `references`; UNKNOWN_METRIC; UNKNOWN_DATASET; UNKNOWN_SYSTEM
 * where it is removed meanwhile; what is wrong with a resource
 */
export async function planEvaluation(
  session: Session,
  { registry }: Pick<Threads, 'registry'>,
  system: System,
  input: EvaluateInput,
  given?: ExternalScores,
): Promise<Plan<EvaluateResult>> {
  const evaluation = await prepare(session, registry, system, input)
  const { choice, references, images, imageCount, fixed, objects } = evaluation
  const readTexts = createTextReader(session)
  const external =
    given ??
    (await externalScoresOfSystem(
      session,
      system.id,
      externalMetricsOf(registry, choice.families),
      references,
    ))
  const measured = {
    images,
    imageCount,
    read: async (range: ImageRange) =>
      withObjects(
        withExternal(await readTrials(session, evaluation, range, await readTexts()), external),
        objects,
      ),
  }
  const needsDocuments = choice.families.some(({ needs }) => needs.documentFrequencies)
  return {
    families: choice.families,
    measured,
    documents:
      needsDocuments && fixed === null ? await openDocuments(session, evaluation, measured, readTexts) : null,
    ...(fixed && { fixed: fixed.table }),
    async finish({ imageIds, referenceCounts, statistics }, documentFrequencies, progress) {
      const trial = trialOfCounts(referenceCounts, documentFrequencies)
      const families = scoreEvaluation(choice.families, statistics, trial, part(progress, 0, 0.5))
      return save(session, registry, evaluation, { families, trial, imageIds }, progress)
    },
  }
}

/** The scores computed and stored by this thread. @throws AccordError as {@link planEvaluation} */
export async function evaluateNow(
  session: Session,
  threads: Threads,
  system: System,
  input: EvaluateInput,
  progress: Progress,
): Promise<EvaluateResult> {
  return computePlan(session, threads, await planEvaluation(session, threads, system, input), progress)
}

type ReadTexts = ReturnType<typeof createTextReader>

/** The data of an evaluation. */
interface Evaluation {
  readonly system: System
  readonly dataset: Dataset
  readonly choice: MetricChoice
  /** k; null for all captions of each image. */
  readonly references: number | null
  /** The dataset that document frequencies are counted in; null where they are the system's own, or those of folds. */
  readonly documents: Dataset | null
  /** The document frequencies that are not counted. */
  readonly fixed: FixedDocuments | null
  /**
   * Annotated objects, for metrics that count objects; null where there are none. On folds they are left out: people are measured by
   * references alone, since their own captions may be among the annotations.
   */
  readonly objects: AnnotatedObjects | null
  /** The images with a caption of the system and enough human captions. */
  readonly images: CaptionedImages
  readonly imageCount: number
  /** Number of images that a complete system is scored on. */
  readonly completeCount: number
}

async function prepare(
  session: Session,
  registry: MetricRegistry,
  system: System,
  input: EvaluateInput,
): Promise<Evaluation> {
  requireCaptions(system)
  const dataset = await requireDatasetById(session, system.datasetId)
  const choice = registry.choose(input.metrics, 'metrics', tokenizationOf(dataset))
  const { references = null } = input
  if (references !== null) {
    checkReferences(dataset, references)
    requireFixedDocuments(input)
  }
  const fixed = await readDocuments(session, input)
  const documents =
    fixed !== null || input.documents === undefined ? null : await requireDataset(session, input.documents)
  const counted = fixed?.counted ?? documents
  if (counted !== null) requireSameTokens(counted, dataset)
  const complete = scoredImages(dataset, references)
  const images = { ...complete, systemId: system.id }
  const imageCount = await countCaptionedImages(session, images)
  const completeCount = await countCaptionedImages(session, complete)
  if (imageCount > 0) {
    const countsObjects = choice.families.some(({ needs }) => needs.objects)
    const objects = countsObjects && references === null ? await storedObjects(session, dataset.id) : null
    return {
      system,
      dataset,
      choice,
      references,
      documents,
      fixed,
      objects,
      images,
      imageCount,
      completeCount,
    }
  }
  throw new AccordError(
    'NOT_APPLICABLE',
    references === null
      ? 'no image of the system has a human caption'
      : `no image of the system has ${dataset.captionsPerImage} human captions`,
    { source: 'system', found: JSON.stringify(system.name) },
  )
}

/** The images that a complete system is scored on. */
function scoredImages({ id, captionsPerImage }: Dataset, references: number | null): CaptionedImages {
  return { datasetId: id, minCaptionCount: references === null ? 1 : captionsPerImage }
}

/** Where document frequencies are counted: in the measured images, unless the folds of all images have others too. */
async function openDocuments(
  session: Session,
  { documents, references, dataset, imageCount, completeCount }: Evaluation,
  measured: Source<Trial>,
  readTexts: ReadTexts,
): Promise<Source<ReferenceLists>> {
  if (documents) return captionsOf(session, documents, readTexts)
  if (references === null || imageCount === completeCount) return measured
  return foldsOf(session, dataset, references, completeCount, 'tokens', readTexts)
}

/** The system's captions with their references; images with too few human captions are left out. */
async function readTrials(
  session: Session,
  { system, dataset, references, choice, images }: Evaluation,
  range: ImageRange,
  texts: readonly string[],
): Promise<Material> {
  const form = captionForm(choice.families)
  const written = await readSystemSequences(session, system.id, range, form)
  const captions = await readReferenceCaptions(session, dataset.id, range, form)
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
    corpus: { ...concatenate([captions.sequences, written.sequences]), texts },
    trials: folds.map((fold) => ({ ...fold, candidates })),
    imageIds: Int32Array.from(described, ({ imageId }) => imageId),
  }
}

interface Computed {
  readonly families: readonly FamilyScores[]
  readonly trial: Trial
  readonly imageIds: Int32Array
}

async function save(
  session: Session,
  registry: MetricRegistry,
  evaluation: Evaluation,
  { families, trial, imageIds }: Computed,
  progress: Progress,
): Promise<EvaluateResult> {
  progress(0.5, 'writing')
  const { system, choice, references } = evaluation
  const context = await describeContext(session, evaluation, trial, imageIds)
  const measurements = families.map(
    ({ family, trials, scores, undefinedMetrics, ...own }): NewMeasurement => {
      const chosen = scores.filter(({ metric }) => choice.includes(metric))
      const warnings = [...own.warnings, ...undefinedScoreWarnings(undefinedMetrics.filter(choice.includes))]
      return {
        family: family.name,
        layoutRevision: family.layoutRevision,
        statistics: joinArrays(trials),
        scores: chosen.map(({ metric, value, interval, imageScores, trials: folds }) => {
          const record = recordScore(registry, family, metric, context)
          const reported = reportedInterval(interval, record)
          return {
            metric: metric.name,
            signature: signatureOf(record, VERSION),
            referenceCount: context.references.least,
            folds: references === null ? null : [...folds],
            value,
            lower: reported?.lower ?? null,
            upper: reported?.upper ?? null,
            warnings,
            record,
            imageScores: meanOf(imageScores),
          }
        }),
      }
    },
  )
  const scoreIds = await saveScores(session, system.id, imageIds, measurements)
  progress(1, 'done')
  return { scoreIds }
}

/** Per image the mean over trials. */
function meanOf(trials: readonly Float64Array[]): Float64Array {
  const [first] = trials
  if (trials.length === 1) return first
  return first.map((_, image) => trials.reduce((sum, scores) => sum + scores[image], 0) / trials.length)
}

/** How all scores of the evaluation are made. */
async function describeContext(
  session: Session,
  { system, dataset, documents, fixed, objects, references }: Evaluation,
  trial: Trial,
  imageIds: Int32Array,
): Promise<ScoreContext> {
  const { revision, language, tokenizer } = dataset
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
    language,
    tokenizer,
    objects: objects?.hash,
    documentFrequencies: fixed
      ? fixed.record
      : documents
        ? await recordDataset(session, documents)
        : references === null
          ? recordDocuments(revision, images, 'own')
          : recordFolds(revision, references, completeCount),
  }
}

export type EvaluateJobInput = EvaluateInput & { readonly datasetId: number; readonly systemId: number }

/** Computes and stores the scores of a system. */
export function createEvaluateJob(sharding?: Sharding): Handler<EvaluateJobInput, EvaluateResult> {
  return async (context) => {
    const { input, database } = context
    const system = await requireSystemById(database, input.systemId)
    const plan = await planEvaluation(database, await context.threads(), system, input)
    return executePlan(context, plan, sharding)
  }
}
