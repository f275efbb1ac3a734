import type { ComparedFigure } from '../../services/comparisons/compare.js'
import type { ComparedOn, Comparison } from '../../services/comparisons/comparisons.js'
import { intervalNotes } from '../../services/shared/intervals.js'
import { counted, fixed, grouped, showP } from '../../shared/numbers.js'
import { UNDEFINED_REASONS } from '../../shared/undefined-reason.js'
import {
  count,
  countedReferences,
  jsonOnly,
  type NumberStyle,
  pValue,
  references,
  share,
  shown,
  signedInterval,
} from '../output/formats.js'
import {
  type Column,
  type NamedTable,
  pivot,
  type Report,
  type Sentence,
  type Table,
} from '../output/report.js'
import { documentsNote } from './score-table.js'

type Row = Omit<ComparedOn['comparisons'][number], 'first' | 'second' | 'figure'> & {
  readonly figure: ComparedFigure['kind']
  readonly metric: string | null
  readonly word: string | null
  /** The field and its value, as `domain: near`; null for all images. */
  readonly subset: string | null
  /** Null for people. */
  readonly first: string | null
  readonly second: string | null
}

/** What is compared, and how it is shown. */
interface ComparisonLayout {
  readonly dataset: string
  /** Source of document frequencies. */
  readonly documents?: string
  /** Whether people see all figures, instead of a screen of them. */
  readonly details?: boolean
}

/** More rows than this do not fit on a screen: differences alone are shown. */
const MAX_ROWS_SHOWN = 16

/** Columns of comparisons. */
export const COMPARISONS: readonly Column<Row>[] = [
  { path: 'figure', title: 'figure', show: nameOf },
  { path: 'metric' },
  { path: 'word' },
  { path: 'subset' },
  { path: 'first', title: 'first', show: ({ first, better }) => sideName(first, better === 'FIRST') },
  { path: 'second', title: 'second', show: ({ second, better }) => sideName(second, better === 'SECOND') },
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
]

/** Systems, and people, compared pair by pair. */
export function comparisonReport(
  { dataset, documents = OWN, details = false }: ComparisonLayout,
  compared: readonly ComparedOn[],
): Report {
  const table: NamedTable<Row> = {
    name: 'comparisons',
    columns: COMPARISONS,
    rows: compared.flatMap(({ comparisons }) => comparisons.map(toRow)),
    groupBy: nameOf,
    keyColumns: 3,
  }
  return {
    about: { dataset, documentFrequencies: documents },
    tables: [table],
    parts: details
      ? [
          table,
          {
            notes: [
              ...describeVerdicts(table.rows),
              ...legend(compared),
              ...describeDocuments(compared, documents),
            ],
          },
        ]
      : [
          table.rows.length > MAX_ROWS_SHOWN ? differencesOf(table.rows) : screenOf(table),
          {
            notes: [
              ...describeVerdicts(table.rows),
              ...screenLegend(table.rows, compared),
              ...describeDocuments(compared, documents),
              'All figures, intervals and notes: --details.',
            ],
          },
        ],
  }
}

/** The table without its columns of what is the same in all rows. */
function screenOf(table: NamedTable<Row>): NamedTable<Row> {
  const isSame = new Set(table.rows.map(({ imageCount }) => imageCount)).size < 2
  const isMarked = table.rows.some(({ undefinedReason }) => undefinedReason !== null)
  const columns = table.columns.map((column) =>
    column.path === 'imageCount' && isSame && !isMarked ? { ...column, title: undefined } : column,
  )
  return { ...table, columns }
}

/** The differences alone: figures below each other and pairs beside each other, or the other way round if there are many pairs. */
function differencesOf(rows: readonly Row[]): Table {
  const figure = { title: 'figure', show: nameOf }
  const pair = { title: 'pair', show: pairOf }
  const isLong = new Set(rows.map(pairOf)).size <= MAX_PAIR_COLUMNS
  return pivot(rows, {
    down: [isLong ? figure : pair],
    across: isLong ? pairOf : nameOf,
    cells: [
      {
        path: 'difference',
        format: share,
        show: ({ difference, better, undefinedReason }, numbers) =>
          `${shown(difference, numbers)}${better !== null ? ` ${BETTER}` : undefinedReason !== null ? ` ${MARK}` : '  '}`,
      },
    ],
  }) as Table
}

const MAX_PAIR_COLUMNS = 4

function pairOf({ first, second }: Row): string {
  return `${sideName(first, false)} – ${sideName(second, false)}`
}

