import type { MetaEvaluation, MetaEvaluationRow } from '../../services/judgements/judgements.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import type { CsvCell, Renderings } from '../output/output.js'
import {
  type Cell,
  FRACTIONS,
  grouped,
  interval,
  NONE,
  share,
  type TextTable,
  textOf,
} from '../output/table.js'

/** The agreement of metrics with people in every format. */
export function renderings(dataset: string, judged: MetaEvaluation): Renderings {
  return {
    json: () => toJson(dataset, judged),
    csv: () => ({
      header:
        judged.kind === 'RATINGS' ? [...RATING_COLUMNS] : ['metric', ...categoriesOf(judged), ...BOUNDS],
      rows: judged.rows.map((row) => toCsvRow(row, judged)),
    }),
    report: () => [toTable(judged), { notes: legend(judged) }],
  }
}

const RATING_COLUMNS = [
  'metric',
  'tauB',
  'tauC',
  'spearman',
  'pearson',
  'lower',
  'upper',
  'pValue',
  'signature',
] as const

const BOUNDS = ['mean', 'lower', 'upper', 'signature'] as const

type Figures = MetaEvaluationRow['figures']

function toJson(dataset: string, judged: MetaEvaluation) {
  const { kind, judgementCount, captionCount, rows, raters, agreement, comparison, notes } = judged
  return {
    dataset,
    kind: kind === 'RATINGS' ? 'ratings' : 'preferences',
    judgements: judgementCount,
    captions: captionCount,
    rows: rows.map(({ metric, signature, unscoredCaptionCount, figures, published }) => ({
      metric,
      signature,
      ...withoutKind(figures),
      unscoredCaptionCount,
      published,
    })),
    raters: raters && { ...withoutKind(raters), agreement },
    comparison,
    notes,
  }
}

function withoutKind({ kind: _kind, ...figures }: Figures) {
  return figures
}

function toCsvRow({ metric, signature, figures }: MetaEvaluationRow, judged: MetaEvaluation): CsvCell[] {
  if (figures.kind === 'RATINGS') {
    const cells = { metric, signature, ...figures }
    return RATING_COLUMNS.map((column) => cells[column])
  }
  const { accuracy, mean, lower, upper } = figures
  return [metric, ...categoriesOf(judged).map((name) => accuracy[name]), mean, lower, upper, signature]
}

/** The categories of preferences. */
function categoriesOf({ rows }: MetaEvaluation): string[] {
  const figures = rows[0]?.figures
  return figures?.kind === 'PREFERENCES' ? Object.keys(figures.accuracy) : []
}

function toTable(judged: MetaEvaluation): TextTable {
  const isPublished = judged.rows.some(({ published }) => published !== null)
  const { head, cellsOf } =
    judged.kind === 'RATINGS' ? ratingTable(isPublished) : preferenceTable(judged, isPublished)
  const body: Cell[][][] = [judged.rows.map((row) => [row.metric, ...cellsOf(row)])]
  if (judged.raters) body.push([['raters', ...cellsOf({ figures: judged.raters, published: null })]])
  return {
    head: [head],
    body,
    columns: head.map((_, column) => ({ align: column === 0 ? 'left' : 'right' })),
    keyColumns: 1,
  }
}

interface TableRow {
  readonly figures: Figures
  readonly published: MetaEvaluationRow['published']
}

function ratingTable(isPublished: boolean) {
  return {
    head: [
      ...['metric', 'τ-b', 'τ-c', '95 % interval', 'p', 'Spearman', 'Pearson'],
      ...(isPublished ? ['published τ-c'] : []),
    ],
    cellsOf({ figures, published }: TableRow): Cell[] {
      if (figures.kind !== 'RATINGS') return []
      const { tauB, tauC, spearman, pearson, pValue } = figures
      return [
        share(tauB),
        share(tauC),
        intervalOf(figures),
        pValue === null ? NONE : pValue.toFixed(3),
        share(spearman),
        share(pearson),
        ...(isPublished ? [published && 'tauC' in published ? share(published.tauC) : ''] : []),
      ]
    },
  }
}

function preferenceTable(judged: MetaEvaluation, isPublished: boolean) {
  const categories = categoriesOf(judged)
  return {
    head: [
      ...['metric', ...categories, 'mean', '95 % interval'],
      ...(isPublished ? [...categories.map((name) => `published ${name}`), 'mean'] : []),
    ],
    cellsOf({ figures, published }: TableRow): Cell[] {
      if (figures.kind !== 'PREFERENCES') return []
      const known = published && 'accuracy' in published ? published : null
      return [
        ...categories.map((name) => share(figures.accuracy[name])),
        share(figures.mean),
        intervalOf(figures),
        ...(isPublished
          ? [...categories.map((name) => known?.accuracy[name] ?? null), known?.mean ?? null].map((value) =>
              value === null ? '' : share(value),
            )
          : []),
      ]
    },
  }
}

function intervalOf({ lower, upper }: Figures): Cell {
  return interval(lower === null || upper === null ? null : { lower, upper })
}

/** A share within a sentence. */
const shown = (value: number | null) => textOf(share(value), FRACTIONS)

function legend(judged: MetaEvaluation): string[] {
  const { judgementCount, captionCount, kind, agreement, comparison, rows, notes } = judged
  const reasons = new Set(
    rows.flatMap(({ figures }) => (figures.kind === 'RATINGS' ? (figures.undefinedReason ?? []) : [])),
  )
  return [
    `${grouped(judgementCount)} ${kind === 'RATINGS' ? 'ratings' : 'preferences'} of ${grouped(captionCount)} captions.`,
    ...(agreement ? describeAgreement(agreement) : []),
    ...(comparison ? [describeComparison(comparison, kind)] : []),
    ...Array.from(reasons, (reason) => UNDEFINED_REASONS[reason]),
    ...notes,
  ]
}

function describeAgreement({
  alpha,
  pairwiseTau,
  raterCount,
  undefinedReason,
}: NonNullable<MetaEvaluation['agreement']>): string[] {
  if (undefinedReason !== null) return [UNDEFINED_REASONS[undefinedReason]]
  const pairs = pairwiseTau === null ? '' : `, mean τ-b of two raters ${shown(pairwiseTau)}`
  const count = raterCount === null ? '' : ` of ${raterCount} raters`
  return [`Agreement${count}: Krippendorff’s α (ordinal) ${shown(alpha)}${pairs}.`]
}

function describeComparison(
  { first, second, difference, lower, upper, pValue }: NonNullable<MetaEvaluation['comparison']>,
  kind: MetaEvaluation['kind'],
): string {
  const figure = kind === 'RATINGS' ? 'τ-c' : 'mean accuracy'
  return `${first} minus ${second}: ${figure} ${shown(difference)} (${shown(lower)} – ${shown(upper)}), p = ${pValue.toFixed(3)} (paired bootstrap).`
}
