import { AccordError } from '../errors.js'
import { requireReadable } from '../formats/io/files.js'
import { requireFolder } from '../formats/pictures/picture-folder.js'
import { VERSION } from '../project.js'
import { performJob } from '../queue/perform.js'
import { createQueue, DEFAULT_OWNER, datasetsOf, keyOf } from '../queue/queue.js'
import { openDatabase } from '../store/database.js'
import { readContentState } from '../store/datasets.js'
import type { Database } from '../store/engine/session.js'
import { readOnlyDatabase } from '../store/engine/sqlite-file.js'
import { findAnswer, insertAnswer, type NewAnswer } from '../store/jobs.js'
import type { Accord, AccordOptions, Client } from './shared/accord.js'
import { createCache } from './shared/cache.js'
import type { JobInput, JobName, JobResult } from './shared/job-kinds.js'
import { KINDS } from './workers/kinds.js'

/**
 * Opens a database for the services.
 *
 * @throws AccordError as {@link openDatabase}; FILE_NOT_FOUND for a file that cannot be read; of the folder of pictures
 */
export async function openAccord(options: AccordOptions): Promise<Accord> {
  for (const file of options.reads ?? []) requireReadable(file)
  if (options.imagesFolder !== undefined) await requireFolder(options.imagesFolder)
  const database = await openDatabase(options.location, {
    ...options,
    removeEmpty: options.reads !== undefined,
  })
  const queue = createQueue(database, KINDS, { mayLackWorkers: options.mayLackWorkers })
  const releases = [queue.close]

  const accord: Accord = {
    options,
    database,
    queue,
    async run(kind, input, client = {}) {
      const { isQuery = false } = KINDS[kind]
      const { isReadOnly } = database
      if (isQuery) return ask(accord, kind, input, client)
      if (isReadOnly) throw readOnlyDatabase(database.location)
      if (!options.hasWorkers) {
        return performJob({ database, kinds: KINDS, threads: accord.threads }, kind, input, client)
      }
      return queue.request(kind, input, client)
    },
    async start(kind, input, client = {}, session = database) {
      if (database.isReadOnly) throw readOnlyDatabase(database.location)
      return queue.enqueue(session, kind, input, client)
    },
    async threads() {
      const { refreshMetrics, threadsOf } = await import('./shared/computing.js')
      await refreshMetrics(accord)
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

/** Raised where the same question has another answer: those that are stored are computed again. */
const ANSWERS_REVISION = 3

/** Answers that are cached in memory, in addition to those in the database. */
const answersOf = createCache<object>(64)

/** Answers a query: as before, if nothing that it asks about has changed; otherwise by a worker or in this process. */
async function ask<Name extends JobName>(
  accord: Accord,
  kind: Name,
  input: JobInput<Name>,
  client: Client,
): Promise<JobResult<Name>> {
  const { database, queue, options } = accord
  const answers = answersOf(database)
  const datasetIds = await datasetsOf(database, KINDS[kind], input)
  // Other resources, and other versions of the program, may have other answers.
  const source = [
    VERSION,
    ANSWERS_REVISION,
    options.meteorFolder,
    options.embeddingsFile,
    await readContentState(database, datasetIds),
  ]
  const cacheKey = keyOf(`${kind} ${JSON.stringify(source)}`, input)
  const known = answers.get(cacheKey) ?? (await findAnswer(database, cacheKey))
  if (known != null) {
    answers.set(cacheKey, known as object)
    return known as JobResult<Name>
  }
  let result: JobResult<Name>
  if (options.hasWorkers && !database.isReadOnly) {
    result = await queue.request(kind, input, { ...client, cacheKey })
  } else {
    result = await answer(accord, kind, input, client)
    if (!database.isReadOnly)
      await keepAnswer(database, { kind, input, cacheKey, result, datasetId: datasetIds[0] ?? null })
  }
  if (result !== null) answers.set(cacheKey, result)
  return result
}

/** If the database stays busy, the answer is computed again when it is next asked for. */
async function keepAnswer(
  database: Database,
  { input, ...answered }: Omit<NewAnswer, 'owner' | 'input'> & { readonly input: unknown },
): Promise<void> {
  const job = { ...answered, owner: DEFAULT_OWNER, input: JSON.stringify(input) }
  await database
    .transaction((session) => insertAnswer(session, job))
    .catch((error: unknown) => {
      if (!(error instanceof AccordError)) throw error
    })
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
