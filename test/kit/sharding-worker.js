// A worker thread that divides computations on more than four images into shards of three.

import { serveJobs } from '../../dist/src/queue/job-thread.js'
import { createHandlers } from '../../dist/src/services/jobs/handlers.js'

await serveJobs(createHandlers({ maxUndividedImages: 4, imagesPerShard: 3 }))
