import { accessSync, closeSync, constants, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { AccordError } from '../errors.js'
import { nearestFile } from '../system-errors.js'
import { connect } from './engine/better-sqlite3.js'
import type { Database, OpenOptions, Session } from './engine/session.js'
import { raw } from './engine/sql.js'
import { notAccordDatabase, openSqlite, translateSqliteError, whenFree } from './engine/sqlite.js'
import { ENTITIES } from './schema/entities.js'
import {
  APPLICATION_ID,
  beforeFirstRelease,
  EXECUTED_MIGRATIONS,
  isCurrent,
  MIGRATIONS_TABLE,
  mustBeMigrated,
} from './schema/version.js'

const DEFAULT_BUSY_TIMEOUT_MS = 15_000

/** Identifies the program that wrote a file. */
interface FileHeader {
  readonly applicationId: number
  readonly tableNames: readonly string[]
  /** The definitions of views and triggers. */
  readonly programs: readonly Program[]
}

/** A view or a trigger. */
interface Program {
  /** Of the view, or of the table of the trigger. */
  readonly name: string
  readonly definition: string
}

export async function openSqliteDatabase(file: string, options: OpenOptions): Promise<Database> {
  checkLocation(file, options)
  const busyTimeout = options.busyTimeout ?? DEFAULT_BUSY_TIMEOUT_MS
  const isNew = !existsSync(file)
  try {
    const isReadOnly = !(await prepareFile(file, busyTimeout, options))
    const session = openSqlite({ file, isReadOnly, busyTimeout, onStatement: options.onStatement })
    if (isReadOnly) await checkReadOnly(session, file)
    const close = async () => {
      await session.close()
      if (isNew && options.removeEmpty) removeEmpty(file)
    }
    return { ...session, close, location: file, isReadOnly }
  } catch (error) {
    throw translateSqliteError(error, file)
  }
}

/** Removes a database without datasets, metrics and collections, unless another process has opened it. */
function removeEmpty(file: string): void {
  const connection = connect(file, { timeout: 0 })
  try {
    const isUsed = connection
      .prepare(
        'SELECT EXISTS (SELECT 1 FROM dataset UNION ALL SELECT 1 FROM artefact UNION ALL SELECT 1 FROM collection)',
      )
      .pluck()
    // Fails while there are other connections.
    if (isUsed.get() === 0 && connection.pragma('journal_mode = DELETE', { simple: true }) === 'delete')
      rmSync(file)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error
  } finally {
    connection.close()
  }
}

/**
 * Checks that the file belongs to Accord and runs the migrations that it has not executed: an empty one gets its tables.
 *
 * @returns false if the file or its folder is not writable
 */
async function prepareFile(file: string, busyTimeout: number, options: OpenOptions): Promise<boolean> {
  const isNew = createFile(file)
  if (!isNew && !canWrite(file)) return false
  let isMigrated: boolean
  try {
    isMigrated = await checkFile(file, busyTimeout, options)
  } catch (error) {
    if (!isNew && isNotWritable(error)) return false
    throw error
  }
  if (isMigrated) return true
  const { migrateSqlite } = await import('./schema/migrate.js')
  await migrateSqlite(file, busyTimeout)
  return true
}

/**
 * Creates the file, for its owner alone, if it does not exist; a file that exists is not opened. Its write-ahead log has the
 * same mode.
 *
 * @returns whether it was created
 */
function createFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw new AccordError('FILE_NOT_FOUND', 'the database cannot be created', {
      source: file,
      expected: 'a writable folder',
      found: (error as NodeJS.ErrnoException).code,
    })
  }
}

/** Checks a file that can be written. @returns whether it has executed all migrations */
async function checkFile(file: string, busyTimeout: number, { mustExist }: OpenOptions): Promise<boolean> {
  const connection = connect(file, { timeout: busyTimeout })
  try {
    const header = readHeader(connection)
    checkOwner(file, header)
    const isEmpty = header.tableNames.length === 0
    if (mustExist && isEmpty) throw noDatabase(file, 'an empty file')
    const executed = isEmpty ? [] : connection.prepare(EXECUTED_MIGRATIONS).pluck().all()
    const isMigrated = isCurrent(file, executed as string[])
    // SQLite itself does not wait for other connections when the mode changes.
    await whenFree({ file, busyTimeout }, () => connection.pragma('journal_mode = WAL'))
    return isMigrated
  } finally {
    connection.close()
  }
}

