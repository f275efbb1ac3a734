import { findDatasets } from '../../store/datasets.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { type StoredStatistics, statisticsOfAgreement, statisticsOfScores } from '../../store/scores.js'
import type { Subset } from '../datasets/field-subsets.js'
import { cachedSubsets } from '../datasets/image-subsets.js'
import type { Accord } from '../shared/accord.js'
import { metricsOf } from '../shared/computing.js'
import type { ScoreRecord } from '../shared/intervals.js'
import { tokenizationOf } from '../shared/tokens.js'
import { type ScoreOfSubset, scoreSubsets } from './subset-scores.js'

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

/** The subsets of datasets by a field, by id of the dataset. Fails as {@link cachedSubsets}. */
export async function subsetsByDataset(
  { database }: Accord,
  datasetIds: readonly number[],
  field: string,
): Promise<Map<number, readonly Subset<number>[]>> {
  const datasets = await findDatasets(database, datasetIds)
  const subsets = new Map<number, readonly Subset<number>[]>()
  for (const dataset of datasets) subsets.set(dataset.id, await cachedSubsets(database, dataset, field))
  return subsets
}

/** The rows of stored scores of systems, by their id. */
export const statisticsById = keyedStatistics(statisticsOfScores)

/** The rows of stored scores of people, by their id. */
export const agreementStatisticsById = keyedStatistics(statisticsOfAgreement)

function keyedStatistics(read: typeof statisticsOfScores) {
  return ({ database }: Accord, ids: readonly number[]) => read(database, ids)
}
