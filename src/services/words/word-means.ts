import type { Dataset, System } from '../../store/schema/entities.js'
import type { Accord, Client } from '../accord.js'
import { chooseReferences } from '../datasets/references.js'
import type { LeaderboardOptions, LeaderboardRow } from '../leaderboard/leaderboard.js'
import type { WordMean } from './compute-word-means.js'
import type { VocabularyOptions } from './vocabulary.js'

/**
 * Means over the vocabulary of the figures of systems, and of people where one is null, with their 95 % intervals.
 *
 * @returns aligned to the systems
 * @throws AccordError OUT_OF_RANGE for `references`, QUEUE_FULL
 */
export function meansOverWords(
  accord: Accord,
  dataset: Dataset,
  systems: readonly (System | null)[],
  options: VocabularyOptions,
  client: Client = {},
): Promise<readonly (readonly WordMean[])[]> {
  const systemIds = systems.map((system) => system?.id ?? null)
  return accord.run('wordMeans', { datasetId: dataset.id, systemIds, ...toInput(dataset, options) }, client)
}

function toInput({ captionsPerImage }: Dataset, { references, partOfSpeech }: VocabularyOptions) {
  return {
    references: chooseReferences({ captionsPerImage }, references),
    partOfSpeech: partOfSpeech ?? null,
  }
}

/** The mean that a row of a leaderboard by PHR shows. */
export function shownMean(
  means: readonly WordMean[],
  { system }: Pick<LeaderboardRow, 'system'>,
): WordMean | null {
  const shown = system === null ? 'AGREED_HUMAN_PRECISION' : 'PHR'
  return means.find(({ figure }) => figure === shown) ?? null
}

/** The gap between a system and people; null among the means of people. */
export function gapToPeople(means: readonly WordMean[]): WordMean | null {
  return means.find(({ figure }) => figure === 'GAP_TO_PEOPLE') ?? null
}

/** A row of a leaderboard with what comes from means over words. */
export interface CompletedRow extends LeaderboardRow {
  /** Null on rows of people and by METRIC. */
  readonly gapToPeople: WordMean | null
}

/** The rows of a leaderboard by PHR with their intervals; those by METRIC have theirs. */
export async function completeRows(
  accord: Accord,
  dataset: Dataset,
  rows: readonly LeaderboardRow[],
  { by, references, partOfSpeech }: LeaderboardOptions,
  client: Client = {},
): Promise<CompletedRow[]> {
  const open = by === 'METRIC' ? [] : rows.filter(({ value }) => value !== null)
  const systems = open.map(({ system }) => system)
  const means =
    open.length > 0
      ? await meansOverWords(accord, dataset, systems, { references, partOfSpeech }, client)
      : []
  return rows.map((row) => {
    const own = means[open.indexOf(row)]
    if (own === undefined) return { ...row, gapToPeople: null }
    return { ...row, interval: shownMean(own, row)?.interval ?? null, gapToPeople: gapToPeople(own) }
  })
}
