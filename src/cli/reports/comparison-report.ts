import type { ComparedFigure } from '../../services/comparisons/compare.js'
import type { ComparedOn, Comparison } from '../../services/comparisons/comparisons.js'
import { intervalNotes } from '../../services/shared/intervals.js'
import { counted, grouped } from '../../shared/numbers.js'
import { UNDEFINED_REASONS } from '../../shared/undefined-reason.js'
import {
  askedRow,
  type Correction,
  conclude,
  describeCorrection,
  figureName,
  PEOPLE,
} from '../../shared/verdict.js'
import {
  count,
  countedReferences,
  jsonOnly,
  type NumberStyle,
  pValue,
  references,
  score,
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
  /** Name of the figure. */
  readonly name: string
}

/** What is compared, and how it is shown. */
interface ComparisonLayout {
  readonly dataset: string
  /** Source of document frequencies. */
  readonly documents?: string
  /** Whether metrics were named: the first of them is the question that is asked. */
  readonly isNamed?: boolean
  /** Whether people see all figures, instead of a screen of them. */
  readonly details?: boolean
  /** What to know beside the figures. */
  readonly notes?: readonly string[]
}

/** More rows than this do not fit on a screen: differences alone are shown. */
const MAX_ROWS_SHOWN = 16

/** Columns of comparisons. */
export const COMPARISONS: readonly Column<Row>[] = [
  { path: 'figure', title: 'figure', show: nameOf },
  { path: 'metric' },
  { path: 'word' },
  { path: 'subset' },
  {
    path: 'first',
    title: 'first',
    show: ({ first, together }) => sideName(first, together.better === 'FIRST'),
  },
  {
    path: 'second',
    title: 'second',
    show: ({ second, together }) => sideName(second, together.better === 'SECOND'),
  },
  { path: 'firstScore', title: 'score', format: score },
  { path: 'secondScore', title: 'score', format: score },
  { path: 'difference', title: 'diff.', format: share },
  { path: 'together.interval', title: '95 % interval', format: signedInterval },
  { path: 'together.pValue', title: 'p', format: pValue },
  { path: 'together.better' },
  { path: 'together.tests' },
  { path: 'together.level' },
  { path: 'alone.interval', format: signedInterval },
  { path: 'alone.pValue' },
  { path: 'alone.better' },
  { path: 'conclusion' },
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
  { dataset, documents = OWN, isNamed = false, details = false, notes = [] }: ComparisonLayout,
  compared: readonly ComparedOn[],
): Report {
  const table: NamedTable<Row> = {
    name: 'comparisons',
    columns: COMPARISONS,
    rows: compared.flatMap(({ comparisons }) => comparisons.map(toRow)),
    groupBy: nameOf,
    keyColumns: 3,
  }
  const asked = askedOf(table.rows, isNamed)
  const answer = asked === null ? [] : [{ notes: [answerOf(asked)] }]
  return {
    about: { dataset, documentFrequencies: documents },
    tables: [table],
    parts: details
      ? [
          ...answer,
          table,
          { notes: [...legend(compared), ...describeDocuments(compared, documents), ...notes] },
        ]
      : [
          ...answer,
          table.rows.length > MAX_ROWS_SHOWN ? differencesOf(table.rows) : screenOf(table),
          {
            notes: [
              ...screenLegend(table.rows, compared),
              ...describeDocuments(compared, documents),
              ...notes,
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
        show: ({ difference, together, undefinedReason }, numbers) =>
          `${shown(difference, numbers)}${together.better !== null ? ` ${BETTER}` : undefinedReason !== null ? ` ${MARK}` : '  '}`,
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
    name: figureName(figure),
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

function nameOf({ name }: Pick<Row, 'name'>): string {
  return name
}

/** The row that answers the question which is asked: of two systems, whether people stand beside them or not, or of one and people. */
function askedOf(rows: readonly Row[], isNamed: boolean): Row | null {
  const ofSystems = rows.filter(({ first, second }) => first !== null && second !== null)
  const asked = ofSystems.length > 0 ? ofSystems : rows
  return askedRow(asked, new Set(asked.map(pairOf)).size, isNamed)
}

/** The answer to the question that is asked, whatever else the table has. */
function answerOf({ first, second, name, ...row }: Row): Sentence {
  const question = { ...row, figure: name, first: first ?? PEOPLE, second: second ?? PEOPLE }
  return (numbers: NumberStyle) => conclude(question, numbers.isPercent)
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
  const better = rows.length > MAX_ROWS_SHOWN ? `${BETTER}: one is better` : `${BETTER} marks the better one`
  return [
    `First minus second, on ${on}. ${better}, by a paired test${correctionOf(all)}.`,
    ...new Set(all.flatMap(describeReferences)),
    ...(rows.length <= MAX_ROWS_SHOWN ? jointNotes(all) : []),
    ...intervalNotes(all.map(({ isSmall }) => ({ isSmall, undefinedReason: null }))),
    ...reasonsOf(all),
  ]
}

/** How the tests of a table are corrected, at the end of a sentence; nothing for a single one. */
export function correctionOf(table: readonly { readonly together: Correction }[]): string {
  const correction = table.length === 0 ? null : describeCorrection(table[0].together)
  return correction === null ? '' : `, ${correction}`
}

/** What the intervals of a table are; nothing for a single one. */
export function jointNotes(table: readonly { readonly together: Correction }[]): string[] {
  return correctionOf(table) === ''
    ? []
    : ['The 95 % intervals of the differences hold together; one excludes 0 where p is below .05.']
}

function legend(compared: readonly ComparedOn[]): string[] {
  const all = compared.flatMap(({ comparisons }) => comparisons)
  return [
    `Each pair is compared on the images that both have: first minus second. ${BETTER} marks the better one, by a paired test${correctionOf(all)}.`,
    ...jointNotes(all),
    ...new Set(all.flatMap(describeReferences)),
    ...new Set(all.flatMap(({ notes }) => notes)),
    ...reasonsOf(all),
  ]
}

function reasonsOf(all: readonly Comparison[]): string[] {
  const reasons = new Set(all.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return Array.from(reasons, (reason) => `${MARK} ${UNDEFINED_REASONS[reason]}`)
}

function describeReferences({ references }: Comparison): string[] {
  if (!references) return []
  const { folds } = references
  const mean = folds === null ? '' : `, mean over ${counted(folds, 'fold')}`
  return [`${countedReferences(references)} per image${mean}.`]
}
