import type { FileScore, ScoredFile, ScoredFiles } from '../../services/evaluations/score-files.js'
import { UNDEFINED_REASONS } from '../../undefined-reason.js'
import { counted, countedReferences, NONE, pValue, share, showP, signedInterval } from '../output/formats.js'
import type { NamedTable, Report } from '../output/report.js'
import { scoreColumns, scoreWarnings } from './evaluation-report.js'

type Row = ReturnType<typeof toRows>[number]

/** The scores of files: a group of rows for each metric, with a row for each system. */
export function scoreReport({ references: referencesFile, systems, notes }: ScoredFiles): Report {
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
    parts: [table, { notes: toNotes(systems, notes) }],
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

function bestValue(rows: readonly Pick<FileScore, 'value' | 'higherIsBetter'>[]): number {
  const values = rows.map(({ value }) => value)
  return rows[0].higherIsBetter ? Math.max(...values) : Math.min(...values)
}

function showTest({ comparison }: Row): string {
  if (!comparison) return ''
  return comparison.undefinedReason === null ? showP(comparison.adjustedPValue, comparison) : `${NONE} *`
}

function toNotes(systems: readonly ScoredFile[], notes: readonly string[]): string[] {
  const comparisons = systems.flatMap(({ scores }) => scores.flatMap(({ comparison }) => comparison ?? []))
  const reasons = new Set(comparisons.flatMap(({ undefinedReason }) => undefinedReason ?? []))
  const signatures = new Set(systems.flatMap(({ scores }) => scores.map(({ signature }) => signature)))
  return [
    ...new Set(systems.map(describeImages)),
    ...(comparisons.length > 0 ? [describeTests(systems)] : []),
    ...Array.from(reasons, (reason) => `* ${UNDEFINED_REASONS[reason]}`),
    ...notes,
    'Signatures:',
    ...Array.from(signatures, (signature) => `  ${signature}`),
  ]
}

function describeImages({ imageCount, scores: [{ record }] }: ScoredFile): string {
  return `${countedReferences(record.references)} per image, over ${counted(imageCount, 'image')}.`
}

function describeTests([first, ...others]: readonly ScoredFile[]): string {
  const holm = others.length > 1 ? `, with Holm’s correction for ${counted(others.length, 'system')}` : ''
  return `diff., p: compared with ${first.system} on the images of both, by a permutation test${holm}.`
}
