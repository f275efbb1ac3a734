import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
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
    // Opens the log of the copy as well: both stay open when their names are removed, so that nothing remains of them,
    // however the process ends. Windows removes them when they are closed.
    database.pragma('schema_version')
    if (process.platform !== 'win32') {
      remove()
      return database
    }
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

/** Copies a file, and ends with the code of the error in its output. */
const COPY = `try {
  fs.copyFileSync(process.argv[1], process.argv[2], fs.constants.COPYFILE_FICLONE)
} catch (error) {
  process.stdout.write(error.code)
}`

/** Another process copies the file: closing it in this one would drop the locks of its other connections. */
function copyReadable(file: string, copy: string, reason: unknown): void {
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout, error } = spawnSync(process.execPath, ['--eval', COPY, file, copy], {
    encoding: 'utf8',
    env,
  })
  const code = error ? error.message : stdout
  if (code === 'EACCES' || code === 'EPERM') throw reason
  if (code !== '') {
    throw new AccordError(
      'RESOURCE_MISSING',
      'the folder is not writable, and the database cannot be copied',
      { source: file, expected: `free space in ${tmpdir()}`, found: code },
    )
  }
  // The copy has the mode of the file, which may be read-only.
  chmodSync(copy, 0o600)
}

/** Which file it is, whatever its name. */
export interface FileIdentity {
  readonly dev: number
  readonly ino: number
}

/** @returns undefined where there is no file */
export function identityOf(file: string): FileIdentity | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && { dev: found.dev, ino: found.ino }
}

export function isSame(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/**
 * Whether a file is still the one that was opened: SQLite continues to read and write a file that was removed or replaced.
 *
 * @returns looks at the file at most every {@link FILE_CHECK_INTERVAL_MS}, unless `now` asks for it
 */
export function createFileCheck(file: string, opened: FileIdentity | undefined): (now?: boolean) => boolean {
  let isInPlace = true
  let nextCheck = 0
  return (now = false) => {
    const time = performance.now()
    if (isInPlace && (now || time >= nextCheck)) {
      isInPlace = isSame(identityOf(file), opened)
      nextCheck = time + FILE_CHECK_INTERVAL_MS
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

/**
 * Free space that uploads and bulk writes leave on the disk of a SQLite file, so that small writes go on: a session, a
 * submission, the state of a job. In bytes, and as a share of a small disk.
 */
const RESERVE = { bytes: 64 << 20, share: 0.1 }

/**
 * @param share of the reserve that must stay free, up to 1. Default: all of it
 * @throws AccordError RESOURCE_MISSING if a folder, or that of a file, has less free space than these bytes and the reserve
 */
export function requireFreeSpace(path: string, bytes: number, share = 1): void {
  const { bavail, blocks, bsize } = statfsSync(path)
  const reserve = Math.min(RESERVE.bytes, RESERVE.share * blocks * bsize)
  if (bavail * bsize - bytes < share * reserve) throw diskFull(path)
}

export function diskFull(source: string): AccordError {
  return new AccordError('RESOURCE_MISSING', 'the disk is full; nothing was written', { source })
}
