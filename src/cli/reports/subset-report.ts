import type { ScoreOfSubset } from '../../services/evaluations/subset-scores.js'
import { counted, grouped } from '../../shared/numbers.js'
import { type Column, type NamedTable, pivot, type Report, type Table, untitled } from '../output/report.js'
import { INTERVAL, METRIC, SYSTEM, spreadBelow, VALUE } from './score-table.js'

/** The score of a system, or of people, on a subset. */
interface Row extends ScoreOfSubset {
  /** Null for people. */
  readonly system: string | null
  /** k; null or absent for scores against all references. */
  readonly references?: number | null
  readonly isBest?: boolean
}

/**
 * A report with scores of subsets: below the others a table for each kind of references, with a row for each subset and system, and
 * one for people.
 *
 * @param field by whose values images are subsets; without, the report stays as it is
 */
export function withSubsets(report: Report, field: string | undefined, rows: readonly Row[]): Report {
  if (field === undefined) return report
  const subset: Column<Row> = { path: 'subset', title: field, isMerged: true }
  const table: NamedTable<Row> = {
    name: 'subsets',
    columns: [
      subset,
      METRIC,
      SYSTEM,
      ...untitled('references', 'imageCount'),
      VALUE,
      INTERVAL,
      ...untitled('undefinedReason', 'isSmall'),
    ],
    rows,
  }
  const kinds = [...new Set(rows.map(({ references = null }) => references))]
  const parts = kinds.flatMap((kind): Report['parts'] => [
    { notes: [`By ${field}, ${kind === null ? 'all references' : counted(kind, 'reference')}:`] },
    toTable(
      subset,
      rows.filter(({ references = null }) => references === kind),
    ),
  ])
  const note = `Subsets by ${field} have the document frequencies of all images. Intervals are those of one subset: they say little of the difference of two systems on it.`
  const last = report.parts.length - 1
  return {
    ...report,
    tables: [...report.tables, table],
    parts: [...report.parts.slice(0, last), ...parts, { notes: [note] }, report.parts[last]],
  }
}

function toTable(subset: Column<Row>, rows: readonly Row[]): Table {
  const images: Column<Row> = {
    path: 'imageCount',
    title: 'images',
    show: ({ imageCount }) => grouped(imageCount),
  }
  return pivot(rows, {
    down: [subset, images, SYSTEM],
    across: ({ metric }) => metric,
    cells: [{ ...VALUE, title: undefined }],
    below: spreadBelow(rows),
    groupBy: (row) => row.subset,
  }) as Table
}
