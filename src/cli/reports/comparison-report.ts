import type { ComparedFigure } from '../../services/comparisons/compare.js'
import type { ComparedOn, Comparison } from '../../services/comparisons/comparisons.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import type { CsvCell, Renderings } from '../output/output.js'
import { type Cell, counted, grouped, interval, NONE, share, type TextTable } from '../output/table.js'

/** Columns of the CSV after figure, metric, word, first and second. */
const FIELDS = [
  'firstScore',
  'secondScore',
  'difference',
  'lower',
  'upper',
  'pValue',
  'adjustedPValue',
  'isBound',
  'isExact',
  'resamples',
  'imageCount',
  'wordCount',
  'undefinedReason',
  'signature',
] as const

/** The comparisons in every format. */
export function renderings(dataset: string, compared: readonly ComparedOn[]): Renderings {
  return {
    json: () => ({
      dataset,
      figures: compared.map(({ figure, comparisons }) => ({
        ...describeFigure(figure),
        comparisons: comparisons.map(({ first, second, ...comparison }) => ({
          first: first?.name ?? null,
          second: second?.name ?? null,
          ...comparison,
        })),
      })),
    }),
    csv: () => ({
      header: ['figure', 'metric', 'word', 'first', 'second', ...FIELDS],
      rows: compared.flatMap(({ figure, comparisons }) =>
        comparisons.map((comparison) => toCsvRow(figure, comparison)),
      ),
    }),
    report: () => [toTable(compared), { notes: legend(compared) }],
  }
}

function describeFigure(figure: ComparedFigure) {
  return figure.kind === 'METRIC'
    ? { figure: figure.kind, metric: figure.metric, word: null }
    : { figure: figure.kind, metric: null, word: figure.word ?? null }
}

function toCsvRow(figure: ComparedFigure, comparison: Comparison): CsvCell[] {
  const { figure: kind, metric, word } = describeFigure(figure)
  const { first, second, interval, isBound, isExact } = comparison
  const cells = {
    ...comparison,
    lower: interval?.lower ?? null,
    upper: interval?.upper ?? null,
    isBound: String(isBound),
    isExact: String(isExact),
  }
  return [
    kind,
    metric,
    word,
    first?.name ?? null,
    second?.name ?? null,
    ...FIELDS.map((field) => cells[field]),
  ]
}

function toTable(compared: readonly ComparedOn[]): TextTable {
  return {
    head: [['figure', 'better', 'worse', 'score', 'score', 'diff.', '95 % interval', 'p', 'images']],
    body: compared.map(({ figure, comparisons }) =>
      comparisons.map((comparison) => [nameOf(figure), ...toTableRow(comparison)]),
    ),
    columns: Array.from({ length: 9 }, (_, column) => ({ align: column < 3 ? 'left' : 'right' })),
    keyColumns: 3,
  }
}

function nameOf(figure: ComparedFigure): string {
  if (figure.kind === 'METRIC') return figure.metric
  const names = { PHR: 'PHR', AVERAGE_PRECISION: 'AP', WORD_PRECISION: 'precision' } as const
  return figure.word == null ? `mean ${names[figure.kind]}` : `${names[figure.kind]} of ${figure.word}`
}

function toTableRow(comparison: Comparison): Cell[] {
  const { first, second, firstScore, secondScore, difference, imageCount, undefinedReason } = comparison
  return [
    first?.name ?? 'people',
    second?.name ?? 'people',
    share(firstScore),
    share(secondScore),
    share(difference),
    interval(comparison.interval, ' to '),
    showP(comparison.adjustedPValue, comparison),
    `${grouped(imageCount)}${undefinedReason === null ? '' : ` ${MARK}`}`,
  ]
}

const MARK = '*'

/** Smaller p-values are shown as less than this. */
const MIN_SHOWN_P = 0.001

/** A p-value with three decimals; with `<` below the resolution of the test, and below .001. */
export function showP(pValue: number | null, { isBound }: { readonly isBound: boolean }): string {
  if (pValue === null) return NONE
  const isBelow = isBound || pValue < MIN_SHOWN_P
  const digits = Math.max(pValue, MIN_SHOWN_P).toFixed(3).replace(/^0/, '')
  return isBelow && pValue < 1 ? `< ${digits}` : digits
}

function legend(compared: readonly ComparedOn[]): string[] {
  const all = compared.flatMap(({ comparisons }) => comparisons)
  const reasons = new Set(all.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  return [
    'Each pair is compared on the images that both have; the better one is first.',
    `p: with Holm’s correction for ${pairCount(compared)}.`,
    ...describeReferences(all),
    ...new Set(all.flatMap(({ notes }) => notes)),
    ...Array.from(reasons, (reason) => `${MARK} ${UNDEFINED_REASONS[reason]}`),
  ]
}

function pairCount([{ comparisons }, ...others]: readonly ComparedOn[]): string {
  const pairs = counted(comparisons.length, 'pair')
  return others.length === 0 ? `the ${pairs}` : `the ${pairs} of a figure`
}

function describeReferences(comparisons: readonly Comparison[]): string[] {
  const texts = comparisons.flatMap(({ references }) => {
    if (!references) return []
    const { least, most, folds } = references
    const range = least === most ? counted(least, 'reference') : `${least} to ${most} references`
    return folds === null ? `${range} per image.` : `${range} per image, mean over ${folds} folds.`
  })
  return [...new Set(texts)]
}
