import type { ImageReport } from '../../services/images/image-report.js'
import { share } from '../output/formats.js'
import type { NamedTable, Report } from '../output/report.js'

/** The captions of an image: those of people, then those of systems with their scores. */
export function imageReport({ dataset, image, captions, systems, metrics }: ImageReport): Report {
  const { externalId: id, fileName, url, width, height } = image
  const rows = [
    ...captions.map(({ externalId, text }) => ({ system: null, id: externalId, text, scores: null })),
    ...systems.map(({ scores, ...caption }) => ({
      id: null,
      ...caption,
      scores: Object.fromEntries(metrics.map((metric, index) => [metric, scores[index]])),
    })),
  ]
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'captions',
    columns: [
      { path: 'system', title: '', show: ({ system }) => system ?? 'people' },
      { path: 'id' },
      { path: 'text', title: 'caption', wrap: 'fit' },
      ...metrics.map((metric) => ({
        path: ['scores', metric],
        title: metric,
        format: share,
        isOptional: true,
      })),
    ],
    rows,
    groupBy: ({ system }) => system === null,
  }
  const size = width !== null && height !== null ? `${width} × ${height} pixels` : null
  const about = [`Image ${id} of ${dataset.name}`, fileName, size, url].filter(Boolean).join(', ')
  return {
    about: { dataset: dataset.name, image: { id, fileName, url, width, height } },
    tables: [table],
    parts: [{ notes: [about] }, table],
  }
}
