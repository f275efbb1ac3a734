import type { JudgedSystem } from '../../core/judgements/system-level.js'
import type { Interval } from '../../core/stats/interval.js'
import type { CandidateKind } from '../../services/judgements/baselines.js'
import type { MetaEvaluation } from '../../services/judgements/judgements.js'
import { counted, grouped, showP } from '../../shared/numbers.js'
import { UNDEFINED_REASONS } from '../../shared/undefined-reason.js'
import {
  count,
  decimals,
  type Format,
  interval,
  jsonOnly,
  object,
  pValue,
  share,
  showInterval,
  shown,
} from '../output/formats.js'
import { type Column, type Notes, type Report, type Table, untitled } from '../output/report.js'

/**
 * The agreement of metrics with people, beside that of raters.
 *
 * @param details whether people see all figures, instead of a screen of them
 */
export function judgeReport(
  dataset: string,
  judged: MetaEvaluation,
  { details = false }: { readonly details?: boolean } = {},
): Report {
  const { kind, judgementCount, captionCount, imageCount, agreement, raters, comparison, conclusion, notes } =
    judged
  const columns = judgeColumns(kind, categoriesOf(judged))
  const rows = judged.rows.map(({ figures, ...row }) => ({ ...row, ...figures }))
  const footer = raters
    ? [
        { metric: 'rater by another', ...raters.another },
        { metric: 'rater by the others', ...raters.others },
      ]
    : []
  const [chosen, compared] = [true, false].map((isChosen) =>
    rows.filter(({ isChosenByJudgements }) => isChosenByJudgements === isChosen),
  )
  return {
    about: {
      dataset,
      kind,
      judgementCount,
      captionCount,
      referenceCaptionCount: judged.referenceCaptionCount,
      imageCount,
      conclusion,
      strengths: judged.strengths,
      raters: raters && { ...raters, agreement },
      comparison,
      notes,
    },
    tables: [{ name: 'rows', columns, rows, footer }],
    parts: [
      { notes: [conclusion] },
      {
        columns: details ? columns : columns.filter(isOnScreen).concat(screenColumns(judged)),
        rows: compared,
        footer,
      },
      ...(chosen.length === 0
        ? []
        : [
            {
              notes: [
                'Trained on these judgements, or chosen by them, and therefore compared with no other metric:',
              ],
            },
            {
              columns: columns.filter((column) => column !== CLUSTER && (details || isOnScreen(column))),
              rows: chosen,
            },
          ]),
      ...(details
        ? [
            ...contestParts(judged),
            ...strengthParts(judged),
            ...baselineParts(judged),
            { notes: legend(judged) },
          ]
        : [{ notes: screenLegend(judged) }]),
    ],
  }
}

const INTERVAL: Column = { path: 'interval', title: '95 % interval', format: interval }

const METRIC: Column = { path: 'metric', title: 'metric' }

const CLUSTER: Column = { path: 'cluster.cluster', title: 'cluster', format: count }

/** Of chance: corrected in text, with the one before in JSON and CSV. */
const P_VALUES: readonly Column[] = [
  { path: 'pValue', format: pValue },
  { path: 'chancePValue', title: 'p', format: pValue },
]

/** Columns of the screen: what metrics are ranked by, with its test. */
function isOnScreen({ title }: Column): boolean {
  return title !== undefined && !['τ-b', 'effective n', 'Spearman', 'Pearson'].includes(title)
}

/** Of figures with tables of their own: the first one. */
function screenColumns({ kind, rows }: MetaEvaluation): Column[] {
  if (kind !== 'RATINGS' || rows.length === 0) return []
  return [
    {
      path: 'contests.all.systemLevel.softPairwiseAccuracy',
      title: 'systems',
      format: share,
      isOptional: true,
    },
    { path: 'contests.all.byImage.calibratedAccuracy', title: 'captions', format: share },
  ]
}

/** What the columns of the screen are, and cautions. */
function screenLegend(judged: MetaEvaluation): string[] {
  const { kind, rows, cautions, comparison, agreement } = judged
  const hasSystems = rows.some(({ contests }) => contests?.all.systemLevel)
  const hasPeople = rows.some(({ contests }) => contests?.withoutPeople)
  const figures = [
    ...(hasSystems ? ['systems: soft accuracy of their ranking'] : []),
    ...(kind === 'RATINGS' ? ['captions: accuracy on captions of the same image, with ties'] : []),
  ]
  return [
    countsOf(judged),
    ...(agreement ? describeAgreement(agreement) : []),
    ...(comparison ? [describeComparison(comparison, kind)] : []),
    ...cautions,
    ...(rows.some(({ cluster }) => cluster)
      ? ['Metrics of different clusters differ significantly; within a cluster some may.']
      : []),
    ...(figures.length > 0 ? [`${figures.join('; ')}${hasPeople ? ', people among the systems' : ''}.`] : []),
    'All figures, and what they are: --details.',
  ]
}

