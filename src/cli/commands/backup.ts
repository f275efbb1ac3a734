import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { asksFirst } from '../confirm.js'
import { example, realFileArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { checkOutput, forceOption } from '../output/output-file.js'
import { withProgress } from '../output/progress.js'

/** `accord backup` and `accord restore` */
export function register(program: Command): void {
  program
    .command('backup')
    .summary('write the database to a file')
    .description(
      'Write the complete database to a SQLite file. Servers and workers can go on: the file is a snapshot. It appears' +
        ' when it is complete.',
    )
    .addArgument(realFileArgument('SQLite file'))
    .addOption(forceOption())
    .addHelpText('after', example('accord backup accord-2026-01-31.sqlite'))
    .action(async (file: string, _options, command: Command) => {
      const { database, force } = command.optsWithGlobals<GlobalOptions & { readonly force?: true }>()
      checkOutput(file, force)
      const { backupDatabase } = await import('../../services/datasets/backup.js')
      await withProgress((progress) => backupDatabase(database, file, progress))
      process.stdout.write(`Wrote ${printable(file)}\n`)
    })
  const restore = program
    .command('restore')
    .summary('replace the database with a backup')
    .description(
      'Replace the complete content of the database by that of a backup, in one transaction. Servers and workers can go on,' +
        ' with the new content. What was written since the backup is lost.',
    )
    .addArgument(realFileArgument('file of accord backup'))
    .addHelpText('after', example('accord restore accord-2026-01-31.sqlite'))
  asksFirst(restore, (file) => `Replace the whole database by ${file}?`).action(
    async (file: string, _options, command: Command) => {
      const { database } = command.optsWithGlobals<GlobalOptions>()
      const { restoreDatabase } = await import('../../services/datasets/backup.js')
      await withProgress((progress) => restoreDatabase(file, database, progress))
      process.stdout.write(`Restored the database from ${printable(file)}\n`)
    },
  )
}
