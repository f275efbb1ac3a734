import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import type Sqlite from 'better-sqlite3'
import { timeNow } from '../../clock.js'
import { AccordError } from '../../errors.js'
import { connect } from './better-sqlite3.js'

/** Minimum time between two checks that the file was not removed or replaced, in milliseconds. */
const FILE_CHECK_INTERVAL_MS = 250

/**
 * A connection to a file. The shared memory of SQLite's write-ahead log requires a writable folder: in a read-only
 * folder, a copy of the file and its log is read instead.
 */
export function openFile(file: string, options: Sqlite.Options): Sqlite.Database {
  const database = connect(file, options)
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
  const folder = fs.mkdtempSync(join(tmpdir(), 'accord-'))
  const remove = () => fs.rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'copy.sqlite')
    copyReadable(file, copy, reason)
    if (fs.existsSync(`${file}-wal`)) copyReadable(`${file}-wal`, `${copy}-wal`, reason)
    const database = connect(copy, options)
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
  fs.chmodSync(copy, 0o600)
}

/** Which file it is, whatever its name. */
export interface FileIdentity {
  readonly dev: number
  readonly ino: number
}

/** @returns undefined where there is no file */
export function identityOf(file: string): FileIdentity | undefined {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  return found && { dev: found.dev, ino: found.ino }
}

/** A file that a process has open, and what its connections know of its content. */
export interface OpenedFile {
  readonly identity: FileIdentity
  /** By which its header is read. */
  readonly descriptor: number
  /** What was found; it is never the former file again. */
  loss?: FileLoss
  /** The counter of writes that was last found in the header of the file; see {@link createContentCheck}. */
  header?: { readonly counter: number; readonly isBeforeRestore: boolean }
}

