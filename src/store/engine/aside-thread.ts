/** Entry point of the thread that reads a SQLite file for {@link createAside}. */
import { parentPort, workerData } from 'node:worker_threads'
import { AccordError } from '../../errors.js'
import type { AsideAnswer, AsideRequest } from './aside.js'
import { connect, readCells, type SqliteOptions, translateSqliteError } from './sqlite.js'

if (!parentPort) throw new Error('This file is the entry point of a worker thread.')
const port = parentPort
const options = workerData as SqliteOptions
let mustStop = () => false
const connection = connect({ ...options, isReadOnly: true }, () => mustStop())

port.on('message', ({ text, values, milliseconds, order }: AsideRequest) => {
  const deadline = performance.now() + milliseconds
  mustStop = () => performance.now() > deadline || Atomics.load(order, 0) !== 0
  port.postMessage(answer(text, values))
})

function answer(text: string, values: readonly unknown[]): AsideAnswer {
  try {
    const prepared = connection.prepare(text)
    return { columns: prepared.columns, cells: readCells(prepared, values) }
  } catch (thrown) {
    const error = translateSqliteError(thrown, options.file)
    if (!(error instanceof AccordError)) return { failure: String((error as Error).stack ?? error) }
    const { code, summary, detail } = error
    return { refusal: { code, summary, detail } }
  }
}
