import { setTimeout as sleep } from 'node:timers/promises'
import { logProbabilities, searchAll, trainStep } from '../../compute/model.js'
import type { Threads } from '../../compute/pool.js'
import { createModel, createRandomModel, type OpenedModel } from '../../compute/shared-model.js'
import { ATOM_KINDS, type Atom } from '../../core/bounds/atoms.js'
import { longestCaption, selectExamples } from '../../core/bounds/material.js'
import {
  type BoundOutcome,
  type BoundProgress,
  type BoundSettings,
  type CheckpointHeader,
  checkSettings,
} from '../../core/bounds/settings.js'
import { splitForTraining, splitKey } from '../../core/bounds/split.js'
import { visualAtoms } from '../../core/bounds/votes.js'
import { createRandom, shuffle } from '../../core/stats/random.js'
import { AccordError, nullFor } from '../../errors.js'
import { nameOf, readWhole } from '../../formats/io/files.js'
import {
  decodeHeader,
  encodeModel,
  loadWeights,
  type TrainingSummary,
} from '../../formats/models/bound-model.js'
import { type Progress, part } from '../../progress.js'
import type { Handler, JobContext } from '../../queue/kind.js'
import { recoverExpired } from '../../queue/lease.js'
import { readVotes } from '../../store/atoms.js'
import * as store from '../../store/bounds.js'
import type { Database, Session } from '../../store/engine/session.js'
import { findImages, readReferenceCaptions } from '../../store/images.js'
import { findJobs } from '../../store/jobs.js'
import type { Bound, Dataset } from '../../store/schema/entities.js'
import { readScores } from '../../store/scores.js'
import { findSystem, findSystems } from '../../store/systems.js'
import { requireDatasetById } from '../datasets/subjects.js'
import { evaluateNow } from '../evaluations/evaluation-plan.js'
import { type FileSource, importJob, withoutJob } from '../imports/import-job.js'
import { importResults } from '../imports/import-results.js'
import {
  encodeCaptions,
  type Material,
  readSplitCaptions,
  type SplitCaptions,
  toMaterial,
} from './bound-material.js'

/** Version of checkpoints. */
const CHECKPOINT_VERSION = 1

/** Minimum time between two reports of progress. */
const REPORT_MS = 2_000

/** Maximum time that a training waits for the end of another one's lease, in milliseconds. */
const MAX_WAIT_MS = 20_000

/** Time for which the preparation of a training is kept for the next one. */
const PREPARATION_MS = 60_000

/** Losses are computed twice per pass, but at least after this many mini-batches. */
const MAX_STEPS_PER_LOSS = 200

/** Minimum time between two checkpoints. */
const CHECKPOINT_MS = 20_000

/** Time between two messages with the speed of the training. */
const DESCRIBE_MS = 30_000

/** Maximum size of a part of a checkpoint in bytes. */
const PART_BYTES = 4 * 1024 * 1024

/** Share of the training in the progress. */
const TRAINED = 0.85

/** What is shared by several points of one split. */
interface BoundPreparation {
  readonly split: store.StoredSplit
  readonly captions: SplitCaptions
}

/** @throws AccordError NOT_APPLICABLE for a dataset that is too small */
async function requireSplit(
  session: Session,
  dataset: Dataset,
  settings: BoundSettings,
): Promise<store.StoredSplit> {
  const key = splitKey(settings)
  const stored = await store.findSplit(session, dataset.id, key)
  if (stored) return stored
  const { imageIds, firstCaption } = await readReferenceCaptions(session, dataset.id)
  const described = imageIds.filter((_, image) => firstCaption[image + 1] > firstCaption[image])
  const split = splitForTraining(described, settings)
  return { id: await store.insertSplit(session, dataset.id, key, split), ...split }
}

/**
 * The bound with these settings, inserted if it does not exist.
 *
 * @throws AccordError OUT_OF_RANGE for settings; NOT_APPLICABLE for a dataset that is too small
 */
export async function requireBound(
  session: Session,
  dataset: Dataset,
  settings: BoundSettings,
): Promise<Bound> {
  checkSettings(settings)
  const key = await keyOf(session, dataset, settings)
  const existing = await store.findBound(session, dataset.id, key)
  if (existing) return existing
  const { id: splitId } = await requireSplit(session, dataset, settings)
  const id = await store.insertBound(session, { datasetId: dataset.id, splitId, key, settings })
  const [bound] = await store.findBounds(session, [id])
  return bound
}

/** Bounds with visual atoms alone depend on the votes as well. */
async function keyOf(session: Session, dataset: Dataset, settings: BoundSettings): Promise<string> {
  const key = JSON.stringify(settings)
  if (!settings.visualOnly) return key
  const visual = visualAtoms(await readVotes(session, dataset.id))
  return `${key} ${ATOM_KINDS.flatMap((kind) => [...visual[kind]].sort()).join(' ')}`
}

export interface TrainBoundInput {
  readonly datasetId: number
  readonly settings: BoundSettings
}

