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

/** @param imageCount null for a figure of an older version, which did not record it */
export function judgeInterval(interval: Interval | null, imageCount: number | null): SampleSize {
  const size = imageCount === null ? null : judgeSampleSize(imageCount)
  if (interval !== null) return { undefinedReason: null, isSmall: size?.isSmall ?? false }
  return { undefinedReason: size?.undefinedReason ?? 'OLDER_VERSION', isSmall: false }
}

/** Of intervals of figures. */
export function intervalNotes(statuses: readonly SampleSize[]): string[] {
  const reasons = new Set(statuses.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return [
    ...Array.from(reasons, (reason) => UNDEFINED_REASONS[reason]),
    ...(statuses.some(({ isSmall }) => isSmall) ? [FEW_IMAGES_WARNING] : []),
  ]
}
