/** Figures of one word, as they are requested one by one. Reports of many words are in words.ts. */

import type { CurvePoint } from '../../core/agreement/phr.js'
import * as wordIntervals from '../../core/agreement/system-word-intervals.js'
import * as usageModel from '../../core/agreement/usage-model.js'
import * as wordModel from '../../core/agreement/word-model.js'
import { createWordReplicator } from '../../core/agreement/word-replicates.js'
import * as wordAgreement from '../../core/agreement/words.js'
import { imageGroups } from '../../core/stats/jackknife.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { readCountedImageIds } from '../../store/images.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { chooseReferences, whyNoAgreement } from '../datasets/references.js'
import { SEED } from '../provenance/record-provenance.js'
import type { Accord } from '../shared/accord.js'
import { contentOf, createCache } from '../shared/cache.js'
import { type PlacedWord, placeWords } from './word-places.js'

/** Human agreement on a word. Both intervals are computed when the first one is requested. */
export type AgreementOnWord = (wordAgreement.WordAgreement | typeof NO_AGREEMENT) & {
  readonly word: Word
  intervals(): wordAgreement.WordIntervals
}

/** Of images with one caption. */
const NO_AGREEMENT = {
  references: null,
  precision: null,
  recall: null,
  undefinedReason: 'ONE_CAPTION',
  truePositives: null,
  falsePositives: null,
  positives: null,
} as const

/** @throws AccordError OUT_OF_RANGE for `references` */
export function agreementOnWord(word: Word, wanted?: number | null): AgreementOnWord {
  const references = referencesOfWord(word, wanted)
  if (references === null) {
    return { word, ...NO_AGREEMENT, intervals: () => ({ precisionInterval: null, recallInterval: null }) }
  }
  const { histogram } = word
  return {
    word,
    ...wordAgreement.humanWordAgreement(histogram, references),
    intervals: once(() => wordAgreement.humanWordIntervals(histogram, references)),
  }
}

/** The usage model of a word. Both intervals are computed when the first one is requested. */
export interface UsageModelOfWord extends wordModel.WordModel {
  readonly word: Word
  /** Predicted human recall, 0..1; null if there is no fit. */
  readonly recall: number | null
  intervals(): wordModel.ModelIntervals
  /** Expected h_0 … h_K; null if there is no fit. */
  expected(): number[] | null
}

export function usageModelOfWord(word: Word, kind: usageModel.UsageModelKind = 'MOMENT'): UsageModelOfWord {
  const { histogram } = word
  const model = wordModel.fitWord(histogram, kind)
  const { fit } = model.result
  const images = histogram.reduce((sum, count) => sum + count, 0)
  return {
    word,
    ...model,
    recall: fit && usageModel.predictedRecall(fit),
    expected: () => fit && usageModel.expectedHistogram(fit, images, histogram.length - 1),
    intervals: once(() => wordModel.modelIntervals(model)),
  }
}

/** The kind of a usage model with this name. Null if there is none. */
export function usageModelKind(name: unknown): usageModel.UsageModelKind | null {
  return usageModel.USAGE_MODELS.find((kind) => kind === name) ?? null
}

/** Figures of a model for a number of references. Null if images have one caption. @throws AccordError OUT_OF_RANGE */
export function figuresOfModel(
  model: UsageModelOfWord,
  wanted?: number | null,
): wordModel.ModelFigures | null {
  const references = referencesOfWord(model.word, wanted)
  return references === null ? null : wordModel.modelFigures(model, references)
}

/** Whether a word is used in fewer than 20 images: its figures say little. */
export function isRare({ histogram }: Word): boolean {
  return wordAgreement.isRareWord(histogram)
}

/** k for the figures of a word, K − 1 by default. Null if images have one caption. @throws AccordError OUT_OF_RANGE */
export function referencesOfWord({ histogram }: Word, wanted?: number | null): number | null {
  const captionsPerImage = histogram.length - 1
  return captionsPerImage < 2 ? null : chooseReferences({ captionsPerImage }, wanted)
}

/** The precision and recall that the usage model of the paper predicts for p from 0 to 1. */
export interface PredictedCurve {
  /** k. Null if no caption can be held out. */
  readonly references: number | null
  readonly points: readonly CurvePoint[]
  readonly undefinedReason: UndefinedReason | null
}

/** @throws AccordError OUT_OF_RANGE for `references` */
export function predictedCurve(
  dataset: Dataset,
  { references: wanted, points }: { readonly references?: number | null; readonly points: number },
): PredictedCurve {
  const undefinedReason = whyNoAgreement(dataset)
  if (undefinedReason !== null) return { references: null, points: [], undefinedReason }
  const references = chooseReferences(dataset, wanted)
  return { references, points: usageModel.usageCurve(references, points), undefinedReason }
}

function once<Result>(compute: () => Result): () => Result {
  let result: { readonly value: Result } | undefined
  return () => {
    result ??= { value: compute() }
    return result.value
  }
}

interface EstimateOptions {
  /** k. */
  readonly references: number
  /** Awaited before each piece of work of a millisecond or more. */
  readonly turn: () => Promise<unknown>
}

/** Estimates of words, by what they are computed from. */
const estimatesIn = createCache<{ readonly found: wordIntervals.SystemWordEstimates | null }>(20_000)

/**
 * The figures of a system on words with their intervals, by id of the word; none of words that a system with word scores
 * gave no score to, and of systems without figures of words. The number of SQL statements does not depend on that of words.
 */
export async function systemWordEstimates(
  { database }: Accord,
  dataset: Dataset,
  system: System,
  words: readonly Word[],
  { references, turn }: EstimateOptions,
): Promise<Map<number, wordIntervals.SystemWordEstimates>> {
  const cache = estimatesIn(database)
  const keyOf = (word: Word) =>
    JSON.stringify([contentOf(dataset), system.id, system.content, references, word.id])
  const estimates = new Map<number, wordIntervals.SystemWordEstimates>()
  const unknown: Word[] = []
  for (const word of words) {
    const { found } = cache.get(keyOf(word)) ?? {}
    if (found === undefined) unknown.push(word)
    else if (found) estimates.set(word.id, found)
  }
  if (unknown.length === 0) return estimates
  const imageIds = await readCountedImageIds(database, dataset.id)
  const { captionsPerImage } = dataset
  await turn()
  const groups = imageGroups(imageIds.length, SEED)
  await turn()
  const replicator = createWordReplicator(groups, captionsPerImage, references)
  const sample = { replicator, groups, imageCount: imageIds.length, captionsPerImage, references }
  // Frequent words take longest, and less time once the code has been optimized: rare words are first.
  const ordered = unknown.toSorted((one, other) => one.imageCount - other.imageCount)
  for await (const placed of placeWords(database, system, ordered, imageIds, unknown.length)) {
    await turn()
    const found = estimatesOf(sample, placed)
    cache.set(keyOf(placed.word), { found })
    if (found) estimates.set(placed.word.id, found)
  }
  for (const word of unknown) if (!cache.has(keyOf(word))) cache.set(keyOf(word), { found: null })
  return estimates
}

function estimatesOf(
  sample: wordIntervals.WordSample,
  { images, predicted, scores }: PlacedWord,
): wordIntervals.SystemWordEstimates | null {
  if (predicted) return wordIntervals.captionedWordEstimates(sample, images, predicted)
  return scores && wordIntervals.scoredWordEstimates(sample, images, scores)
}