const EFFECTIVE: Column = { path: 'effectiveCount', title: 'effective n', format: decimals(0) }

const RATING_COLUMNS: readonly Column[] = [
  { path: 'tauB', title: 'τ-b', format: share },
  { path: 'tauC', title: 'τ-c', format: share },
  INTERVAL,
  ...P_VALUES,
  EFFECTIVE,
  { path: 'spearman', title: 'Spearman', format: share },
  { path: 'pearson', title: 'Pearson', format: share },
  { path: 'undefinedReason' },
  { path: 'published.tauC', title: 'published τ-c', format: share, isOptional: true },
]

function categoriesOf({ rows }: MetaEvaluation): string[] {
  const figures = rows[0]?.figures
  return figures?.kind === 'PREFERENCES' ? Object.keys(figures.accuracy) : []
}

function preferenceColumns(categories: readonly string[]): Column[] {
  const published = { format: share, isOptional: true }
  return [
    ...categories.map((name) => ({ path: ['accuracy', name], title: name, format: share })),
    { path: 'mean', title: 'mean', format: share },
    INTERVAL,
    ...P_VALUES,
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

/** Columns of metrics that are judged by people's ratings, or by their preferences of some categories. */
export function judgeColumns(kind: MetaEvaluation['kind'], categories: readonly string[]): readonly Column[] {
  return [
    METRIC,
    CLUSTER,
    { path: 'cluster.pValue' },
    ...(kind === 'RATINGS' ? [...RATING_COLUMNS, ...CONTEST_COLUMNS] : preferenceColumns(categories)),
    { path: 'baselines.candidates', format: jsonOnly },
    ...untitled('baselines.verdict', 'isChosenByJudgements', 'unscoredCaptionCount', 'signature'),
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
const CLUSTERED = object('cluster', 'pValue')

/** All figures, for JSON and CSV. */
const CONTEST_COLUMNS: readonly Column[] = CONTESTS.flatMap(([contest]) =>
  [
    ...[...SYSTEM_FIGURES, ...CAPTION_FIGURES].map(([path]) => ({ path })),
    { path: 'systemLevel.systems', format: jsonOnly },
    { path: 'systemLevel.intervals', format: jsonOnly },
    { path: 'systemLevel.cluster', format: CLUSTERED },
    { path: 'byImage.tieThreshold' },
    { path: 'ungrouped', format: AGREEMENT },
    { path: 'bySystem', format: AGREEMENT },
    { path: 'byImage.cluster', format: CLUSTERED },
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
  show: (interval) => showInterval(interval, (end) => grouped(Math.round(end))),
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

function countsOf({ kind, judgementCount, captionCount, imageCount }: MetaEvaluation): string {
  const judgements = counted(judgementCount, kind === 'RATINGS' ? 'rating' : 'preference')
  return `${judgements} of ${counted(captionCount, 'caption')} of ${counted(imageCount, 'image')}.`
}

function legend(judged: MetaEvaluation): string[] {
  const { kind, agreement, comparison, rows, notes } = judged
  const reasons = new Set(
    rows.flatMap(({ figures }) => (figures.kind === 'RATINGS' ? (figures.undefinedReason ?? []) : [])),
  )
  return [
    countsOf(judged),
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
  const count = raterCount === null ? '' : ` of ${counted(raterCount, 'rater')}`
  return [`Agreement${count}: Krippendorff’s α (ordinal) ${shown(alpha)}${pairs}.`]
}

function describeComparison(
  { first, second, difference, interval, pValue }: NonNullable<MetaEvaluation['comparison']>,
  kind: MetaEvaluation['kind'],
): string {
  const figure = kind === 'RATINGS' ? 'τ-c' : 'mean accuracy'
  const ends = interval === null ? '' : ` (${shown(interval.lower)} to ${shown(interval.upper)})`
  return `${first} minus ${second}: ${figure} ${shown(difference)}${ends}, p = ${showP(pValue)} (paired bootstrap).`
}
