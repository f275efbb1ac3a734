import { type Command, Option } from 'commander'
import { parseText } from '../../config.js'
import { counted } from '../../shared/numbers.js'
import { example } from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'

interface Options {
  readonly from: string
  readonly to: string
}

/** `accord copy` */
export function register(program: Command): void {
  program
    .command('copy')
    .summary('copy a database, to SQLite or PostgreSQL')
    .description(
      'Copy a complete database to a new or empty one. Ids, links and cursors of the API stay' +
        ' valid. Jobs that have not finished are queued in the copy and start from the beginning. The copy is a' +
        ' snapshot of the source, which can be in use.',
    )
    .addOption(locationOption('--from <location>', 'SQLite file or PostgreSQL URL to copy (required)'))
    .addOption(locationOption('--to <location>', 'new or empty database (required)'))
    .addHelpText('after', example('accord copy --from accord.sqlite --to postgres://accord@db/accord'))
    .action(async (_options, command: Command) => {
      const { from, to } = command.opts<Options>()
      const { copyDatabase } = await import('../../services/datasets/backup.js')
      const { target, rowCount, tableCount } = await withProgress((progress) =>
        copyDatabase(from, to, progress),
      )
      process.stdout.write(
        `Copied ${counted(rowCount, 'row')} of ${counted(tableCount, 'table')} to ${printable(target)}\n`,
      )
    })
}

const locationOption = (flags: string, description: string) =>
  new Option(flags, description).argParser(parseText).makeOptionMandatory()
