import type { MetaEvaluation } from '../../services/judgements/judgements.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import { grouped, interval, pValue, share, shown, showP } from '../output/formats.js'
import type { Column, NamedTable, Report } from '../output/report.js'

/** The agreement of metrics with people, beside that of raters. */
export function judgeReport(dataset: string, judged: MetaEvaluation): Report {
  const { kind, judgementCount, captionCount, agreement, raters, comparison, notes } = judged
  const table: NamedTable = {
    name: 'rows',
    columns: [
      { path: 'metric', title: 'metric' },
      ...(kind === 'RATINGS' ? RATING_COLUMNS : preferenceColumns(judged)),
      { path: 'unscoredCaptionCount' },
      { path: 'signature' },
    ],
    rows: judged.rows.map(({ figures, ...row }) => ({ ...row, ...figures })),
    footer: raters ? [{ metric: 'raters', ...raters }] : [],
  }
  return {
    about: {
      dataset,
      kind,
      judgementCount,
      captionCount,
      raters: raters && { ...raters, agreement },
      comparison,
      notes,
    },
    tables: [table],
    parts: [table, { notes: legend(judged) }],
  }
}

const INTERVAL: Column = { path: 'interval', title: '95 % interval', format: interval }

const RATING_COLUMNS: readonly Column[] = [
  { path: 'tauB', title: 'τ-b', format: share },
  { path: 'tauC', title: 'τ-c', format: share },
  INTERVAL,
  { path: 'pValue', title: 'p', format: pValue },
  { path: 'spearman', title: 'Spearman', format: share },
  { path: 'pearson', title: 'Pearson', format: share },
  { path: 'undefinedReason' },
  { path: 'published.tauC', title: 'published τ-c', format: share, isOptional: true },
]

function preferenceColumns({ rows }: MetaEvaluation): Column[] {
  const figures = rows[0]?.figures
  const categories = figures?.kind === 'PREFERENCES' ? Object.keys(figures.accuracy) : []
  const published = { format: share, isOptional: true }
  return [
    ...categories.map((name) => ({ path: ['accuracy', name], title: name, format: share })),
    { path: 'mean', title: 'mean', format: share },
    INTERVAL,
    ...categories.map((name) => ({
      path: ['published', 'accuracy', name],
      title: `published ${name}`,
      ...published,
    })),
    { path: 'published.mean', title: 'mean', ...published },
  ]
}

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
  {
    first,
    second,
    difference,
    interval: { lower, upper },
    pValue,
  }: NonNullable<MetaEvaluation['comparison']>,
  kind: MetaEvaluation['kind'],
): string {
  const figure = kind === 'RATINGS' ? 'τ-c' : 'mean accuracy'
  return `${first} minus ${second}: ${figure} ${shown(difference)} (${shown(lower)} to ${shown(upper)}), p = ${showP(pValue)} (paired bootstrap).`
}
