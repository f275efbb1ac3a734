import type { Interval } from '../../core/stats/interval.js'
import type { Replicates } from '../../core/stats/jackknife.js'
import { rarefiedEstimate, type Subsets } from '../../core/stats/rarefaction.js'

/** The mean, or difference of means, that is expected for random subsets of the images: it does not depend on their number. */
export interface RarefiedMean {
  /** m, the number of images of a subset: the same for people and all systems. */
  readonly imageCount: number
  readonly value: number
  /** Null where all subsets have the same mean. */
  readonly interval: Interval | null
}

/** Null where a subset has no mean. @param isShare as of `rarefiedEstimate` */
export function rarefiedMean(
  replicates: Replicates,
  subsets: Subsets,
  isShare: boolean,
): RarefiedMean | null {
  const found = rarefiedEstimate(replicates, subsets, isShare)
  return found && { imageCount: subsets.size, value: found.value, interval: found.interval }
}
