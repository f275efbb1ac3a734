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
