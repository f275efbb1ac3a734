import type { Command } from 'commander'
import { type GlobalOptions, meteorDataOption, wholeNumber } from '../config.js'
import { withDatabase } from './database.js'
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
    .summary('how far people agree on captions, by every metric')
    .description(
      'Hold out one human caption of each image at a time and score it against the others as a system would be:' +
        ' the leave-one-out table, with mean, standard deviation of the folds and 95 % interval, beside what COCO' +
        ' Captions 2015 published (c5, c40). Computed once, then stored. The JSON is {dataset, references, imageCount,' +
        ' excludedImageCount, folds, scores}: folds is a list with the score of each metric in each fold, by its name;' +
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
      const { database: path, format, ...options } = command.optsWithGlobals<Options>()
      const { agree, renderings, warningsOf } = await import('./agreement-report.js')
      const report = await withDatabase(path, { mustExist: true }, (database) =>
        withProgress((progress) => agree(database, options, progress)),
      )
      for (const warning of warningsOf(report)) process.stderr.write(`${warning}\n`)
      await print(format, renderings(report))
    })
}
