import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { withDataset } from '../accord.js'
import { describeSystemImport } from '../imported-system.js'
import { allowMissingOption, datasetOption, example, fileArgument, systemOption } from '../options.js'
import { withProgress } from '../output/progress.js'

interface Options extends GlobalOptions {
  readonly dataset?: string
  readonly system: string
  readonly allowMissing?: true
}

/** `accord import results` */
export function registerImportResults(imports: Command): void {
  imports
    .command('results')
    .summary('captions of a system')
    .description(
      'Import the captions of a system, one per image, in COCO results format: [{"image_id": 139, "caption": "…"}].',
    )
    .addArgument(fileArgument('JSON, or gzipped JSON with a name ending in .gz'))
    .addOption(datasetOption())
    .addOption(systemOption())
    .addOption(allowMissingOption())
    .addHelpText(
      'after',
      example('accord import results captions_results.json --dataset coco --system show-and-tell'),
    )
    .action(async (file: string, _options, command: Command) => {
      const {
        database: location,
        dataset: wanted,
        system,
        allowMissing = false,
      } = command.optsWithGlobals<Options>()
      const summary = await withDataset(
        { location },
        wanted,
        async (accord, { id: datasetId, name: dataset }) => {
          const input = { datasetId, file: { path: file }, system, allowMissing }
          const report = await withProgress((progress) => accord.run('importResults', input, { progress }))
          return describeSystemImport({ dataset, system }, report)
        },
      )
      process.stdout.write(summary)
    })
}
