import type { TrainedComposite } from '../../core/composite/artefact.js'
import { encodeArtefact } from '../../formats/models/artefact-file.js'
import { requireNoBoard } from '../../store/challenges.js'
import { requireDataset } from '../../store/datasets.js'
import * as artefacts from '../../store/metrics.js'
import { readExternalMetrics } from '../../store/metrics.js'
import type { Job } from '../jobs/jobs.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupedRows, keyedRows, ofDatabase } from '../shared/groups.js'
import { checkNewMetricName } from '../shared/names.js'
import type { TrainCompositeInput } from './train-composite.js'

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

/** Trains composite metrics, one after the other, and stores each of them. */
export async function trainComposites(
  accord: Accord,
  inputs: readonly TrainCompositeInput[],
  client: Client = {},
): Promise<TrainedComposite[]> {
  for (const [index, input] of inputs.entries()) {
    const { progress, ...training } = clientOfStep(client, index, inputs.length)
    await accord.run('trainComposite', await planTraining(accord, input), {
      ...training,
      progress: (share, message) => progress?.(share, `${input.name}: ${message}`),
    })
  }
  const names = inputs.map(({ name }) => name)
  const composites = await artefacts.readComposites(accord.database)
  return composites.filter(({ header }) => names.includes(header.name))
}

/**
 * Starts a training by workers, or returns the unfinished one with the same input.
 *
 * @throws AccordError INVALID_VALUE and NAME_TAKEN for the name; UNKNOWN_DATASET; UNKNOWN_METRIC; QUEUE_FULL
 */
export async function startCompositeTraining(
  accord: Accord,
  input: TrainCompositeInput,
  client: Client = {},
): Promise<Job> {
  return accord.start('trainComposite', await planTraining(accord, input), client)
}

async function planTraining(accord: Accord, input: TrainCompositeInput) {
  const { database } = accord
  await refreshMetrics(accord)
  checkNewMetricName(metricsOf(accord), input.name, 'name')
  const { id: datasetId } = await requireDataset(database, input.data)
  await requireDataset(database, input.validation)
  const features = input.features.flatMap((feature) => {
    const metrics = metricsOf(accord).resolve([feature], 'features')
    return metrics.length > 1 ? metrics : [feature]
  })
  return { ...input, features, datasetId }
}

/** The networks that trainings have trained so far, by training and in order. */
export const curvesByTraining = groupedRows(artefacts.readCurves, ({ jobId }) => jobId)

/** All composite metrics by name. */
export const listArtefacts = ofDatabase(artefacts.listArtefacts)

export const artefactsById = keyedRows(artefacts.findArtefacts, ({ id }) => id)

/** The composite metric with this name, or null. */
export const findArtefact = ofDatabase(artefacts.findArtefact)

/** @throws AccordError UNKNOWN_METRIC */
export const requireArtefact = ofDatabase(artefacts.requireArtefact)

/** A composite metric as the text of a file. @throws AccordError UNKNOWN_METRIC */
export async function exportArtefact({ database }: Accord, name: string): Promise<string> {
  const { hash } = await artefacts.requireArtefact(database, name)
  const composites = await artefacts.readComposites(database)
  return encodeArtefact(composites.find((composite) => composite.hash === hash) as TrainedComposite)
}

/**
 * Removes a composite metric, or one of another program, with all scores by it.
 *
 * @returns the former id of the composite metric; null for one of another program
 * @throws AccordError UNKNOWN_METRIC; NOT_APPLICABLE for a metric that a phase of a challenge shows
 */
export function removeArtefact({ database }: Accord, name: string): Promise<number | null> {
  return database.transaction(async (session) => {
    const isExternal = (await readExternalMetrics(session)).some((metric) => metric.name === name)
    const artefact = isExternal ? null : await artefacts.requireArtefact(session, name)
    await requireNoBoard(session, name)
    await artefacts.deleteMetric(session, name)
    return artefact === null ? null : artefact.id
  })
}
