import { PEOPLE } from '../../shared/verdict.js'
import { interval, jsonOnly, references, type Spread, score, share, showSpread } from '../output/formats.js'
import { type Column, pivot, type Table, untitled } from '../output/report.js'

/** How scores are shown to people. */
export interface ScoreLayout {
  readonly layout: 'wide' | 'long'
  readonly signatures?: true
}

export const METRIC: Column = { path: 'metric', title: 'metric', isMerged: true }
/** Systems by name, and people, who are null. */
export const SYSTEM: Column<{ readonly system: string | null }> = {
  path: 'system',
  title: 'system',
  show: ({ system }) => system ?? PEOPLE,
}
export const VALUE: Column<{ readonly isBest?: boolean }> = {
  path: 'value',
  title: 'score',
  format: score,
  isStrong: ({ isBest = false }) => isBest,
}
export const INTERVAL: Column = { path: 'interval', title: '95 % interval', format: interval }

/** Columns of the score of a system by a metric. */
export const scoreColumns: readonly Column[] = [
  METRIC,
  SYSTEM,
  { path: 'references', format: references },
  ...untitled('imageCount', 'missingImageCount'),
  VALUE,
  INTERVAL,
  ...untitled('undefinedReason', 'isSmall', 'signature'),
  { path: 'warnings', format: jsonOnly },
]

/** A score of a system, or of people, by a metric. */
export interface ShownScore extends Spread {
  readonly metric: string
  /** Null for people. */
  readonly system: string | null
  readonly higherIsBetter: boolean
  /** Whether it was made in another way than the others of its metric. */
  readonly isApart?: boolean
}

/** A score that may have another one beside it, with the built-in document frequencies. */
interface BesideBuiltIn extends ShownScore {
  readonly coco?: Pick<ShownScore, 'value' | 'interval'> | null
}

/** How the score by a metric with the built-in document frequencies is named. */
function builtInName(metric: string): string {
  return `${metric} (coco)`
}

/** Each row is followed by its score with the built-in document frequencies, if it has one, as a score by a metric of its own. */
export function withBuiltIn<Row extends { readonly metric: string; readonly coco?: object | null }>(
  rows: readonly Row[],
): Row[] {
  return rows.flatMap((row) =>
    row.coco ? [row, { ...row, ...row.coco, coco: null, metric: builtInName(row.metric) }] : [row],
  )
}

/** Columns of the scores with the built-in document frequencies. @param isShown whether there are any */
export function builtInColumns(isShown: boolean): Column[] {
  return [
    { path: 'coco.value', title: isShown ? 'with coco' : undefined, format: score },
    { path: 'coco.interval', title: isShown ? '95 % interval' : undefined, format: interval },
    { path: 'coco.signature' },
  ]
}

/** What to know about the scores with the built-in document frequencies; none without them. */
export function builtInNotes(
  rows: readonly { readonly metric: string; readonly coco?: object | null }[],
): string[] {
  const metrics = [...new Set(rows.flatMap(({ metric, coco }) => (coco ? [metric] : [])))]
  if (metrics.length === 0) return []
  return [
    `${metrics.join(', ')}: as the reference toolkit computes it, with the document frequencies of the measured images, which no interval would cover. (coco): with those of COCO, which stay the same, so that there is an interval.`,
  ]
}

/** A row for each system and a column for each metric, with the interval below the score. */
export function systemsByMetrics(shown: readonly BesideBuiltIn[]): Table {
  const rows = markBest(withBuiltIn(shown), ({ metric }) => metric)
  return pivot(rows, {
    down: [SYSTEM],
    across: ({ metric }) => metric,
    cells: [{ ...VALUE, title: undefined }],
    below: spreadBelow(rows),
  }) as Table
}

/** Marks the best score of each column, also if it is that of people; none where all are the same. */
export function markBest<Row extends Pick<ShownScore, 'value' | 'higherIsBetter' | 'isApart'>>(
  rows: readonly Row[],
  columnOf: (row: Row) => string,
): (Row & { readonly isBest: boolean })[] {
  const isCompared = ({ isApart = false }: Row) => !isApart
  return rows.map((row) => {
    const column = rows.filter((other) => isCompared(other) && columnOf(other) === columnOf(row))
    const values = column.flatMap(({ value }) => value ?? [])
    const [lowest, highest] = [Math.min(...values), Math.max(...values)]
    const best = row.higherIsBetter ? highest : lowest
    return { ...row, isBest: isCompared(row) && lowest < highest && row.value === best }
  })
}

/** The interval of a score, below it. @param rows those of the same metric are a column */
export function spreadBelow<Row extends Spread & { readonly metric: string }>(
  rows: readonly Row[],
): Column<Row> {
  return {
    format: share,
    show: (row, numbers) =>
      showSpread(
        row,
        rows.filter(({ metric }) => metric === row.metric),
        numbers,
      ),
  }
}

/** Which document frequencies the scores of a table have. @param name of their source; absent: the measured images */
export function documentsNote(name: string | undefined): string {
  const source = name === undefined ? 'those of the measured images (own)' : `those of ${name}`
  return `Document frequencies of CIDEr, CIDEr-D and SPIDEr: ${source}; --document-frequencies chooses others.`
}

/** The signatures, or what all of them share. */
export function signatureNotes(signatures: readonly string[], { signatures: isFull }: ScoreLayout): string[] {
  const all = [...new Set(signatures)]
  if (isFull) return ['Signatures:', ...all.map((signature) => `  ${signature}`)]
  const parts = all.map((signature) => signature.split('|'))
  const shared = parts[0].filter((part) => parts.every((others) => others.includes(part)))
  return [`Signatures (in full with --signatures): ${shared.join('|')}`]
}
