import type { Progress } from '../../progress.js'
import { copyRows } from '../../store/copy.js'
import { openDatabase } from '../../store/database.js'

export interface CopyReport {
  /** Location of the copy, without a password. */
  readonly target: string
  readonly tableCount: number
  readonly rowCount: number
}

/**
 * Copies a database to a new or empty one, on the same engine or the other. The source does not change.
 *
 * @param from path of a SQLite file, or a URL that begins with `postgres://`
 * @throws AccordError as {@link openDatabase}; NOT_APPLICABLE if the target is not empty
 */
export async function copyDatabase(from: string, to: string, progress: Progress): Promise<CopyReport> {
  const source = await openDatabase(from, { mustExist: true })
  try {
    const target = await openDatabase(to)
    try {
      const counts = [
        ...(
          await copyRows(source, target, (copied, all, table) => progress(copied / all, `copying ${table}`))
        ).values(),
      ]
      return {
        target: target.location,
        tableCount: counts.filter((count) => count > 0).length,
        rowCount: counts.reduce((sum, count) => sum + count, 0),
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
