import type { Command } from 'commander'
import type { GlobalOptions } from '../../config.js'
import { AccordError } from '../../errors.js'
import { withAccord } from '../accord.js'
import { example } from '../options.js'
import { counted, printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'

/** `accord check` */
export function registerCheck(program: Command): void {
  program
    .command('check')
    .summary('verify that a database is not damaged')
    .description(
      'Verify that a database is not damaged: its file, references between rows, and checksums and content hashes of' +
        ' captions, words, scores and trained metrics. Damage is listed, and the exit code is 1.',
    )
    .addHelpText('after', example('accord check --database accord.sqlite'))
    .action(async (_options, command: Command) => {
      const { database: location } = command.optsWithGlobals<GlobalOptions>()
      const { checkDatabaseContent } = await import('../../services/datasets/check-database.js')
      const { rowCount, problems } = await withAccord({ location, mustExist: true }, (accord) =>
        withProgress((progress) => checkDatabaseContent(accord, progress)),
      )
      for (const problem of problems) process.stdout.write(`${printable(problem)}\n`)
      if (problems.length > 0) throw damaged(location, problems.length)
      process.stdout.write(`The database is intact: ${counted(rowCount, 'row')}\n`)
    })
}

function damaged(source: string, count: number): AccordError {
  return new AccordError('INVALID_SHAPE', 'the database is damaged; restore a copy, or import again', {
    source,
    expected: 'content as it was written',
    found: counted(count, 'difference'),
  })
}
