import { currentTime } from '../../clock.js'
import { logProbabilities, trainStep } from '../../compute/model.js'
import type { Threads } from '../../compute/pool.js'
import { createModel, createRandomModel, type OpenedModel } from '../../compute/shared-model.js'
import type { Atom } from '../../core/bounds/atoms.js'
import { longestCaption, selectExamples } from '../../core/bounds/material.js'
import { type BoundProgress, checkSettings } from '../../core/bounds/settings.js'
import { visualAtoms } from '../../core/bounds/votes.js'
import { createRandom, shuffle } from '../../core/stats/random.js'
import { AccordError } from '../../errors.js'
import { nameOf, readWhole } from '../../formats/io/files.js'
import { decodeHeader, loadWeights } from '../../formats/models/bound-model.js'
import { type Progress, part } from '../../progress.js'
import type { Handler } from '../../queue/kind.js'
import type { BoundSettings } from '../../shared/choices.js'
import { readVotes } from '../../store/atoms.js'
import * as store from '../../store/bounds.js'
import type { Session } from '../../store/engine/session.js'
import type { Bound } from '../../store/schema/bound-tables.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { type FileSource, importJob } from '../uploads/import-job.js'
import { resume, type TrainingState, toCheckpoint } from './bound-checkpoint.js'
import { encodeCaptions, type Material, toMaterial } from './bound-material.js'
import {
  type BoundPreparation,
  type BoundResult,
  claimBound,
  prepareOnce,
  requireBound,
} from './claim-bound.js'
import { DESCRIBE_MS, describeImages, evaluateBound, TRAINED, type Work } from './trained-bound.js'

/** Minimum time between two reports of progress. */
const REPORT_MS = 2_000

/** Losses are computed twice per pass, but at least after this many mini-batches. */
const MAX_STEPS_PER_LOSS = 200

/** Minimum time between two checkpoints. */
const CHECKPOINT_MS = 20_000

export interface TrainBoundInput {
  readonly datasetId: number
  readonly settings: BoundSettings
}

export interface TrainingOptions {
  /** Minimum time between two checkpoints, in milliseconds. */
  readonly checkpointInterval?: number
}

/**
 * Trains a bound, continuing from its checkpoint if it has one; writes its captions of the test images, stores them as a
 * system, and evaluates it. A bound that is trained is not trained again.
 *
 * The job fails with BUSY where the bound is being trained elsewhere; DIVERGED where the loss becomes infinite;
 * INVALID_SHAPE for a checkpoint of another version or dataset; OUT_OF_RANGE for settings; NOT_APPLICABLE for a dataset that
 * is too small.
 */
export function createTrainBoundJob({
  checkpointInterval = CHECKPOINT_MS,
}: TrainingOptions = {}): Handler<TrainBoundInput, BoundResult> {
  return async (context) => {
    const { input, database, progress } = context
    const dataset = await requireDatasetById(database, input.datasetId)
    const bound = await requireBound(database, dataset, input.settings)
    if (!store.isTrained(bound)) {
      await claimBound(context, bound)
      const preparation = await prepareOnce(database, dataset, bound.settings, part(progress, 0, 0.05))
      const threads = await context.threads()
      const training = {
        context,
        threads,
        dataset,
        bound,
        checkpointInterval,
        report: createReport(database, bound),
      }
      await train(training, preparation, part(progress, 0.05, 0.9))
    }
    await evaluateBound(context, dataset, bound.id, part(progress, 0.9, 1))
    return { boundId: bound.id }
  }
}

export interface ImportBoundInput {
  readonly datasetId: number
  /** A model, see formats/models/bound-model.ts. */
  readonly file: FileSource
}

/**
 * Imports a trained model: writes and evaluates its captions of the test images of the split of its settings. The job fails
 * with INVALID_SHAPE for another file; NAME_TAKEN where the bound exists; FILE_NOT_FOUND; and as a training.
 */
export const importBoundJob = importJob<ImportBoundInput, BoundResult>(async (context, input) => {
  const { database, progress } = context
  const source = nameOf(input.file)
  const dataset = await requireDatasetById(database, input.datasetId)
  const file = readWhole(input.file)
  const { settings, specification, training: summary, words, atoms } = decodeHeader(file, source)
  checkSettings(settings)
  const { captions } = await prepareOnce(database, dataset, settings, part(progress, 0, 0.1))
  const material = { vocabulary: { words, atoms }, ...encodeCaptions(captions, { words, atoms }, settings) }
  const { maxLength } = specification
  const longest = longestCaption(material.test)
  const opened = createModel({ ...specification, maxLength: Math.max(maxLength, longest) })
  loadWeights(file, opened.model.layout, opened.model.numbers)
  const bound = await requireBound(database, dataset, settings)
  if (store.isTrained(bound)) {
    throw new AccordError('NAME_TAKEN', 'the dataset has this bound', {
      source,
      expected: 'a model with other settings',
    })
  }
  await claimBound(context, bound)
  const model = { material, captions, opened, summary, seconds: 0 }
  await describeImages(
    { context, threads: await context.threads(), dataset, bound },
    model,
    part(progress, 0.1, 0.7),
  )
  await evaluateBound(context, dataset, bound.id, part(progress, 0.7, 1))
  return context.finishWith(async () => ({ boundId: bound.id }))
})

/** Stores how far the training has come, from time to time. */
function createReport(session: Session, { id }: Bound) {
  let reported = currentTime()
  return async (progress: BoundProgress): Promise<void> => {
    if (currentTime() - reported < REPORT_MS) return
    reported = currentTime()
    await store.saveProgress(session, id, progress)
  }
}

