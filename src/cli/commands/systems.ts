import type { Command } from 'commander'
import type { SystemOverview } from '../../services/systems/systems.js'
import { boundsOption, datasetOption } from '../options.js'
import { count, list } from '../output/formats.js'
import type { Column, NamedTable, Report } from '../output/report.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly bounds?: boolean
}

/** `accord systems` */
export function register(program: Command): void {
  const command = program
    .command('systems')
    .summary('list the systems of a dataset')
    .description(
      'List the systems of a dataset by name, with what they consist of, how many images they have and lack, and the' +
        ' metrics by which they have been evaluated.',
    )
    .addOption(datasetOption())
    .addOption(boundsOption())
  const help = {
    examples: ['accord systems --dataset coco'],
    json: { report: 'dataset, systems', systems: SYSTEMS },
  }
  printsDatasetReport<Options>(command, help, async (accord, dataset, { bounds }) => {
    const { listSystemOverviews } = await import('../../services/systems/systems.js')
    return systemReport(dataset.name, await listSystemOverviews(accord, dataset, bounds))
  })
}

const CONTENTS = { CAPTIONS: 'captions', WORD_SCORES: 'word scores', DESCRIPTIONS: 'descriptions' } as const

/** Columns of the list of systems. */
const SYSTEMS: readonly Column<{ readonly kind: keyof typeof CONTENTS }>[] = [
  { path: 'system', title: 'system' },
  { path: 'kind', title: 'contents', show: ({ kind }) => CONTENTS[kind] },
  { path: 'imageCount', title: 'images', format: count },
  { path: 'missingImageCount', title: 'missing', format: count },
  { path: 'createdAt' },
  { path: 'metrics', title: 'evaluated by', format: list(' '), wrap: 'fit' },
]

/** The systems of a dataset, with the metrics by which they have been evaluated. */
function systemReport(dataset: string, systems: readonly SystemOverview[]): Report {
  const rows = systems.map(({ system: { name, ...system }, metrics }) => ({
    ...system,
    system: name,
    metrics,
  }))
  const table: NamedTable<(typeof rows)[number]> = { name: 'systems', columns: SYSTEMS, rows }
  return { about: { dataset }, tables: [table], parts: [table] }
}
