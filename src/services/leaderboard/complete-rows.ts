/** What a leaderboard shows beside the figures of its rows: intervals and gaps of means over words, and notes. */
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { objectNotes } from '../evaluations/annotated-objects.js'
import { frequencyNotes } from '../evaluations/fixed-documents.js'
import { metricNotes } from '../evaluations/metrics.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf } from '../shared/computing.js'
import { intervalNotes, judgeScore } from '../shared/intervals.js'
import type { RarefiedMean, WordMean } from '../words/compute-word-means.js'
import { unscoredPhr } from '../words/phr.js'
import { OWN_WORDS_NOTE, phrMeanNotes, wordMeanNotes } from '../words/word-notes.js'
import { meansOverWords } from '../words/words.js'
import type { LeaderboardOptions } from './leaderboard.js'
import type { LeaderboardRow } from './ranking.js'

/** The mean that a row of a leaderboard by a figure of words shows. */
export function shownMean(
  means: readonly WordMean[],
  { system }: Pick<LeaderboardRow, 'system'>,
  { by }: Pick<LeaderboardOptions, 'by'>,
): WordMean | null {
  const ofPeople = by === 'PHR' ? 'AGREED_HUMAN_PRECISION' : 'HELD_OUT_PRECISION'
  const shown = system === null ? ofPeople : by
  return means.find(({ figure }) => figure === shown) ?? null
}

/** The gap between a system and people; null among the means of people. */
export function gapToPeople(means: readonly WordMean[]): WordMean | null {
  return means.find(({ figure }) => figure === 'GAP_TO_PEOPLE') ?? null
}

/** A row of a leaderboard with what comes from means over words. */
export interface CompletedRow extends LeaderboardRow {
  /** Null by METRIC, and for few images. */
  readonly rarefied: RarefiedMean | null
  /** Null on rows of people and by METRIC. */
  readonly gapToPeople: WordMean | null
}

/** The rows of a leaderboard by a figure of words with their intervals; those by METRIC have theirs. */
export async function completeRows(
  accord: Accord,
  dataset: Dataset,
  rows: readonly LeaderboardRow[],
  { by, references, partOfSpeech, vocabularyOf }: LeaderboardOptions,
  client: Client = {},
): Promise<CompletedRow[]> {
  const open = by === 'METRIC' ? [] : rows.filter(({ value }) => value !== null)
  const systems = open.map(({ system }) => system)
  const wanted = { references, partOfSpeech, vocabularyOf, hasAveragePrecision: false }
  const means = open.length > 0 ? await meansOverWords(accord, dataset, systems, wanted, client) : []
  return rows.map((row) => {
    const own = means[open.indexOf(row)]
    if (own === undefined) return { ...row, rarefied: null, gapToPeople: null }
    const { interval = null, rarefied = null } = shownMean(own, row, { by }) ?? {}
    return { ...row, interval, rarefied, gapToPeople: gapToPeople(own) }
  })
}

/** What to know when reading the rows of a leaderboard, in their order. */
export async function leaderboardNotes(
  accord: Accord,
  dataset: Dataset,
  rows: readonly LeaderboardRow[],
  { by, metric, ...options }: LeaderboardOptions,
): Promise<(readonly string[])[]> {
  if (by === 'METRIC') {
    return rows.map(({ value, interval, provenance }) =>
      value === null || provenance === null
        ? []
        : [
            ...metricNotes(accord, metric as string),
            ...objectNotes(metricsOf(accord), [provenance]),
            ...frequencyNotes([provenance]),
            ...intervalNotes([judgeScore(interval, provenance)]),
          ],
    )
  }
  if (by === 'WORD_PRECISION') {
    const notes = [...wordMeanNotes(dataset), OWN_WORDS_NOTE]
    return rows.map(({ value }) => (value === null ? [] : notes))
  }
  const systemIds = rows.flatMap(({ system }) => system?.id ?? [])
  const unscored = await unscoredPhr(accord, dataset, systemIds, options)
  return rows.map(({ system, value }) => {
    if (value === null) return []
    const figures = system ? unscored.get(system.id) : undefined
    return phrMeanNotes(dataset, options, figures)
  })
}
