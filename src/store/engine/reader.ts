import { Worker } from 'node:worker_threads'
import { AccordError, type ErrorData, fromErrorData } from '../../errors.js'
import { createSemaphore } from '../../semaphore.js'
import type { ReadLimits } from './session.js'

/** A query for the reading thread. */
export interface ReadRequest {
  readonly text: string
  readonly values: readonly unknown[]
  readonly milliseconds: number
  /** Shared; an entry other than 0 interrupts the query. */
  readonly cancellation: Int32Array
}

/** Its rows, or why there are none. */
export type ReadAnswer =
  | { readonly columns: readonly string[]; readonly cells: readonly unknown[][] }
  | { readonly failure: ErrorData }

/** Size of the young generation of the thread's heap, in megabytes. */
const YOUNG_GENERATION_MB = 16

// Only the test runner executes sources; threads always execute the compiled files.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/store/engine/reader-thread.js' : './reader-thread.js',
  import.meta.url,
)

/** Executes queries in a thread of their own, one at a time. The thread starts with the first one. */
export function createReaderThread(options: object) {
  const semaphore = createSemaphore(1)
  let thread: Worker | undefined

  function start(): Worker {
    const started = new Worker(ENTRY, {
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    })
    started.once('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  function ask(request: ReadRequest): Promise<ReadAnswer> {
    thread ??= start()
    const asked = thread
    // A thread that has nothing to do does not keep the process alive.
    asked.ref()
    return new Promise<ReadAnswer>((resolve, reject) => {
      const fail = (cause: unknown) => reject(new Error('The reading thread ended unexpectedly.', { cause }))
      asked.once('error', fail).once('exit', fail)
      asked.once('message', (answer: ReadAnswer) => {
        asked.off('error', fail).off('exit', fail).unref()
        resolve(answer)
      })
      asked.postMessage(request)
    })
  }

  return {
    /** @throws AccordError TIMEOUT; errors of the query; the reason of the signal */
    async read(
      text: string,
      values: readonly unknown[],
      limits: ReadLimits,
    ): Promise<{ columns: readonly string[]; cells: readonly unknown[][] }> {
      const { milliseconds, signal } = limits
      const release = await semaphore.acquire(limits)
      const cancellation = new Int32Array(new SharedArrayBuffer(4))
      const interrupt = () => Atomics.store(cancellation, 0, 1)
      signal?.addEventListener('abort', interrupt, { once: true })
      try {
        const answer = await ask({ text, values, milliseconds, cancellation })
        signal?.throwIfAborted()
        if ('failure' in answer) throw fromErrorData(answer.failure)
        for (const row of answer.cells) restoreBuffers(row)
        return answer
      } finally {
        signal?.removeEventListener('abort', interrupt)
        release()
      }
    },
    async close(): Promise<void> {
      await thread?.terminate()
    },
  }
}

/** Between threads, a Buffer becomes a Uint8Array. */
function restoreBuffers(row: unknown[]): void {
  for (const [index, cell] of row.entries())
    if (cell instanceof Uint8Array) row[index] = Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength)
}

/** The error for a query that was interrupted at its limit. */
export function tooLong(): AccordError {
  return new AccordError('TIMEOUT', 'the query takes too long; search for fewer or rarer words')
}
