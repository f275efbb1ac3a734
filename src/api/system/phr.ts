import { definedMean } from '../../agreement/summary.js'
import { humanWordAgreement } from '../../agreement/words.js'
import type { Database } from '../../store/database.js'
import type { System, Word } from '../../store/entities.js'
import { readSystemWords } from '../../store/systems.js'
import type { PhrSummary } from '../schema-types.js'

/** Means of PHR and average precision of a system over some words, with `references` references. */
export async function summarizePhr(
  database: Database,
  system: System,
  words: readonly Word[],
  references: number,
): Promise<PhrSummary> {
  const results = new Map(
    (await readSystemWords(database, system.id, references)).map((result) => [result.wordId, result]),
  )
  const rows = words.map((word) => ({ word, result: results.get(word.id) }))
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
