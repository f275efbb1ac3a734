import type { Progress } from '../../progress.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { type Accord, type Client, untilAborted } from '../accord.js'
import { chooseReferences } from '../datasets/references.js'
import type { LeaderboardOptions, LeaderboardRow } from '../leaderboard/leaderboard.js'
import { cachedWordMeans, type WordMean } from './compute-word-means.js'
import type { VocabularyOptions } from './vocabulary.js'

/**
 * Means over the vocabulary of the figures of systems, and of people where one is null, with their 95 % intervals, computed
 * by one job of a worker, or in this process if the database is read-only.
 *
 * @returns aligned to the systems
 * @throws AccordError OUT_OF_RANGE for `references`, QUEUE_FULL
 */
export async function requestWordMeans(
  accord: Accord,
  dataset: Dataset,
  systems: readonly (System | null)[],
  options: VocabularyOptions,
  client: Client = {},
): Promise<readonly (readonly WordMean[])[]> {
  const { database, queue } = accord
  if (database.isReadOnly) {
    const progress = untilAborted(client)
    return Promise.all(
      systems.map((system) => wordMeansInProcess(accord, dataset, system, options, progress)),
    )
  }
  const subject = { datasetId: dataset.id, systemIds: systems.map((system) => system?.id ?? null) }
  const input = { ...subject, ...toInput(dataset, options) }
  const { id } = await queue.enqueue(database, 'wordMeans', input, client)
  return queue.waitForResult('wordMeans', id, client.signal)
}

/** The same, computed in this process. @throws AccordError OUT_OF_RANGE for `references` */
export async function wordMeansInProcess(
  { database }: Accord,
  dataset: Dataset,
  system: System | null,
  options: VocabularyOptions,
  progress: Progress,
): Promise<readonly WordMean[]> {
  return cachedWordMeans(database, dataset, system, toInput(dataset, options), progress)
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

/** The rows of a leaderboard by PHR with their intervals, computed in this process; those by METRIC have theirs. */
export async function completeRows(
  accord: Accord,
  dataset: Dataset,
  rows: readonly LeaderboardRow[],
  { by, references, partOfSpeech }: LeaderboardOptions,
  progress: Progress,
): Promise<CompletedRow[]> {
  const completed: CompletedRow[] = []
  for (const row of rows) {
    if (by === 'METRIC' || row.value === null) {
      completed.push({ ...row, gapToPeople: null })
      continue
    }
    const options = { references, partOfSpeech }
    const means = await wordMeansInProcess(accord, dataset, row.system, options, progress)
    const interval = shownMean(means, row)?.interval ?? null
    completed.push({ ...row, interval, gapToPeople: gapToPeople(means) })
  }
  return completed
}
