import { definedMean } from '../../agreement/summary.js'
import { humanWordAgreement } from '../../agreement/words.js'
import type { Database } from '../../store/database.js'
import type { Dataset } from '../../store/entities.js'
import { listSystems } from '../../store/systems.js'
import type { PartOfSpeech } from '../../text/part-of-speech.js'
import { toReferences } from '../references.js'
import type { ResolversTypes } from '../schema-types.js'
import { summarizePhr } from '../system/phr.js'
import { vocabularyOf } from './summaries.js'

type Row = Awaited<ResolversTypes['LeaderboardRow']>

/** Word-score systems by mean PHR, with the human row among them. */
export async function leaderboard(
  database: Database,
  dataset: Dataset,
  partOfSpeech: readonly PartOfSpeech[] | null | undefined,
): Promise<Row[]> {
  const references = toReferences(dataset.captionsPerImage, undefined)
  const words = await vocabularyOf(database, dataset.id, partOfSpeech)
  const human = definedMean(words.map(({ histogram }) => humanWordAgreement(histogram, references).precision))
  const rows = [{ system: null, isHuman: true, value: human.mean, wordCount: human.defined }]
  const systems = await listSystems(database, dataset.id)
  const summaries = await Promise.all(
    systems
      .filter((system) => system.kind === 'WORD_SCORES')
      .map(async (system) => ({ system, summary: await summarizePhr(database, system, words, references) })),
  )
  return ranked([
    ...rows,
    ...summaries.map(({ system, summary }) => ({
      system,
      isHuman: false,
      value: summary.meanPrecisionAtHumanRecall,
      wordCount: summary.definedWordCount,
    })),
  ])
}

/** Best first; equal values share a rank, rows without a value come last. */
export function ranked<Entry extends { readonly value?: number | null }>(
  entries: readonly Entry[],
): (Entry & { readonly rank: number })[] {
  const worth = ({ value }: Entry) => value ?? Number.NEGATIVE_INFINITY
  const sorted = entries.toSorted((one, other) => worth(other) - worth(one) || 0)
  return sorted.map((entry) => ({
    ...entry,
    rank: sorted.findIndex((other) => other.value === entry.value) + 1,
  }))
}
