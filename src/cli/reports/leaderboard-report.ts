import type { ReferenceRange } from '../../core/metrics/provenance.js'
import type { LeaderboardOptions, LeaderboardRow } from '../../services/leaderboard/leaderboard.js'
import type { CompletedRow } from '../../services/words/word-means.js'
import type { Dataset } from '../../store/schema/entities.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import { type HintOptions, suggest } from '../output/hints.js'
import type { Renderings } from '../output/output.js'
import { type Cell, grouped, interval, NONE, share, type TextTable } from '../output/table.js'

export interface Leaderboard {
  readonly dataset: Dataset
  readonly options: LeaderboardOptions
  readonly rows: readonly NotedRow[]
}

type NotedRow = CompletedRow & { readonly notes: readonly string[] }

/** The rows in every format. @param hints options of this command, for suggested commands */
export function renderings(leaderboard: Leaderboard, hints: HintOptions): Renderings {
  const { dataset, options, rows } = leaderboard
  return {
    json: () => ({
      dataset: dataset.name,
      by: options.by,
      metric: options.metric ?? null,
      rows: rows.map(({ system, ...row }) => ({ ...row, system: system?.name ?? null })),
    }),
    csv: () => ({
      header: [
        'rank',
        'system',
        'isHuman',
        'value',
        'lower',
        'upper',
        'leastReferences',
        'mostReferences',
        'folds',
        'wordCount',
        'imageCount',
        'isPartial',
        'group',
        'undefinedReason',
        'signature',
      ],
      rows: rows.map((row) => [
        row.rank,
        row.system?.name ?? null,
        String(row.isHuman),
        row.value,
        row.interval?.lower ?? null,
        row.interval?.upper ?? null,
        row.references?.least ?? null,
        row.references?.most ?? null,
        row.references?.folds ?? null,
        row.wordCount,
        row.imageCount,
        String(row.isPartial),
        row.group,
        row.undefinedReason,
        row.signature,
      ]),
    }),
    report: () => [toTable(leaderboard), { notes: legend(leaderboard, hints) }],
  }
}

/** Columns without any content are left out. */
function toTable({ options, rows }: Leaderboard): TextTable {
  const columns = columnsOf(options).filter(
    ({ isOptional, cell }) => !isOptional || rows.some((row) => cell(row) !== ''),
  )
  const groups = (['COMPARABLE', 'APART'] as const).map((group) => rows.filter((row) => row.group === group))
  return {
    head: [columns.map(({ head }) => head)],
    body: groups.map((group) => group.map((row) => columns.map(({ cell }) => cell(row)))),
    columns: columns.map(({ align = 'right' }) => ({ align })),
    keyColumns: 2,
  }
}

interface Column {
  readonly head: string
  readonly align?: 'left' | 'right'
  readonly isOptional?: true
  cell(row: LeaderboardRow): Cell
}

function columnsOf(options: LeaderboardOptions): Column[] {
  return [
    { head: 'rank', cell: ({ rank }) => (rank === null ? '' : String(rank)) },
    { head: 'system', align: 'left', cell: ({ system }) => system?.name ?? 'people' },
    {
      head: options.by === 'METRIC' ? (options.metric as string) : 'mean PHR',
      cell: ({ value }) => share(value),
    },
    { head: '95 % interval', cell: (row) => interval(row.interval) },
    {
      head: 'references',
      cell: ({ references }) => (references === null ? NONE : showRange(references)),
    },
    {
      head: 'words',
      isOptional: true,
      cell: ({ wordCount }) => (wordCount === null ? '' : grouped(wordCount)),
    },
    {
      head: 'images',
      cell: ({ imageCount, isPartial }) =>
        imageCount === null ? NONE : `${grouped(imageCount)}${isPartial ? ' (part)' : ''}`,
    },
    {
      head: 'not ranked',
      align: 'left',
      isOptional: true,
      cell: ({ undefinedReason }) => undefinedReason ?? '',
    },
  ]
}

function showRange({ least, most }: ReferenceRange): string {
  return least === most ? String(least) : `${least}–${most}`
}

/** Each note once, with the systems that it is about unless these are all that have a value. */
function showNotes(rows: readonly NotedRow[]): string[] {
  const noted = rows.filter(({ value }) => value !== null)
  return [...new Set(noted.flatMap(({ notes }) => notes))].map((note) => {
    const about = noted.filter(({ notes }) => notes.includes(note))
    const names = about.map(({ system }) => system?.name ?? 'people').join(', ')
    return about.length === noted.length ? note : `${names}: ${note}`
  })
}

function legend({ dataset, options, rows }: Leaderboard, hints: HintOptions): string[] {
  const reasons = new Set(rows.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  const lines = [
    ...Array.from(reasons, (reason) => `${reason}: ${UNDEFINED_REASONS[reason]}`),
    ...showNotes(rows),
  ]
  if (rows.some(({ isHuman, undefinedReason }) => isHuman && undefinedReason === 'OTHER_REFERENCES')) {
    const words = ['leaderboard', '--dataset', dataset.name, '--metric', options.metric as string]
    lines.push(
      ...suggest(
        'People are ranked on as many references as they have:',
        [...words, '--references', String(dataset.captionsPerImage - 1)],
        hints,
      ),
    )
  }
  return lines
}
