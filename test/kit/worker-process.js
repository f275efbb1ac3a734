// A process of workers: worker-process.js LOCATION COUNT THREAD, where THREAD is a file of this folder.
import { startWorkers } from '../../dist/src/queue/worker.js'
import { KINDS } from '../../dist/src/services/jobs/kinds.js'

const [location, count, thread] = process.argv.slice(2)
await startWorkers({ location, count: Number(count) }, KINDS, new URL(thread, import.meta.url))
process.send('ready')
