import { Argument, type Command, Option } from 'commander'
import { collectUnique, type GlobalOptions, meteorDataOption, parseText } from '../../config.js'
import { withDataset } from '../accord.js'
import { boundsOption, datasetOption, example, metricsOption } from '../options.js'
import { formatOption, type OutputOptions, percentOption, print, widthOption } from '../output/output.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly system?: readonly string[]
  readonly bounds?: boolean
  readonly metrics?: readonly string[]
  readonly meteorData?: string
}

/** Those of the COCO caption evaluation, of which all fit. */
const DEFAULT_METRICS = ['BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR']

/** `accord show` */
export function registerShow(program: Command): void {
  program
    .command('show')
    .summary('show the captions of an image')
    .description(
      'Show the human captions of an image, and the captions of systems with their stored scores against all human' +
        ' captions. The JSON is {dataset, image, captions}, with {system, id, text, scores} for each' +
        ' of captions; system is null for people.',
    )
    .addArgument(new Argument('<image>', 'id of the image in the imported file').argParser(parseText))
    .addOption(datasetOption())
    .addOption(
      new Option('--system <name...>', 'only these systems (default: all)').argParser(
        collectUnique(parseText),
      ),
    )
    .addOption(boundsOption())
    .addOption(metricsOption(DEFAULT_METRICS.join(', ')))
    .addOption(meteorDataOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText('after', example('accord show 139 --dataset coco'))
    .action(async (image: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location, meteorData: meteorFolder, system: names, bounds } = options
      const { metrics = DEFAULT_METRICS } = options
      const { reportImage } = await import('../../services/images/image-report.js')
      const report = await withDataset({ location, meteorFolder }, options.dataset, (accord, dataset) =>
        reportImage(accord, dataset, image, { systems: { names, includeBounds: bounds }, metrics }),
      )
      const { imageReport } = await import('../reports/image-report.js')
      await print(options, imageReport(report))
    })
}
