import { hasDocuments, type ProvenanceRecord } from '../../core/metrics/provenance.js'
import type { SampleSize } from '../../core/stats/interval.js'
import type { Session } from '../../store/engine/session.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { AgreementScore, MetricScore } from '../../store/schema/score-tables.js'
import {
  isOf,
  readScores,
  type StoredStatistics,
  statisticsOfAgreement,
  statisticsOfScores,
} from '../../store/scores.js'
import type { Subset } from '../datasets/field-subsets.js'
import { isCurrent } from '../provenance/record-provenance.js'
import type { Accord } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, ofDatabase } from '../shared/groups.js'
import { intervalNotes, judgeScore, type ScoreRecord } from '../shared/intervals.js'
import { tokenizationOf } from '../shared/tokens.js'
import { objectNotes } from './annotated-objects.js'
import { frequencyNotes } from './fixed-documents.js'
import { metricNotes } from './metrics.js'
import { createObjectCheck } from './stored-objects.js'
import { type ScoreOfSubset, scoreSubsets } from './subset-scores.js'

const FOLD_NOTE =
  'The spread over folds is not a sampling error: all folds have the same images. The interval is over images.'

/** What to know when reading a score of a system or of people. @param record of how it was made */
export function scoreNotes(
  accord: Accord,
  { metric, folds, ...ends }: Pick<MetricScore | AgreementScore, 'metric' | 'folds' | 'lower' | 'upper'>,
  record: ProvenanceRecord,
): string[] {
  return [
    ...metricNotes(accord, metric),
    ...objectNotes(metricsOf(accord), [record]),
    ...(folds === null ? [] : [FOLD_NOTE]),
    ...frequencyNotes([record]),
    ...intervalNotes([judgeScore(ends, record)]),
  ]
}

/** What to know when reading scores of people, and of the interval of each. */
export async function describeAgreement(
  accord: Accord,
  rows: readonly AgreementScore[],
): Promise<{ readonly notes: readonly string[]; readonly statuses: readonly SampleSize[] }> {
  const recorded = await withRecords(accord.database, rows)
  return {
    notes: [...new Set(recorded.flatMap((row) => scoreNotes(accord, row, row.record)))],
    statuses: recorded.map((row) => judgeScore(row, row.record)),
  }
}

/** A score with how it was made. */
export type RecordedScore = MetricScore & { readonly record: ProvenanceRecord }

/**
 * Corpus scores of systems: the newest of each metric, in the order of {@link listMetrics}.
 *
 * @param references k: those on folds of k references; by default those against all captions of each image
 * @param documents hash of their document frequencies; by default those of the measured images
 */
export async function scoresBySystem(
  accord: Accord,
  systemIds: readonly number[],
  references?: number | null,
  documents?: string,
): Promise<Map<number, RecordedScore[]>> {
  const ofReferences = (await readScores(accord.database, systemIds)).filter(isOf(references ?? null))
  const rows = (await withRecords(accord.database, ofReferences)).filter(({ record }) =>
    hasDocuments(record, documents),
  )
  const known = new Set(metricsOf(accord).metrics.map(({ name }) => name))
  if (rows.some(({ metric }) => !known.has(metric))) await refreshMetrics(accord)
  const { metrics } = metricsOf(accord)
  const all = groupBy(rows, ({ systemId }) => systemId)
  const newest = (rows: readonly RecordedScore[]) =>
    metrics.flatMap(({ name }) => rows.findLast(({ metric }) => metric === name) ?? [])
  return new Map(Array.from(all, ([systemId, rows]) => [systemId, newest(rows)]))
}

/** Scores of a system. */
export interface WantedScores {
  readonly systemId: number
  /** Names. */
  readonly metrics: readonly string[]
  /** k; null against all captions. */
  readonly references: number | null
}

/**
 * Ids of stored scores that this version would make in the same way, the newest by metric. Metrics without such a score are
 * left out.
 *
 * @param accepts which of them are wanted. Default: all
 * @param session Default: the database
 */
export async function findCurrentScores(
  accord: Accord,
  { systemId, metrics, references }: WantedScores,
  accepts: (record: ProvenanceRecord) => boolean = () => true,
  session: Session = accord.database,
): Promise<Map<string, number>> {
  const rows = (await readScores(session, [systemId], metrics)).filter(isOf(references))
  const stored = { systemId, metrics: rows.map(({ metric }) => metric), references }
  const hasObjects = await createObjectCheck(session, metricsOf(accord), stored)
  const current = new Map<string, number>()
  for (const { id, metric, record } of await withRecords(session, rows)) {
    if (accepts(record) && hasObjects(record) && isCurrent(metricsOf(accord), record)) current.set(metric, id)
  }
  return current
}

/** A stored score, with the rows that it was computed from. */
export interface StoredScore {
  readonly metric: string
  readonly record: ScoreRecord
  /** Number of folds; null for a score against all references. */
  readonly folds: number | null
  readonly statistics: StoredStatistics
}

/** The stored score of a system or of people on subsets of the images of a dataset. Empty for a layout that is no longer read. */
export function scoreStoredSubsets(
  accord: Accord,
  dataset: Dataset,
  subsets: readonly Subset<number>[],
  { metric, record, folds, statistics: { imageIds, statistics, ...layout } }: StoredScore,
): ScoreOfSubset[] {
  const { families } = metricsOf(accord).choose([metric], 'metrics', tokenizationOf(dataset))
  const family = families.find(({ name }) => name === layout.family)
  if (family === undefined || family.layoutRevision !== layout.layoutRevision) return []
  const positions = new Map(Array.from(imageIds, (imageId, position) => [imageId, position]))
  const length = imageIds.length * family.width
  const trials = Array.from({ length: folds ?? 1 }, (_, fold) =>
    statistics.subarray(fold * length, (fold + 1) * length),
  )
  return scoreSubsets({ family, trials }, positions, subsets, metric, record)
}

/** The rows of stored scores of systems, by their id. */
export const statisticsById = ofDatabase(statisticsOfScores)

/** The rows of stored scores of people, by their id. */
export const agreementStatisticsById = ofDatabase(statisticsOfAgreement)
