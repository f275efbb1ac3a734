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

/** `accord import descriptions` */
export function registerImportDescriptions(imports: Command): void {
  imports
    .command('descriptions')
    .summary("boxes that a system's descriptions mention")
    .description(
      'Import the boxes that a system mentions, one description per image. If a system with captions of' +
        ' this name exists, they are added to its captions and must have the same text. Otherwise a system with' +
        ' descriptions only is created.',
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
          const report = await withProgress((progress) =>
            accord.run('importDescriptions', input, { progress }),
          )
          return describeSystemImport({ dataset, system }, report)
        },
      )
      process.stdout.write(summary)
    })
}
