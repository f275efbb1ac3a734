import type { ImageScoreTable } from '../../services/datasets/export.js'
import type { NamedTable } from '../output/report.js'

/** The scores of every image: a column for each metric. */
export function imageScoreTable({ metrics, rows }: Pick<ImageScoreTable, 'metrics' | 'rows'>): NamedTable {
  return {
    name: 'scores',
    columns: [{ path: 'system' }, { path: 'imageId' }, ...metrics.map((metric) => ({ path: [metric] }))],
    rows: rows.map(({ system, imageId, scores }) => ({
      system,
      imageId,
      ...Object.fromEntries(metrics.map((metric, index) => [metric, scores[index]])),
    })),
  }
}