/** Checks a read-only file. */
async function checkReadOnly(session: Session & { close(): Promise<void> }, file: string): Promise<void> {
  try {
    const [header] = await session.all<Pick<FileHeader, 'applicationId'>>(
      raw('SELECT application_id AS "applicationId" FROM pragma_application_id'),
    )
    const tables = await session.all<{ name: string }>(raw(TABLE_NAMES))
    const tableNames = tables.map(({ name }) => name)
    checkOwner(file, { ...header, tableNames, programs: await session.all<Program>(raw(PROGRAMS)) })
    if (tableNames.length === 0) throw noDatabase(file, 'an empty file')
    const executed = await session.all<{ name: string }>(raw(EXECUTED_MIGRATIONS))
    const names = executed.map(({ name }) => name)
    if (!isCurrent(file, names)) throw mustBeMigrated(file)
  } catch (error) {
    await session.close()
    throw error
  }
}

/**
 * Whether the file may be written, also by its file system. It is not opened: where a process closes a file, POSIX drops all
 * locks of that process on it, and the next connection of another program then deletes the log that is in use.
 */
function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Whether SQLite could not write the file, or could not create its write-ahead log in the folder. */
function isNotWritable(error: unknown): boolean {
  if (error instanceof AccordError) return error.code === 'FORBIDDEN' || error.code === 'FILE_NOT_FOUND'
  return /^SQLITE_(CANTOPEN|READONLY)/.test(String((error as { code?: unknown }).code))
}

function readHeader(connection: Sqlite.Database): FileHeader {
  return {
    applicationId: connection.pragma('application_id', { simple: true }) as number,
    tableNames: connection.prepare(TABLE_NAMES).pluck().all() as string[],
    programs: connection.prepare(PROGRAMS).all() as Program[],
  }
}

const TABLE_NAMES = "SELECT name FROM sqlite_schema WHERE type = 'table'"
const PROGRAMS =
  "SELECT tbl_name AS name, sql AS definition FROM sqlite_schema WHERE type IN ('view', 'trigger')"

/** The only triggers of the schema remove captions from the search index. */
const OWN_TRIGGER =
  /^CREATE TRIGGER "(\w+)_search_removal" AFTER DELETE ON "\1"\s+BEGIN DELETE FROM "\1_search" WHERE rowid = old\.id; END$/

/** Tables, and the search indices of some. */
const OWN_NAMES = new Set([MIGRATIONS_TABLE, ...ENTITIES.flatMap(({ name }) => [name, `${name}_search`])])

/**
 * Refuses databases of other programs and from before the first release, and those in which a view or a trigger stands where
 * Accord reads or writes a table: its query could run for ever.
 */
function checkOwner(file: string, header: FileHeader): void {
  const { applicationId, tableNames, programs } = header
  if (tableNames.length === 0 && applicationId === 0) return
  if (applicationId !== APPLICATION_ID) {
    throw notAccordDatabase(
      file,
      `a database of another program, with the table ${tableNames[0] ?? '(none)'}`,
    )
  }
  const added = programs.find(
    ({ name, definition }) => OWN_NAMES.has(name.toLowerCase()) && !OWN_TRIGGER.test(definition),
  )
  if (added !== undefined) throw notAccordDatabase(file, `a view or a trigger of ${added.name}`)
  if (tableNames.length > 0 && !tableNames.includes(MIGRATIONS_TABLE)) throw beforeFirstRelease(file)
}

function checkLocation(file: string, options: OpenOptions): void {
  if (isFolder(file)) throw notAccordDatabase(file, 'a folder')
  if (existsSync(file)) {
    if (!statSync(file).isFile()) throw notAccordDatabase(file, 'a device')
    return
  }
  if (options.mustExist) throw noDatabase(file, 'no file')
  if (!isFolder(dirname(file))) {
    throw new AccordError('FILE_NOT_FOUND', 'the folder of the database does not exist', {
      source: file,
      expected: `a folder ${dirname(file)}`,
      found: 'none',
    })
  }
}

function noDatabase(file: string, found: string): AccordError {
  return new AccordError('FILE_NOT_FOUND', 'no database found; an import creates one', {
    source: file,
    expected: 'a database created by `accord import`',
    found,
    suggestion: found === 'no file' ? nearestFile(file) : undefined,
  })
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
