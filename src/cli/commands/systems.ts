import type { Command } from 'commander'
import { boundsOption, datasetOption } from '../options.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly bounds?: boolean
}

/** `accord systems` */
export function registerSystems(program: Command): void {
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
    json: {
      report: 'dataset, systems',
      systems: 'system, kind, imageCount, missingImageCount, createdAt, metrics',
    },
  }
  printsDatasetReport<Options>(command, help, async (accord, dataset, { bounds }) => {
    const { listSystemOverviews } = await import('../../services/systems/systems.js')
    const { systemReport } = await import('../reports/system-report.js')
    return systemReport(dataset.name, await listSystemOverviews(accord, dataset, bounds))
  })
}
