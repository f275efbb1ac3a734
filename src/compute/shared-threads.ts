import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { ResourceOptions } from './resources.js'

// Only the test runner executes sources; worker threads always execute the compiled files.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/src/compute/pool-thread.js' : './pool-thread.js',
  import.meta.url,
)

/** Size of the young generation of a worker thread's heap, in megabytes. */
const YOUNG_GENERATION = 64

/** Starts a worker thread that takes part in runs. While it is idle, it does not keep the process alive. */
export function startWorker({
  meteorFolder,
  embeddingsFile,
  objectWordsFile,
  isChairCompatible,
  metricModules,
}: ResourceOptions): Worker {
  const worker = new Worker(ENTRY, {
    workerData: {
      meteorFolder,
      embeddingsFile,
      objectWordsFile,
      isChairCompatible,
      metricModules,
    } satisfies ResourceOptions,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
  })
  worker.unref()
  return worker
}

/** Worker threads that take part in the runs of several threads of a process. */
export interface SharedThreads {
  /** Ports to all worker threads, for one more thread; transfer them to it. Threads that have ended are replaced. */
  connect(): MessagePort[]
  close(): Promise<void>
}

/** @param count number of threads, which start when the first thread is connected */
export function shareThreads(count: number, resources: ResourceOptions = {}): SharedThreads {
  let workers: Worker[] = []

  function start(): Worker {
    const worker = startWorker(resources)
    const lose = () => {
      workers = workers.filter((other) => other !== worker)
    }
    // The runs in which it took part fail, as its ports are closed.
    worker.on('error', lose).on('exit', lose)
    return worker
  }

  return {
    connect() {
      while (workers.length < count) workers.push(start())
      return workers.map((worker) => {
        const { port1, port2 } = new MessageChannel()
        worker.postMessage(port1, [port1])
        return port2
      })
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}
