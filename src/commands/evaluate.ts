import { type Command, Option } from 'commander'
import {
  collectUnique,
  embeddingsOption,
  type GlobalOptions,
  meteorDataOption,
  parseText,
  wholeNumber,
} from '../config.js'
import { withAccord } from './accord.js'
import { datasetOption, example, existingSystemOption } from './options.js'
import { type Format, formatOption, print } from './output.js'
import { withProgress } from './progress.js'

interface Options extends GlobalOptions {
  readonly dataset: string
  readonly system: string
  readonly metrics?: readonly string[]
  readonly references?: number
  readonly documentFrequencies?: string
  readonly meteorData?: string
  readonly embeddings?: string
  readonly perImage?: string
  readonly format: Format
}

/** `accord evaluate` */
export function registerEvaluate(program: Command): void {
  program
    .command('evaluate')
    .summary("score a system's captions against human captions")
    .description(
      'Score the captions of a system by BLEU, ROUGE, METEOR, CIDEr and CIDEr-D, with 95 % intervals (jackknife' +
        ' over images), and store the scores: against all human captions of each image, and on the K' +
        ' folds of K - 1 references that human captions are scored on. Human agreement is shown beside the latter if' +
        ' `accord agreement` has computed it. The JSON is {dataset, system, references, folds, imageCount,' +
        ' missingImageCount, scores, matched, notes}, with {metric, value, lower, upper, intervalReason, isSmall,' +
        ' folds, signature, warnings, human} for each metric; references is the minimum number per image; matched has {references, folds,' +
        ' imageCount, scores} of the folds.',
    )
    .addOption(datasetOption())
    .addOption(existingSystemOption())
    .addOption(
      new Option(
        '--metrics <name...>',
        'only these, such as BLEU-4 METEOR SPICE (default: all but SPICE and SPIDEr)',
      ).argParser(collectUnique(parseText)),
    )
    .addOption(
      new Option(
        '--references <k>',
        'only the mean over the folds of k references, 1 to K - 1 (default: all references, and beside them K - 1)',
      ).argParser(wholeNumber(1)),
    )
    .addOption(
      new Option(
        '--document-frequencies <dataset>',
        'count the document frequencies of CIDEr in the captions of this dataset (default: in the references of the system’s images)',
      )
        .argParser(parseText)
        .conflicts('references'),
    )
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(
      new Option(
        '--per-image <file>',
        'also write a CSV file with the scores of every image, against all references unless --references is given: a column image_id and a column for each metric',
      ).argParser(parseText),
    )
    .addOption(formatOption())
    .addHelpText(
      'after',
      example('accord evaluate --dataset coco --system show-and-tell --per-image scores.csv'),
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const {
        database: location,
        meteorData: meteorFolder,
        embeddings: embeddingsFile,
        perImage,
        format,
      } = options
      const { checkPerImage, renderings, warningsOf, writePerImage } = await import('./evaluation-report.js')
      if (perImage !== undefined) checkPerImage(perImage)
      const { evaluateFairly } = await import('../services/evaluate.js')
      const { dataset, system, metrics, references, documentFrequencies: documents } = options
      const input = { dataset, system, metrics, references, documents }
      const evaluation = await withAccord(
        { location, mustExist: true, meteorFolder, embeddingsFile },
        (accord) => withProgress((progress) => evaluateFairly(accord, input, progress)),
      )
      for (const warning of warningsOf(evaluation.report)) process.stderr.write(`${warning}\n`)
      if (perImage !== undefined) writePerImage(perImage, evaluation.report)
      await print(format, renderings(evaluation, meteorFolder))
    })
}
