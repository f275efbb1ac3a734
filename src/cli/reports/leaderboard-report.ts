import type { CompletedRow } from '../../services/leaderboard/complete-rows.js'
import type { LeaderboardOptions } from '../../services/leaderboard/leaderboard.js'
import type { Dataset } from '../../store/schema/entities.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import {
  count,
  grouped,
  interval,
  jsonOnly,
  NONE,
  ordinal,
  PEOPLE,
  references,
  share,
} from '../output/formats.js'
import { type HintOptions, suggest } from '../output/hints.js'
import type { NamedTable, Report } from '../output/report.js'
import { type ScoreLayout, type ShownScore, systemsByMetrics } from './score-table.js'

export interface Leaderboard {
  readonly dataset: Dataset
  readonly options: LeaderboardOptions
  readonly rows: readonly NotedRow[]
}

type NotedRow = CompletedRow & { readonly notes: readonly string[] }

type Row = Omit<NotedRow, 'system'> & {
  /** Null if ranked by a mean over words. */
  readonly metric: string | null
  /** Null for people. */
  readonly system: string | null
}

/**
 * Systems and people in their order on each board. Several metrics are columns, ordered by the first.
 *
 * @param hints options of this command, for suggested commands
 */
export function leaderboardReport(
  boards: readonly Leaderboard[],
  { layout, ...hints }: HintOptions & Pick<ScoreLayout, 'layout'>,
): Report {
  const [{ dataset, options }] = boards
  const rows = boards.flatMap((board) =>
    board.rows.map((row) => ({
      ...row,
      metric: board.options.metric ?? null,
      system: row.system?.name ?? null,
    })),
  )
  const table: NamedTable<Row> = {
    name: 'rows',
    columns: [
      { path: 'metric', title: boards.length > 1 ? 'metric' : undefined },
      { path: 'rank', title: 'rank', format: ordinal },
      { path: 'system', title: 'system', show: nameOf },
      { path: 'isHuman' },
      {
        path: 'value',
        title:
          boards.length > 1
            ? 'score'
            : (options.metric ?? (options.by === 'PHR' ? 'mean PHR' : 'word precision')),
        format: share,
      },
      { path: 'interval', title: '95 % interval', format: interval },
      { path: 'rarefied.imageCount' },
      { path: 'rarefied.value', title: 'rarefied', format: share, isOptional: true },
      { path: 'rarefied.interval', title: '95 % interval', format: interval, isOptional: true },
      { path: 'references', title: 'references', format: references },
      { path: 'wordCount', title: 'words', format: count, isOptional: true },
      {
        path: 'imageCount',
        title: 'images',
        format: count,
        show: ({ imageCount, isPartial }) =>
          imageCount === null ? NONE : `${grouped(imageCount)}${isPartial ? ' (part)' : ''}`,
      },
      { path: 'isPartial' },
      { path: 'group' },
      { path: 'undefinedReason', title: 'not ranked', isOptional: true },
      { path: 'signature' },
      { path: 'gapToPeople', format: jsonOnly },
      { path: 'provenance', format: jsonOnly },
      { path: 'notes', format: jsonOnly },
    ],
    rows,
    groupBy: ({ metric, group }) => JSON.stringify([metric, group]),
    keyColumns: 2,
  }
  return {
    about: { dataset: dataset.name, by: options.by },
    tables: [table],
    parts: [
      boards.length > 1 && layout === 'wide' ? systemsByMetrics(rows.map(toShown)) : table,
      {
        notes: [
          ...describeReasons(rows),
          ...describeNotes(boards),
          ...suggestReferences(),
          ...suggestComputing(),
        ],
      },
    ],
  }

  function suggestReferences(): string[] {
    if (!rows.some(({ isHuman, undefinedReason }) => isHuman && undefinedReason === 'OTHER_REFERENCES'))
      return []
    const metrics = boards.flatMap((board) => board.options.metric ?? [])
    const words = ['leaderboard', '--dataset', dataset.name, '--metrics', ...metrics]
    return suggest(
      'To rank people as well, use the number of references that they have:',
      [...words, '--references', String(dataset.captionsPerImage - 1)],
      hints,
    )
  }

  /** The commands that compute the missing scores of people and of systems. */
  function suggestComputing(): string[] {
    const missing = rows.filter(({ metric, undefinedReason }) => metric && undefinedReason === 'NOT_COMPUTED')
    const subjects = [...new Set(missing.map(({ system }) => system))].sort(peopleFirst)
    return subjects.flatMap((system) => {
      const metrics = missing.flatMap((row) => (row.system === system ? (row.metric as string) : []))
      const command =
        system === null
          ? ['agreement', '--dataset', dataset.name]
          : ['evaluate', '--dataset', dataset.name, '--system', system]
      return suggest(
        `To compute the scores of ${system ?? PEOPLE}:`,
        [...command, '--metrics', ...new Set(metrics)],
        hints,
      )
    })
  }
}

/** Systems are compared with people as far as the scores of people are stored. */
function peopleFirst(one: string | null, other: string | null): number {
  return Number(one !== null) - Number(other !== null)
}

function nameOf({ system }: Row): string {
  return system ?? PEOPLE
}

function toShown(row: Row): ShownScore {
  const { metric, value, interval, rank } = row
  return { metric: metric as string, system: nameOf(row), value, interval, isBest: rank === 1 }
}

function describeReasons(rows: readonly Row[]): string[] {
  const reasons = new Set(rows.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return Array.from(reasons, (reason) => `${reason}: ${UNDEFINED_REASONS[reason]}`)
}

/** Each note once, with the systems that it is about unless these are all of a board that have a value. */
function describeNotes(boards: readonly Leaderboard[]): string[] {
  const described = boards.flatMap(({ rows }) => {
    const noted = rows.filter(({ value }) => value !== null)
    return [...new Set(noted.flatMap(({ notes }) => notes))].map((note) => {
      const about = noted.filter(({ notes }) => notes.includes(note))
      const names = about.map(({ system }) => system?.name ?? PEOPLE)
      return about.length === noted.length ? note : `${names.join(', ')}: ${note}`
    })
  })
  return [...new Set(described)]
}
