import type { SystemOverview } from '../../services/systems/systems.js'
import { count, list } from '../output/formats.js'
import type { NamedTable, Report } from '../output/report.js'

const CONTENTS = { CAPTIONS: 'captions', WORD_SCORES: 'word scores', DESCRIPTIONS: 'descriptions' } as const

/** The systems of a dataset, with the metrics by which they have been evaluated. */
export function systemReport(dataset: string, systems: readonly SystemOverview[]): Report {
  const rows = systems.map(({ system: { name, ...system }, metrics }) => ({
    ...system,
    system: name,
    metrics,
  }))
  const table: NamedTable<(typeof rows)[number]> = {
    name: 'systems',
    columns: [
      { path: 'system', title: 'system' },
      { path: 'kind', title: 'contents', show: ({ kind }) => CONTENTS[kind] },
      { path: 'imageCount', title: 'images', format: count },
      { path: 'missingImageCount', title: 'missing', format: count },
      { path: 'createdAt' },
      { path: 'metrics', title: 'evaluated by', format: list(' '), wrap: 'fit' },
    ],
    rows,
  }
  return { about: { dataset }, tables: [table], parts: [table] }
}
