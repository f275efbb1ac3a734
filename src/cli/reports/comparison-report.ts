import type { ComparedFigure } from '../../services/comparisons/compare.js'
import type { ComparedOn, Comparison } from '../../services/comparisons/comparisons.js'
import type { Difference } from '../../services/comparisons/pair-comparison.js'
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
  interval,
  jsonOnly,
  type NumberStyle,
  pValue,
  references,
  score,
  share,
  shown,
} from '../output/formats.js'
import {
  type Column,
  type NamedTable,
  pivot,
  type Report,
  type Sentence,
  type Table,
  untitled,
} from '../output/report.js'
import { documentsNote } from './score-table.js'

/** A pair by a figure, as it is shown. */
export interface ShownPair
  extends Pick<Difference, 'difference' | 'together' | 'alone' | 'imageCount' | 'undefinedReason'> {
  /** Name of the figure. */
  readonly name: string
  /** Null for people. */
  readonly first: string | null
  readonly second: string | null
}

type Row = ShownPair &
  Omit<ComparedOn['comparisons'][number], 'first' | 'second' | 'figure'> & {
    readonly figure: ComparedFigure['kind']
    readonly metric: string | null
    readonly word: string | null
    /** The field and its value, as `domain: near`; null for all images. */
    readonly subset: string | null
  }

/** What is compared, and how it is shown. */
interface ComparisonLayout {
  readonly dataset: string
  /** Source of document frequencies. */
  readonly documents?: string
  /** The metric that is named first: the question that is asked. */
  readonly named?: string
  /** Whether people see all figures, instead of a screen of them. */
  readonly details?: boolean
  /** What to know beside the figures. */
  readonly notes?: readonly string[]
}

/** More rows than this do not fit on a screen: differences alone are shown. */
const MAX_ROWS_SHOWN = 16

const FIGURE: Column<ShownPair> = { path: 'figure', title: 'figure', show: nameOf }

const SIDES: readonly Column<ShownPair>[] = [
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
]

const TESTS: readonly Column<ShownPair>[] = [
  { path: 'difference', title: 'diff.', format: share },
  { path: 'together.interval', title: '95 % interval', format: interval },
  { path: 'together.pValue', title: 'p', format: pValue },
  ...untitled('together.better', 'together.tests', 'together.level'),
  { path: 'alone.interval', format: interval },
  { path: 'alone.pValue', title: 'p alone', format: pValue },
  ...untitled('alone.better', 'conclusion'),
  {
    path: 'imageCount',
    title: 'images',
    format: count,
    show: ({ imageCount, undefinedReason }) =>
      `${grouped(imageCount)}${undefinedReason === null ? '' : ` ${MARK}`}`,
  },
]

/** Columns of comparisons. */
export const COMPARISONS: readonly Column<Row>[] = [
  FIGURE,
  ...untitled('metric', 'word', 'subset'),
  ...SIDES,
  { path: 'firstScore', title: 'score', format: score },
  { path: 'secondScore', title: 'score', format: score },
  ...TESTS,
  ...untitled('wordCount', 'rarefied.imageCount'),
  { path: 'rarefied.value', title: 'rarefied', format: share, isOptional: true },
  { path: 'rarefied.interval', title: '95 % interval', format: interval, isOptional: true },
  { path: 'references', format: references },
  ...untitled('isSmall', 'undefinedReason', 'signature'),
  { path: 'notes', format: jsonOnly },
]

/** Systems, and people, compared pair by pair. */
export function comparisonReport(
  { dataset, documents = OWN, named, details = false, notes = [] }: ComparisonLayout,
  compared: readonly ComparedOn[],
): Report {
  const table: NamedTable<Row> = {
    name: 'comparisons',
    columns: COMPARISONS,
    rows: compared.flatMap(({ comparisons }) => comparisons.map(toRow)),
    groupBy: nameOf,
    keyColumns: 3,
  }
  const asked = askedOf(table.rows, named)
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

/** Pairs that are tested, as every command shows them: without scores, which stand elsewhere. */
export function pairTable(rows: readonly ShownPair[]): Table {
  return rows.length > MAX_ROWS_SHOWN
    ? differencesOf(rows)
    : (screenOf({ columns: [FIGURE, ...SIDES, ...TESTS], rows, groupBy: nameOf, keyColumns: 3 }) as Table)
}

/** The table without its columns of what is the same in all rows, and without lines between the figures of a single pair. */
function screenOf<Shown extends Table<Row> | Table<ShownPair>>(table: Shown): Shown {
  const rows: readonly ShownPair[] = table.rows
  const isSame = new Set(rows.map(({ imageCount }) => imageCount)).size < 2
  const isMarked = rows.some(({ undefinedReason }) => undefinedReason !== null)
  const isOne = rows.every(({ together: { tests } }) => tests < 2)
  const isLeftOut = ({ path }: Column) =>
    (path === 'imageCount' && isSame && !isMarked) || (path === 'alone.pValue' && isOne)
  const columns = (table.columns as readonly Column[]).map((column) =>
    isLeftOut(column) ? { ...column, title: undefined } : column,
  )
  const isPair = new Set(rows.map(pairOf)).size === 1
  return { ...table, columns, groupBy: isPair ? undefined : table.groupBy }
}

/** The differences alone: figures below each other and pairs beside each other, or the other way round if there are many pairs. */
function differencesOf(rows: readonly ShownPair[]): Table {
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

function pairOf({ first, second }: Pick<ShownPair, 'first' | 'second'>): string {
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
function askedOf(rows: readonly Row[], named: string | undefined): Row | null {
  const ofSystems = rows.filter(({ first, second }) => first !== null && second !== null)
  const asked = ofSystems.length > 0 ? ofSystems : rows
  return askedRow(asked, new Set(asked.map(pairOf)).size, named)
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
  return [
    ...pairNotes(rows),
    ...new Set(all.flatMap(describeReferences)),
    ...intervalNotes(all.map(({ isSmall }) => ({ isSmall, undefinedReason: null }))),
  ]
}

/** What a table of pairs shows. */
export function pairNotes(rows: readonly ShownPair[]): string[] {
  const images = new Set(rows.map(({ imageCount }) => imageCount))
  const on =
    images.size === 1 ? `${counted([...images][0], 'image')} that both have` : 'the images that both have'
  const isLong = rows.length > MAX_ROWS_SHOWN
  const better = isLong ? `${BETTER}: one is better` : `${BETTER} marks the better one`
  return [
    `First minus second, on ${on}. ${better}, by a paired test${correctionOf(rows)}.`,
    ...(isLong ? [] : jointNotes(rows)),
    ...reasonsOf(rows),
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
    : [
        'The 95 % intervals of the differences hold together; one excludes 0 where p is below .05. p alone: as if nothing else were tested.',
      ]
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

function reasonsOf(all: readonly Pick<Difference, 'undefinedReason'>[]): string[] {
  const reasons = new Set(all.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return Array.from(reasons, (reason) => `${MARK} ${UNDEFINED_REASONS[reason]}`)
}

function describeReferences({ references }: Comparison): string[] {
  if (!references) return []
  const { folds } = references
  const mean = folds === null ? '' : `, mean over ${counted(folds, 'fold')}`
  return [`${countedReferences(references)} per image${mean}.`]
}
