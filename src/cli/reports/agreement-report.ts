import type { AgreementReport } from '../../services/agreement/agreement.js'
import { type PublishedRow, publishedDifferences } from '../../services/agreement/published.js'
import { judgeInterval, toInterval } from '../../services/shared/intervals.js'
import {
  counted,
  interval,
  jsonOnly,
  NONE,
  type NumberStyle,
  object,
  share,
  shown,
} from '../output/formats.js'
import type { NamedTable, Notes, Report, Table } from '../output/report.js'

/** Human agreement as the command shows it. */
export interface AgreementTable extends AgreementReport {
  /** Beside Table I of COCO Captions; null where one number of references was asked for. */
  readonly published: readonly PublishedRow[] | null
  /** What to know when reading the scores. */
  readonly notes: readonly string[]
}

/** More folds are hard to read. JSON, CSV and TSV have all of them. */
const MAX_FOLDS_SHOWN = 7

/** The leave-one-out table, and what was published beside it. */
export function agreementReport({ dataset, references, rows, published, notes }: AgreementTable): Report {
  const { excludedImageCount } = dataset
  const [{ imageCount, folds }] = rows
  const scores = {
    name: 'scores',
    columns: [
      { path: 'metric', title: 'metric' },
      ...folds.map((_, fold) => ({
        path: `folds.${fold}`,
        title: folds.length > MAX_FOLDS_SHOWN ? undefined : `fold ${fold + 1}`,
        format: share,
      })),
      { path: 'mean', title: 'mean', format: share },
      { path: 'standardDeviation', title: 'sd', format: share },
      { path: 'interval', title: '95 % interval', format: interval },
      { path: 'undefinedReason' },
      { path: 'isSmall' },
      { path: 'signature' },
      { path: 'warnings', format: jsonOnly },
    ],
    rows: rows.map((row) => ({ ...row, interval: toInterval(row), ...judgeInterval(row.imageCount, row) })),
  }
  const legend = [
    `One of ${folds.length} captions against ${counted(references, 'other')}, over ${counted(imageCount, 'image')}.`,
    ...(excludedImageCount > 0
      ? [`Excluded for having fewer captions: ${counted(excludedImageCount, 'image')}.`]
      : []),
    ...notes,
  ]
  return {
    about: { dataset: dataset.name, references, imageCount, excludedImageCount, notes },
    tables: [scores, publishedTable(published ?? [])],
    parts: [scores, { notes: legend }, ...(published?.length ? comparePublished(published) : [])],
    warnings: [...new Set(rows.flatMap(({ warnings }) => warnings))],
  }
}

function publishedTable(rows: readonly PublishedRow[]): NamedTable<PublishedRow> {
  return {
    name: 'published',
    columns: [
      { path: 'metric' },
      { path: 'published', format: object('c5', 'c40') },
      { path: 'isSameMetric' },
      { path: 'references' },
      { path: 'mean' },
      { path: 'interval', format: interval },
      { path: 'extrapolation', format: object('references', 'value', 'method', 'error') },
      { path: 'differences' },
      { path: 'signature' },
      { path: 'curve', format: jsonOnly },
    ],
    rows,
  }
}

/** A published score (null for none) and the same figure of the dataset. */
interface ComparedRow {
  readonly metric: string
  readonly own?: PublishedRow
  readonly published: Readonly<Record<'c5' | 'c40', number | null>>
}

/** Curve, extrapolation and Table I. Published scores of another metric have a row of their own. */
function comparePublished(rows: readonly PublishedRow[]): (Table | Notes)[] {
  const curve = rows[0].curve.map(({ references }) => references).slice(-MAX_FOLDS_SHOWN)
  const none = { c5: null, c40: null }
  const same = rows.filter(({ isSameMetric }) => isSameMetric).map((own): ComparedRow => ({ ...own, own }))
  const others = rows
    .filter(({ isSameMetric }) => !isSameMetric)
    .flatMap((own): ComparedRow[] => [
      { metric: `${own.metric} without paraphrases`, own, published: none },
      { metric: `${own.metric} with paraphrases`, published: own.published },
    ])
  const table: Table<ComparedRow> = {
    columns: [
      { path: 'metric', title: 'metric' },
      ...curve.map((k) => ({
        title: String(k),
        group: 'references',
        format: share,
        show: ({ own }: ComparedRow, numbers: NumberStyle) =>
          shown(own?.curve.find(({ references }) => references === k)?.mean, numbers),
      })),
      {
        title: 'to 5',
        group: 'extrapolated',
        format: share,
        show: ({ own }, numbers) =>
          own?.extrapolation ? `~${numbers.share(own.extrapolation.value)}` : NONE,
      },
      { path: 'published.c5', title: '5', group: 'published', format: share },
      { path: 'published.c40', title: '40', group: 'published', format: share },
    ],
    rows: [...same, ...others],
    groupBy: (row) => same.includes(row),
  }
  const [extrapolation] = rows.flatMap((row) => row.extrapolation ?? [])
  const differences = new Set(rows.flatMap((row) => row.differences))
  const notes = [
    'Human scores here, and in Table I of COCO Captions 2015 (published). Reasons why they differ:',
    ...Array.from(differences, (difference) => `- ${publishedDifferences[difference]}`),
    ...(extrapolation
      ? [
          `To ${extrapolation.references} references: an extrapolation (${extrapolation.method}), not a measurement.`,
        ]
      : []),
  ]
  return [table, { notes }]
}
