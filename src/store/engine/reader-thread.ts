/** Entry point of the thread that reads a SQLite file for {@link createReaderThread}. */
import { parentPort, workerData } from 'node:worker_threads'
import { toErrorData } from '../../errors.js'
import type { ReadAnswer, ReadRequest } from './reader.js'
import { connect, readCells, type SqliteOptions, translateSqliteError } from './sqlite.js'

if (!parentPort) throw new Error('This file is the entry point of a worker thread.')
const port = parentPort
const options = workerData as SqliteOptions
let mustStop = () => false
const connection = connect({ ...options, isReadOnly: true }, () => mustStop())

port.on('message', ({ text, values, milliseconds, cancellation }: ReadRequest) => {
  const deadline = performance.now() + milliseconds
  mustStop = () => performance.now() > deadline || Atomics.load(cancellation, 0) !== 0
  port.postMessage(answer(text, values))
})

function answer(text: string, values: readonly unknown[]): ReadAnswer {
  try {
    const prepared = connection.prepare(text)
    return { columns: prepared.columns, cells: readCells(prepared, values) }
  } catch (thrown) {
    return { failure: toErrorData(translateSqliteError(thrown, options.file)) }
  }
}
