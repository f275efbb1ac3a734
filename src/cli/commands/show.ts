import { Argument, type Command } from 'commander'
import { collectUnique, meteorDataOption, parseText } from '../../config.js'
import { boundsOption, datasetOption, metricsOption } from '../options.js'
import { percentOption } from '../output/output.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly system?: readonly string[]
  readonly bounds?: boolean
  readonly metrics?: readonly string[]
}

/** Those of the COCO caption evaluation, of which all fit. */
const DEFAULT_METRICS = ['BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR']

/** `accord show` */
export function registerShow(program: Command): void {
  const command = program
    .command('show')
    .summary('show the captions of an image')
    .description(
      'Show the human captions of an image, and the captions of systems with their stored scores against all human' +
        ' captions. In the JSON, the system is null for people.',
    )
    .addArgument(new Argument('<image>', 'id of the image in the imported file').argParser(parseText))
    .addOption(datasetOption())
    .option('--system <name...>', 'only these systems (default: all)', collectUnique(parseText))
    .addOption(boundsOption())
    .addOption(metricsOption(DEFAULT_METRICS.join(', ')))
    .addOption(meteorDataOption())
    .addOption(percentOption())
  const help = {
    examples: ['accord show 139 --dataset coco'],
    json: { report: 'dataset, image, captions', captions: 'system, id, text, scores' },
  }
  printsDatasetReport<Options, [image: string]>(command, help, async (accord, dataset, options, image) => {
    const { system: names, bounds, metrics = DEFAULT_METRICS } = options
    const { reportImage } = await import('../../services/images/image-report.js')
    const { imageReport } = await import('../reports/image-report.js')
    const selection = { systems: { names, isBoundIncluded: bounds }, metrics }
    return imageReport(await reportImage(accord, dataset, image, selection))
  })
}
