// A worker thread that divides computations on more than four images into shards of three.

import { serveJobs } from '../../dist/src/queue/job-thread.js'
import { openJobPool } from '../../dist/src/services/workers/job-pool.js'
import { createKinds } from '../../dist/src/services/workers/kinds.js'

await serveJobs(createKinds({ maxUndividedImages: 4, parts: 1, imagesPerPart: 3 }), openJobPool)
