import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { AccordError } from '../../errors.js'
import type { Progress } from '../../progress.js'
import { copyRows } from '../../store/copy.js'
import { withDatabase } from '../../store/database.js'

/**
 * Writes a complete database to a new SQLite file, which appears when it is complete. The database can be in use: the file is
 * a snapshot.
 *
 * @param location path of a SQLite file, or a URL that begins with `postgres://`
 * @throws AccordError as `openDatabase`; NOT_APPLICABLE if the file exists; FILE_NOT_FOUND without its folder
 */
export async function backupDatabase(location: string, file: string, progress: Progress): Promise<void> {
  if (existsSync(file)) {
    throw new AccordError('NOT_APPLICABLE', 'the file exists', { source: file, expected: 'a new file' })
  }
  const folder = dirname(file)
  if (!existsSync(folder))
    throw new AccordError('FILE_NOT_FOUND', 'the folder does not exist', { source: folder })
  const { backupFile } = await import('../../store/backup.js')
  await withDatabase(location, { mustExist: true }, async (database) => {
    const isPostgres = database.engine === 'postgres'
    const onProgress = (share: number) => progress(isPostgres ? 0.5 + share / 2 : share, 'writing')
    if (!isPostgres) return backupFile(location, file, onProgress)
    await withTemporary(file, async (temporary) => {
      await withDatabase(temporary, {}, (target) =>
        copyRows(database, target, (copied, all, table) => progress(copied / all / 2, `copying ${table}`)),
      )
      await backupFile(temporary, file, onProgress)
    })
  })
}

async function withTemporary(file: string, use: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${file}.${process.pid}.rows`
  try {
    await use(temporary)
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(temporary + suffix, { force: true })
  }
}

/**
 * Replaces the complete content of a database by that of a backup, in one transaction. Servers and workers that use the
 * database go on with the new content. A database that does not exist is created.
 *
 * @throws AccordError as `openDatabase`, also for a file that is not a database of this version of Accord
 */
export function restoreDatabase(file: string, location: string, progress: Progress): Promise<void> {
  return withDatabase(file, { mustExist: true }, async (source) => {
    // Creates it, and refuses what is not a database of this version.
    const isFile = await withDatabase(location, {}, async (target) => {
      if (target.engine === 'sqlite') return true
      const onProgress = (copied: number, all: number, table: string) =>
        progress(copied / all, `copying ${table}`)
      await copyRows(source, target, onProgress, { isReplaced: true })
      return false
    })
    if (!isFile) return
    const { restoreFile } = await import('../../store/backup.js')
    await restoreFile(file, location, (share) => progress(share, 'writing'))
  })
}