/** The bound that a job trained or imported. */
export interface BoundResult {
  readonly boundId: number
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

type BoundContext = Pick<JobContext<never, BoundResult>, 'id' | 'database' | 'requireLease'>

/**
 * Makes the job the one that trains the bound. If the process of another one was killed, waits for the end of its lease.
 *
 * @throws AccordError BUSY while another job trains it
 */
async function claimBound({ id: jobId, database }: BoundContext, { id }: Bound): Promise<void> {
  for (let hasWaited = false; ; hasWaited = true) {
    const other = await database.transaction(async (session) => {
      const [{ jobId: holder }] = await store.lockBounds(session, [id])
      const [job] = holder === null || holder === jobId ? [] : await findJobs(session, [holder])
      if (job && job.status === 'RUNNING') return job
      await store.assignJob(session, id, jobId)
      return null
    })
    if (other === null) return
    const left = (other.leaseUntil ?? Number.POSITIVE_INFINITY) - Date.now()
    // A job that is still running renews its lease.
    if (hasWaited || left > MAX_WAIT_MS) throw beingTrained()
    await sleep(Math.max(0, left) + 10)
    await recoverExpired(database)
  }
}

function beingTrained(): AccordError {
  return new AccordError('BUSY', 'the bound is being trained by another process', {
    source: 'bound',
    expected: 'one training of the same settings at a time',
  })
}

/** Stores how far the training has come, from time to time. */
function createReport(session: Session, { id }: Bound) {
  let reported = Date.now()
  return async (progress: BoundProgress): Promise<void> => {
    if (Date.now() - reported < REPORT_MS) return
    reported = Date.now()
    await store.saveProgress(session, id, progress)
  }
}

/** The last preparation, for the points of a figure, which are trained one after the other. */
let prepared: (BoundPreparation & { readonly database: Database }) | undefined
let forgetting: NodeJS.Timeout | undefined

async function prepareOnce(
  database: Database,
  dataset: Dataset,
  settings: BoundSettings,
  progress: Progress,
): Promise<BoundPreparation> {
  const split = await requireSplit(database, dataset, settings)
  if (prepared?.database !== database || prepared.split.id !== split.id) {
    prepared = { database, split, captions: await readSplitCaptions(database, split, progress) }
  }
  clearTimeout(forgetting)
  forgetting = setTimeout(() => {
    prepared = undefined
  }, PREPARATION_MS).unref()
  return prepared
}

/** State of a training, without the model. */
interface TrainingState {
  step: number
  bestLoss: number | null
  bestStep: number
  /** Weights with the lowest validation loss. */
  best: Float32Array
}

/** What an imported model and a training work with. */
interface Work {
  readonly context: BoundContext
  readonly threads: Threads
  readonly dataset: Dataset
  readonly bound: Bound
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
    const expectedEnd = new Date(Date.now() + 1000 * left).toISOString()
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

/** Weights, the averages of Adadelta and the best weights, in parts. */
function toCheckpoint({ model }: OpenedModel, state: TrainingState, dataset: string) {
  const { weights, squares, updates, parameterCount } = model.layout
  const numbers = model.numbers as Float32Array
  const arrays = [
    ...[weights, squares, updates].map((start) => numbers.subarray(start, start + parameterCount)),
    state.best,
  ]
  const parts = arrays.flatMap((array) => {
    // Copied, because memory that is shared between threads cannot be written by the engines.
    const bytes = Buffer.from(new Float32Array(array).buffer)
    const count = Math.ceil(bytes.length / PART_BYTES)
    return Array.from({ length: count }, (_, index) =>
      bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
    )
  })
  const header: CheckpointHeader = {
    version: CHECKPOINT_VERSION,
    dataset,
    step: state.step,
    bestLoss: state.bestLoss,
    bestStep: state.bestStep,
    partCount: parts.length,
  }
  return { header, parts }
}

/** Loads the checkpoint of a bound, if it has one; otherwise the training starts from the beginning. */
async function resume(
  session: Session,
  { id }: Bound,
  { model }: OpenedModel,
  dataset: string,
): Promise<TrainingState> {
  const { weights, squares, updates, parameterCount } = model.layout
  const numbers = model.numbers as Float32Array
  const [{ checkpoint }] = await store.findBounds(session, [id])
  if (checkpoint === null) {
    await store.resetBound(session, id)
    return { step: 0, bestLoss: null, bestStep: 0, best: numbers.slice(0, parameterCount) }
  }
  checkCheckpoint(checkpoint, dataset)
  const bytes = Buffer.concat(await store.readCheckpoint(session, id))
  if (bytes.length !== 16 * parameterCount) {
    throw wrongCheckpoint(`${16 * parameterCount} bytes`, String(bytes.length))
  }
  const stored = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  const array = (index: number) => stored.subarray(index * parameterCount, (index + 1) * parameterCount)
  numbers.set(array(0), weights)
  numbers.set(array(1), squares)
  numbers.set(array(2), updates)
  const { step, bestLoss, bestStep } = checkpoint
  return { step, bestLoss, bestStep, best: array(3).slice() }
}

function checkCheckpoint({ version, dataset }: CheckpointHeader, expected: string): void {
  if (version !== CHECKPOINT_VERSION)
    throw wrongCheckpoint(`version ${CHECKPOINT_VERSION}`, `version ${version}`)
  if (dataset !== expected) throw wrongCheckpoint(`the dataset with the hash ${expected}`, dataset)
}

function wrongCheckpoint(expected: string, found: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'the checkpoint of the bound cannot be used', {
    source: 'bound',
    expected,
    found,
  })
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
async function describeImages(
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
async function evaluateBound(
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
