import type { UndefinedReason } from '../../shared/undefined-reason.js'

export interface Interval {
  readonly lower: number
  readonly upper: number
}

/** Below this number of images no interval and no test is reported. */
export const MIN_IMAGES = 10

/** Below this number of images intervals and tests are reported with a warning. */
const FEW_IMAGES = 30

/** Words used in fewer images are marked: their figures say little. */
export const FEW_WORD_IMAGES = 20

/** Shown beside an interval or a test of fewer than {@link FEW_IMAGES} images. */
export const FEW_IMAGES_WARNING = `Fewer than ${FEW_IMAGES} images: intervals and tests are approximate.`

export interface SampleSize {
  readonly undefinedReason: UndefinedReason | null
  /** Whether {@link FEW_IMAGES_WARNING} must be shown. */
  readonly isSmall: boolean
}

/** Whether a number of images allows intervals and tests. */
export function judgeSampleSize(images: number): SampleSize {
  return images < MIN_IMAGES
    ? { undefinedReason: 'TOO_FEW_IMAGES', isSmall: false }
    : { undefinedReason: null, isSmall: images < FEW_IMAGES }
}
