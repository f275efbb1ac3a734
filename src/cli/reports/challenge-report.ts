import type { Board, BoardScore } from '../../services/challenges/board.js'
import { fixed } from '../../shared/numbers.js'
import type { Challenge, Phase } from '../../store/schema/challenge-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { list, ordinal, showInterval } from '../output/formats.js'
import { type Column, type NamedTable, type Report, untitled } from '../output/report.js'

/** Columns of the list of challenges. */
export function challengeColumns(
  hasDrafts: boolean,
): Column<{ readonly isPaused: boolean; readonly isDraft: boolean }>[] {
  return [
    { path: 'challenge', title: 'challenge' },
    { path: 'title', title: 'title', wrap: 'fit' },
    { path: 'phaseCount', title: 'phases', format: ordinal },
    { path: 'timeZone' },
    { path: 'isPaused', title: 'paused', show: ({ isPaused }) => (isPaused ? 'yes' : '') },
    {
      path: 'isDraft',
      title: hasDrafts ? 'draft' : undefined,
      show: ({ isDraft }) => (isDraft ? 'yes' : ''),
    },
  ]
}

/** Challenges by name. */
export function challengesReport(
  challenges: readonly (Challenge & { readonly phaseCount: number })[],
): Report {
  const rows = challenges.map(({ name, title, timeZone, isPaused, isDraft, phaseCount }) => ({
    challenge: name,
    title,
    timeZone,
    phaseCount,
    isPaused,
    isDraft,
  }))
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'challenges',
    columns: challengeColumns(rows.some(({ isDraft }) => isDraft)),
    rows,
  }
  return { tables: [table], parts: [table] }
}

/** Columns of the phases of a challenge. */
export const PHASES: readonly Column<PhaseRow>[] = [
  { path: 'phase', title: 'phase' },
  { path: 'dataset', title: 'dataset' },
  { path: 'stage', title: 'stage', show: ({ stage }) => stage.toLowerCase() },
  { path: 'opensAt' },
  { path: 'closesAt', title: 'until', show: ({ closesAt }) => `${closesAt.slice(0, 16)}Z` },
  { path: 'isPrivate', title: 'references', show: ({ isPrivate }) => (isPrivate ? 'private' : 'public') },
  { path: 'rankedBy', title: 'ranked by' },
  { path: 'metrics', format: list(' ') },
  ...untitled('references', 'decimals', 'boardFrom', 'isImageScoreShown'),
  { path: 'admittedTeams', format: list(' ') },
  { path: 'baselines', format: list(' ') },
  { path: 'limits.perDay', title: 'a day', show: ({ limits }) => shownLimit(limits.perDay) },
  { path: 'limits.total', title: 'in all', show: ({ limits }) => shownLimit(limits.total) },
  ...untitled('limits.concurrent', 'limits.attempts', 'limits.teamsPerUser'),
]

type PhaseRow = Phase['settings'] & { readonly stage: string; readonly isPrivate: boolean }

function shownLimit(limit: number | null): string {
  return limit === null ? 'any' : String(limit)
}

/** The rules of the phases of a challenge. */
export function challengeReport(
  { name, title, description, timeZone, hostTeam, isPaused, isDraft }: Challenge,
  phases: readonly (Phase & { readonly dataset: Dataset; readonly stage: string })[],
): Report {
  const rows = phases.map(({ name: phase, dataset, stage, settings }) => ({
    ...settings,
    phase,
    dataset: dataset.name,
    stage,
    isPrivate: dataset.isPrivate,
  }))
  const table: NamedTable<(typeof rows)[number]> = { name: 'phases', columns: PHASES, rows }
  const about = { challenge: name, title, description, timeZone, hostTeam, isPaused, isDraft }
  const notes = [
    `${title}. Days begin in the time zone ${timeZone}.${isDraft ? ' A draft: only its hosts see it.' : isPaused ? ' Paused: it accepts no submissions.' : ''}`,
  ]
  return { about, tables: [table], parts: [{ notes }, table] }
}

