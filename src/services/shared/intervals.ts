import type { Interval } from '../../core/stats/interval.js'
import { FEW_IMAGES_WARNING, judgeSampleSize, sampleSizeReasons } from '../../core/stats/sample-size.js'

/** Why a stored figure has no interval. {@link intervalReasons} has a sentence for each. */
export type IntervalReason = keyof typeof intervalReasons

export const intervalReasons = {
  ...sampleSizeReasons,
  OLDER_VERSION: 'An older version computed the figure, with another kind of interval: evaluate again.',
} as const satisfies Record<string, string>

/** What to know about the interval of a stored figure. */
export interface IntervalStatus {
  readonly intervalReason: IntervalReason | null
  /** Whether there are so few images that the interval is approximate. */
  readonly isSmall: boolean
}

/** The ends of a stored interval. */
export interface StoredEnds {
  readonly lower: number | null
  readonly upper: number | null
}

export function toInterval({ lower, upper }: StoredEnds): Interval | null {
  return lower === null || upper === null ? null : { lower, upper }
}

/** @param imageCount null for a figure of an older version, which did not record it */
export function judgeInterval(interval: Interval | null, imageCount: number | null): IntervalStatus {
  const size = imageCount === null ? null : judgeSampleSize(imageCount)
  if (interval !== null) return { intervalReason: null, isSmall: size?.isSmall ?? false }
  return { intervalReason: size?.undefinedReason ?? 'OLDER_VERSION', isSmall: false }
}

/** Of intervals of figures. */
export function intervalNotes(statuses: readonly IntervalStatus[]): string[] {
  const reasons = new Set(statuses.flatMap(({ intervalReason }) => intervalReason ?? []))
  return [
    ...Array.from(reasons, (reason) => intervalReasons[reason]),
    ...(statuses.some(({ isSmall }) => isSmall) ? [FEW_IMAGES_WARNING] : []),
  ]
}
