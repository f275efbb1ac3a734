import * as jobs from '../jobs/evaluate.js'
import { storedAgreement } from '../jobs/human-agreement.js'
import type { Progress } from '../jobs/progress.js'
import { requireDataset } from '../store/datasets.js'
import type { AgreementScore, Dataset, System } from '../store/entities.js'
import { readImageIds } from '../store/images.js'
import { requireSystem } from '../store/systems.js'
import type { Accord } from './accord.js'
import { metricsOf, threadsOf } from './computing.js'
import { keyBy } from './groups.js'

export interface EvaluationOptions {
  readonly dataset: string
  readonly system: string
  /** Names; default: all. */
  readonly metrics?: readonly string[]
  /** Name of the dataset in whose captions document frequencies are counted. Default: the system's own references. */
  readonly documents?: string
}

/** Scores of a system and of people. */
export interface EvaluationReport extends jobs.EvaluateReport {
  readonly dataset: Dataset
  readonly system: System
  /** By metric. Absent if it is not stored or not comparable with the system's score. */
  readonly human: ReadonlyMap<string, AgreementScore>
  /** External ids, aligned to the image scores. */
  readonly externalIds: readonly string[]
}

/**
 * Evaluates a system in this process.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM, UNKNOWN_METRIC; NOT_APPLICABLE for a system without captions
 */
export async function evaluateSystem(
  accord: Accord,
  { dataset: datasetName, system: name, ...input }: EvaluationOptions,
  progress: Progress,
): Promise<EvaluationReport> {
  const { database } = accord
  const dataset = await requireDataset(database, datasetName)
  const system = await requireSystem(database, dataset.id, name)
  const report = await jobs.evaluateSystem(database, threadsOf(accord), system, input, progress)
  const idOf = await readImageIds(database, dataset.id)
  const externalIds = new Map(Array.from(idOf, ([externalId, id]) => [id, externalId]))
  return {
    ...report,
    dataset,
    system,
    human: await readHuman(accord, dataset, input),
    externalIds: Array.from(report.imageIds, (id) => externalIds.get(id) as string),
  }
}

async function readHuman(
  accord: Accord,
  dataset: Dataset,
  { metrics: names, documents }: Pick<EvaluationOptions, 'metrics' | 'documents'>,
): Promise<EvaluationReport['human']> {
  const input = { references: dataset.captionsPerImage - 1, metrics: names }
  const registry = metricsOf(accord)
  const rows = (await storedAgreement(accord.database, registry, dataset, input)) ?? []
  // People are measured with the document frequencies of their own references.
  const isComparable = ({ metric }: AgreementScore) =>
    (names?.includes(metric) ?? true) &&
    (documents === undefined || !registry.require(metric).needs.documentFrequencies)
  return keyBy(rows.filter(isComparable), ({ metric }) => metric)
}
