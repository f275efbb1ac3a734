import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { asksFirst } from '../confirm.js'
import { realFileArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { checkOutput, forceOption } from '../output/output-file.js'
import { withProgress } from '../output/progress.js'
import { prints } from '../report-command.js'

interface BackupOptions extends GlobalOptions {
  readonly force?: true
}

/** `accord backup` and `accord restore` */
export function register(program: Command): void {
  const backup = program
    .command('backup')
    .summary('write the database to a file')
    .description(
      'Write the complete database to a SQLite file. Servers and workers can go on: the file is a snapshot. It appears' +
        ' when it is complete.',
    )
    .addArgument(realFileArgument('SQLite file'))
    .addOption(forceOption())
  type Arguments = [file: string]
  const written = ['accord backup accord-2026-01-31.sqlite']
  prints<BackupOptions, Arguments>(backup, written, async ({ database, force }, file) => {
    checkOutput(file, force)
    const { backupDatabase } = await import('../../services/datasets/backup.js')
    await withProgress((progress) => backupDatabase(database, file, progress))
    return `Wrote ${printable(file)}\n`
  })
  const restore = program
    .command('restore')
    .summary('replace the database with a backup')
    .description(
      'Replace the complete content of the database by that of a backup, in one transaction. Servers and workers can go on,' +
        ' with the new content. What was written since the backup is lost.',
    )
    .addArgument(realFileArgument('file of accord backup'))
  asksFirst(restore, (file) => `Replace the whole database by ${file}?`)
  const read = ['accord restore accord-2026-01-31.sqlite']
  prints<GlobalOptions, Arguments>(restore, read, async ({ database }, file) => {
    const { restoreDatabase } = await import('../../services/datasets/backup.js')
    await withProgress((progress) => restoreDatabase(file, database, progress))
    return `Restored the database from ${printable(file)}\n`
  })
}
