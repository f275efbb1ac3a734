// A worker thread for tests: a comparison job behaves as specified by the name of its metric.
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { AccordError } from '../../dist/src/errors.js'
import { serveJobs } from '../../dist/src/queue/job-thread.js'
import { findJobs } from '../../dist/src/store/jobs.js'

// Suppresses the log of bugs.
console.error = () => {}

const acts = {
  echo: ({ input }) => input.systemIds,
  exit: () => process.exit(7),
  async 'exit once'({ id, database }) {
    const [{ attempts }] = await findJobs(database, [id])
    if (attempts === 1) process.exit(7)
    return ['survived']
  },
  async 'busy once'({ id, database }) {
    const [{ attempts }] = await findJobs(database, [id])
    if (attempts === 1) throw new AccordError('BUSY', 'another process is writing to the database')
    return ['done']
  },
  throw: () =>
    new Promise(() => {
      setTimeout(() => {
        throw new Error('no such luck')
      })
    }),
  bug() {
    throw new Error('no such luck')
  },
  refuse() {
    throw new AccordError('UNKNOWN_METRIC', 'unknown metric', { source: 'metric', found: '"X"' })
  },
  async wait({ progress }) {
    for (;;) {
      progress(0.25, 'waiting')
      await sleep(10)
    }
  },
  /** Computes for a number of milliseconds without a pause. */
  compute({ input, progress }) {
    for (const end = performance.now() + input.systemIds[0]; performance.now() < end; )
      progress(0.5, 'computing')
    return ['computed']
  },
  /** The same until a file exists. */
  'compute until told'({ progress }) {
    while (!existsSync(process.env.ACCORD_TEST_END)) progress(0.5, 'computing')
    return ['computed']
  },
  hang: () => new Promise(() => {}),
}

const compare = {
  priority: 30,
  load: async () => async (context) => acts[context.input.figures[0].metric](context),
}
await serveJobs({ compare }, () => ({ close: async () => {} }))
