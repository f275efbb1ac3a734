import { chmodSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { AccordError } from '../../errors.js'
import { BetterSqlite3 } from './better-sqlite3.js'

/** Minimum time between two checks that the file was not removed or replaced, in milliseconds. */
const FILE_CHECK_INTERVAL_MS = 250

/**
 * A connection to a file. The shared memory of SQLite's write-ahead log requires a writable folder: in a read-only
 * folder, a copy of the file and its log is read instead.
 */
export function openFile(file: string, options: Sqlite.Options): Sqlite.Database {
  const database = new BetterSqlite3(file, options)
  if (!options.readonly) return database
  try {
    database.pragma('schema_version')
    return database
  } catch (error) {
    database.close()
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(String((error as { code?: unknown }).code))) throw error
    return openCopy(file, options, error)
  }
}

/** @throws `reason` if the file is not readable */
function openCopy(file: string, options: Sqlite.Options, reason: unknown): Sqlite.Database {
  const folder = mkdtempSync(join(tmpdir(), 'accord-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'copy.sqlite')
    copyReadable(file, copy, reason)
    if (existsSync(`${file}-wal`)) copyReadable(`${file}-wal`, `${copy}-wal`, reason)
    const database = new BetterSqlite3(copy, options)
    const close = database.close.bind(database)
    database.close = () => {
      close()
      remove()
      return database
    }
    return database
  } catch (error) {
    remove()
    throw error
  }
}

function copyReadable(file: string, copy: string, reason: unknown): void {
  try {
    copyFileSync(file, copy, constants.COPYFILE_FICLONE)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') throw reason
    throw new AccordError(
      'RESOURCE_MISSING',
      'the folder is not writable, and the database cannot be copied',
      { source: file, expected: `free space in ${tmpdir()}`, found: message },
    )
  }
  // The copy has the mode of the file, which may be read-only.
  chmodSync(copy, 0o600)
}

/** Whether a file is still the one that was opened: SQLite continues to read a file that was removed or replaced. */
export function createFileCheck(file: string): () => boolean {
  const opened = statSync(file, { throwIfNoEntry: false })
  let isInPlace = true
  let nextCheck = performance.now() + FILE_CHECK_INTERVAL_MS
  return () => {
    const now = performance.now()
    if (now >= nextCheck) {
      const found = statSync(file, { throwIfNoEntry: false })
      isInPlace = found !== undefined && found.ino === opened?.ino && found.dev === opened.dev
      nextCheck = now + FILE_CHECK_INTERVAL_MS
    }
    return isInPlace
  }
}

export function fileRemoved(file: string): AccordError {
  return new AccordError('FILE_NOT_FOUND', 'the database was removed or replaced while it was in use', {
    source: file,
    expected: 'the file that was opened; restart to use another one',
  })
}

export function readOnlyDatabase(file: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the database is read-only', {
    source: file,
    expected: 'a writable file in a writable folder',
  })
}
