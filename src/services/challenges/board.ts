import type { Interval } from '../../core/stats/interval.js'
import type { Dataset, Phase, Submission, System } from '../../store/schema/entities.js'
import { isOf, readScores } from '../../store/scores.js'
import { listSubmissions, type SubmissionWithJob } from '../../store/submissions.js'
import { findSystems } from '../../store/systems.js'
import type { UndefinedReason } from '../../undefined-reason.js'
import type { Accord, Client } from '../accord.js'
import type { Viewer } from '../accounts/viewer.js'
import { requireDatasetById } from '../datasets/subjects.js'
import { type LeaderboardRow, rankByMetric } from '../leaderboard/leaderboard.js'
import { SIGNIFICANCE } from '../leaderboard/standings.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, idsOf, keyBy } from '../shared/groups.js'
import { toInterval } from '../shared/intervals.js'
import { isHostOf, maySee } from './challenges.js'
import { baselinesOf, systemIdsOf } from './phase-figures.js'
import type { ChallengePhase } from './phases.js'

/** A figure of a row of a board, rounded as the phase says. */
export interface BoardScore {
  readonly metric: string
  readonly value: number | null
  readonly interval: Interval | null
  readonly signature: string | null
  /** Why it has no value, or cannot be compared with the ranked ones. */
  readonly undefinedReason: UndefinedReason | null
}

export type BoardRowKind = 'ENTRY' | 'BASELINE' | 'HUMAN'

/** A row of a board. */
export interface BoardRow {
  /** From 1; entries that a paired test does not tell apart share a rank. Null for entries without a score, and other rows. */
  readonly rank: number | null
  readonly kind: BoardRowKind
  /** Name of the team or the baseline. Null for people, and for an anonymous team until the end of the phase. */
  readonly name: string | null
  /** The entry of a team. */
  readonly submission: SubmissionWithJob | null
  /** In the order of the metrics of the phase. */
  readonly scores: readonly BoardScore[]
}

/** The board of a phase. */
export interface Board {
  readonly metrics: readonly string[]
  readonly rankedBy: string
  readonly decimals: number
  /** By rank; baselines and people at the place of their score, entries without a score at the end. */
  readonly rows: readonly BoardRow[]
}

/** A column by which a board is ordered, and whether its best values come first. Default: they do. */
export interface BoardOrder {
  readonly metric: string
  readonly isWorstFirst?: boolean | null
}

/** Entries that one comparison takes, beside the one that they are compared with. */
const COMPARED_AT_ONCE = 19

/**
 * The board of a phase: the entry of each team, which it has chosen or which is its best one, with baselines and people.
 *
 * @returns null before the board is shown; hosts see it at any time
 * @throws AccordError UNKNOWN_METRIC for the order; QUEUE_FULL
 */
