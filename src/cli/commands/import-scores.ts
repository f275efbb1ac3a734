import type { Command } from 'commander'
import { type GlobalOptions, parseText } from '../../config.js'
import { withDataset } from '../accord.js'
import { describeSystemImport } from '../imported-system.js'
import { allowMissingOption, datasetOption, example, fileArgument, systemOption } from '../options.js'
import { withProgress } from '../output/progress.js'

interface Options extends GlobalOptions {
  readonly dataset?: string
  readonly system: string
  readonly vocabulary?: string
  readonly imageIds?: string
  readonly allowMissing?: true
}

/** `accord import scores` */
export function registerImportScores(imports: Command): void {
  imports
    .command('scores')
    .summary('word scores of a system')
    .description(
      'Import the scores of a system for words of images: .npy (float32 or float64, images × words, with' +
        ' --vocabulary and --image-ids), or .jsonl or .jsonl.gz with one image per line:' +
        ' {"image_id": 139, "words": {"dog": 0.98}}. Words that no caption uses are excluded.',
    )
    .addArgument(fileArgument('.npy, .jsonl or .jsonl.gz'))
    .addOption(datasetOption())
    .addOption(systemOption())
    .option(
      '--vocabulary <file>',
      'with .npy: CSV with the word of each column and its part_of_speech',
      parseText,
    )
    .option('--image-ids <file>', 'with .npy: JSON array with the image id of each row', parseText)
    .addOption(allowMissingOption())
    .addHelpText(
      'after',
      example(
        'accord import scores scores.npy --vocabulary words.csv --image-ids ids.json --dataset coco --system detector',
        'accord import scores scores.jsonl.gz --dataset coco --system detector',
      ),
    )
    .action(async (file: string, _options, command: Command) => {
      const { database: location, allowMissing = false, ...input } = command.optsWithGlobals<Options>()
      if ((input.vocabulary === undefined) !== (input.imageIds === undefined)) {
        command.error(
          'error: --vocabulary and --image-ids must be used together: expected both or neither, found one',
        )
      }
      const { importWordScores } = await import('../../services/imports/imports.js')
      const summary = await withDataset({ location }, input.dataset, async (accord, { name: dataset }) => {
        const options = { ...input, file, allowMissing, dataset }
        const report = await withProgress((progress) => importWordScores(accord, options, progress))
        return describeSystemImport(options, report)
      })
      process.stdout.write(summary)
    })
}
