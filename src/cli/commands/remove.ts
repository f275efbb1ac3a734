import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { type DatasetOptions, withAccord, withDataset } from '../accord.js'
import { datasetOption, example, nameArgument } from '../options.js'
import { counted, printable } from '../output/formats.js'

/** `accord remove dataset` and `accord remove system` */
export function registerRemove(program: Command): void {
  const remove = program.command('remove').description('remove a dataset or a system, without confirmation')
  remove
    .command('dataset')
    .summary('a dataset with its systems')
    .description('Remove a dataset and everything that belongs to it, including its systems.')
    .addArgument(nameArgument('name of the dataset'))
    .addHelpText('after', example('accord remove dataset coco'))
    .action(async (name: string, _options, command: Command) => {
      const { database: location } = command.optsWithGlobals<GlobalOptions>()
      const { removeDataset } = await import('../../services/datasets/datasets.js')
      const systems = await withAccord({ location, mustExist: true }, (accord) => removeDataset(accord, name))
      process.stdout.write(`Removed dataset ${printable(name)} and its ${counted(systems, 'system')}\n`)
    })
  remove
    .command('system')
    .summary('a system of a dataset')
    .description('Remove a system with its captions or word scores and all their results.')
    .addArgument(nameArgument('name of the system'))
    .addOption(datasetOption())
    .addHelpText('after', example('accord remove system show-and-tell --dataset coco'))
    .action(async (name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<DatasetOptions>()
      const { removeSystem } = await import('../../services/systems/systems.js')
      const dataset = await withDataset(options, async (accord, dataset) => {
        await removeSystem(accord, dataset.name, name)
        return dataset.name
      })
      process.stdout.write(`Removed system ${printable(name)} from dataset ${printable(dataset)}\n`)
    })
}
