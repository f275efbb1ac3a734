import { AccordError } from '../errors.js'
import type { Database } from './database.js'

/**
 * Runs asynchronous `work` in one transaction that takes the write lock at once; whatever it throws undoes all of
 * it, as does the end of the process. All that the connection does meanwhile is part of the transaction, so this
 * is for times when nothing else uses it: before a server listens.
 *
 * @throws AccordError BUSY where another process keeps writing
 */
export async function inLongTransaction<T>(
  { connection, file }: Database,
  work: () => Promise<T>,
): Promise<T> {
  try {
    connection.exec('BEGIN IMMEDIATE')
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    throw new AccordError('BUSY', 'another process is writing to the database; try again when it is done', {
      source: file,
    })
  }
  try {
    const result = await work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}
