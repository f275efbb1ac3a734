import { type Command, Option } from 'commander'
import { eachOnce, type GlobalOptions, meteorDataOption, parseText } from '../config.js'
import { withDatabase } from './database.js'
import { datasetOption, example, existingSystemOption } from './options.js'
import { type Format, formatOption, print } from './output.js'
import { withProgress } from './progress.js'

interface Options extends GlobalOptions {
  readonly dataset: string
  readonly system: string
  readonly metrics?: readonly string[]
  readonly documentFrequencies?: string
  readonly meteorData?: string
  readonly perImage?: string
  readonly format: Format
}

/** `accord evaluate` */
export function registerEvaluate(program: Command): void {
  program
    .command('evaluate')
    .summary("score a system's captions against the human ones")
    .description(
      'Score the captions of a system by BLEU, ROUGE, METEOR, CIDEr and CIDEr-D against all human captions of each' +
        ' image, with 95 % intervals (bootstrap over images, 1,000 resamples), and store the scores. Beside them' +
        ' stands human agreement, once `accord agreement` has computed it. The JSON is {dataset, system, references,' +
        ' imageCount, missingImageCount, scores}, with {metric, value, lower, upper, signature, warnings, human} for' +
        ' each metric; references is the smallest number that an image has.',
    )
    .addOption(datasetOption())
    .addOption(existingSystemOption())
    .addOption(
      new Option('--metrics <name...>', 'only these, such as BLEU-4 METEOR CIDEr-D (default: all)').argParser(
        eachOnce(parseText),
      ),
    )
    .addOption(
      new Option(
        '--document-frequencies <dataset>',
        'count the document frequencies of CIDEr in the captions of this data set (default: the system’s own references)',
      ).argParser(parseText),
    )
    .addOption(meteorDataOption())
    .addOption(
      new Option(
        '--per-image <file>',
        'also write a CSV file with the scores of every image: a column image_id, and one for each metric',
      ).argParser(parseText),
    )
    .addOption(formatOption())
    .addHelpText(
      'after',
      example('accord evaluate --dataset coco --system show-and-tell --per-image scores.csv'),
    )
    .action(async (_options, command: Command) => {
      const { database: path, perImage, format, ...options } = command.optsWithGlobals<Options>()
      const { checkPerImage, evaluate, renderings, writePerImage } = await import('./evaluation-report.js')
      if (perImage !== undefined) checkPerImage(perImage)
      const report = await withDatabase(path, { mustExist: true }, (database) =>
        withProgress((progress) => evaluate(database, options, progress)),
      )
      for (const warning of report.warnings) process.stderr.write(`${warning}\n`)
      if (perImage !== undefined) writePerImage(perImage, report)
      await print(format, renderings(report))
    })
}
