import type { UsageFitResult, UsageModelKind } from '../../agreement/usage-model.js'
import {
  humanWordAgreement,
  humanWordIntervals,
  type WordAgreement,
  type WordIntervals,
} from '../../agreement/words.js'

/** Seed of all intervals over words: the same question has the same answer. */
const SEED = 1

/** Human agreement on a word; the intervals are computed when one is asked for, both at once. */
export interface HumanPrecisionRecallModel extends WordAgreement {
  readonly intervals: () => WordIntervals
}

/** A fitted model of a word's use, and the histogram that it is held against. */
export interface UsageModelModel {
  readonly kind: UsageModelKind
  readonly result: UsageFitResult
  readonly histogram: readonly number[]
}

export function toHumanPrecisionRecall(
  histogram: readonly number[],
  references: number,
): HumanPrecisionRecallModel {
  let intervals: WordIntervals | undefined
  return {
    ...humanWordAgreement(histogram, references),
    intervals: () => {
      intervals ??= humanWordIntervals(histogram, references, { seed: SEED })
      return intervals
    },
  }
}
