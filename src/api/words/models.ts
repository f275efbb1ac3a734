import type { UsageModelKind } from '../../core/agreement/usage-model.js'
import {
  fitWord,
  type ModelIntervals,
  modelIntervals,
  type WordModel,
} from '../../core/agreement/word-model.js'
import {
  humanWordAgreement,
  humanWordIntervals,
  type WordAgreement,
  type WordIntervals,
} from '../../core/agreement/words.js'
import type { Word } from '../../store/schema/entities.js'

/** Human agreement on a word. Both intervals are computed when the first one is requested. */
export interface WordAgreementModel extends WordAgreement {
  readonly word: Word
  readonly intervals: () => WordIntervals
}

export function toWordAgreement(word: Word, references: number): WordAgreementModel {
  const { histogram } = word
  let intervals: WordIntervals | undefined
  return {
    word,
    ...humanWordAgreement(histogram, references),
    intervals: () => {
      intervals ??= humanWordIntervals(histogram, references)
      return intervals
    },
  }
}

/** A word's usage model. Both intervals are computed when the first one is requested. */
export interface UsageModelModel extends WordModel {
  readonly word: Word
  readonly intervals: () => ModelIntervals
}

export function toUsageModel(word: Word, kind: UsageModelKind): UsageModelModel {
  const { histogram } = word
  let intervals: ModelIntervals | undefined
  return {
    word,
    ...fitWord(histogram, kind),
    intervals: () => {
      intervals ??= modelIntervals({ kind, histogram })
      return intervals
    },
  }
}
