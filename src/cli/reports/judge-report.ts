import type { JudgedSystem } from '../../core/judgements/system-level.js'
import type { Interval } from '../../core/stats/interval.js'
import type { CandidateKind } from '../../services/judgements/baselines.js'
import type { MetaEvaluation } from '../../services/judgements/judgements.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import {
  count,
  decimals,
  type Format,
  grouped,
  interval,
  jsonOnly,
  object,
  pValue,
  share,
  shown,
  showP,
} from '../output/formats.js'
import type { Column, NamedTable, Notes, Report, Table } from '../output/report.js'

/** The agreement of metrics with people, beside that of raters. */
export function judgeReport(dataset: string, judged: MetaEvaluation): Report {
  const { kind, judgementCount, captionCount, imageCount, agreement, raters, comparison, conclusion, notes } =
    judged
  const table: NamedTable = {
    name: 'rows',
    columns: [
      METRIC,
      { path: 'cluster.cluster', title: 'cluster', format: count },
      { path: 'cluster.pValue' },
      ...(kind === 'RATINGS' ? RATING_COLUMNS : preferenceColumns(judged)),
      ...(kind === 'RATINGS' ? CONTEST_COLUMNS : []),
      { path: 'baselines.candidates', format: jsonOnly },
      { path: 'baselines.verdict' },
      { path: 'unscoredCaptionCount' },
      { path: 'signature' },
    ],
    rows: judged.rows.map(({ figures, ...row }) => ({ ...row, ...figures })),
    footer: raters ? [{ metric: 'raters (ceiling)', ...raters }] : [],
  }
  return {
    about: {
      dataset,
      kind,
      judgementCount,
      captionCount,
      imageCount,
      conclusion,
      strengths: judged.strengths,
      raters: raters && { ...raters, agreement },
      comparison,
      notes,
    },
    tables: [table],
    parts: [
      { notes: [conclusion] },
      table,
      ...contestParts(judged),
      ...strengthParts(judged),
      ...baselineParts(judged),
      { notes: legend(judged) },
    ],
  }
}

const INTERVAL: Column = { path: 'interval', title: '95 % interval', format: interval }

const METRIC: Column = { path: 'metric', title: 'metric' }

const EFFECTIVE: Column = { path: 'effectiveCount', title: 'effective n', format: decimals(0) }

const RATING_COLUMNS: readonly Column[] = [
  { path: 'tauB', title: 'τ-b', format: share },
  { path: 'tauC', title: 'τ-c', format: share },
  INTERVAL,
  { path: 'pValue', title: 'p', format: pValue },
  EFFECTIVE,
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
    EFFECTIVE,
    { path: 'ranking', format: object('spearman', 'kendall') },
    ...categories.map((name) => ({
      path: ['published', 'accuracy', name],
      title: `published ${name}`,
      ...published,
    })),
    { path: 'published.mean', title: 'mean', ...published },
  ]
}

const CONTESTS = [
  ['all', 'with people'],
  ['withoutPeople', 'without people'],
] as const

const SYSTEM_FIGURES = [
  ['systemLevel.softPairwiseAccuracy', 'soft accuracy'],
  ['systemLevel.pairwiseAccuracy', 'accuracy'],
  ['systemLevel.pearson', 'Pearson'],
  ['systemLevel.kendall', 'Kendall'],
] as const

const CAPTION_FIGURES = [
  ['byImage.calibratedAccuracy', 'accuracy, ties'],
  ['byImage.accuracy', 'accuracy'],
  ['byImage.tauB', 'τ-b'],
  ['byImage.pearson', 'Pearson'],
] as const

const AGREEMENT = object('accuracy', 'tauB', 'pearson')
const CLUSTER = object('cluster', 'pValue')

/** All figures, for JSON and CSV. */
const CONTEST_COLUMNS: readonly Column[] = CONTESTS.flatMap(([contest]) =>
  [
    ...[...SYSTEM_FIGURES, ...CAPTION_FIGURES].map(([path]) => ({ path })),
    { path: 'systemLevel.systems', format: jsonOnly },
    { path: 'systemLevel.intervals', format: jsonOnly },
    { path: 'systemLevel.cluster', format: CLUSTER },
    { path: 'byImage.tieThreshold' },
    { path: 'ungrouped', format: AGREEMENT },
    { path: 'bySystem', format: AGREEMENT },
    { path: 'byImage.cluster', format: CLUSTER },
  ].map(({ path, ...column }): Column => ({ ...column, path: `contests.${contest}.${path}` })),
)

