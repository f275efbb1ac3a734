import { logProbabilities, searchAll } from '../../compute/model.js'
import type { Threads } from '../../compute/pool.js'
import type { OpenedModel } from '../../compute/shared-model.js'
import type { BoundOutcome } from '../../core/bounds/settings.js'
import { nullFor } from '../../errors.js'
import { encodeModel, type TrainingSummary } from '../../formats/models/bound-model.js'
import { type Progress, part } from '../../progress.js'
import type { JobContext } from '../../queue/kind.js'
import * as store from '../../store/bounds.js'
import type { Session } from '../../store/engine/session.js'
import { findImages } from '../../store/images.js'
import type { Bound } from '../../store/schema/bound-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { readScores } from '../../store/scores.js'
import { findSystem, findSystems } from '../../store/systems.js'
import { evaluateNow } from '../evaluations/evaluate-job.js'
import { importResults } from '../systems/import-results.js'
import { withoutJob } from '../uploads/import-job.js'
import type { Material, SplitCaptions } from './bound-material.js'
import type { BoundContext, BoundResult } from './claim-bound.js'

/** Time between two messages with the speed of the training. */
export const DESCRIBE_MS = 30_000

/** Share of the training in the progress. */
export const TRAINED = 0.85

/** What an imported model and a training work with. */
export interface Work {
  readonly context: BoundContext
  readonly threads: Threads
  readonly dataset: Dataset
  readonly bound: Bound
}

interface TrainedModel {
  readonly material: Material
  readonly captions: SplitCaptions
  readonly opened: OpenedModel
  readonly summary: TrainingSummary
  /** Time of the training. */
  readonly seconds: number
}

/**
 * Finds a model's captions of the test images and stores them as a system, with its figures, and evaluates it: for the
 * figures against all captions with the document frequencies of the dataset, and beside people.
 */
export async function describeImages(
  { context, threads, dataset, bound }: Work,
  { material, captions, opened, summary, seconds }: TrainedModel,
  progress: Progress,
): Promise<void> {
  const { database } = context
  const found = await searchAll(threads, opened, material.testImages, bound.settings.beam, (share) =>
    progress(share / 2, 'describing the test images'),
  )
  const { settings } = bound
  const { vocabulary, test } = material
  progress(0.5, 'scoring human captions')
  const byWord = await logProbabilities(threads, opened, test)
  const captionIds = Int32Array.from(captions.test, ({ id }) => id)
  const wordCounts = captionIds.map((_, index) => test.wordOffsets[index + 1] - test.wordOffsets[index])
  const logLikelihoods = Float64Array.from(captionIds, (_, index) =>
    byWord
      .subarray(test.wordOffsets[index], test.wordOffsets[index + 1])
      .reduce((sum, value) => sum + value, 0),
  )
  const logLikelihood = logLikelihoods.reduce((sum, value) => sum + value, 0)
  const outcome: BoundOutcome = {
    ...summary,
    words: vocabulary.words.length,
    atoms: vocabulary.atoms.length,
    captionCount: captionIds.length,
    logLikelihood,
    perplexity: Math.exp(-logLikelihood / byWord.length),
    trainingSeconds: seconds,
  }
  const content = { settings, specification: opened.shared.specification, training: summary, ...vocabulary }
  const model = encodeModel(content, opened.model.layout, opened.model.numbers as Float32Array)
  const images = new Map(
    (await findImages(database, material.testImageIds)).map((image) => [image.id, image]),
  )
  const described = material.testImageIds.map((id, index) => ({
    imageId: images.get(id)!.externalId,
    text: found[index].words.map((word) => vocabulary.words[word]).join(' '),
  }))
  await database.transaction(async (session) => {
    await context.requireLease(session)
    const input = {
      source: 'bound',
      captions: described,
      system: await chooseName(session, dataset, bound),
      isMissingAllowed: true,
      match: 'id' as const,
    }
    const imported = await importResults(withoutJob(session, part(progress, 0.6, 1)), dataset, input)
    const figures = { outcome, model, captionIds, logLikelihoods, wordCounts }
    await store.finishBound(session, bound.id, { systemId: imported.systemId, ...figures })
  })
}

/**
 * Evaluates a bound on all human captions of its test images and, as people are, on one less, where that is not stored yet: a
 * training that was interrupted after it had stored the bound is completed by its repetition. A bound whose captions were
 * removed is not evaluated.
 */
export async function evaluateBound(
  { database, threads }: Pick<JobContext<never, BoundResult>, 'database' | 'threads'>,
  dataset: Dataset,
  boundId: number,
  progress: Progress,
): Promise<void> {
  const [{ systemId }] = await store.findBounds(database, [boundId])
  const [system] = await findSystems(database, systemId === null ? [] : [systemId])
  if (!system) return
  const scores = await readScores(database, [system.id])
  if (!scores.some(({ folds }) => folds === null)) {
    const evaluation = { documents: dataset.name }
    await evaluateNow(database, await threads(), system, evaluation, part(progress, 0, 0.6))
  }
  if (dataset.captionsPerImage > 1 && scores.every(({ folds }) => folds === null)) {
    // On as many references as those of people; not at all where no test image has enough captions.
    const evaluation = { references: dataset.captionsPerImage - 1 }
    await nullFor(
      'NOT_APPLICABLE',
      evaluateNow(database, await threads(), system, evaluation, part(progress, 0.6, 1)),
    )
  }
}

/** A name for the captions of a bound, such as `bound-all-50-r0.2`; with its id where another bound has the name. */
async function chooseName(session: Session, dataset: Dataset, { id, settings }: Bound): Promise<string> {
  const { kind, atoms, replaced, visualOnly } = settings
  const name = `bound-${kind}-${atoms}${replaced > 0 ? `-r${replaced}` : ''}${visualOnly ? '-visual' : ''}`
  return (await findSystem(session, dataset.id, name)) ? `${name}-${id}` : name
}