function toRow({ figure, first, second, ...comparison }: ComparedOn['comparisons'][number]): Row {
  return {
    figure: figure.kind,
    metric: figure.kind === 'METRIC' ? figure.metric : null,
    word: figure.kind === 'METRIC' ? null : (figure.word ?? null),
    subset:
      figure.kind === 'METRIC' && figure.subset ? `${figure.subset.field}: ${figure.subset.value}` : null,
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

function nameOf({ figure, metric, word, subset }: Row): string {
  if (figure === 'METRIC') return subset === null ? (metric as string) : `${metric}, ${subset}`
  return word === null ? `mean ${NAMES[figure]}` : `${NAMES[figure]} of ${word}`
}

/** Sentences about single pairs, up to this number. */
const MAX_SENTENCES = 10

/** What the tests say, of few comparisons. */
function describeVerdicts(rows: readonly Row[]): Sentence[] {
  if (rows.length > MAX_SENTENCES) return []
  return rows.flatMap((row) => {
    const { first, second, better, difference, adjustedPValue } = row
    if (difference === null || adjustedPValue === null) return []
    const [best, other] = better === 'SECOND' ? [second, first] : [first, second]
    const [isOne, toOther] = [best !== null, sideName(other, false)]
    return (numbers: NumberStyle) => {
      const verdict =
        better === null
          ? `${isOne ? 'does' : 'do'} not differ significantly from ${toOther}`
          : `${isOne ? 'is' : 'are'} better than ${toOther} by ${shown(Math.abs(difference), numbers)}`
      return `${nameOf(row)}: ${sideName(best, false)} ${verdict} (p ${showP(adjustedPValue, row)}).`
    }
  })
}

/** Document frequencies that nobody named. */
const OWN = 'own'

/** Which document frequencies the scores have, where metrics use them. */
function describeDocuments(compared: readonly ComparedOn[], documents: string): string[] {
  const isUsed = compared.some(({ comparisons }) =>
    comparisons.some(({ frequencyImageCount }) => frequencyImageCount !== null),
  )
  return isUsed ? [documentsNote(documents === OWN ? undefined : documents)] : []
}

/** What the differences of the screen are. */
function screenLegend(rows: readonly Row[], compared: readonly ComparedOn[]): string[] {
  const all = compared.flatMap(({ comparisons }) => comparisons)
  const images = new Set(all.map(({ imageCount }) => imageCount))
  const on =
    images.size === 1 ? `${counted([...images][0], 'image')} that both have` : 'the images that both have'
  const better =
    rows.length > MAX_ROWS_SHOWN
      ? `${BETTER}: one is better, by a test`
      : `${BETTER} marks the better one, by a test`
  return [
    `First minus second, on ${on}. ${better} (p below .05${holm(all)}).`,
    ...new Set(all.flatMap(describeReferences)),
    ...(all.filter(({ interval }) => interval !== null).length > 1 && rows.length <= MAX_ROWS_SHOWN
      ? ['The 95 % intervals of this table hold together.']
      : []),
    ...intervalNotes(all.map(({ isSmall }) => ({ isSmall, undefinedReason: null }))),
    ...reasonsOf(all),
  ]
}

/** The correction for several tests, within a sentence. */
function holm(all: readonly Comparison[]): string {
  const tests = all.filter(({ adjustedPValue }) => adjustedPValue !== null).length
  return tests > 1 ? `, with Holm’s correction for the ${counted(tests, 'test')} of this table` : ''
}

function legend(compared: readonly ComparedOn[]): string[] {
  const all = compared.flatMap(({ comparisons }) => comparisons)
  return [
    `Each pair is compared on the images that both have: first minus second. ${BETTER} marks the better one, where p is below .05${holm(all)}.`,
    ...intervalsNote(all),
    ...new Set(all.flatMap(describeReferences)),
    ...new Set(all.flatMap(({ notes }) => notes)),
    ...reasonsOf(all),
  ]
}

function reasonsOf(all: readonly Comparison[]): string[] {
  const reasons = new Set(all.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return Array.from(reasons, (reason) => `${MARK} ${UNDEFINED_REASONS[reason]}`)
}

/** How the intervals of the differences of a table are corrected; nothing for a single one. */
export function intervalsNote(comparisons: readonly Pick<Comparison, 'interval'>[]): string[] {
  const count = comparisons.filter(({ interval }) => interval !== null).length
  const level = fixed(100 - 5 / count, count > 5 ? 2 : 1)
  return count < 2
    ? []
    : [
        `95 % interval: the ${count} of this table hold together, each at ${level} %, by Bonferroni’s correction, which is wider than Holm’s: one may contain 0 where p is below .05.`,
      ]
}

function describeReferences({ references }: Comparison): string[] {
  if (!references) return []
  const { folds } = references
  const mean = folds === null ? '' : `, mean over ${counted(folds, 'fold')}`
  return [`${countedReferences(references)} per image${mean}.`]
}
