export { startWorkers, type WorkerOptions, type Workers } from '../jobs/worker.js'
