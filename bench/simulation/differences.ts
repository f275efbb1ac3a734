import {
  type DifferenceEstimate,
  estimateDifference,
  replicateScores,
  subtract,
} from '../../src/core/stats/jackknife.js'
import type { Measurement } from '../../src/core/stats/measurement.js'

/** The difference of two measurements on the same images, one entry per metric of the family. */
export function differenceEstimates(first: Measurement, second: Measurement): (DifferenceEstimate | null)[] {
  const { groups, replicates } = replicateScores(first)
  const others = replicateScores(second).replicates
  return replicates.map((values, metric) => estimateDifference(subtract(values, others[metric]), groups))
}
