import type { UsageModelKind } from '../../agreement/usage-model.js'
import { fitWord, type ModelIntervals, modelIntervals, type WordModel } from '../../agreement/word-model.js'
import {
  humanWordAgreement,
  humanWordIntervals,
  type WordAgreement,
  type WordIntervals,
} from '../../agreement/words.js'

/** Human agreement on a word. Both intervals are computed when the first one is requested. */
export interface HumanPrecisionRecallModel extends WordAgreement {
  readonly intervals: () => WordIntervals
}

export function toHumanPrecisionRecall(
  histogram: readonly number[],
  references: number,
): HumanPrecisionRecallModel {
  let intervals: WordIntervals | undefined
  return {
    ...humanWordAgreement(histogram, references),
    intervals: () => {
      intervals ??= humanWordIntervals(histogram, references)
      return intervals
    },
  }
}

/** A word's usage model. Both intervals are computed when the first one is requested. */
export interface UsageModelModel extends WordModel {
  readonly intervals: () => ModelIntervals
}

export function toUsageModel(histogram: readonly number[], kind: UsageModelKind): UsageModelModel {
  let intervals: ModelIntervals | undefined
  return {
    ...fitWord(histogram, kind),
    intervals: () => {
      intervals ??= modelIntervals({ kind, histogram })
      return intervals
    },
  }
}
