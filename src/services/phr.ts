import { chooseReferences } from '../agreement/references.js'
import { definedMean } from '../agreement/summary.js'
import { humanWordAgreement } from '../agreement/words.js'
import type { Dataset, SystemWord, Word } from '../store/entities.js'
import { readSystemWords } from '../store/systems.js'
import type { PartOfSpeech } from '../text/part-of-speech.js'
import type { Accord } from './accord.js'
import { groupBy, keyBy } from './groups.js'
import { readVocabularyWords } from './vocabulary.js'

/** Means of PHR and average precision over the vocabulary, 0..1. Null if undefined for all words. */
export interface PhrSummary {
  readonly references: number
  readonly wordCount: number
  /** Number of words with a PHR. */
  readonly definedWordCount: number
  readonly meanPrecisionAtHumanRecall: number | null
  readonly meanAveragePrecision: number | null
  /** Human precision over the words with a PHR. */
  readonly meanHumanPrecision: number | null
}

/** PHR of systems of a dataset, with K − 1 references. @param partOfSpeech default: all */
export async function phrSummaries(
  accord: Accord,
  dataset: Dataset,
  systemIds: readonly number[],
  partOfSpeech?: readonly PartOfSpeech[] | null,
): Promise<Map<number, PhrSummary>> {
  const references = chooseReferences(dataset.captionsPerImage, null)
  const vocabulary = await readVocabularyWords(accord, dataset, partOfSpeech)
  return phrOverWords(accord, vocabulary, systemIds, references)
}

/** PHR of systems over some words. */
export async function phrOverWords(
  { database }: Accord,
  vocabulary: readonly Word[],
  systemIds: readonly number[],
  references: number,
): Promise<Map<number, PhrSummary>> {
  const wordIds = vocabulary.map(({ id }) => id)
  const results = groupBy(
    await readSystemWords(database, systemIds, references, wordIds),
    ({ systemId }) => systemId,
  )
  return new Map(systemIds.map((id) => [id, summarizePhr(vocabulary, results.get(id) ?? [], references)]))
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
  }
}
