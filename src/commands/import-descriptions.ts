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

/** `accord import descriptions` */
export function registerImportDescriptions(imports: Command): void {
  imports
    .command('descriptions')
    .summary("which boxes a system's descriptions name")
    .description(
      'Import which boxes the descriptions of a system name, one description per image. They join the captions of' +
        ' a captioning system of the same name, whose text they must have; where there is none, a system is made' +
        ' that has descriptions and no captions.',
    )
    .addArgument(
      fileArgument(
        'JSON array of {"image_id": 7, "caption": "a [woman](2) in a [car](3)"} or {"image_id": 7, "mentions": [2, 3]}',
      ),
    )
    .addOption(datasetOption())
    .addOption(systemOption())
    .addOption(allowMissingOption())
    .addHelpText(
      'after',
      example('accord import descriptions named.json --dataset flickr --system captioner'),
    )
    .action(async (file: string, _options, command: Command) => {
      const {
        database: path,
        dataset: name,
        system,
        allowMissing = false,
      } = command.optsWithGlobals<Options>()
      const { importDescriptions } = await import('../jobs/import-boxes.js')
      const { requireDataset } = await import('../store/datasets.js')
      const report = await withDatabase(path, { mustExist: true }, async (database) => {
        const dataset = await requireDataset(database, name)
        return withProgress((progress) =>
          importDescriptions(database, dataset, { file, system, allowMissing }, progress),
        )
      })
      process.stdout.write(describeSystemImport(name, system, report))
    })
}
