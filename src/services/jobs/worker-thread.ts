/** Entry point of worker threads. */

import { serveJobs } from '../../queue/job-thread.js'
import { createHandlers } from './handlers.js'

await serveJobs(createHandlers())
