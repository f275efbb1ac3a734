import { requireReferences } from '../../core/agreement/weights.js'
import { AccordError } from '../../errors.js'
import { requireDataset } from '../../store/datasets.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { requireSystem } from '../../store/systems.js'
import { requireCaptions } from '../datasets/require-subjects.js'
import type { Job } from '../jobs/jobs.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { requireOwnSources } from '../uploads/import-job.js'
import { type DocumentOptions, requireDocuments, requireFixedDocuments } from './document-source.js'
import type { EvaluateJobInput } from './evaluate-job.js'
import { requireFrequencies } from './metrics.js'

export interface EvaluationOptions extends DocumentOptions {
  /** Name. */
  readonly dataset: string
  /** Name. */
  readonly system: string
  /** Names. Default: those that are computed by default. */
  readonly metrics?: readonly string[] | null
  /** k: on the K folds of k references. Default: against all captions of each image. */
  readonly references?: number | null
}

/**
 * Starts the evaluation of a system by workers, or returns the unfinished one with the same options.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM, UNKNOWN_METRIC, QUEUE_FULL; OUT_OF_RANGE for `references` or an empty
 * list of metrics; NOT_APPLICABLE for a system without captions, for a dataset as `documents` with `references`, and
 * for a read-only database
 */
export async function startEvaluation(
  accord: Accord,
  options: EvaluationOptions,
  client: Client = {},
): Promise<Job> {
  await requireOwnSources(accord.database, options, client)
  const { input } = await planInput(accord, options)
  await requireFrequencies(accord, options.metrics, options)
  return accord.start('evaluate', input, client)
}

/** The subject and the input of the job of an evaluation. @throws AccordError as {@link startEvaluation} */
export async function planInput(
  accord: Accord,
  { dataset: datasetName, system: name, metrics, references, ...sources }: EvaluationOptions,
): Promise<{ readonly dataset: Dataset; readonly system: System; readonly input: EvaluateJobInput }> {
  const { database } = accord
  const dataset = await requireDataset(database, datasetName)
  const system = await requireSystem(database, dataset.id, name)
  requireCaptions(system)
  if (references != null) requireReferences(dataset.captionsPerImage, references)
  const documents = await requireDocuments(database, sources)
  if (references != null) requireFixedDocuments(documents)
  await refreshMetrics(accord)
  const input = {
    datasetId: dataset.id,
    systemId: system.id,
    ...(metrics != null && { metrics: canonicalNames(accord, metrics) }),
    ...(references != null && { references }),
    ...documents,
  }
  return { dataset, system, input }
}

/** Names of metrics as they are shown. @throws AccordError OUT_OF_RANGE for none */
function canonicalNames(accord: Accord, names: readonly string[]): string[] {
  const wanted = metricsOf(accord).resolve(names)
  if (wanted.length > 0) return wanted
  throw new AccordError('OUT_OF_RANGE', 'no metrics', { source: 'metrics', expected: 'at least one name' })
}