/** Whether metrics rank systems, and captions of the same image, as people do. */
function contestParts({ kind, rows }: MetaEvaluation): (Table | Notes)[] {
  if (kind !== 'RATINGS' || rows.length === 0) return []
  const hasPeople = rows[0].contests?.withoutPeople != null
  const systems = rows[0].contests?.all.systemLevel?.systems
  const figures = (paths: typeof SYSTEM_FIGURES | typeof CAPTION_FIGURES, level: string): Column[] =>
    CONTESTS.slice(0, hasPeople ? 2 : 1).flatMap(([contest, group]) => [
      ...paths.map(([path, title]) => ({
        path: `contests.${contest}.${path}`,
        title,
        format: share,
        ...(hasPeople && { group }),
      })),
      ...(level === 'systemLevel'
        ? [
            {
              path: `contests.${contest}.systemLevel.intervals.softPairwiseAccuracy`,
              title: 'of soft accuracy',
              format: interval,
              ...(hasPeople && { group }),
            },
          ]
        : []),
      {
        path: `contests.${contest}.${level}.cluster.cluster`,
        title: 'cluster',
        format: count,
        ...(hasPeople && { group }),
      },
    ])
  return [
    ...(systems
      ? [
          { notes: ['Systems, ranked by the mean of their captions:'] },
          {
            columns: [METRIC, ...figures(SYSTEM_FIGURES, 'systemLevel')],
            rows: inOrder(rows, ({ contests }) => contests?.all.systemLevel?.softPairwiseAccuracy),
          },
          { notes: ['Rank of each system by people and by each metric:'] },
          rankTable(rows, systems),
        ]
      : []),
    { notes: ['Captions of the same image:'] },
    {
      columns: [METRIC, ...figures(CAPTION_FIGURES, 'byImage')],
      rows: inOrder(rows, ({ contests }) => contests?.all.byImage.calibratedAccuracy),
    },
  ]
}

function inOrder(
  rows: MetaEvaluation['rows'],
  figureOf: (row: MetaEvaluation['rows'][number]) => number | null | undefined,
): MetaEvaluation['rows'] {
  return rows.toSorted((one, other) => (figureOf(other) ?? -1) - (figureOf(one) ?? -1))
}

const RATING_INTERVAL: Format<Interval> = {
  align: 'right',
  show: ({ lower, upper }) => `${lower.toFixed(0)} – ${upper.toFixed(0)}`,
}

/** Systems by the preferences of people, and how metrics rank them. */
function strengthParts({ strengths, rows }: MetaEvaluation): (Table | Notes)[] {
  if (strengths === null) return []
  const { systems, anchor, undefinedReason } = strengths
  if (undefinedReason !== null) return [{ notes: [UNDEFINED_REASONS[undefinedReason]] }]
  return [
    {
      notes: [
        `Systems by preferences (Bradley-Terry, ${anchor} = 1000; 400 points more: preferred ten times as often):`,
      ],
    },
    {
      columns: [
        { path: 'name', title: 'system' },
        { path: 'rating', title: 'rating', format: decimals(0) },
        { path: 'interval', title: '95 % interval', format: RATING_INTERVAL },
        { path: 'preferredCount', title: 'preferred', format: count },
        { path: 'otherCount', title: 'not', format: count },
        { path: 'tieCount', title: 'tie', format: count },
      ],
      rows: systems,
    },
    { notes: ['The same by each metric, and its correlation with people:'] },
    {
      columns: [
        METRIC,
        ...systems.map(({ name }, system) => ({
          path: ['ranking', 'ratings', String(system)],
          title: name,
          format: decimals(0),
        })),
        { path: 'ranking.spearman', title: 'Spearman', format: share },
        { path: 'ranking.kendall', title: 'Kendall', format: share },
      ],
      rows,
    },
  ]
}

/** Composite metrics beside what their features give without training. */
function baselineParts({ kind, rows }: MetaEvaluation): (Table | Notes)[] {
  const candidates = rows.flatMap(({ metric, baselines }) =>
    (baselines?.candidates ?? []).map((candidate) => ({
      metric,
      ...candidate,
      kind: CANDIDATES[candidate.kind],
    })),
  )
  if (candidates.length === 0) return []
  return [
    { notes: ['Composite metrics beside what their features give without training, the baselines:'] },
    {
      columns: [
        METRIC,
        { path: 'kind', title: 'candidate' },
        { path: 'name', title: '' },
        { path: 'figure', title: kind === 'RATINGS' ? 'τ-c' : 'mean', format: share },
        { path: 'comparison.difference', title: 'minus best baseline', format: share },
        { path: 'comparison.interval', title: '95 % interval', format: interval },
      ],
      rows: candidates,
    },
  ]
}

const CANDIDATES: Readonly<Record<CandidateKind, string>> = {
  TRAINED: 'trained',
  OTHER_SEED: 'other seed',
  MEAN_OF_FEATURES: 'mean of features',
  BEST_FEATURE: 'best feature',
  RANDOM_NETWORK: 'random networks',
}

function rankTable(rows: MetaEvaluation['rows'], systems: readonly JudgedSystem[]): Table {
  const rankRow = (metric: string, values: readonly number[]) => ({
    metric,
    ranks: values.map((value) => 1 + values.filter((other) => other > value).length),
  })
  return {
    columns: [
      METRIC,
      ...systems.map(({ name }, system) => ({ path: ['ranks', String(system)], title: name, format: count })),
    ],
    rows: [
      rankRow(
        'people',
        systems.map(({ rating }) => rating),
      ),
      ...rows.map(({ metric, contests }) =>
        rankRow(
          metric,
          (contests?.all.systemLevel?.systems ?? []).map(({ score }) => score),
        ),
      ),
    ],
  }
}

function legend(judged: MetaEvaluation): string[] {
  const { judgementCount, captionCount, imageCount, kind, agreement, comparison, rows, notes } = judged
  const reasons = new Set(
    rows.flatMap(({ figures }) => (figures.kind === 'RATINGS' ? (figures.undefinedReason ?? []) : [])),
  )
  return [
    `${grouped(judgementCount)} ${kind === 'RATINGS' ? 'ratings' : 'preferences'} of ${grouped(captionCount)} captions of ${grouped(imageCount)} images.`,
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
