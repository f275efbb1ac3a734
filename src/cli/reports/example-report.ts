import type { Examples } from '../../services/images/examples.js'
import { PEOPLE, share } from '../output/formats.js'
import type { NamedTable, Report } from '../output/report.js'

/** Images with the captions of people and systems, one caption below the other. */
export function exampleReport(dataset: string, { metric, examples }: Examples): Report {
  const rows = examples.flatMap(({ imageId, captions, systems }) => [
    ...systems.map((caption) => ({ imageId, ...caption })),
    ...captions.map((text) => ({ imageId, system: null, text, score: null })),
  ])
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'examples',
    columns: [
      { path: 'imageId', title: 'image', isMerged: true },
      { path: 'system', title: '', show: ({ system }) => system ?? PEOPLE },
      { path: 'score', title: metric, format: { ...share, none: '' } },
      { path: 'text', title: 'caption', wrap: 'fit' },
    ],
    rows,
    groupBy: ({ imageId }) => imageId,
  }
  return { about: { dataset, metric }, tables: [table], parts: [table] }
}
