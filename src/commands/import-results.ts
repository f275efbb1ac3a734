import type { Command } from 'commander'
import type { GlobalOptions } from '../config.js'
import { withDatabase } from './database.js'
import { describeSystemImport } from './imported-system.js'
import { allowMissingOption, datasetOption, example, fileArgument, systemOption } from './options.js'
import { withProgress } from './progress.js'

interface Options extends GlobalOptions {
  readonly dataset: string
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
        database: path,
        dataset: name,
        system,
        allowMissing = false,
      } = command.optsWithGlobals<Options>()
      const { importResults } = await import('../jobs/import-results.js')
      const { readCocoResults } = await import('../formats/coco-results.js')
      const { requireDataset } = await import('../store/datasets.js')
      const report = await withDatabase(path, { mustExist: true }, async (database) => {
        const dataset = await requireDataset(database, name)
        const input = { source: file, captions: readCocoResults(file), system, allowMissing }
        return withProgress((progress) => importResults(database, dataset, input, progress))
      })
      process.stdout.write(describeSystemImport(name, system, report))
    })
}
