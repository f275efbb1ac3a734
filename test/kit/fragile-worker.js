// The worker thread of the runner, but for tasks on a system called "deadly" or "broken".
import { parentPort } from 'node:worker_threads'

await import('../../dist/src/jobs/worker.js')

parentPort.on('message', ({ input }) => {
  if (input.system === 'deadly') process.exit(7)
  if (input.system === 'broken') throw new Error('no such luck')
})
