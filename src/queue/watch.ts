import { AccordError, hasCode } from '../errors.js'
import type { Database } from '../store/engine/session.js'
import { findJobs, isFinished, JOB_CHANNEL, type JobRow, PROGRESS_CHANNEL } from '../store/jobs.js'

/** Looks at jobs after each notification of the database, all watched jobs together. */
export interface Watch {
  /** @throws as `waitForEnd` of the queue */
  waitForEnd(id: number, signal?: AbortSignal): Promise<JobRow>
  /** @throws as `changesOf` of the queue */
  changesOf(id: number, signal?: AbortSignal): AsyncGenerator<JobRow>
  /** @throws as `looks` of the queue */
  looks(signal?: AbortSignal): AsyncGenerator<unknown>
  close(): Promise<void>
}

/** Interval of checks without a notification, in milliseconds. */
const POLL_INTERVAL_MS = 1000

/** Time for which calls keep waiting while the database cannot be read, in milliseconds. */
const MAX_OUTAGE_MS = 30_000

interface Watcher {
  /** Null for one that looks itself. */
  readonly id: number | null
  /** Receives the job at each look; undefined if it does not exist. */
  accept(job: JobRow | undefined): void
  reject(error: unknown): void
}

export function createWatch(database: Database): Watch {
  const watchers = new Set<Watcher>()
  let stopListening: Promise<(() => Promise<void>)[]> | undefined
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isDue = false
  /** Start of the current outage of the database. */
  let failingSince: number | null = null
  let isClosed = false

  function remove(watcher: Watcher): void {
    watchers.delete(watcher)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
    failingSince = null
  }

  async function tellAll(): Promise<void> {
    const current = [...watchers]
    const jobs = await findJobs(
      database,
      current.flatMap(({ id }) => id ?? []),
    )
    const byId = new Map(jobs.map((job) => [job.id, job]))
    for (const watcher of current) watcher.accept(watcher.id === null ? undefined : byId.get(watcher.id))
  }

  function rejectAll(error: unknown): void {
    for (const watcher of [...watchers]) {
      remove(watcher)
      watcher.reject(error)
    }
  }

  /** The job continues while the database cannot be read: the next periodic check repeats a failed one. */
  function fail(error: unknown): void {
    failingSince ??= performance.now()
    if (!isOutage(error) || performance.now() - failingSince >= MAX_OUTAGE_MS) rejectAll(error)
  }

  /** If the database cannot be reached, periodic checks replace the notifications. */
  async function startListening(): Promise<void> {
    stopListening ??= Promise.all(
      [JOB_CHANNEL, PROGRESS_CHANNEL].map((channel) => database.listen(channel, look)),
    )
    await stopListening.catch((error) => {
      stopListening = undefined
      if (!isOutage(error)) throw error
    })
  }

  /** Checks run one at a time; a notification during a check causes another one. */
  async function look(): Promise<void> {
    isDue = true
    if (isLooking) return
    isLooking = true
    while (isDue && watchers.size > 0) {
      isDue = false
      await tellAll().then(() => {
        failingSince = null
      }, fail)
    }
    isLooking = false
  }

  /** @returns a function that removes the watcher */
  async function add(watcher: Watcher, signal?: AbortSignal): Promise<() => void> {
    await startListening()
    signal?.throwIfAborted()
    if (isClosed) throw stopped()
    timer ??= setInterval(look, POLL_INTERVAL_MS)
    const abort = () => {
      remove(watcher)
      watcher.reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    watchers.add(watcher)
    look()
    return () => {
      signal?.removeEventListener('abort', abort)
      remove(watcher)
    }
  }

  /** The job at each look, the last one of those that were not read. */
  async function* looksAt(id: number | null, signal?: AbortSignal): AsyncGenerator<JobRow | undefined> {
    let unread: (() => JobRow | undefined)[] = []
    let wake = () => {}
    const tell = (read: () => JobRow | undefined) => {
      unread = [read]
      wake()
    }
    const done = await add(
      { id, reject: (error) => tell(() => raise(error)), accept: (job) => tell(() => job) },
      signal,
    )
    try {
      for (;;) {
        const [read] = unread
        unread = []
        if (read) yield read()
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    } finally {
      done()
    }
  }

  return {
    waitForEnd: (id, signal) =>
      new Promise((resolve, reject) => {
        const added: Promise<() => void> = add(
          {
            id,
            reject,
            accept(job) {
              if (job !== undefined && !isFinished(job)) return
              added.then((done) => done())
              if (job === undefined) reject(unknownJob())
              else resolve(job)
            },
          },
          signal,
        )
        added.catch(reject)
      }),
    async *changesOf(id, signal) {
      let last = ''
      for await (const job of looksAt(id, signal)) {
        if (job === undefined) throw unknownJob()
        const current = JSON.stringify(job)
        if (current !== last) yield job
        if (isFinished(job)) return
        last = current
      }
    },
    looks: (signal) => looksAt(null, signal),
    async close() {
      isClosed = true
      rejectAll(stopped())
      for (const stop of (await stopListening) ?? []) await stop()
    },
  }
}

function raise(error: unknown): never {
  throw error
}

function isOutage(error: unknown): boolean {
  return (['FILE_NOT_FOUND', 'DATABASE_UNAVAILABLE', 'BUSY'] as const).some((code) => hasCode(error, code))
}

function stopped(): AccordError {
  return new AccordError('CANCELLED', 'the server is stopping')
}

export function unknownJob(): AccordError {
  return new AccordError('UNKNOWN_JOB', 'unknown job', {
    source: 'id',
    expected: 'a job whose dataset and system were not removed',
  })
}
