/** Figures of one word, as they are requested one by one. Reports of many words are in words.ts. */

import type { CurvePoint } from '../../core/agreement/curve.js'
import { predictedRecall, type UsageModelKind, usageCurve } from '../../core/agreement/usage-model.js'
import {
  fitWord,
  type ModelFigures,
  type ModelIntervals,
  modelFigures,
  modelIntervals,
  type WordModel,
} from '../../core/agreement/word-model.js'
import {
  humanWordAgreement,
  humanWordIntervals,
  isRareWord,
  type WordAgreement,
  type WordIntervals,
} from '../../core/agreement/words.js'
import type { Dataset, Word } from '../../store/schema/entities.js'
import { chooseReferences } from '../datasets/references.js'

/** Human agreement on a word. Both intervals are computed when the first one is requested. */
export interface AgreementOnWord extends WordAgreement {
  readonly word: Word
  intervals(): WordIntervals
}

/**
 * Null if images have one caption.
 *
 * @throws AccordError OUT_OF_RANGE for `references`
 */
export function agreementOnWord(word: Word, wanted?: number | null): AgreementOnWord | null {
  const references = referencesOfWord(word, wanted)
  if (references === null) return null
  const { histogram } = word
  return {
    word,
    ...humanWordAgreement(histogram, references),
    intervals: once(() => humanWordIntervals(histogram, references)),
  }
}

/** The usage model of a word. Both intervals are computed when the first one is requested. */
export interface UsageModelOfWord extends WordModel {
  readonly word: Word
  /** Predicted human recall, 0..1; null if there is no fit. */
  readonly recall: number | null
  intervals(): ModelIntervals
}

export function usageModelOfWord(word: Word, kind: UsageModelKind = 'MOMENT'): UsageModelOfWord {
  const model = fitWord(word.histogram, kind)
  return {
    word,
    ...model,
    recall: model.result.fit && predictedRecall(model.result.fit),
    intervals: once(() => modelIntervals(model)),
  }
}

/** Figures of a model for a number of references. Null if images have one caption. @throws AccordError OUT_OF_RANGE */
export function figuresOfModel(model: UsageModelOfWord, wanted?: number | null): ModelFigures | null {
  const references = referencesOfWord(model.word, wanted)
  return references === null ? null : modelFigures(model, references)
}

/** Whether a word is used in fewer than 20 images: its figures say little. */
export function isRare({ histogram }: Word): boolean {
  return isRareWord(histogram)
}

/** k for the figures of a word, K − 1 by default. Null if images have one caption. @throws AccordError OUT_OF_RANGE */
export function referencesOfWord({ histogram }: Word, wanted?: number | null): number | null {
  const captionsPerImage = histogram.length - 1
  return captionsPerImage < 2 ? null : chooseReferences({ captionsPerImage }, wanted)
}

/** The precision and recall that the usage model of the paper predicts for p from 0 to 1. @throws AccordError OUT_OF_RANGE */
export function predictedCurve(
  dataset: Dataset,
  { references, points }: { readonly references?: number | null; readonly points: number },
): CurvePoint[] {
  return usageCurve(chooseReferences(dataset, references), points)
}

function once<Result>(compute: () => Result): () => Result {
  let result: { readonly value: Result } | undefined
  return () => {
    result ??= { value: compute() }
    return result.value
  }
}
