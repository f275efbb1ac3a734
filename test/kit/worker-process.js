// A process of workers: worker-process.js LOCATION COUNT THREAD, where THREAD is a file of this folder.
import { shareThreads } from '../../dist/src/compute/shared-threads.js'
import { startWorkers } from '../../dist/src/queue/worker.js'
import { KINDS } from '../../dist/src/services/workers/kinds.js'

const [location, count, thread] = process.argv.slice(2)
const entry = new URL(thread, import.meta.url)
await startWorkers({ location, count: Number(count) }, KINDS, entry, shareThreads(1))
process.send('ready')
