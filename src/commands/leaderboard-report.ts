import type { ReferenceRange } from '../metrics/provenance.js'
import { comparisonReasons } from '../services/comparisons.js'
import type { Dataset } from '../services/datasets.js'
import type { LeaderboardOptions, LeaderboardRow } from '../services/leaderboard.js'
import type { CompletedRow } from '../services/word-means.js'
import { grouped, type Renderings, share, showInterval, toLines, toText } from './output.js'

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
        'leastReferences',
        'mostReferences',
        'folds',
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
        row.references?.least ?? null,
        row.references?.most ?? null,
        row.references?.folds ?? null,
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
    body: groups.map((group) => group.map(toTableRow)),
    columns: (['right', 'left', 'right', 'right', 'right', 'right', 'right', 'left'] as const).map(
      (align) => ({
        align,
      }),
    ),
  })
}

function toTableRow(row: LeaderboardRow): string[] {
  const { rank, system, value, interval, references, wordCount, imageCount, isPartial, reason } = row
  return [
    rank === null ? '' : String(rank),
    system?.name ?? 'people',
    share(value),
    showInterval(interval),
    references === null ? '–' : showRange(references),
    wordCount === null ? '–' : grouped(wordCount),
    imageCount === null ? '–' : `${grouped(imageCount)}${isPartial ? ' (part)' : ''}`,
    reason ?? '',
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

function legend({ dataset, options, rows }: Leaderboard): string {
  const reasons = new Set(rows.flatMap(({ reason }) => reason ?? []))
  const lines = [
    ...Array.from(reasons, (reason) => `${reason}: ${comparisonReasons[reason]}`),
    ...showNotes(rows),
  ]
  if (rows.some(({ isHuman, reason }) => isHuman && reason === 'OTHER_REFERENCES')) {
    lines.push(
      'People are ranked on as many references as they have:',
      `  accord leaderboard --dataset ${dataset.name} --metric ${options.metric} --references ${dataset.captionsPerImage - 1}`,
    )
  }
  return toLines(lines)
}
