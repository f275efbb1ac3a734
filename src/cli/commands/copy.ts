import type { Command } from 'commander'
import { type GlobalOptions, parseText } from '../../config.js'
import { counted } from '../../shared/numbers.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { prints } from '../report-command.js'

interface Options extends GlobalOptions {
  readonly from?: string
  readonly to: string
}

/** `accord copy` */
export function register(program: Command): void {
  const command = program
    .command('copy')
    .summary('copy a database, to SQLite or PostgreSQL')
    .description(
      'Copy a complete database to a new or empty one. Ids, links and cursors of the API stay' +
        ' valid. Jobs that have not finished are queued in the copy and start from the beginning. The copy is a' +
        ' snapshot of the source, which can be in use.',
    )
    .option(
      '--from <location>',
      'SQLite file or PostgreSQL URL to copy (default: that of --database)',
      parseText,
    )
    .requiredOption('--to <location>', 'new or empty database (required)', parseText)
  const examples = ['accord copy --from accord.sqlite --to postgres://accord@db/accord']
  prints<Options>(command, examples, async ({ database, from = database, to }) => {
    const { copyDatabase } = await import('../../services/datasets/backup.js')
    const copied = await withProgress((progress) => copyDatabase(from, to, progress))
    const { target, rowCount, tableCount } = copied
    return `Copied ${counted(rowCount, 'row')} of ${counted(tableCount, 'table')} to ${printable(target)}\n`
  })
}
