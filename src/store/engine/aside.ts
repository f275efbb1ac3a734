import { Worker } from 'node:worker_threads'
import { AccordError, type ErrorCode, type ErrorDetail } from '../../errors.js'
import { createPlaces } from '../../places.js'
import type { ReadLimits } from './session.js'

/** A query for the reading thread. */
export interface AsideRequest {
  readonly text: string
  readonly values: readonly unknown[]
  readonly milliseconds: number
  /** Shared; an entry other than 0 interrupts the query. */
  readonly order: Int32Array
}

/** Its rows, or why there are none. */
export type AsideAnswer =
  | { readonly columns: readonly string[]; readonly cells: readonly unknown[][] }
  | { readonly refusal: { readonly code: ErrorCode; readonly summary: string; readonly detail: ErrorDetail } }
  | { readonly failure: string }

/** Size of the young generation of the thread's heap, in megabytes. */
const YOUNG_GENERATION_MB = 16

// Only the test runner executes sources; threads always execute the compiled files.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/store/engine/aside-thread.js' : './aside-thread.js',
  import.meta.url,
)

/** Executes queries in a thread of their own, one at a time. The thread starts with the first one. */
export function createAside(options: object) {
  const places = createPlaces(1)
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

  function ask(request: AsideRequest): Promise<AsideAnswer> {
    thread ??= start()
    const asked = thread
    // A thread that has nothing to do does not keep the process alive.
    asked.ref()
    return new Promise<AsideAnswer>((resolve, reject) => {
      const fail = (cause: unknown) => reject(new Error('The reading thread ended unexpectedly.', { cause }))
      asked.once('error', fail).once('exit', fail)
      asked.once('message', (answer: AsideAnswer) => {
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
      const leave = await places.take(limits)
      const order = new Int32Array(new SharedArrayBuffer(4))
      const interrupt = () => Atomics.store(order, 0, 1)
      signal?.addEventListener('abort', interrupt, { once: true })
      try {
        const answer = await ask({ text, values, milliseconds, order })
        signal?.throwIfAborted()
        if ('failure' in answer) throw new Error(answer.failure)
        if ('refusal' in answer) throw toError(answer.refusal)
        for (const row of answer.cells) restoreBuffers(row)
        return answer
      } finally {
        signal?.removeEventListener('abort', interrupt)
        leave()
      }
    },
    async close(): Promise<void> {
      await thread?.terminate()
    },
  }
}

function toError({ code, summary, detail }: { code: ErrorCode; summary: string; detail: ErrorDetail }) {
  return new AccordError(code, summary, detail)
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
