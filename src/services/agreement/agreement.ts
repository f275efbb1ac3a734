import { AccordError } from '../../errors.js'
import { BUILT_IN_FREQUENCIES } from '../../formats/words/frequencies.js'
import { findDatasets, requireDataset } from '../../store/datasets.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { AgreementScore } from '../../store/schema/score-tables.js'
import { readAgreementStatistics, readScores } from '../../store/scores.js'
import { listUsualSystems } from '../../store/systems.js'
import { readSubsets } from '../datasets/image-subsets.js'
import { chooseReferences } from '../datasets/references.js'
import {
  type DocumentOptions,
  requireDocuments,
  requireFixedDocuments,
} from '../evaluations/document-source.js'
import { metricsBesideBuiltIn } from '../evaluations/fixed-documents.js'
import { requireFrequencies } from '../evaluations/metrics.js'
import { scoreStoredSubsets } from '../evaluations/scores.js'
import { bySubset, type ScoreOfSubset } from '../evaluations/subset-scores.js'
import type { Job } from '../jobs/jobs.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { idsOf } from '../shared/groups.js'
import { requireOwnSources } from '../uploads/import-job.js'
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
 * @param documents source of the document frequencies, by default those of each fold
 */
export async function agreementByDataset(
  accord: Accord,
  datasetIds: readonly number[],
  references?: number,
  documents?: string,
): Promise<Map<number, AgreementScore[]>> {
  await refreshMetrics(accord)
  const datasets = await findDatasets(accord.database, datasetIds)
  const input = { references, documents }
  const tables = await human.storedAgreements(accord.database, metricsOf(accord), datasets, input)
  return new Map(
    datasets.flatMap(({ id }, index) => {
      const { rows } = tables[index]
      return rows.length > 0 ? [[id, [...rows]]] : []
    }),
  )
}

export interface AgreementOptions extends DocumentOptions {
  /** k. Default: K − 1. */
  readonly references?: number | null
  /** Names of metrics. Default: what is stored, and the metrics that are computed by default. */
  readonly metrics?: readonly string[] | null
}

/**
 * The table as stored; missing metrics are computed.
 *
 * @throws AccordError OUT_OF_RANGE for k; UNKNOWN_METRIC; NOT_APPLICABLE if images have one caption, for an undefined
 * metric, and where the table is not stored and the database is read-only; QUEUE_FULL
 */
export async function humanAgreement(
  accord: Accord,
  dataset: Dataset,
  options: AgreementOptions = {},
  client: Client = {},
): Promise<HumanAgreement> {
  const input = await planAgreementInput(accord, dataset, options)
  const { references } = input
  const stored = await readTable(accord, dataset, input)
  if (stored.missing.length === 0) return { references, rows: stored.rows }
  await accord.run('agreement', { datasetId: dataset.id, ...input, metrics: stored.missing }, client)
  const { rows, missing } = await readTable(accord, dataset, input)
  if (missing.length > 0) throw undefinedMetrics(dataset, missing)
  return { references, rows }
}

/**
 * Starts the computation of a table by workers.
 *
 * @throws AccordError UNKNOWN_DATASET; OUT_OF_RANGE for k; UNKNOWN_METRIC; FORBIDDEN for a read-only database; QUEUE_FULL
 */
export async function startAgreement(
  accord: Accord,
  { dataset: name, ...options }: AgreementOptions & { readonly dataset: string },
  client: Client = {},
): Promise<Job> {
  await requireOwnSources(accord.database, options, client)
  const dataset = await requireDataset(accord.database, name)
  const input = await planAgreementInput(accord, dataset, options)
  await requireFrequencies(accord, options.metrics, options)
  return accord.start('agreement', { datasetId: dataset.id, ...input }, client)
}

/** The input of the job of a table. @throws AccordError OUT_OF_RANGE for k; UNKNOWN_METRIC; NOT_APPLICABLE for a dataset as `documents` */
async function planAgreementInput(
  accord: Accord,
  dataset: Dataset,
  { references, metrics, ...sources }: AgreementOptions,
): Promise<human.AgreementInput> {
  const k = chooseReferences(dataset, references)
  const documents = await requireDocuments(accord.database, sources)
  requireFixedDocuments(documents)
  await refreshMetrics(accord)
  return {
    references: k,
    ...(metrics != null && { metrics: metricsOf(accord).resolve(metrics) }),
    ...documents,
  }
}

