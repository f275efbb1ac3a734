import type { Command } from 'commander'
import {
  embeddingsOption,
  type GlobalOptions,
  logOption,
  meteorDataOption,
  workersOption,
} from '../../config.js'
import { logAsJson } from '../../log.js'
import { counted } from '../../shared/numbers.js'
import { withAccord } from '../accord.js'
import { example } from '../options.js'
import { stopSignal } from '../stop-signal.js'

interface Options extends GlobalOptions {
  readonly workers: number
  readonly log?: 'json'
  readonly meteorData?: string
  readonly embeddings?: string
}

/** `accord worker` */
export function register(program: Command): void {
  program
    .command('worker')
    .summary('execute the jobs of a database')
    .description(
      'Execute imports, evaluations and other jobs that servers add to the queue of the database. Any number of' +
        ' servers and workers, also on several machines, can share a PostgreSQL database. Ctrl-C stops the worker; jobs' +
        ' that do not finish within 5 s return to the queue.',
    )
    .addOption(workersOption(1))
    .addOption(logOption())
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addHelpText('after', example('accord worker --database postgres://accord@db/accord --workers 8'))
    .action(async (_options, command: Command) => {
      const {
        database: location,
        workers: count,
        log,
        meteorData: meteorFolder,
        embeddings: embeddingsFile,
      } = command.optsWithGlobals<Options>()
      const { startWorkers } = await import('../../services/workers/workers.js')
      const stop = stopSignal()
      await withAccord({ location, mustExist: true, meteorFolder, embeddingsFile }, async ({ database }) => {
        const workers = await startWorkers({
          location,
          count,
          meteorFolder,
          embeddingsFile,
          log: log && logAsJson,
        })
        process.stdout.write(`Executing the jobs of ${database.location} in ${counted(count, 'thread')}\n`)
        await stop
        await workers.close()
      })
    })
}
