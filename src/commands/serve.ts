import type { Command } from 'commander'
import { bodyLimitOption, hostOption, meteorDataOption, portOption, type ServeOptions } from '../config.js'
import { withDatabase } from './database.js'
import { example } from './options.js'

/** `accord serve` */
export function registerServe(program: Command): void {
  program
    .command('serve')
    .summary('serve GraphQL over HTTP')
    .description(
      'Serve GraphQL over HTTP, and to browsers a page to explore it with. A database without any data set' +
        ' gets a small one first, called scenes. Ctrl-C finishes the requests under way and stops.',
    )
    .addOption(hostOption())
    .addOption(portOption())
    .addOption(bodyLimitOption())
    .addOption(meteorDataOption())
    .addHelpText('after', example('accord serve --port 8080 --database coco.sqlite'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ServeOptions>()
      const { serve } = await import('../api/server.js')
      const { loadSeed } = await import('../jobs/load-seed.js')
      const { listDatasets } = await import('../store/datasets.js')
      await withDatabase(options.database, {}, async (database) => {
        if ((await listDatasets(database)).length === 0) {
          process.stderr.write('Loading the data set scenes, which comes with Accord; this happens once.\n')
          await loadSeed(database, () => {})
        }
        const stop = stopSignal()
        const server = await serve(database, options)
        process.stdout.write(`Accord serves GraphQL at ${server.url}\n`)
        await stop
        await server.close()
      })
    })
}

/** Resolves at the first Ctrl-C or request to terminate; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
