import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { withDataset } from '../accord.js'
import { boundsOption, datasetOption, example } from '../options.js'
import { formatOption, type OutputOptions, print, widthOption } from '../output/output.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly bounds?: boolean
}

/** `accord systems` */
export function registerSystems(program: Command): void {
  program
    .command('systems')
    .summary('list the systems of a dataset')
    .description(
      'List the systems of a dataset by name, with what they consist of, how many images they have and lack, and the' +
        ' metrics by which they have been evaluated. The JSON is {dataset, systems}, with {system, kind, imageCount,' +
        ' missingImageCount, createdAt, metrics} for each of systems.',
    )
    .addOption(datasetOption())
    .addOption(boundsOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addHelpText('after', example('accord systems --dataset coco'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { listSystemOverviews } = await import('../../services/systems/systems.js')
      const { systemReport } = await import('../reports/system-report.js')
      const listed = await withDataset(
        { location: options.database },
        options.dataset,
        async (accord, dataset) =>
          systemReport(dataset.name, await listSystemOverviews(accord, dataset, options.bounds)),
      )
      await print(options, listed)
    })
}
