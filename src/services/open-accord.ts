import { performJob } from '../queue/perform.js'
import { createQueue } from '../queue/queue.js'
import { openDatabase } from '../store/database.js'
import { readOnlyDatabase } from '../store/engine/sqlite-file.js'
import type { Accord, AccordOptions, Client } from './accord.js'
import { type JobInput, type JobName, type JobResult, KINDS } from './jobs/kinds.js'

/**
 * Opens a database for the services.
 *
 * @throws AccordError as {@link openDatabase}
 */
export async function openAccord(options: AccordOptions): Promise<Accord> {
  const database = await openDatabase(options.location, options)
  const queue = createQueue(database, KINDS)
  const releases = [queue.close]

  const accord: Accord = {
    options,
    database,
    queue,
    async run(kind, input, client = {}) {
      const { isQuery = false } = KINDS[kind]
      const { isReadOnly } = database
      if (isQuery && (isReadOnly || !options.hasWorkers)) return answer(accord, kind, input, client)
      if (isReadOnly) throw readOnlyDatabase(database.location)
      if (!options.hasWorkers) {
        return performJob({ database, kinds: KINDS, threads: accord.threads }, kind, input, client)
      }
      const { id } = await queue.enqueue(database, kind, input, client)
      return queue.waitForResult(kind, id, client.signal)
    },
    async start(kind, input, client = {}, session = database) {
      if (database.isReadOnly) throw readOnlyDatabase(database.location)
      return queue.enqueue(session, kind, input, client)
    },
    async threads() {
      const { refreshComposites, threadsOf } = await import('./shared/computing.js')
      await refreshComposites(accord)
      return threadsOf(accord)
    },
    beforeClose(release) {
      releases.push(release)
    },
    async close() {
      for (const release of releases) await release()
      await database.close()
    },
  }
  return accord
}

/** Answers a query in this process, without a row in the queue. */
async function answer<Name extends JobName>(
  { database, threads }: Accord,
  kind: Name,
  input: JobInput<Name>,
  { signal, progress }: Client,
): Promise<JobResult<Name>> {
  const handler = (await KINDS[kind].load()) as unknown as (context: object) => Promise<JobResult<Name>>
  return handler({
    input,
    database,
    threads,
    progress(fraction: number, message: string) {
      signal?.throwIfAborted()
      progress?.(fraction, message)
    },
  })
}
