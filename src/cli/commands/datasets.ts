import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { withAccord } from '../accord.js'
import { example } from '../options.js'
import { formatOption, type OutputOptions, print, widthOption } from '../output/output.js'

type Options = GlobalOptions & OutputOptions

/** `accord datasets` */
export function registerDatasets(program: Command): void {
  program
    .command('datasets')
    .summary('list datasets and their systems')
    .description(
      'List the datasets by name, with their sizes and systems. The JSON is {datasets}, with {name, captionsPerImage,' +
        ' imageCount, captionCount, excludedImageCount, systems} for each of datasets.',
    )
    .addOption(formatOption())
    .addOption(widthOption())
    .addHelpText('after', example('accord datasets --format json'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location } = options
      const { listDatasetsWithSystems } = await import('../../services/datasets/datasets.js')
      const datasets = await withAccord({ location, mustExist: true }, listDatasetsWithSystems)
      const { datasetReport } = await import('../reports/dataset-report.js')
      await print(options, datasetReport(datasets))
    })
}