/** A leave-one-out table and its dataset. */
export interface AgreementReport extends HumanAgreement {
  readonly dataset: Dataset
  /** Rows with the built-in document frequencies; see `metricsBesideBuiltIn`. */
  readonly coco: readonly AgreementScore[]
}

/**
 * The same for a dataset by name. Without names of metrics also by those that systems were scored by, so that every score of a
 * system can be compared with people.
 *
 * @throws AccordError UNKNOWN_DATASET; as {@link humanAgreement}
 */
export async function reportAgreement(
  accord: Accord,
  { dataset: name, ...options }: AgreementOptions & { readonly dataset: string },
  client: Client = {},
): Promise<AgreementReport> {
  const dataset = await requireDataset(accord.database, name)
  const others = options.metrics == null ? await scoredMetricsBesideDefault(accord, dataset) : []
  if (others.length > 0) {
    await humanAgreement(accord, dataset, { ...options, metrics: others }, clientOfStep(client, 0, 3))
  }
  const report = await humanAgreement(accord, dataset, options, clientOfStep(client, 1, 3))
  const coco = await agreementBeside(accord, dataset, options, report, clientOfStep(client, 2, 3))
  return { dataset, ...report, coco }
}

/** The rows with the built-in document frequencies that stand beside those with their own; of a read-only database, those that are stored. */
async function agreementBeside(
  accord: Accord,
  dataset: Dataset,
  options: AgreementOptions,
  { rows }: HumanAgreement,
  client: Client,
): Promise<readonly AgreementScore[]> {
  const isOwn = options.documents == null && options.documentsFile === undefined
  const names = rows.map(({ metric }) => metric)
  const metrics = metricsBesideBuiltIn(names, isOwn, dataset)
  if (metrics.length === 0) return []
  const beside = { ...options, metrics, documents: BUILT_IN_FREQUENCIES }
  const table = accord.database.isReadOnly
    ? await readTable(accord, dataset, await planAgreementInput(accord, dataset, beside))
    : await humanAgreement(accord, dataset, beside, client)
  return table.rows
}

interface AgreementOfSubset extends ScoreOfSubset {
  /** People. */
  readonly system: null
  readonly references: number
}

/**
 * The same scores on the subsets of the images by a field, from stored statistics: document frequencies are those of all images. By
 * subset, then in the order of the rows.
 */
export async function agreementOfSubsets(
  accord: Accord,
  { dataset, references, rows }: AgreementReport,
  field: string,
): Promise<AgreementOfSubset[]> {
  const { database } = accord
  const subsets = await readSubsets(database, dataset, field)
  const scored: AgreementOfSubset[] = []
  for (const { metric, record, folds, statisticsId } of await withRecords(database, rows)) {
    const statistics = await readAgreementStatistics(database, statisticsId)
    const stored = { metric, record, folds: folds.length, statistics }
    for (const row of scoreStoredSubsets(accord, dataset, subsets, stored))
      scored.push({ ...row, system: null, references })
  }
  return bySubset(subsets, scored)
}

/** Those of {@link scoredMetrics} that are not computed by default, but can be. */
async function scoredMetricsBesideDefault(accord: Accord, dataset: Dataset): Promise<string[]> {
  const names = await scoredMetrics(accord, dataset)
  const registry = metricsOf(accord)
  // Scores of another program cannot be computed here.
  const isComputed = (name: string) => registry.require(name).needs.text !== 'external'
  return names.filter((name) => !registry.require(name).isDefault && isComputed(name))
}

/** Names of metrics by which systems of the dataset have scores, in the order of the registry. */
export async function scoredMetrics(accord: Accord, dataset: Dataset): Promise<string[]> {
  await refreshMetrics(accord)
  const systems = await listUsualSystems(accord.database, [dataset.id])
  const ids = idsOf(systems)
  const stored = new Set((await readScores(accord.database, ids)).map(({ metric }) => metric))
  return metricsOf(accord).metrics.flatMap(({ name }) => (stored.has(name) ? [name] : []))
}

/** Scores that are undefined for every image are not stored. */
function undefinedMetrics({ name }: Dataset, metrics: readonly string[]): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the metric is undefined for every image', {
    source: 'metrics',
    place: name,
    found: metrics.join(', '),
  })
}

function readTable(
  accord: Accord,
  dataset: Dataset,
  input: human.AgreementInput,
): Promise<human.StoredAgreement> {
  return human.storedAgreement(accord.database, metricsOf(accord), dataset, input)
}
