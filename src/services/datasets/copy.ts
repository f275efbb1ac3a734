import type { Progress } from '../../progress.js'
import { copyRows } from '../../store/copy.js'
import { withDatabase } from '../../store/database.js'

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
 * @throws AccordError as `openDatabase`; NOT_APPLICABLE if the target is not empty
 */
export function copyDatabase(from: string, to: string, progress: Progress): Promise<CopyReport> {
  return withDatabase(from, { mustExist: true }, (source) =>
    withDatabase(to, {}, async (target) => {
      const copied = await copyRows(source, target, (rows, all, table) =>
        progress(rows / all, `copying ${table}`),
      )
      const counts = [...copied.values()]
      return {
        target: target.location,
        tableCount: counts.filter((count) => count > 0).length,
        rowCount: counts.reduce((sum, count) => sum + count, 0),
      }
    }),
  )
}
