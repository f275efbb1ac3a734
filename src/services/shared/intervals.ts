import type { Interval } from '../../core/stats/interval.js'
import { FEW_IMAGES_WARNING, judgeSampleSize, type SampleSize } from '../../core/stats/sample-size.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'

/** The ends of a stored interval. */
export interface StoredEnds {
  readonly lower: number | null
  readonly upper: number | null
}

export function toInterval({ lower, upper }: StoredEnds): Interval | null {
  return lower === null || upper === null ? null : { lower, upper }
}

/** Why a figure over this many images has no interval, or whether the interval is approximate. */
export function judgeInterval(imageCount: number, interval: StoredEnds | null): SampleSize {
  const size = judgeSampleSize(imageCount)
  if (size.undefinedReason !== null || (interval !== null && toInterval(interval) !== null)) return size
  return { ...size, undefinedReason: 'NO_VARIATION' }
}

/** Of intervals of figures. */
export function intervalNotes(statuses: readonly SampleSize[]): string[] {
  const reasons = new Set(statuses.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return [
    ...Array.from(reasons, (reason) => UNDEFINED_REASONS[reason]),
    ...(statuses.some(({ isSmall }) => isSmall) ? [FEW_IMAGES_WARNING] : []),
  ]
}
