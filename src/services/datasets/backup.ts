import { existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AccordError, hasCode } from '../../errors.js'
import type { Progress } from '../../progress.js'
import { checkEngine } from '../../store/check.js'
import { copyRows } from '../../store/copy.js'
import { withDatabase } from '../../store/database.js'
import { copyUploadFiles } from '../../store/uploads.js'
import { createTemporaryFolder } from '../../temporary-folder.js'

/**
 * Writes a complete database to a SQLite file, which appears, or is replaced, when it is complete. The database can be in use: the
 * file is a snapshot.
 *
 * @param location path of a SQLite file, or a URL that begins with `postgres://`
 * @throws AccordError as `openDatabase`; FILE_NOT_FOUND without its folder
 */
export async function backupDatabase(location: string, file: string, progress: Progress): Promise<void> {
  const folder = dirname(file)
  if (!existsSync(folder))
    throw new AccordError('FILE_NOT_FOUND', 'the folder does not exist', { source: folder })
  const { backupFile } = await import('../../store/backup.js')
  await withDatabase(location, { mustExist: true }, async (database) => {
    const isPostgres = database.engine === 'postgres'
    const onProgress = (share: number) => progress(isPostgres ? 0.5 + share / 2 : share, 'writing')
    // Beside the file, so that it can be renamed.
    const folder = createTemporaryFolder(`${file}.partial`)
    const [rows, copy] = ['rows', 'copy'].map((name) => join(folder.path, `${name}.sqlite`))
    try {
      if (isPostgres) {
        await withDatabase(rows, {}, (target) =>
          copyRows(database, target, (copied, all, table) => progress(copied / all / 2, `copying ${table}`)),
        )
      }
      await backupFile(isPostgres ? rows : location, copy, onProgress)
      await withDatabase(copy, {}, (target) =>
        target.transaction((session) => copyUploadFiles(database, session)),
      )
      renameSync(copy, file)
    } finally {
      folder.remove()
    }
  })
}

/**
 * Replaces the complete content of a database by that of a backup, in one transaction. Servers and workers that use the
 * database go on with the new content. A database that does not exist is created.
 *
 * @throws AccordError as `openDatabase`, also for a file that is not a database, or of a newer version; an older one is migrated
 */
export function restoreDatabase(file: string, location: string, progress: Progress): Promise<void> {
  return withDatabase(file, { mustExist: true }, async (source) => {
    // Creates or migrates it, and refuses what is not a database, or of a newer version.
    const isFile = await withDatabase(location, {}, async (target) => {
      if (target.engine === 'sqlite') return true
      const onProgress = (copied: number, all: number, table: string) =>
        progress(copied / all, `copying ${table}`)
      await copyRows(source, target, onProgress, { isReplaced: true })
      return false
    })
    if (!isFile) return
    const [problem] = await source.snapshot(checkEngine)
    if (problem !== undefined) {
      throw new AccordError('DATABASE_UNAVAILABLE', 'the backup is damaged; nothing was written', {
        source: file,
        found: problem,
      })
    }
    const { restoreFile } = await import('../../store/backup.js')
    await restoreFile(file, location, (share) => progress(share, 'writing'))
  }).catch((error) => {
    if (!hasCode(error, 'FILE_NOT_FOUND') || error.detail.source !== file) throw error
    throw new AccordError(error.code, 'no backup found', {
      ...error.detail,
      expected: 'a file of `accord backup`',
    })
  })
}

interface CopyReport {
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
