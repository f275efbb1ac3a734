import type { AgreementReport } from '../../services/agreement/agreement.js'
import { type PublishedRow, publishedDifferences } from '../../services/agreement/published.js'
import { judgeInterval, toInterval } from '../../services/shared/intervals.js'
import type { AgreementScore } from '../../store/schema/entities.js'
import type { Renderings } from '../output/output.js'
import {
  type Cell,
  counted,
  interval,
  leftThenRight,
  NONE,
  prefixed,
  type ReportPart,
  share,
  type TextRow,
} from '../output/table.js'

/** Human agreement as the command shows it. */
export interface AgreementTable extends AgreementReport {
  /** Beside Table I of COCO Captions; null where one number of references was asked for. */
  readonly published: readonly PublishedRow[] | null
  /** What to know when reading the scores. */
  readonly notes: readonly string[]
}

/** The distinct warnings of all rows. */
export function warningsOf({ rows }: AgreementReport): readonly string[] {
  return [...new Set(rows.flatMap(({ warnings }) => warnings))]
}

/** The table in every format. */
export function renderings({ dataset, references, rows, published, notes }: AgreementTable): Renderings {
  const { excludedImageCount } = dataset
  const [{ imageCount, folds }] = rows
  return {
    json: () => ({
      dataset: dataset.name,
      references,
      imageCount,
      excludedImageCount,
      folds: folds.map((_, fold) => Object.fromEntries(rows.map((row) => [row.metric, row.folds[fold]]))),
      scores: rows.map((row) => ({
        metric: row.metric,
        mean: row.mean,
        standardDeviation: row.standardDeviation,
        lower: row.lower,
        upper: row.upper,
        ...judgeInterval(row.imageCount),
        signature: row.signature,
        warnings: row.warnings,
      })),
      published,
      notes,
    }),
    csv: () => ({
      header: [
        'metric',
        'mean',
        'standardDeviation',
        'lower',
        'upper',
        ...folds.map((_, fold) => `folds.${fold + 1}`),
        'signature',
      ],
      rows: rows.map(({ metric, mean, standardDeviation, lower, upper, folds: scores, signature }) => [
        metric,
        mean,
        standardDeviation,
        lower,
        upper,
        ...scores,
        signature,
      ]),
    }),
    report() {
      const shownFolds = folds.length <= MAX_FOLDS_SHOWN ? folds.map((_, fold) => fold) : []
      const table = {
        head: [['metric', ...shownFolds.map((fold) => `fold ${fold + 1}`), 'mean', 'sd', '95 % interval']],
        body: [rows.map((row) => tableRow(row, shownFolds))],
        columns: leftThenRight(shownFolds.length + 4),
      }
      const lines = [
        `One of ${folds.length} captions against ${counted(references, 'other')}, over ${counted(imageCount, 'image')}.`,
        ...(excludedImageCount > 0
          ? [`Excluded for having fewer captions: ${counted(excludedImageCount, 'image')}.`]
          : []),
        ...notes,
      ]
      const beside = published && published.length > 0 ? showPublished(published) : []
      return [table, { notes: lines }, ...beside]
    },
  }
}

/** Curve, extrapolation and Table I. Published scores of another metric have a row of their own. */
function showPublished(published: readonly PublishedRow[]): ReportPart[] {
  const curve = published[0].curve.map(({ references }) => references).slice(-MAX_FOLDS_SHOWN)
  const same = published.filter(({ isSameMetric }) => isSameMetric)
  const others = published.filter(({ isSameMetric }) => !isSameMetric)
  const table = {
    head: [
      [
        '',
        { content: 'references', columns: curve.length },
        { content: 'extrapolated', columns: 1 },
        { content: 'published', columns: 2 },
      ],
      ['metric', ...curve.map(String), 'to 5', '5', '40'],
    ],
    body: [
      same.map((row) => [...ownCells(row.metric, row, curve), ...publishedCells(row)]),
      others.flatMap((row): TextRow[] => [
        [...ownCells(`${row.metric} without paraphrases`, row, curve), NONE, NONE],
        [`${row.metric} with paraphrases`, ...curve.map(() => NONE), NONE, ...publishedCells(row)],
      ]),
    ],
    columns: leftThenRight(curve.length + 4),
  }
  const [extrapolation] = published.flatMap((row) => row.extrapolation ?? [])
  const differences = new Set(published.flatMap((row) => row.differences))
  const lines = [
    'People here, and in Table I of COCO Captions 2015 (published). The figures differ:',
    ...Array.from(differences, (difference) => `- ${publishedDifferences[difference]}`),
    ...(extrapolation
      ? [
          `To ${extrapolation.references} references: an extrapolation (${extrapolation.method}), not a measurement.`,
        ]
      : []),
  ]
  return [table, { notes: lines }]
}

function ownCells(
  name: string,
  { curve: points, extrapolation }: PublishedRow,
  curve: readonly number[],
): Cell[] {
  const means = curve.map((k) => points.find(({ references }) => references === k)?.mean)
  return [name, ...means.map(share), extrapolation ? prefixed('~', share(extrapolation.value)) : NONE]
}

function publishedCells({ published: { c5, c40 } }: PublishedRow): Cell[] {
  return [share(c5), share(c40)]
}

/** More folds are hard to read. JSON, CSV and TSV have all of them. */
const MAX_FOLDS_SHOWN = 7

function tableRow(
  { metric, mean, standardDeviation, folds, ...ends }: AgreementScore,
  shownFolds: readonly number[],
): Cell[] {
  return [
    metric,
    ...shownFolds.map((fold) => share(folds[fold])),
    share(mean),
    share(standardDeviation),
    interval(toInterval(ends)),
  ]
}
