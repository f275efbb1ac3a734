import type { FileScore, ScoredFile, ScoredFiles } from '../../services/evaluations/score-files.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import {
  counted,
  countedReferences,
  improvement,
  NONE,
  type NumberStyle,
  pValue,
  share,
  showP,
  signedInterval,
} from '../output/formats.js'
import { type NamedTable, pivot, type Report, type Table } from '../output/report.js'
import { scoreWarnings } from './evaluation-report.js'
import { type ScoreLayout, SYSTEM, scoreColumns, signatureNotes, systemsByMetrics } from './score-table.js'

type Row = ReturnType<typeof toRows>[number]

/** The scores of files: a group of rows for each metric, with a row for each system. */
export function scoreReport(
  { references: referencesFile, systems, notes }: ScoredFiles,
  options: ScoreLayout,
): Report {
  const rows = toRows(systems)
  const isTested = rows.some(({ comparison }) => comparison !== null)
  const ifTested = (title: string) => (isTested ? title : undefined)
  const table: NamedTable<Row> = {
    name: 'scores',
    columns: [
      ...scoreColumns,
      { path: 'comparison.difference', title: ifTested('diff.'), format: share },
      { path: 'comparison.interval', title: ifTested('95 % interval'), format: signedInterval },
      { path: 'comparison.pValue' },
      { path: 'comparison.adjustedPValue', title: ifTested('p'), format: pValue, show: showTest },
      { path: 'comparison.isBound' },
      { path: 'comparison.resamples' },
      { path: 'comparison.imageCount' },
      { path: 'comparison.undefinedReason' },
      { path: 'file' },
    ],
    rows,
    groupBy: ({ metric }) => (systems.length > 1 ? metric : null),
    keyColumns: 2,
  }
  return {
    about: { referencesFile, notes },
    tables: [table],
    parts: [
      ...(options.layout === 'wide'
        ? [systemsByMetrics(rows), ...(isTested ? toDifferences(rows) : [])]
        : [table]),
      { notes: toNotes(systems, notes, options) },
    ],
    warnings: scoreWarnings(systems),
  }
}

/** By metric, then by system. */
function toRows(systems: readonly ScoredFile[]) {
  const rows = systems.flatMap(({ scores, ...system }) =>
    scores.map(({ status, ...score }) => ({
      ...system,
      ...score,
      ...status,
      references: score.record.references,
    })),
  )
  const metrics = [...new Set(rows.map(({ metric }) => metric))]
  return metrics.flatMap((metric) => {
    const ofMetric = rows.filter((row) => row.metric === metric)
    const best = bestValue(ofMetric)
    return ofMetric.map((row) => ({ ...row, isBest: systems.length > 1 && row.value === best }))
  })
}

/** How much better or worse every system is than the first. */
function toDifferences(rows: readonly Row[]): Report['parts'] {
  const [{ system: first }] = rows
  const table = pivot(
    rows.filter(({ comparison }) => comparison !== null),
    {
      down: [SYSTEM],
      across: ({ metric }) => metric,
      cells: [{ format: share, show: showImprovement }],
      below: { format: pValue, show: (row) => `p ${showTest(row)}` },
    },
  )
  return [{ notes: [`Better (+) or worse (−) than ${first} by:`] }, table as Table]
}

function showImprovement({ comparison, higherIsBetter }: Row, numbers: NumberStyle): string {
  const difference = comparison?.difference ?? null
  if (difference === null) return NONE
  const isWorse = improvement(difference, higherIsBetter) < 0
  return `${isWorse ? '−' : '+'}${numbers.share(Math.abs(difference))}`
}

function bestValue(rows: readonly Pick<FileScore, 'value' | 'higherIsBetter'>[]): number {
  const values = rows.map(({ value }) => value)
  return rows[0].higherIsBetter ? Math.max(...values) : Math.min(...values)
}

function showTest({ comparison }: Row): string {
  if (!comparison) return ''
  return comparison.pValue !== null ? showP(comparison.adjustedPValue, comparison) : `${NONE} *`
}

function toNotes(systems: readonly ScoredFile[], notes: readonly string[], options: ScoreLayout): string[] {
  const comparisons = systems.flatMap(({ scores }) => scores.flatMap(({ comparison }) => comparison ?? []))
  const reasons = new Set(comparisons.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  const signatures = systems.flatMap(({ scores }) => scores.map(({ signature }) => signature))
  return [
    ...new Set(systems.map(describeImages)),
    ...(comparisons.length > 0 ? [describeTests(systems)] : []),
    ...Array.from(reasons, (reason) => `* ${UNDEFINED_REASONS[reason]}`),
    ...notes,
    ...signatureNotes(signatures, options),
  ]
}

function describeImages({ imageCount, scores: [{ record }] }: ScoredFile): string {
  return `${countedReferences(record.references)} per image, over ${counted(imageCount, 'image')}.`
}

function describeTests([first, ...others]: readonly ScoredFile[]): string {
  const holm = others.length > 1 ? `, with Holm’s correction for ${counted(others.length, 'system')}` : ''
  return `diff., p: compared with ${first.system} on the images of both, by a permutation test${holm}.`
}
