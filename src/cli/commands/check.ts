import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { AccordError } from '../../errors.js'
import { counted, grouped } from '../../shared/numbers.js'
import { withAccord } from '../accord.js'
import { example } from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'

/** `accord check` */
export function register(program: Command): void {
  program
    .command('check')
    .summary('verify that a database is not damaged')
    .description(
      'Verify that a database is not damaged: its file, references between rows, and content hashes of datasets,' +
        ' captioning systems and trained metrics. Damage is listed, and the exit code is 1.',
    )
    .option(
      '--compact',
      'then give the space of removed rows back (SQLite); no other process may use the database',
    )
    .addHelpText('after', example('accord check --database accord.sqlite'))
    .action(async ({ compact }: { readonly compact?: boolean }, command: Command) => {
      const { database: location } = command.optsWithGlobals<GlobalOptions>()
      const { checkDatabaseContent, compactDatabase, requireCompactable } = await import(
        '../../services/datasets/check-database.js'
      )
      const { rowCount, problems } = await withAccord({ location, mustExist: true }, (accord) => {
        if (compact) requireCompactable(accord.database)
        return withProgress((progress) => checkDatabaseContent(accord, progress))
      })
      for (const problem of problems) process.stdout.write(`${printable(problem)}\n`)
      if (problems.length > 0) throw damaged(location, problems.length)
      process.stdout.write(`The database is intact: ${counted(rowCount, 'row')}\n`)
      if (!compact) return
      const { before, after } = await compactDatabase(location)
      process.stdout.write(`Compacted: ${kilobytes(before)} before, ${kilobytes(after)} after\n`)
    })
}

function kilobytes(bytes: number): string {
  return `${grouped(Math.ceil(bytes / 1000))} kB`
}

function damaged(source: string, count: number): AccordError {
  return new AccordError('DATABASE_UNAVAILABLE', 'the database is damaged; restore a copy, or import again', {
    source,
    expected: 'content as it was written',
    found: counted(count, 'difference'),
  })
}
