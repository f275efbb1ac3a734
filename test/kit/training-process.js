// A process that trains a bound: training-process.js LOCATION SETTINGS. It sends a message for each mini-batch.
import { createThreads } from '../../dist/src/compute/pool.js'
import { trainBound } from '../../dist/src/services/bounds/train-bound.js'
import { openDatabase } from '../../dist/src/store/database.js'
import { requireDataset } from '../../dist/src/store/datasets.js'

const [location, settings] = process.argv.slice(2)
const database = await openDatabase(location)
const dataset = await requireDataset(database, 'animals')
const report = (_fraction, message) => {
  if (message.startsWith('training')) process.send('step')
}
await trainBound(database, createThreads({ threadCount: 1 }), dataset, JSON.parse(settings), report, {
  checkpointInterval: 0,
})
