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
      const options = command.optsWithGlobals<Options>()
      const { database: location, system, allowMissing = false, vocabulary, imageIds } = options
      if ((vocabulary === undefined) !== (imageIds === undefined)) {
        command.error(
          'error: --vocabulary and --image-ids must be used together: expected both or neither, found one',
        )
      }
      const sourceOf = (path: string | undefined) => (path === undefined ? undefined : { path })
      const summary = await withDataset(
        { location },
        options.dataset,
        async (accord, { id, name: dataset }) => {
          const input = {
            datasetId: id,
            file: { path: file },
            system,
            allowMissing,
            vocabulary: sourceOf(vocabulary),
            imageIds: sourceOf(imageIds),
          }
          const report = await withProgress((progress) => accord.run('importWordScores', input, { progress }))
          return describeSystemImport({ dataset, system }, report)
        },
      )
      process.stdout.write(summary)
    })
}