export async function readBoard(
  accord: Accord,
  viewer: Viewer,
  chosen: ChallengePhase,
  order: BoardOrder | null = null,
  client: Client = {},
): Promise<Board | null> {
  const { challenge, phase } = chosen
  const { metrics, rankedBy, decimals, boardFrom, references } = phase.settings
  if (boardFrom !== null && Date.now() < Date.parse(boardFrom) && !isHostOf(viewer, challenge)) return null
  await refreshMetrics(accord)
  const column = order === null ? rankedBy : metricsOf(accord).require(order.metric).name
  const dataset = await requireDatasetById(accord.database, phase.datasetId)
  const submissions = (await listSubmissions(accord.database, [phase.id])).filter(
    ({ isWithdrawn, status }) => !isWithdrawn && status !== 'CANCELLED',
  )
  const systems = keyBy(await findSystems(accord.database, systemIdsOf(submissions)), ({ id }) => id)
  const baselines = await baselinesOf(accord, phase)
  const tables = new Map<string, readonly LeaderboardRow[]>()
  for (const metric of metrics) {
    const all = [...systems.values(), ...baselines]
    tables.set(metric, await rankByMetric(accord, dataset, all, { metric, references }))
  }
  const ranking = tables.get(rankedBy) as readonly LeaderboardRow[]
  const entries = entriesOf(submissions, ranking)
  const ranked = entries.flatMap(({ systemId }) => {
    const row = ranking.find(({ system }) => system !== null && system.id === systemId)
    return row?.system && row.undefinedReason === null ? [row.system] : []
  })
  const ranks = await rankTogether(accord, dataset, inOrder(ranked, ranking), phase, client)
  const scoresOf = (system: System | null) =>
    metrics.map((metric) => scoreOf(metric, tables.get(metric), system, decimals))
  const rows: BoardRow[] = [
    ...entries.map((submission) => {
      const system = systems.get(submission.systemId ?? 0)
      return {
        rank: system ? (ranks.get(system.id) ?? null) : null,
        kind: 'ENTRY' as const,
        name: isNameShown(viewer, chosen, submission) ? submission.teamName : null,
        submission,
        scores: system
          ? scoresOf(system)
          : metrics.map((metric) => ({ ...NO_SCORE, metric, undefinedReason: 'NOT_COMPUTED' as const })),
      }
    }),
    ...baselines.map((system) => ({
      rank: null,
      kind: 'BASELINE' as const,
      name: system.name,
      submission: null,
      scores: scoresOf(system),
    })),
    { rank: null, kind: 'HUMAN', name: null, submission: null, scores: scoresOf(null) },
  ]
  const { higherIsBetter } = metricsOf(accord).require(column)
  return {
    metrics,
    rankedBy,
    decimals,
    rows: sortRows(rows, column, higherIsBetter !== (order?.isWorstFirst === true)),
  }
}

const NO_SCORE = { value: null, interval: null, signature: null }

/** One submission of each team: the one that it chose; otherwise the best one; without a score the newest. */
function entriesOf(
  submissions: readonly SubmissionWithJob[],
  ranking: readonly LeaderboardRow[],
): SubmissionWithJob[] {
  const placeOf = ({ systemId }: SubmissionWithJob) => {
    const place = ranking.findIndex(({ system }) => system !== null && system.id === systemId)
    return place >= 0 && ranking[place].undefinedReason === null ? place : Number.POSITIVE_INFINITY
  }
  const entries = new Map<string, SubmissionWithJob>()
  for (const submission of submissions) {
    const known = entries.get(submission.team)
    if (known?.isChosen) continue
    const isBetter = !known || submission.isChosen || placeOf(submission) < placeOf(known)
    const isNewer = known && placeOf(known) === Number.POSITIVE_INFINITY
    if (isBetter || isNewer) entries.set(submission.team, submission)
  }
  return [...entries.values()]
}

function inOrder(systems: readonly System[], ranking: readonly LeaderboardRow[]): System[] {
  const ids = new Set(idsOf(systems))
  return ranking.flatMap(({ system }) => (system && ids.has(system.id) ? [system] : []))
}

/**
 * The ranks of systems. Each is compared with the best one of the current rank by a paired test over images; the first that
 * differs from it begins the next rank. P-values are corrected by Holm's method for those that are compared at once.
 *
 * @param systems best first
 */
async function rankTogether(
  accord: Accord,
  { id: datasetId }: Dataset,
  systems: readonly System[],
  { settings: { rankedBy, references } }: Phase,
  client: Client,
): Promise<Map<number, number>> {
  const figure = { kind: 'METRIC' as const, metric: rankedBy, ...(references !== null && { references }) }
  const ranks = new Map<number, number>()
  for (let first = 0; first < systems.length; ) {
    const leader = systems[first]
    let next = first + 1
    for (let isOpen = true; isOpen && next < systems.length; ) {
      const others = systems.slice(next, next + COMPARED_AT_ONCE)
      const pairs = await accord.run(
        'compare',
        { datasetId, systemIds: idsOf([...others, leader]), people: false, figure, baseline: others.length },
        client,
      )
      const differs = others.findIndex((_, position) => {
        const pair = pairs.find((one) => one.first === position)
        return pair?.adjustedPValue != null && pair.adjustedPValue < SIGNIFICANCE
      })
      isOpen = differs < 0
      next += isOpen ? others.length : differs
    }
    for (const { id } of systems.slice(first, next)) ranks.set(id, first + 1)
    first = next
  }
  return ranks
}

