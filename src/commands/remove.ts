import type { Command } from 'commander'
import type { GlobalOptions } from '../config.js'
import { withDatabase } from './database.js'
import { datasetOption, example, nameArgument } from './options.js'
import { counted, printable } from './output.js'

/** `accord remove dataset` and `accord remove system` */
export function registerRemove(program: Command): void {
  const remove = program.command('remove').description('remove a data set or a system, without asking')
  remove
    .command('dataset')
    .summary('a data set with its systems')
    .description('Remove a data set with everything that belongs to it, its systems included.')
    .addArgument(nameArgument('name of the data set'))
    .addHelpText('after', example('accord remove dataset coco'))
    .action(async (name: string, _options, command: Command) => {
      const { database: path } = command.optsWithGlobals<GlobalOptions>()
      const { deleteDataset, requireDataset } = await import('../store/datasets.js')
      const { listSystems } = await import('../store/systems.js')
      const systems = await withDatabase(path, { mustExist: true }, async (database) => {
        const dataset = await requireDataset(database, name)
        const { length } = await listSystems(database, dataset.id)
        deleteDataset(database, dataset.id)
        return length
      })
      process.stdout.write(`Removed data set ${printable(name)} and its ${counted(systems, 'system')}\n`)
    })
  remove
    .command('system')
    .summary('a system of a data set')
    .description('Remove a system with its captions or word scores and all results on them.')
    .addArgument(nameArgument('name of the system'))
    .addOption(datasetOption())
    .addHelpText('after', example('accord remove system show-and-tell --dataset coco'))
    .action(async (name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly dataset: string }>()
      const { requireDataset } = await import('../store/datasets.js')
      const { deleteSystem, requireSystem } = await import('../store/systems.js')
      await withDatabase(options.database, { mustExist: true }, async (database) => {
        const dataset = await requireDataset(database, options.dataset)
        deleteSystem(database, (await requireSystem(database, dataset.id, name)).id)
      })
      process.stdout.write(`Removed system ${printable(name)} from data set ${printable(options.dataset)}\n`)
    })
}
