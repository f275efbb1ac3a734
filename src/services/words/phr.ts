import { needsUnscoredImages } from '../../core/agreement/phr.js'
import { definedMean, humanWordAgreement } from '../../core/agreement/words.js'
import { yieldToEventLoop } from '../../event-loop.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { readImageCounts, type WordUses } from '../../store/postings.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { SystemWord } from '../../store/schema/system-tables.js'
import { readSystemWords } from '../../store/systems.js'
import { readScoredImages } from '../../store/word-scores.js'
import { chooseReferences, whyNoAgreement } from '../datasets/references.js'
import { readVocabularyWords, type VocabularyOptions } from '../datasets/vocabulary.js'
import type { Accord } from '../shared/accord.js'
import { groupBy, idsOf, keyBy } from '../shared/groups.js'

/** Means of PHR and average precision over the vocabulary, 0..1. Null if undefined for all words. */
export interface PhrSummary {
  /** k. Null if no caption can be held out. */
  readonly references: number | null
  readonly wordCount: number
  /** Number of words with a PHR. */
  readonly definedWordCount: number
  readonly undefinedReason: UndefinedReason | null
  readonly meanPrecisionAtHumanRecall: number | null
  readonly meanAveragePrecision: number | null
  /** Human precision over the words with a PHR. */
  readonly meanHumanPrecision: number | null
}

/** Means of figures of systems of a dataset over its vocabulary. @throws AccordError OUT_OF_RANGE for `references` */
type OverVocabulary<Summary> = (
  accord: Accord,
  dataset: Dataset,
  systemIds: readonly number[],
  options?: VocabularyOptions,
) => Promise<Map<number, Summary>>

/** @param nothing of a dataset without human agreement */
function overVocabulary<Summary>(
  overWords: (
    accord: Accord,
    vocabulary: readonly Word[],
    systemIds: readonly number[],
    references: number,
  ) => Promise<Map<number, Summary>>,
  nothing: (systemIds: readonly number[], reason: UndefinedReason) => Map<number, Summary>,
): OverVocabulary<Summary> {
  return async (accord, dataset, systemIds, { references: wanted, ...choice } = {}) => {
    const reason = whyNoAgreement(dataset)
    if (reason !== null) return nothing(systemIds, reason)
    const references = chooseReferences(dataset, wanted)
    const vocabulary = await readVocabularyWords(accord.database, dataset, choice)
    return overWords(accord, vocabulary, systemIds, references)
  }
}

/** PHR of systems of a dataset. */
export const phrSummaries = overVocabulary(phrOverWords, (systemIds, undefinedReason) => {
  const nothing: PhrSummary = {
    references: null,
    wordCount: 0,
    definedWordCount: 0,
    meanPrecisionAtHumanRecall: null,
    meanAveragePrecision: null,
    meanHumanPrecision: null,
    undefinedReason,
  }
  return new Map(systemIds.map((id) => [id, nothing]))
})

/** PHR of systems over some words. */
export async function phrOverWords(
  { database }: Accord,
  vocabulary: readonly Word[],
  systemIds: readonly number[],
  references: number,
): Promise<Map<number, PhrSummary>> {
  const wordIds = idsOf(vocabulary)
  const results = groupBy(
    await readSystemWords(database, systemIds, references, wordIds),
    ({ systemId }) => systemId,
  )
  return new Map(systemIds.map((id) => [id, summarizePhr(vocabulary, results.get(id) ?? [], references)]))
}

/** How much of a mean PHR comes from images without a score. */
export interface UnscoredPhr {
  /** Number of words with a PHR. */
  readonly definedWordCount: number
  /** Number of those that reach human recall only together with the images that have no score for the word. */
  readonly wordCount: number
  /** Share of the mean PHR that comes from them, 0..1. Null if there is no mean, or if it is 0. */
  readonly share: number | null
}

/**
 * How much of the mean PHR of systems comes from images without a score, over the vocabulary. Systems without word scores
 * are left out.
 */
export const unscoredPhr = overVocabulary(unscoredOverWords, () => new Map())

