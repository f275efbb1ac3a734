import type { TrainedComposite } from '../../core/composite/artefact.js'
import { AccordError } from '../../errors.js'
import { encodeArtefact, readArtefact } from '../../formats/models/artefact-file.js'
import type { Progress } from '../../progress.js'
import { step } from '../../progress.js'
import * as artefacts from '../../store/artefacts.js'
import { requireDataset } from '../../store/datasets.js'
import type { JobRow } from '../../store/jobs.js'
import type { Artefact, JobState, TrainingCurve } from '../../store/schema/entities.js'
import type { Accord, Client } from '../accord.js'
import { metricsOf, refreshComposites, threadsOf } from '../shared/computing.js'
import { groupBy, keyBy } from '../shared/groups.js'
import { checkNewName, type TrainCompositeInput, trainComposite } from './train-composite.js'

/** The composite metrics of Sharif et al. 2018, section 3, by the first letters of their features. */
export const PUBLISHED_COMPOSITES: Readonly<Record<string, readonly string[]>> = {
  EvalMS: ['METEOR', 'SPICE'],
  EvalCS: ['CIDEr', 'SPICE'],
  EvalMCS: ['METEOR', 'CIDEr', 'SPICE'],
  EvalWCS: ['WMD', 'CIDEr', 'SPICE'],
  EvalMWS: ['METEOR', 'WMD', 'SPICE'],
  EvalMWCS: ['METEOR', 'WMD', 'CIDEr', 'SPICE'],
}

/** Seed of trainings unless another is given. */
export const DEFAULT_SEED = 1

/**
 * Trains composite metrics in this process, one after the other, and stores each of them.
 *
 * @throws AccordError like `trainComposite` in `jobs`
 */
export async function trainInProcess(
  accord: Accord,
  inputs: readonly TrainCompositeInput[],
  progress: Progress,
): Promise<TrainedComposite[]> {
  const trained: TrainedComposite[] = []
  for (const [index, input] of inputs.entries()) {
    await refreshComposites(accord)
    const training = step(progress, index, inputs.length)
    trained.push(
      await trainComposite(accord.database, threadsOf(accord), input, {
        progress: (share, message) => training(share, `${input.name}: ${message}`),
      }),
    )
  }
  return trained
}

/** A training by workers. */
export interface Training {
  readonly id: number
  readonly status: Exclude<JobState, 'WAITING'>
  /** 0..1. */
  readonly progress: number
  /** The current step with loss and τ, or the reason of the failure. Null if it is done or cancelled. */
  readonly message: string | null
  readonly createdAt: string
  readonly finishedAt: string | null
  /** Null until it is done. */
  readonly artefactId: number | null
}

/**
 * Starts a training by workers, or returns the unfinished one with the same input.
 *
 * @throws AccordError INVALID_VALUE and NAME_TAKEN for the name; UNKNOWN_DATASET; UNKNOWN_METRIC; QUEUE_FULL
 */
export async function startTraining(
  accord: Accord,
  input: TrainCompositeInput,
  client: Client = {},
): Promise<Training> {
  const { database, queue } = accord
  await refreshComposites(accord)
  checkNewName(metricsOf(accord), input.name, 'name')
  const { id: datasetId } = await requireDataset(database, input.data)
  await requireDataset(database, input.validation)
  for (const feature of input.features) metricsOf(accord).require(feature, 'features')
  return toTraining(await queue.enqueue(database, 'trainComposite', { ...input, datasetId }, client))
}

/** @throws AccordError UNKNOWN_TRAINING; NOT_APPLICABLE if it has ended */
export async function cancelTraining(accord: Accord, id: number, client: Client = {}): Promise<Training> {
  if (!(await trainingsById(accord, [id])).has(id)) throw unknownTraining(String(id))
  await accord.queue.cancel(id)
  return toTraining(await accord.queue.waitForEnd(id, client.signal))
}

/** The error for an id that is not that of a training. */
export function unknownTraining(found: string): AccordError {
  return new AccordError('UNKNOWN_TRAINING', 'unknown training', {
    source: 'id',
    expected: 'the id of a training',
    found,
  })
}

/** Trainings by id. */
export async function trainingsById(
  { queue }: Accord,
  ids: readonly number[],
): Promise<Map<number, Training>> {
  const jobs = (await queue.find(ids)).filter(({ kind }) => kind === 'trainComposite')
  return keyBy(jobs.map(toTraining), ({ id }) => id)
}

/** The networks that trainings have trained so far, by training and in order. */
export async function curvesByTraining(
  { database }: Accord,
  ids: readonly number[],
): Promise<Map<number, TrainingCurve[]>> {
  return groupBy(await artefacts.readCurves(database, ids), ({ jobId }) => jobId)
}

function toTraining({
  id,
  state,
  progress,
  message,
  failure,
  result,
  createdAt,
  finishedAt,
}: JobRow): Training {
  return {
    id,
    status: state === 'WAITING' ? 'RUNNING' : state,
    progress: state === 'DONE' ? 1 : progress,
    message: failure?.message ?? message,
    createdAt,
    finishedAt,
    artefactId: (result as { readonly artefactId: number } | null)?.artefactId ?? null,
  }
}

/** All composite metrics by name. */
export function listArtefacts({ database }: Accord): Promise<Artefact[]> {
  return artefacts.listArtefacts(database)
}

/** Composite metrics by id. */
export async function artefactsById(
  { database }: Accord,
  ids: readonly number[],
): Promise<Map<number, Artefact>> {
  return keyBy(await artefacts.findArtefacts(database, ids), ({ id }) => id)
}

/** The composite metric with this name, or null. */
export function findArtefact({ database }: Accord, name: string): Promise<Artefact | null> {
  return artefacts.findArtefact(database, name)
}

/** @throws AccordError UNKNOWN_METRIC */
export function requireArtefact({ database }: Accord, name: string): Promise<Artefact> {
  return artefacts.requireArtefact(database, name)
}

/** A composite metric as the text of a file. @throws AccordError UNKNOWN_METRIC */
export async function exportArtefact({ database }: Accord, name: string): Promise<string> {
  const { hash } = await artefacts.requireArtefact(database, name)
  const composites = await artefacts.readComposites(database)
  return encodeArtefact(composites.find((composite) => composite.hash === hash) as TrainedComposite)
}

/** Stores a composite metric of a file. @throws AccordError NAME_TAKEN; for a file that is not valid, or was edited */
export async function importArtefact(accord: Accord, file: string): Promise<TrainedComposite> {
  const composite = readArtefact(file)
  await refreshComposites(accord)
  checkNewName(metricsOf(accord), composite.header.name, file)
  await artefacts.insertArtefact(accord.database, composite)
  return composite
}

/** Removes a composite metric with all scores by it. @throws AccordError UNKNOWN_METRIC */
export function removeArtefact({ database }: Accord, name: string): Promise<void> {
  return database.transaction(async (session) => {
    await artefacts.deleteArtefact(session, await artefacts.requireArtefact(session, name))
  })
}