/** Columns of a board, with the score by each metric. */
export function boardColumns({
  metrics,
  rankedBy,
  decimals,
}: Pick<Board, 'metrics' | 'rankedBy' | 'decimals'>): Column<BoardFigures>[] {
  const shown = (value: number | null | undefined) => (value == null ? '' : fixed(value, decimals))
  return [
    { path: 'rank', title: 'rank', format: ordinal },
    { path: 'kind' },
    { path: 'name', title: 'team' },
    { path: 'acceptedAt' },
    ...metrics.flatMap((metric) => [
      {
        path: ['scores', metric, 'value'],
        title: metric,
        show: ({ scores }: BoardFigures) => shown(scores[metric]?.value),
      },
      { path: ['scores', metric, 'interval', 'lower'] },
      { path: ['scores', metric, 'interval', 'upper'] },
    ]),
    ...metrics.slice(0, 1).map(() => ({
      title: `interval of ${rankedBy}`,
      show: ({ scores }: BoardFigures) => {
        const interval = scores[rankedBy]?.interval
        return interval ? showInterval(interval, shown) : ''
      },
    })),
  ]
}

interface BoardFigures {
  readonly scores: Readonly<Record<string, BoardScore>>
}

/** The board of a phase: a column with an interval for each metric. */
export function boardReport(
  challenge: string,
  phase: string,
  { metrics, rankedBy, decimals, rows }: Board,
): Report {
  const figures = rows.map((row) => ({
    ...row,
    name: row.name ?? 'anonymous',
    acceptedAt: row.submission?.acceptedAt ?? null,
    scores: Object.fromEntries(row.scores.map((score) => [score.metric, score])),
  }))
  const table: NamedTable<(typeof figures)[number]> = {
    name: 'rows',
    columns: boardColumns({ metrics, rankedBy, decimals }),
    rows: figures,
  }
  const notes = [
    `Ranked by ${rankedBy}. Entries that a paired test does not tell apart share a rank; people and baselines are not ranked.`,
  ]
  return { about: { challenge, phase, rankedBy, decimals }, tables: [table], parts: [table, { notes }] }
}

/** Columns of the submissions to a phase. */
export const SUBMISSIONS: readonly Column<SubmissionRow>[] = [
  { path: 'id', title: 'id', format: ordinal },
  { path: 'team', title: 'team' },
  { path: 'fileName', title: 'file' },
  { path: 'acceptedAt', title: 'accepted' },
  { path: 'status', title: 'status', show: ({ status }) => status.toLowerCase() },
  { path: 'rankedBy' },
  { path: 'value', title: 'score', show: ({ value }) => (value === null ? '' : fixed(value)) },
  ...untitled('day', 'isWithdrawn', 'isChosen'),
]

/** Submissions to a phase. */
export function submissionsReport(
  challenge: string,
  phase: string,
  submissions: readonly SubmissionRow[],
): Report {
  const table: NamedTable<SubmissionRow> = { name: 'submissions', columns: SUBMISSIONS, rows: submissions }
  return { about: { challenge, phase }, tables: [table], parts: [table] }
}

/** A submission with the score that ranks. */
export interface SubmissionRow {
  readonly id: number
  readonly team: string
  readonly fileName: string
  readonly acceptedAt: string
  readonly day: string
  readonly status: string
  readonly rankedBy: string
  readonly value: number | null
  readonly isWithdrawn: boolean
  readonly isChosen: boolean
}

/** Columns of the audit log. */
export const ENTRIES: readonly Column[] = [
  { path: 'createdAt', title: 'time' },
  { path: 'actor', title: 'by' },
  { path: 'action', title: 'what' },
  { path: 'detail', title: 'with', wrap: 'fit' },
]

/** The audit log of a challenge. */
export function auditReport(entries: readonly AuditRow[]): Report {
  const table: NamedTable<AuditRow> = { name: 'entries', columns: ENTRIES, rows: entries }
  return { tables: [table], parts: [table] }
}

/** An entry with its details as JSON. */
export interface AuditRow {
  readonly createdAt: string
  readonly actor: string | null
  readonly action: string
  readonly detail: string
}
