// A worker thread that divides computations on more than four images into shards of three.
import { createHandlers } from '../../dist/src/jobs/handlers.js'
import { serveJobs } from '../../dist/src/jobs/thread.js'

await serveJobs(createHandlers({ maxUndividedImages: 4, imagesPerShard: 3 }))