function scoreOf(
  metric: string,
  table: readonly LeaderboardRow[] | undefined,
  system: System | null,
  decimals: number,
): BoardScore {
  const row = table?.find((one) => (one.system?.id ?? null) === (system?.id ?? null))
  if (!row) return { ...NO_SCORE, metric, undefinedReason: 'NOT_COMPUTED' }
  return {
    metric,
    ...rounded(row.value, row.interval, decimals),
    signature: row.signature,
    undefinedReason: row.undefinedReason,
  }
}

function rounded(value: number | null, interval: Interval | null, decimals: number) {
  const round = (number: number) => Number(number.toFixed(decimals))
  return {
    value: value === null ? null : round(value),
    interval: interval && { lower: round(interval.lower), upper: round(interval.upper) },
  }
}

function isNameShown(
  viewer: Viewer,
  { challenge, phase }: ChallengePhase,
  submission: SubmissionWithJob,
): boolean {
  const isOver = Date.now() >= Date.parse(phase.settings.closesAt)
  return !submission.isAnonymous || isOver || maySee(viewer, challenge, submission)
}

/** Rows by a column; those without a value at the end. Equal ones stay by rank. */
function sortRows(rows: readonly BoardRow[], metric: string, isDescending: boolean): BoardRow[] {
  const sortingValueOf = ({ scores }: BoardRow) =>
    scores.find((score) => score.metric === metric)?.value ?? null
  const sign = isDescending ? -1 : 1
  const rankOf = ({ rank }: BoardRow) => rank ?? Number.MAX_SAFE_INTEGER
  return rows.toSorted((one, other) => {
    const [first, second] = [sortingValueOf(one), sortingValueOf(other)]
    if (first === null || second === null) return Number(first === null) - Number(second === null)
    return sign * (first - second) || rankOf(one) - rankOf(other)
  })
}

/** The scores of submissions of a phase, by the id of the submission, as their teams see them. */
export async function scoresOfSubmissions(
  accord: Accord,
  { phase }: ChallengePhase,
  submissions: readonly Pick<Submission, 'id' | 'systemId'>[],
): Promise<Map<number, readonly BoardScore[]>> {
  await refreshMetrics(accord)
  const { metrics, references, decimals } = phase.settings
  const dataset = await requireDatasetById(accord.database, phase.datasetId)
  const systems = await findSystems(accord.database, systemIdsOf(submissions))
  const tables: (readonly LeaderboardRow[])[] = []
  for (const metric of metrics)
    tables.push(await rankByMetric(accord, dataset, systems, { metric, references }))
  return new Map(
    submissions.map(({ id, systemId }) => {
      const system = systems.find((one) => one.id === systemId)
      return [
        id,
        system ? metrics.map((metric, index) => scoreOf(metric, tables[index], system, decimals)) : [],
      ]
    }),
  )
}

/**
 * All stored scores of submissions to a phase, oldest first, by the id of the submission: also those that a former version of a
 * metric computed, which are told apart by their signatures.
 */
export async function storedScoresOfSubmissions(
  { database }: Accord,
  { phase }: ChallengePhase,
  submissions: readonly Pick<Submission, 'id' | 'systemId'>[],
): Promise<Map<number, readonly BoardScore[]>> {
  const { references, decimals } = phase.settings
  const rows = await readScores(database, systemIdsOf(submissions))
  const bySystem = groupBy(rows.filter(isOf(references)), ({ systemId }) => systemId)
  return new Map(
    submissions.map(({ id, systemId }) => [
      id,
      (bySystem.get(systemId ?? 0) ?? []).map(({ metric, value, signature, ...ends }) => ({
        metric,
        ...rounded(value, toInterval(ends), decimals),
        signature,
        undefinedReason: null,
      })),
    ]),
  )
}
