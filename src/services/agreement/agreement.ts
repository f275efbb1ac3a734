import { AccordError } from '../../errors.js'
import type { Progress } from '../../progress.js'
import { findDatasets, requireDataset } from '../../store/datasets.js'
import type { AgreementScore, Dataset } from '../../store/schema/entities.js'
import type { Accord, Client } from '../accord.js'
import { chooseReferences } from '../datasets/references.js'
import { metricsOf, refreshComposites, threadsOf } from '../shared/computing.js'
import * as human from './human-agreement.js'

/** A leave-one-out table. */
export interface HumanAgreement {
  readonly references: number
  /** One row for each metric. */
  readonly rows: readonly AgreementScore[]
}

/**
 * Stored tables of the metrics that are stored; datasets without any are left out.
 *
 * @param references k, by default K − 1
 */
export async function agreementByDataset(
  accord: Accord,
  datasetIds: readonly number[],
  references?: number,
): Promise<Map<number, AgreementScore[]>> {
  await refreshComposites(accord)
  const datasets = await findDatasets(accord.database, datasetIds)
  const tables = await human.storedAgreements(accord.database, metricsOf(accord), datasets, { references })
  return new Map(
    datasets.flatMap(({ id }, index) => {
      const { rows } = tables[index]
      return rows.length > 0 ? [[id, [...rows]]] : []
    }),
  )
}

export interface AgreementOptions {
  /** k. Default: K − 1. */
  readonly references?: number | null
  /** Names of metrics. Default: what is stored, and the metrics that are computed by default. */
  readonly metrics?: readonly string[] | null
}

/**
 * The table as stored; metrics that it lacks are computed by a worker.
 *
 * @throws AccordError OUT_OF_RANGE for k, UNKNOWN_METRIC, NOT_APPLICABLE for an undefined metric, QUEUE_FULL
 */
export async function requestAgreement(
  accord: Accord,
  dataset: Dataset,
  { references: wanted, metrics }: AgreementOptions = {},
  client: Client = {},
): Promise<HumanAgreement> {
  const references = chooseReferences(dataset, wanted)
  await refreshComposites(accord)
  return readOrCompute(accord, dataset, { references, metrics: metrics ?? undefined }, async (missing) => {
    const { database, queue } = accord
    const input = { datasetId: dataset.id, references, metrics: missing }
    const { id } = await queue.enqueue(database, 'agreement', input, client)
    await queue.waitForResult('agreement', id, client.signal)
  })
}

/** A leave-one-out table and its dataset. */
export interface AgreementReport extends HumanAgreement {
  readonly dataset: Dataset
}

/**
 * The table as stored; metrics that it lacks are computed in this process.
 *
 * @throws AccordError UNKNOWN_DATASET; OUT_OF_RANGE for k; UNKNOWN_METRIC; NOT_APPLICABLE if images have one caption,
 * or for an undefined metric
 */
export async function computeAgreement(
  accord: Accord,
  { dataset: name, references: wanted, metrics }: AgreementOptions & { readonly dataset: string },
  progress: Progress,
): Promise<AgreementReport> {
  const { database } = accord
  const dataset = await requireDataset(database, name)
  const references = wanted ?? dataset.captionsPerImage - 1
  const input = { references, metrics: metrics ?? undefined }
  await refreshComposites(accord)
  const table = await readOrCompute(accord, dataset, input, (missing) =>
    human.computeAgreement(database, threadsOf(accord), dataset, { references, metrics: missing }, progress),
  )
  return { dataset, ...table }
}

async function readOrCompute(
  accord: Accord,
  dataset: Dataset,
  input: human.AgreementInput,
  compute: (metrics: readonly string[]) => Promise<void>,
): Promise<HumanAgreement> {
  const { references } = input
  const stored = await readTable(accord, dataset, input)
  // What was made in another way is shown where nothing else can be.
  const isComplete = stored.missing.length === 0 || (accord.database.isReadOnly && stored.rows.length > 0)
  if (isComplete) return { references, rows: stored.rows }
  if (accord.database.isReadOnly) throw notStored(accord, dataset)
  await compute(stored.missing)
  const { rows, missing } = await readTable(accord, dataset, input)
  if (missing.length > 0) throw undefinedMetrics(dataset, missing)
  return { references, rows }
}

/** Scores that are undefined for every image are not stored. */
function undefinedMetrics({ name }: Dataset, metrics: readonly string[]): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the metric is undefined for every image', {
    source: 'metrics',
    place: name,
    found: metrics.join(', '),
  })
}

function notStored({ database }: Accord, { name }: Dataset): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the table is not stored, and the database is read-only', {
    source: database.location,
    expected: `a writable database, or the stored table of ${name}`,
  })
}

function readTable(
  accord: Accord,
  dataset: Dataset,
  input: human.AgreementInput,
): Promise<human.StoredAgreement> {
  return human.storedAgreement(accord.database, metricsOf(accord), dataset, input)
}
