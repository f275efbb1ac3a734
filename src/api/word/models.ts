import type { UsageModelFit } from '../../agreement/usage-model.js'
import type { WordAgreement } from '../../agreement/words.js'

/** Human agreement on a word, and the histogram that its intervals are resampled from. */
export interface HumanPrecisionRecallModel extends WordAgreement {
  readonly histogram: readonly number[]
}

/** A fitted model of a word's use, and the histogram that it is held against. */
export interface UsageModelModel {
  readonly fit: UsageModelFit
  readonly histogram: readonly number[]
}