export function isSame(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/** What may happen to a file that is in use: another one takes its name, or its content is overwritten. */
export type FileLoss = 'REPLACED' | 'OVERWRITTEN'

/**
 * Looks whether a file is still the one that was opened: SQLite continues to read and write a file that was removed, replaced or
 * overwritten.
 *
 * @param opened shared by connections: what one finds, all know
 * @param hasOwnContent a check of the content, which costs a small read
 * @returns looks at the file at most every {@link FILE_CHECK_INTERVAL_MS}, unless `now` asks for it
 */
export function createFileCheck(
  file: string,
  opened: OpenedFile,
  hasOwnContent: () => boolean,
): (now?: boolean) => FileLoss | undefined {
  let nextCheck = 0
  return (now = false) => {
    const time = performance.now()
    if (opened.loss === undefined && (now || time >= nextCheck)) {
      if (!hasOwnName(file, opened.identity)) opened.loss = 'REPLACED'
      else if (!hasOwnContent()) opened.loss = 'OVERWRITTEN'
      nextCheck = time + FILE_CHECK_INTERVAL_MS
    }
    return opened.loss
  }
}

/** A folder that may not be read says nothing about the file. */
function hasOwnName(file: string, identity: FileIdentity): boolean {
  try {
    return isSame(identityOf(file), identity)
  } catch {
    return true
  }
}

/**
 * Each transaction that changes rows adds 1 to SQLite's `user_version`, which starts at a random number: with this number the
 * header of a file says which database it has, and how old its content is. A checkpoint writes the header from the log.
 */
const COUNTER_OFFSET = 60

/** Transactions that may be in the log, or be committed between two checks. */
const MAX_TRANSACTIONS = 2 ** 20

/**
 * A check that the content of an open file is that of its database: from one check to the next, the counter of writes in its header
 * may only approach that of the log. A connection sees the log as of its transaction; `accord restore` may set it to any number,
 * where a transaction was committed. A copy of another database, an older one of the same and an empty file are told.
 *
 * @param readCounter the counter as a connection sees it, with the log; 0 before the first write
 * @param readVersion another number after each transaction of another connection
 */
export function createContentCheck(
  opened: OpenedFile,
  readCounter: () => number,
  readVersion: () => number,
): () => boolean {
  let last: { readonly inLog: number; readonly version: number } | undefined
  const check = () => {
    const { header } = opened
    const inFile = readHeaderCounter(opened.descriptor)
    const [inLog, version] = [readCounter(), readVersion()]
    if (inFile === undefined) return header === undefined && inLog === 0
    const isSameHeader = inFile === header?.counter
    const isRestored = last && last.inLog !== 0 && distance(last.inLog, inLog) > MAX_TRANSACTIONS
    if (isRestored) {
      if (version === last?.version) return false
      opened.header = { counter: inFile, isBeforeRestore: true }
    } else if (!isSameHeader) {
      if (!mayFollow(header, inFile, inLog)) return false
      opened.header = { counter: inFile, isBeforeRestore: false }
    }
    last = { inLog, version }
    return true
  }
  return () => {
    try {
      return check()
    } catch (error) {
      // What is no database any more; other errors say nothing about the content.
      return !/^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(String((error as { code?: unknown }).code))
    }
  }
}

/** Whether a checkpoint may have written a state of the log into a file with this header. */
function mayFollow(header: OpenedFile['header'], inFile: number, inLog: number): boolean {
  const isCounted = (header?.counter ?? 0) !== 0
  if (inFile === 0) return !isCounted
  if (distance(inFile, inLog) > MAX_TRANSACTIONS) return false
  if (!header || !isCounted || header.isBeforeRestore) return true
  return distance(header.counter, inFile) <= distance(header.counter, inLog)
}

/** Transactions from one counter to another, in arithmetic modulo 2^32. */
function distance(from: number, to: number): number {
  return (to - from) >>> 0
}

/** Undefined in a file that is shorter than a header. */
function readHeaderCounter(descriptor: number): number | undefined {
  const bytes = Buffer.alloc(4)
  return fs.readSync(descriptor, bytes, 0, 4, COUNTER_OFFSET) === 4 ? bytes.readInt32BE() : undefined
}

/** Descriptors by the identity of their files, and by how many openings each is used. */
const descriptors = new Map<string, { readonly descriptor: number; users: number }>()

/**
 * Opens a file for reading its header. Where a process closes a file, POSIX drops all locks of that process on it: all openings of
 * a file share a descriptor, and only the main thread, which outlives the others, closes it after the last one.
 */
export function openForHeader(file: string): OpenedFile & { close(): void } {
  const identity = identityOf(file)
  if (!identity) throw fileLost(file, 'REPLACED')
  const key = `${identity.dev}:${identity.ino}`
  const shared = descriptors.get(key) ?? { descriptor: openForReading(file), users: 0 }
  shared.users++
  descriptors.set(key, shared)
  return {
    identity,
    descriptor: shared.descriptor,
    close() {
      if (--shared.users > 0 || !isMainThread) return
      descriptors.delete(key)
      fs.closeSync(shared.descriptor)
    },
  }
}

function openForReading(file: string): number {
  try {
    return fs.openSync(file, 'r')
  } catch (error) {
    throw cannotOpen(file, (error as NodeJS.ErrnoException).code ?? String(error))
  }
}

/**
 * Takes the log from the name where SQLite would apply it to a file that was overwritten: it is copied, and emptied, so that no
 * connection can write its pages to the file any more.
 *
 * @returns the copy; undefined if there is nothing in the log
 */
export function setLogAside(file: string): string | undefined {
  const log = `${file}-wal`
  const { size } = fs.statSync(log, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size === 0) return undefined
  const copy = `${file}-lost-${timeNow().replace(/[:.]/g, '')}-wal`
  fs.copyFileSync(log, copy)
  fs.truncateSync(log)
  return copy
}

export function cannotOpen(file: string, found: string): AccordError {
  return new AccordError('FILE_NOT_FOUND', 'the database cannot be opened', {
    source: file,
    expected: 'a file that can be read and written',
    found,
  })
}

export function fileLost(file: string, loss: FileLoss): AccordError {
  const what = loss === 'REPLACED' ? 'removed or replaced' : 'overwritten by another file'
  return new AccordError('FILE_NOT_FOUND', `the database was ${what} while it was in use`, {
    source: file,
    expected: `the ${loss === 'REPLACED' ? 'file' : 'content'} that was opened; restart to use another one`,
  })
}

export function readOnlyDatabase(file: string): AccordError {
  return new AccordError('FORBIDDEN', 'the database is read-only', {
    source: file,
    expected: 'a writable file in a writable folder',
  })
}

/**
 * Free space that uploads and bulk writes leave on the disk of a SQLite file, so that small writes go on: a session, a
 * submission, the state of a job. In bytes, and as a share of a small disk.
 */
const RESERVE = { bytes: 64 << 20, share: 0.1 }

/** What must stay free on a disk. */
interface KeptFree {
  /** Of the reserve, up to 1. Default: all of it. */
  readonly share?: number
  /** Bytes beside the reserve, at most a tenth of the disk. Default: none. */
  readonly room?: number
}

/**
 * @throws AccordError RESOURCE_MISSING if a folder, or that of a file, has less free space than these bytes and what must stay free
 */
export function requireFreeSpace(path: string, bytes: number, { share = 1, room = 0 }: KeptFree = {}): void {
  const { bavail, blocks, bsize } = fs.statfsSync(path)
  const part = RESERVE.share * blocks * bsize
  const kept = share * Math.min(RESERVE.bytes, part) + Math.min(room, part)
  if (bavail * bsize - bytes < kept) throw diskFull(path)
}

export function diskFull(source: string): AccordError {
  return new AccordError('RESOURCE_MISSING', 'the disk is full; nothing was written', { source })
}
