import type { Command } from 'commander'
import { type GlobalOptions, parseText } from '../config.js'
import type { MatrixLabels } from '../formats/word-scores.js'
import { withDatabase } from './database.js'
import { describeSystemImport } from './imported-system.js'
import { allowMissingOption, datasetOption, example, fileArgument, systemOption } from './options.js'
import { withProgress } from './progress.js'

interface Options extends GlobalOptions {
  readonly dataset: string
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
      'Import the scores that a system gave to words of images: .npy (float32 or float64, images × words, with' +
        ' --vocabulary and --image-ids), or .jsonl or .jsonl.gz with an image per line:' +
        ' {"image_id": 139, "words": {"dog": 0.98}}. Words that no caption uses are left out.',
    )
    .addArgument(fileArgument('.npy, .jsonl or .jsonl.gz'))
    .addOption(datasetOption())
    .addOption(systemOption())
    .option(
      '--vocabulary <file>',
      'of .npy: CSV with the word of each column, and its part_of_speech',
      parseText,
    )
    .option('--image-ids <file>', 'of .npy: JSON array with the image id of each row', parseText)
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
      const { database: path, dataset: name, system, allowMissing = false } = options
      if ((options.vocabulary === undefined) !== (options.imageIds === undefined)) {
        command.error(
          'error: --vocabulary and --image-ids belong together: expected both or neither, found one',
        )
      }
      const { importScores } = await import('../jobs/import-scores.js')
      const { readWordScores } = await import('../formats/word-scores.js')
      const { requireDataset } = await import('../store/datasets.js')
      const report = await withDatabase(path, { mustExist: true }, async (database) => {
        const dataset = await requireDataset(database, name)
        const labels = await readLabels(options)
        return withProgress((progress) =>
          importScores(
            database,
            dataset,
            {
              source: file,
              system,
              read: (imageIds, reading) =>
                readWordScores(file, labels, imageIds, allowMissing, (read, total) =>
                  reading(total > 0 ? read / total : 0, 'reading'),
                ),
            },
            progress,
          ),
        )
      })
      process.stdout.write(describeSystemImport(name, system, report))
    })
}

async function readLabels({ vocabulary, imageIds }: Options): Promise<MatrixLabels | undefined> {
  if (vocabulary === undefined || imageIds === undefined) return undefined
  const { readVocabulary } = await import('../formats/vocabulary.js')
  return { imageIdsFile: imageIds, words: readVocabulary(vocabulary).map(({ word }) => word) }
}
