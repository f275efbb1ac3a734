import type { Interval } from '../../core/stats/interval.js'
import type { PublishedRow } from '../../services/agreement/published.js'
import type { Comparison } from '../../services/comparisons/comparisons.js'
import type { LeaderboardRow } from '../../services/leaderboard/ranking.js'
import type { Standing } from '../../services/leaderboard/standings.js'
import type { RarefiedMean, WordMean } from '../../services/words/compute-word-means.js'
import type { UsageFitSummary, WordAgreementSummary } from '../../services/words/words.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { VocabularyKey } from '../loaders/datasets.js'

export type ComparisonModel = Comparison

/** The rows of a board, or why there are none. */
export interface LeaderboardModel {
  /** Null for mean PHR. */
  readonly metric: string | null
  readonly rows: readonly LeaderboardRowModel[]
  readonly undefinedReason: UndefinedReason | null
}

/** A row of a leaderboard. Its notes, its standing and the interval of a mean PHR are computed when they are requested. */
export interface LeaderboardRowModel extends Omit<LeaderboardRow, 'interval'> {
  readonly interval: () => Promise<Interval | null>
  readonly rarefied: () => Promise<RarefiedMean | null>
  readonly gapToPeople: () => Promise<WordMean | null>
  readonly standing: () => Promise<Standing | null>
  readonly notes: () => Promise<readonly string[]>
}

/** Human agreement beside published figures, or why there are none. */
export interface PublishedAgreementModel {
  readonly rows: readonly PublishedRow[] | null
  readonly undefinedReason?: UndefinedReason
}

/** Means of words. Their intervals are computed when they are requested. */
export interface WordAgreementSummaryModel extends WordAgreementSummary, VocabularyKey {}

/** Goodness of fit over a vocabulary. */
export interface UsageFitModel extends UsageFitSummary, VocabularyKey {}
