import type { Command } from 'commander'
import { type GlobalOptions, meteorDataOption, wholeNumber } from '../config.js'
import { withAccord } from './accord.js'
import { datasetOption, example } from './options.js'
import { type Format, formatOption, print } from './output.js'
import { withProgress } from './progress.js'

interface Options extends GlobalOptions {
  readonly dataset: string
  readonly references?: number
  readonly meteorData?: string
  readonly format: Format
}

/** `accord agreement` */
export function registerAgreement(program: Command): void {
  program
    .command('agreement')
    .summary('how much people agree on captions, by each metric')
    .description(
      'Score each human caption of an image in turn against the others, like the caption of a system: the' +
        ' leave-one-out table, with mean, standard deviation of the folds and 95 % interval, and the values published' +
        ' in COCO Captions 2015 (c5, c40). Computed once, then stored. The JSON is {dataset, references, imageCount,' +
        ' excludedImageCount, folds, scores}: folds lists the score of each metric in each fold, by metric name;' +
        ' scores has {metric, mean, standardDeviation, lower, upper, signature, warnings} for each metric.',
    )
    .addOption(datasetOption())
    .option(
      '--references <k>',
      'references per held-out caption, 1 to K - 1 (default: K - 1)',
      wholeNumber(1),
    )
    .addOption(meteorDataOption())
    .addOption(formatOption())
    .addHelpText('after', example('accord agreement --dataset coco --references 4'))
    .action(async (_options, command: Command) => {
      const {
        database: location,
        meteorData: meteorFolder,
        format,
        ...options
      } = command.optsWithGlobals<Options>()
      const { computeAgreement } = await import('../services/agreement.js')
      const report = await withAccord({ location, mustExist: true, meteorFolder }, (accord) =>
        withProgress((progress) => computeAgreement(accord, options, progress)),
      )
      const { renderings, warningsOf } = await import('./agreement-report.js')
      for (const warning of warningsOf(report)) process.stderr.write(`${warning}\n`)
      await print(format, renderings(report))
    })
}
