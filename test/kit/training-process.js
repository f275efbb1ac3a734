// A process that trains a bound: training-process.js LOCATION SETTINGS. It sends a message for each mini-batch.
import { createThreads } from '../../dist/src/compute/pool.js'
import { performJob } from '../../dist/src/queue/perform.js'
import { createTrainBoundJob } from '../../dist/src/services/bounds/train-bound.js'
import { openDatabase } from '../../dist/src/store/database.js'
import { requireDataset } from '../../dist/src/store/datasets.js'

const [location, settings] = process.argv.slice(2)
const database = await openDatabase(location)
const { id: datasetId } = await requireDataset(database, 'animals')
const threads = createThreads({ threadCount: 1 })
const trainBound = {
  priority: 0,
  isResumable: true,
  load: async () => createTrainBoundJob({ checkpointInterval: 0 }),
}
const runtime = { database, kinds: { trainBound }, threads: async () => threads }
const input = { datasetId, settings: JSON.parse(settings) }
await performJob(runtime, 'trainBound', input, {
  progress(_fraction, message) {
    if (message.startsWith('training')) process.send('step')
  },
})
process.disconnect()
await database.close()
