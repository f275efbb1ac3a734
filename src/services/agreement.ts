import { chooseReferences } from '../agreement/references.js'
import * as human from '../jobs/human-agreement.js'
import type { Progress } from '../jobs/progress.js'
import { findDatasets, requireDataset } from '../store/datasets.js'
import type { AgreementScore, Dataset } from '../store/entities.js'
import type { Accord } from './accord.js'
import { metricsOf, threadsOf } from './computing.js'

export type { AgreementScore } from '../store/entities.js'

/** A leave-one-out table. */
export interface HumanAgreement {
  readonly references: number
  /** One row for each metric. */
  readonly rows: readonly AgreementScore[]
}

/** Stored tables with K − 1 references; datasets without one are omitted. */
export async function agreementByDataset(
  accord: Accord,
  datasetIds: readonly number[],
): Promise<Map<number, AgreementScore[]>> {
  const tables = new Map<number, AgreementScore[]>()
  for (const dataset of await findDatasets(accord.database, datasetIds)) {
    const rows = await readTable(accord, dataset, dataset.captionsPerImage - 1)
    if (rows) tables.set(dataset.id, rows)
  }
  return tables
}

/**
 * The stored table, or one computed by a worker.
 *
 * @param wanted k, by default K − 1
 * @throws AccordError OUT_OF_RANGE for k, QUEUE_FULL
 */
export async function requestAgreement(
  accord: Accord,
  dataset: Dataset,
  wanted?: number | null,
  signal?: AbortSignal,
): Promise<HumanAgreement> {
  const references = chooseReferences(dataset.captionsPerImage, wanted)
  return readOrCompute(accord, dataset, references, async () => {
    const { database, queue } = accord
    const { id } = await queue.enqueue(database, 'agreement', { datasetId: dataset.id, references })
    await queue.waitForResult('agreement', id, signal)
  })
}

/** A leave-one-out table and its dataset. */
export interface AgreementReport extends HumanAgreement {
  readonly dataset: Dataset
}

/**
 * The stored table, or one computed in this process.
 *
 * @throws AccordError UNKNOWN_DATASET; OUT_OF_RANGE for k; NOT_APPLICABLE if images have one caption
 */
export async function computeAgreement(
  accord: Accord,
  { dataset: name, references: wanted }: { readonly dataset: string; readonly references?: number },
  progress: Progress,
): Promise<AgreementReport> {
  const { database } = accord
  const dataset = await requireDataset(database, name)
  const references = wanted ?? dataset.captionsPerImage - 1
  const table = await readOrCompute(accord, dataset, references, () =>
    human.computeAgreement(database, threadsOf(accord), dataset, { references }, progress),
  )
  return { dataset, ...table }
}

async function readOrCompute(
  accord: Accord,
  dataset: Dataset,
  references: number,
  compute: () => Promise<void>,
): Promise<HumanAgreement> {
  const stored = await readTable(accord, dataset, references)
  if (stored) return { references, rows: stored }
  await compute()
  const rows = await readTable(accord, dataset, references)
  if (!rows) throw new Error(`The table of ${dataset.name} was computed but is not stored.`)
  return { references, rows }
}

function readTable(accord: Accord, dataset: Dataset, references: number): Promise<AgreementScore[] | null> {
  return human.storedAgreement(accord.database, metricsOf(accord), dataset, { references })
}
