import { closeSync, openSync } from 'node:fs'
import { connect } from './engine/better-sqlite3.js'
import { translateSqliteError } from './engine/sqlite.js'

/** Pages that are copied at once: between such steps, other processes write. */
const PAGES_PER_STEP = 1000

/** All pages, so that a file that is replaced is locked once. */
const ALL_PAGES = 0x7fff_ffff

/** Time to wait for other writers, in milliseconds. */
const BUSY_TIMEOUT_MS = 15_000

/**
 * Copies a SQLite file, which other processes may write to, by SQLite's backup. The copy is a snapshot, and can be read by its
 * owner alone, as the database.
 *
 * @param to a new file
 * @throws AccordError RESOURCE_MISSING, FILE_NOT_FOUND or BUSY as the engine
 */
export function backupFile(from: string, to: string, onProgress: (share: number) => void): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600))
  return copyPages(from, to, PAGES_PER_STEP, onProgress)
}

/**
 * Replaces the content of a SQLite file in one transaction of SQLite's backup. Other processes that have opened the file go on
 * with the new content.
 */
export function restoreFile(from: string, to: string, onProgress: (share: number) => void): Promise<void> {
  return copyPages(from, to, ALL_PAGES, onProgress)
}

async function copyPages(
  from: string,
  to: string,
  pages: number,
  onProgress: (share: number) => void,
): Promise<void> {
  try {
    const source = connect(from, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    try {
      await source.backup(to, {
        progress({ totalPages, remainingPages }) {
          onProgress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages)
          return pages
        },
      })
    } finally {
      source.close()
    }
  } catch (error) {
    throw translateSqliteError(error, to)
  }
}
