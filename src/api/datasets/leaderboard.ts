import { whyNoAgreement } from '../../services/datasets/references.js'
import { gapToPeople, leaderboardNotes, shownMean } from '../../services/leaderboard/complete-rows.js'
import {
  type LeaderboardOptions,
  type LeaderboardRow,
  rankSystems,
} from '../../services/leaderboard/leaderboard.js'
import { leaderboardStandings, type Standing } from '../../services/leaderboard/standings.js'
import type { Dataset } from '../../store/schema/entities.js'
import type { Context } from '../execution/context.js'
import { loadWordMeans } from './loaders.js'
import type { LeaderboardModel } from './models.js'

/** A board. Intervals of means over words are computed by one job for all rows, when they are requested. */
export async function toLeaderboard(
  dataset: Dataset,
  options: LeaderboardOptions,
  context: Context,
): Promise<LeaderboardModel> {
  const metric = options.metric ?? null
  const undefinedReason = whyNoAgreement(dataset)
  // Systems are scored against one caption as well.
  if (undefinedReason === 'NO_CAPTIONS' || (undefinedReason !== null && metric === null)) {
    return { metric, rows: [], undefinedReason }
  }
  const rows = await rankSystems(context.accord, dataset, options)
  let notes: Promise<(readonly string[])[]> | undefined
  const notesOf = async (index: number) => {
    notes ??= leaderboardNotes(context.accord, dataset, rows, options)
    return (await notes)[index]
  }
  let standings: Promise<(Standing | null)[]> | undefined
  const standingOf = async (index: number) => {
    standings ??= context.outside(
      leaderboardStandings(context.accord, dataset, rows, options, context.client),
    )
    return (await standings)[index]
  }
  const { references, partOfSpeech, vocabularyOf } = options
  const meansOf = async ({ system, value }: LeaderboardRow) =>
    metric === null && value !== null
      ? loadWordMeans(context, { dataset, system, references, partOfSpeech, vocabularyOf })
      : []
  return {
    metric,
    undefinedReason: null,
    rows: rows.map((row, index) => ({
      ...row,
      interval: async () => row.interval ?? shownMean(await meansOf(row), row, options)?.interval ?? null,
      rarefied: async () => shownMean(await meansOf(row), row, options)?.rarefied ?? null,
      gapToPeople: async () => gapToPeople(await meansOf(row)),
      standing: () => standingOf(index),
      notes: () => notesOf(index),
    })),
  }
}
