import type { Dataset } from '../services/datasets.js'
import { type LeaderboardOptions, type LeaderboardRow, leaderboardReasons } from '../services/leaderboard.js'
import type { CompletedRow } from '../services/word-means.js'
import { grouped, type Renderings, share, toLines, toText } from './output.js'

export interface Leaderboard {
  readonly dataset: Dataset
  readonly options: LeaderboardOptions
  readonly rows: readonly NotedRow[]
}

type NotedRow = CompletedRow & { readonly notes: readonly string[] }

/** The rows in every format. */
export function renderings(leaderboard: Leaderboard): Renderings {
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
        'references',
        'wordCount',
        'imageCount',
        'isPartial',
        'group',
        'reason',
        'signature',
      ],
      rows: rows.map((row) => [
        row.rank,
        row.system?.name ?? null,
        String(row.isHuman),
        row.value,
        row.interval?.lower ?? null,
        row.interval?.upper ?? null,
        row.references,
        row.wordCount,
        row.imageCount,
        String(row.isPartial),
        row.group,
        row.reason,
        row.signature,
      ]),
    }),
    table: async () => `${await toTable(leaderboard)}\n${legend(leaderboard)}`,
  }
}

function toTable({ options, rows }: Leaderboard): Promise<string> {
  const value = options.by === 'METRIC' ? (options.metric as string) : 'mean PHR'
  const groups = (['COMPARABLE', 'APART'] as const).map((group) => rows.filter((row) => row.group === group))
  return toText({
    head: [['rank', 'system', value, '95 % interval', 'references', 'words', 'images', 'not ranked']],
    body: groups.map((group) => group.map((row) => toTableRow(row, options))),
    columns: (['right', 'left', 'right', 'right', 'right', 'right', 'right', 'left'] as const).map(
      (align) => ({
        align,
      }),
    ),
  })
}

function toTableRow(row: LeaderboardRow, options: LeaderboardOptions): string[] {
  const { rank, system, interval, wordCount, imageCount, isPartial, reason } = row
  const shown = isShown(row)
  return [
    rank === null ? '' : String(rank),
    system?.name ?? 'people',
    shown ? share(row.value) : '–',
    shown && interval ? `${share(interval.lower)} – ${share(interval.upper)}` : '–',
    showReferences(row, options),
    wordCount === null ? '–' : grouped(wordCount),
    imageCount === null ? '–' : `${grouped(imageCount)}${isPartial ? ' (part)' : ''}`,
    reason ?? '',
  ]
}

/** Against all captions of each image it is the smallest number. */
function showReferences(
  { references, isHuman }: LeaderboardRow,
  { by, references: k }: LeaderboardOptions,
): string {
  if (references === null) return '–'
  return by === 'METRIC' && k === undefined && !isHuman ? `${references} or more` : String(references)
}

/** People are not shown beside figures with another number of references. */
function isShown({ isHuman, reason }: LeaderboardRow): boolean {
  return !(isHuman && reason === 'OTHER_REFERENCES')
}

function legend({ dataset, options, rows }: Leaderboard): string {
  const reasons = new Set(rows.flatMap(({ reason }) => reason ?? []))
  const lines = [
    ...Array.from(reasons, (reason) => `${reason}: ${leaderboardReasons[reason]}`),
    ...rows.flatMap(({ system, notes }) =>
      options.by === 'PHR' ? notes.map((note) => `${system?.name ?? 'people'}: ${note}`) : notes,
    ),
  ]
  if (rows.some((row) => !isShown(row))) {
    lines.push(
      'People are ranked on as many references as they have:',
      `  accord leaderboard --dataset ${dataset.name} --metric ${options.metric} --references ${dataset.captionsPerImage - 1}`,
    )
  }
  return toLines([...new Set(lines)])
}
