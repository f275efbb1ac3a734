import type { ComparedFigure } from '../../services/comparisons/compare.js'
import type { ComparedOn, Comparison } from '../../services/comparisons/comparisons.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import {
  count,
  counted,
  countedReferences,
  grouped,
  jsonOnly,
  pValue,
  references,
  share,
  shown,
  showP,
  signedInterval,
} from '../output/formats.js'
import type { NamedTable, Report } from '../output/report.js'

type Row = Omit<ComparedOn['comparisons'][number], 'first' | 'second'> & {
  readonly figure: ComparedFigure['kind']
  readonly metric: string | null
  readonly word: string | null
  /** Null for people. */
  readonly first: string | null
  readonly second: string | null
}

/** Systems, and people, compared pair by pair. */
export function comparisonReport(dataset: string, compared: readonly ComparedOn[]): Report {
  const table: NamedTable<Row> = {
    name: 'comparisons',
    columns: [
      { path: 'figure', title: 'figure', show: nameOf },
      { path: 'metric' },
      { path: 'word' },
      { path: 'first', title: 'first', show: ({ first, better }) => sideName(first, better === 'FIRST') },
      {
        path: 'second',
        title: 'second',
        show: ({ second, better }) => sideName(second, better === 'SECOND'),
      },
      { path: 'firstScore', title: 'score', format: share },
      { path: 'secondScore', title: 'score', format: share },
      { path: 'difference', title: 'diff.', format: share },
      { path: 'interval', title: '95 % interval', format: signedInterval },
      { path: 'better' },
      { path: 'pValue' },
      { path: 'adjustedPValue', title: 'p', format: pValue, show: (row) => showP(row.adjustedPValue, row) },
      { path: 'isBound' },
      { path: 'isExact' },
      { path: 'resamples' },
      {
        path: 'imageCount',
        title: 'images',
        format: count,
        show: ({ imageCount, undefinedReason }) =>
          `${grouped(imageCount)}${undefinedReason === null ? '' : ` ${MARK}`}`,
      },
      { path: 'wordCount' },
      { path: 'rarefied.imageCount' },
      { path: 'rarefied.value', title: 'rarefied', format: share, isOptional: true },
      { path: 'rarefied.interval', title: '95 % interval', format: signedInterval, isOptional: true },
      { path: 'references', format: references },
      { path: 'isSmall' },
      { path: 'undefinedReason' },
      { path: 'signature' },
      { path: 'notes', format: jsonOnly },
    ],
    rows: compared.flatMap(({ figure, comparisons }) => comparisons.map((pair) => toRow(figure, pair))),
    groupBy: nameOf,
    keyColumns: 3,
  }
  return {
    about: { dataset },
    tables: [table],
    parts: [table, { notes: [...describeBetter(table.rows), ...legend(compared)] }],
  }
}

function toRow(
  figure: ComparedFigure,
  { first, second, ...comparison }: ComparedOn['comparisons'][number],
): Row {
  return {
    figure: figure.kind,
    metric: figure.kind === 'METRIC' ? figure.metric : null,
    word: figure.kind === 'METRIC' ? null : (figure.word ?? null),
    first: first?.name ?? null,
    second: second?.name ?? null,
    ...comparison,
  }
}

const MARK = '*'
const BETTER = '+'

function sideName(name: string | null, isBetter: boolean): string {
  return `${name ?? 'people'}${isBetter ? ` ${BETTER}` : ''}`
}

const NAMES = { PHR: 'PHR', AVERAGE_PRECISION: 'AP', WORD_PRECISION: 'precision' } as const

function nameOf({ figure, metric, word }: Row): string {
  if (figure === 'METRIC') return metric as string
  return word === null ? `mean ${NAMES[figure]}` : `${NAMES[figure]} of ${word}`
}

/** Sentences about single pairs, up to this number. */
const MAX_SENTENCES = 10

/** Which side is better, of few comparisons. */
function describeBetter(rows: readonly Row[]): string[] {
  if (rows.length > MAX_SENTENCES) return []
  return rows.flatMap((row) => {
    const { first, second, better, difference, adjustedPValue } = row
    if (better === null || difference === null || adjustedPValue === null) return []
    const [best, other] = better === 'FIRST' ? [first, second] : [second, first]
    const sides = [best, other].map((name) => sideName(name, false))
    const verb = best === null ? 'are' : 'is'
    const by = shown(Math.abs(difference))
    return [
      `${nameOf(row)}: ${sides[0]} ${verb} better than ${sides[1]} by ${by} (p ${showP(adjustedPValue, row)}).`,
    ]
  })
}

function legend(compared: readonly ComparedOn[]): string[] {
  const all = compared.flatMap(({ comparisons }) => comparisons)
  const reasons = new Set(all.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  const pairs = counted(compared[0].comparisons.length, 'pair')
  return [
    `Each pair is compared on the images that both have: first minus second. ${BETTER} marks the better one.`,
    `p: with Holm’s correction for the ${pairs}${compared.length > 1 ? ' of a figure' : ''}.`,
    ...new Set(all.flatMap(describeReferences)),
    ...new Set(all.flatMap(({ notes }) => notes)),
    ...Array.from(reasons, (reason) => `${MARK} ${UNDEFINED_REASONS[reason]}`),
  ]
}

function describeReferences({ references }: Comparison): string[] {
  if (!references) return []
  const { folds } = references
  const mean = folds === null ? '' : `, mean over ${folds} folds`
  return [`${countedReferences(references)} per image${mean}.`]
}
