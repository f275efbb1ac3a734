import type { Command } from 'commander'
import { counted } from '../../shared/numbers.js'
import type { DatasetOptions } from '../accord.js'
import { asksFirst } from '../confirm.js'
import { datasetOption, nameArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { printsDatasetText, printsText } from '../report-command.js'

/** `accord remove dataset` and `accord remove system` */
export function register(program: Command): void {
  const remove = program.command('remove').description('remove a dataset or a system')
  const dataset = remove
    .command('dataset')
    .summary('a dataset with its systems')
    .description('Remove a dataset and everything that belongs to it, including its systems.')
    .addArgument(nameArgument('name of the dataset'))
  asksFirst(dataset, (name) => `Remove the dataset ${name} with its systems?`)
  printsText<[name: string]>(dataset, ['accord remove dataset coco'], async (accord, name) => {
    const { removeDataset } = await import('../../services/datasets/datasets.js')
    const systems = await removeDataset(accord, name)
    return `Removed dataset ${printable(name)} and its ${counted(systems, 'system')}\n`
  })
  const system = remove
    .command('system')
    .summary('a system of a dataset')
    .description('Remove a system with its captions or word scores and all their results.')
    .addArgument(nameArgument('name of the system'))
    .addOption(datasetOption())
  asksFirst(system, (name) => `Remove the system ${name} with its results?`)
  const examples = ['accord remove system show-and-tell --dataset coco']
  type Arguments = [name: string]
  printsDatasetText<DatasetOptions, Arguments>(system, examples, async (accord, dataset, _options, name) => {
    const { removeSystem } = await import('../../services/systems/systems.js')
    await removeSystem(accord, dataset.name, name)
    return `Removed system ${printable(name)} from dataset ${printable(dataset.name)}\n`
  })
}
