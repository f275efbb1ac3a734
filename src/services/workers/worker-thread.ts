/** Entry point of worker threads. */
import { serveJobs } from '../../queue/job-thread.js'
import { openJobPool } from './job-pool.js'
import { KINDS } from './kinds.js'

await serveJobs(KINDS, openJobPool)
