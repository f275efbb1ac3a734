import { type Command, Option } from 'commander'
import { embeddingsOption, meteorDataOption, parseText, wholeNumber } from '../../config.js'
import { datasetOption } from '../options.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'

interface Options extends FilesOptions {
  readonly against?: string
  readonly metrics: string
  readonly worst?: number
  readonly best?: number
}

const DEFAULT_COUNT = 10

/** `accord examples` */
export function registerExamples(program: Command): void {
  const command = program
    .command('examples')
    .summary('images on which a system is worst or best, with the captions of people')
    .description(
      'Show the images on which a system is worst, or best, by a metric: its caption with the score, and the human' +
        ' captions. With --against, those on which it is worst or best relative to another system. In the JSON, the' +
        ' system is null for people.',
    )
    .addOption(datasetOption())
    .option('--system <name>', 'the system (with files: default: the first)', (name: string) => [
      parseText(name),
    ])
    .option('--against <name>', 'the system to compare with (with two files: default: the second)', parseText)
    .option('--metric, --metrics <name>', 'metric of the scores', parseText, 'CIDEr-D')
    .option('--worst <N>', `the N worst images (default: ${DEFAULT_COUNT})`, wholeNumber(1, 1000))
    .addOption(
      new Option('--best <N>', 'the N best images instead')
        .argParser(wholeNumber(1, 1000))
        .conflicts('worst'),
    )
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(percentOption())
  const help = {
    examples: [
      'accord examples --dataset coco --system mine --against theirs --metric CIDEr-D --worst 10',
      'accord examples captions_val2017.json mine.json --best 5',
    ],
    json: { report: 'dataset, metric, examples', examples: 'imageId, system, score, text' },
  }
  printsDatasetOrFilesReport<Options>(command, help, async (accord, dataset, options) => {
    const { metrics: metric, worst, best } = options
    const [system, second] = options.system ?? []
    if (system === undefined)
      command.error("error: option '--system <name>' or files of systems are required")
    const { findExamples } = await import('../../services/images/examples.js')
    const { exampleReport } = await import('../reports/example-report.js')
    const wanted = {
      system: system as string,
      against: options.against ?? second,
      metric,
      count: best ?? worst ?? DEFAULT_COUNT,
      order: best === undefined ? ('WORST' as const) : ('BEST' as const),
    }
    const found = await withProgress((progress) => findExamples(accord, dataset, wanted, { progress }))
    return exampleReport(dataset.name, found)
  })
}