/** The same over some words. @param needing of these words, from {@link unscoredWords} */
export async function unscoredOverWords(
  accord: Accord,
  vocabulary: readonly Word[],
  systemIds: readonly number[],
  references: number,
  needing?: UnscoredWords,
): Promise<Map<number, UnscoredPhr>> {
  const needingOf = needing ?? (await unscoredWords(accord, vocabulary, systemIds))
  const results = groupBy(
    await readSystemWords(accord.database, [...needingOf.keys()], references, idsOf(vocabulary)),
    ({ systemId }) => systemId,
  )
  const shares = new Map<number, UnscoredPhr>()
  for (const [systemId, needing] of needingOf) {
    const defined = (results.get(systemId) ?? []).flatMap(({ wordId, precisionAtHumanRecall: phr }) =>
      phr === null ? [] : [{ wordId, phr }],
    )
    const ofUnscored = defined.filter(({ wordId }) => needing.has(wordId))
    const total = sum(defined.map(({ phr }) => phr))
    shares.set(systemId, {
      definedWordCount: defined.length,
      wordCount: ofUnscored.length,
      share: total === 0 ? null : sum(ofUnscored.map(({ phr }) => phr)) / total,
    })
  }
  return shares
}

/** Ids of words by id of the system. */
export type UnscoredWords = ReadonlyMap<number, ReadonlySet<number>>

/**
 * The words that systems with word scores reach human recall of only together with images that have no score for the word. Systems
 * without word scores are left out.
 */
export async function unscoredWords(
  { database }: Accord,
  words: readonly Word[],
  systemIds: readonly number[],
): Promise<UnscoredWords> {
  const wordOf = keyBy(words, ({ id }) => id)
  const wordIds = [...wordOf.keys()]
  const uses = await readImageCounts(database, wordIds)
  const scored = groupBy(await readScoredImages(database, systemIds, wordIds), ({ systemId }) => systemId)
  const needing = new Map<number, ReadonlySet<number>>()
  for (const [systemId, images] of scored)
    needing.set(systemId, await wordsThatNeedUnscored(wordOf, images, uses))
  return needing
}

async function wordsThatNeedUnscored(
  words: ReadonlyMap<number, Word>,
  scored: readonly { readonly wordId: number; readonly imageIds: Int32Array }[],
  uses: ReadonlyMap<number, WordUses>,
): Promise<Set<number>> {
  const setOf = new Map<Int32Array, ReadonlySet<number>>()
  const needing = new Set<number>()
  for (const { wordId, imageIds } of scored) {
    await yieldToEventLoop()
    const images = setOf.get(imageIds) ?? new Set(imageIds)
    setOf.set(imageIds, images)
    const used = uses.get(wordId)
    let captions = 0
    for (const [index, id] of used?.imageIds.entries() ?? []) {
      if (images.has(id)) captions += used?.captionCounts[index] ?? 0
    }
    const { histogram } = words.get(wordId) as Word
    if (needsUnscoredImages(histogram, captions)) needing.add(wordId)
  }
  return needing
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function summarizePhr(
  vocabulary: readonly Word[],
  results: readonly SystemWord[],
  references: number,
): PhrSummary {
  const resultOf = keyBy(results, ({ wordId }) => wordId)
  const rows = vocabulary.map((word) => ({ word, result: resultOf.get(word.id) }))
  const phr = definedMean(rows.map(({ result }) => result?.precisionAtHumanRecall ?? null))
  const averagePrecision = definedMean(rows.map(({ result }) => result?.averagePrecision ?? null))
  const human = definedMean(
    rows
      .filter(({ result }) => result?.precisionAtHumanRecall != null)
      .map(({ word }) => humanWordAgreement(word.histogram, references).precision),
  )
  return {
    references,
    wordCount: phr.total,
    definedWordCount: phr.defined,
    meanPrecisionAtHumanRecall: phr.mean,
    meanAveragePrecision: averagePrecision.mean,
    meanHumanPrecision: human.mean,
    undefinedReason: phr.mean === null ? 'UNDEFINED_FIGURE' : null,
  }
}
