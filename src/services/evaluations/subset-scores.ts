import { type MetricFamily, type SubsetScore, scoreSubset } from '../../core/metrics/metric.js'
import type { Interval, SampleSize } from '../../core/stats/interval.js'
import type { Measurement } from '../../core/stats/measurement.js'
import { findDatasets } from '../../store/datasets.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { type StoredStatistics, statisticsOfAgreement, statisticsOfScores } from '../../store/scores.js'
import { readSubsets, type Subset } from '../datasets/image-subsets.js'
import type { Accord } from '../shared/accord.js'
import { metricsOf } from '../shared/computing.js'
import { judgeScore, reportedInterval, type ScoreRecord } from '../shared/intervals.js'
import { tokenizationOf } from '../shared/tokens.js'

/** The score of a system or of people on a subset, by one metric. */
export interface ScoreOfSubset extends SampleSize {
  /** The value of the field. */
  readonly subset: string
  readonly imageCount: number
  readonly metric: string
  readonly value: number | null
  readonly interval: Interval | null
}

/**
 * The scores of subsets by one metric, from the rows of all measured images.
 *
 * @param positions of the images of the rows
 * @param metric of the family
 */
export function scoreSubsets<Id>(
  measurement: Measurement<MetricFamily>,
  positions: ReadonlyMap<Id, number>,
  subsets: readonly Subset<Id>[],
  metric: string,
  record: ScoreRecord,
): ScoreOfSubset[] {
  const column = measurement.family.metrics.findIndex(({ name }) => name === metric)
  return subsets.flatMap(({ value: subset, images }): ScoreOfSubset[] => {
    const rows = images.flatMap((image) => positions.get(image) ?? [])
    if (rows.length === 0) return []
    const score: SubsetScore = scoreSubset(measurement, rows)[column]
    const ofSubset = { ...record, images: { ...record.images, count: rows.length } }
    const interval = reportedInterval(score.interval, ofSubset)
    return [
      {
        subset,
        imageCount: rows.length,
        metric,
        value: score.value,
        interval,
        ...judgeScore(interval, ofSubset),
      },
    ]
  })
}

/** The rows of a table by subset, in the order of the subsets, and of each in their own order. */
export function bySubset<Row extends Pick<ScoreOfSubset, 'subset'>>(
  subsets: readonly Pick<Subset<unknown>, 'value'>[],
  rows: readonly Row[],
): Row[] {
  return subsets.flatMap(({ value }) => rows.filter(({ subset }) => subset === value))
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

/** The subsets of datasets by a field, by id of the dataset. Fails as {@link readSubsets}. */
export async function subsetsByDataset(
  { database }: Accord,
  datasetIds: readonly number[],
  field: string,
): Promise<Map<number, Subset<number>[]>> {
  const datasets = await findDatasets(database, datasetIds)
  const subsets = new Map<number, Subset<number>[]>()
  for (const dataset of datasets) subsets.set(dataset.id, await readSubsets(database, dataset, field))
  return subsets
}

/** The rows of stored scores of systems, by their id. */
export const statisticsById = keyedStatistics(statisticsOfScores)

/** The rows of stored scores of people, by their id. */
export const agreementStatisticsById = keyedStatistics(statisticsOfAgreement)

function keyedStatistics(read: typeof statisticsOfScores) {
  return ({ database }: Accord, ids: readonly number[]) => read(database, ids)
}
