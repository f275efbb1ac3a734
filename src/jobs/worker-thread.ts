/** Entry point of worker threads. */
import { createHandlers } from './handlers.js'
import { serveJobs } from './thread.js'

await serveJobs(createHandlers())
