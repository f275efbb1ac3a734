import { type MetricFamily, type SubsetScore, scoreSubset } from '../../core/metrics/metric.js'
import type { Interval, SampleSize } from '../../core/stats/interval.js'
import type { Measurement } from '../../core/stats/measurement.js'
import type { Subset } from '../datasets/field-subsets.js'
import { judgeScore, reportedInterval, type ScoreRecord } from '../shared/intervals.js'

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