interface Training extends Work {
  readonly checkpointInterval: number
  readonly report: (progress: BoundProgress) => Promise<void>
}

async function train(training: Training, { captions }: BoundPreparation, progress: Progress): Promise<void> {
  const { dataset, bound } = training
  const { database } = training.context
  const { settings } = bound
  const started = performance.now()
  const votes = settings.visualOnly ? visualAtoms(await readVotes(database, dataset.id)) : null
  const isVisual = ({ kind, text }: Atom) => votes?.[kind].has(text) ?? true
  const material = toMaterial(captions, settings, isVisual)
  const { words, atoms } = material.vocabulary
  const opened = createRandomModel(
    {
      size: {
        words: words.length,
        atoms: atoms.length,
        embedding: settings.embedding,
        state: settings.state,
      },
      batch: settings.batch,
      maxLength: longestCaption(material.training, material.validation, material.test),
    },
    settings.seed,
  )
  const { revision } = dataset
  const state = await resume(database, bound, opened, revision)
  await runTraining(training, material, opened, state, revision, part(progress, 0, TRAINED))
  opened.model.numbers.set(state.best, opened.model.layout.weights)
  const summary = { steps: state.step, bestStep: state.bestStep, validationLoss: state.bestLoss ?? 0 }
  const seconds = (performance.now() - started) / 1000
  const model = { material, captions, opened, summary, seconds }
  await describeImages(training, model, part(progress, TRAINED, 1))
}

/** Trains until the last pass, or until the validation loss has not become lower for long enough. */
async function runTraining(
  { context: { database }, threads, bound: { id, settings }, report, checkpointInterval }: Training,
  { training, validation }: Material,
  opened: OpenedModel,
  state: TrainingState,
  dataset: string,
  progress: Progress,
): Promise<void> {
  const captionCount = training.wordOffsets.length - 1
  const stepsPerEpoch = Math.ceil(captionCount / settings.batch)
  const stepsPerLoss = Math.min(Math.ceil(stepsPerEpoch / 2), MAX_STEPS_PER_LOSS)
  const maxSteps = settings.epochs * stepsPerEpoch
  const isDone = () => state.step >= maxSteps || state.step - state.bestStep >= settings.patience
  const start = { step: state.step, time: performance.now() }
  let order = orderOf(captionCount, settings.seed, Math.floor(state.step / stepsPerEpoch))
  let saved = performance.now()
  let described = saved
  let message = 'training'
  let loss = 0
  let words = 0
  while (!isDone()) {
    const position = state.step % stepsPerEpoch
    if (position === 0) order = orderOf(captionCount, settings.seed, state.step / stepsPerEpoch)
    const batch = selectExamples(
      training,
      order.subarray(position * settings.batch, (position + 1) * settings.batch),
    )
    const batchLoss = await trainStep(threads, opened, batch, { ...settings, step: state.step })
    state.step++
    if (!Number.isFinite(batchLoss)) throw diverged(state.step, 'training')
    loss += batchLoss
    words += batch.words.length
    const seconds = (performance.now() - start.time) / 1000
    const examplesPerSecond = ((state.step - start.step) * settings.batch) / seconds
    const left = ((maxSteps - state.step) * settings.batch) / examplesPerSecond
    const expectedEnd = new Date(currentTime() + 1000 * left).toISOString()
    if (performance.now() - described >= DESCRIBE_MS) {
      described = performance.now()
      message = `training, ${Math.round(examplesPerSecond)} captions/s, ends at ${expectedEnd.slice(11, 16)} UTC at the latest`
    }
    progress(state.step / maxSteps, message)
    await report({ step: state.step, maxSteps, examplesPerSecond, expectedEnd })
    if (state.step % stepsPerLoss !== 0 && state.step < maxSteps) continue
    const validationLoss = await meanLoss(threads, opened, validation)
    if (!Number.isFinite(validationLoss)) throw diverged(state.step, 'validation')
    if (state.bestLoss === null || validationLoss < state.bestLoss) {
      Object.assign(state, { bestLoss: validationLoss, bestStep: state.step })
      state.best.set(opened.model.numbers.subarray(0, state.best.length))
    }
    const isDue = performance.now() - saved >= checkpointInterval || isDone()
    const checkpoint = isDue ? toCheckpoint(opened, state, dataset) : null
    await store.saveLoss(
      database,
      { boundId: id, step: state.step, training: loss / words, validation: validationLoss },
      checkpoint,
    )
    if (isDue) saved = performance.now()
    loss = 0
    words = 0
  }
}

/** The captions of a pass, in random order. */
function orderOf(captionCount: number, seed: number, epoch: number): Int32Array {
  const captions = Int32Array.from({ length: captionCount }, (_, caption) => caption)
  shuffle(captions, createRandom((seed % 2 ** 20) * 2 ** 32 + epoch))
  return captions
}

async function meanLoss(
  threads: Threads,
  opened: OpenedModel,
  examples: Material['validation'],
): Promise<number> {
  const values = await logProbabilities(threads, opened, examples)
  return -values.reduce((sum, value) => sum + value, 0) / values.length
}

function diverged(step: number, which: string): AccordError {
  return new AccordError('DIVERGED', `the ${which} loss is not a finite number`, {
    source: 'bound',
    place: `step ${step}`,
    expected: 'a finite loss; smaller embeddings or another seed may help',
  })
}
