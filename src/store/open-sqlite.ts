import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { AccordError } from '../errors.js'
import { BetterSqlite3 } from './engine/better-sqlite3.js'
import type { Database, OpenOptions, Session } from './engine/session.js'
import { raw } from './engine/sql.js'
import { notAccordDatabase, openSqlite, translateSqliteError, whenFree } from './engine/sqlite.js'
import { APPLICATION_ID, checkSchemaVersion } from './schema/schema-version.js'

const DEFAULT_BUSY_TIMEOUT_MS = 15_000

/** Identifies the program and version that wrote a file. */
interface FileHeader {
  readonly applicationId: number
  readonly schemaVersion: number
  readonly tableNames: readonly string[]
}

export async function openSqliteDatabase(file: string, options: OpenOptions): Promise<Database> {
  checkLocation(file, options)
  const busyTimeout = options.busyTimeout ?? DEFAULT_BUSY_TIMEOUT_MS
  const isNew = !existsSync(file)
  try {
    const isReadOnly = !(await prepareFile(file, busyTimeout, options))
    const session = openSqlite({ file, isReadOnly, busyTimeout, onStatement: options.onStatement })
    if (isReadOnly) await checkVersion(session, file)
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
  const connection = new BetterSqlite3(file, { timeout: 0 })
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
 * Checks that the file belongs to Accord and creates the tables in an empty one.
 *
 * @returns false if the file or its folder is not writable
 */
async function prepareFile(file: string, busyTimeout: number, options: OpenOptions): Promise<boolean> {
  const isNew = createFile(file)
  if (!isNew && !canWrite(file)) return false
  let header: FileHeader
  try {
    header = await readFileHeader(file, busyTimeout, options)
  } catch (error) {
    if (!isNew && isNotWritable(error)) return false
    throw error
  }
  if (header.tableNames.length > 0) return true
  const { migrateSqlite } = await import('./schema/migrate.js')
  await migrateSqlite(file, busyTimeout)
  return true
}

/**
 * Creates the file, for its owner alone, if it does not exist. Its write-ahead log has the same mode.
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

async function readFileHeader(
  file: string,
  busyTimeout: number,
  { mustExist }: OpenOptions,
): Promise<FileHeader> {
  const connection = new BetterSqlite3(file, { timeout: busyTimeout })
  try {
    const header = readHeader(connection)
    checkOwner(file, header)
    if (mustExist && header.tableNames.length === 0) throw noDatabase(file, 'an empty file')
    // SQLite itself does not wait for other connections when the mode changes.
    await whenFree({ file, busyTimeout }, () => connection.pragma('journal_mode = WAL'))
    return header
  } finally {
    connection.close()
  }
}

/** Checks a read-only file. */
async function checkVersion(session: Session & { close(): Promise<void> }, file: string): Promise<void> {
  try {
    const [header] = await session.all<Omit<FileHeader, 'tableNames'>>(
      raw(`SELECT application_id AS "applicationId", user_version AS "schemaVersion"
           FROM pragma_application_id, pragma_user_version`),
    )
    const tables = await session.all<{ name: string }>(
      raw("SELECT name FROM sqlite_schema WHERE type = 'table'"),
    )
    checkOwner(file, { ...header, tableNames: tables.map(({ name }) => name) })
    if (tables.length === 0) throw noDatabase(file, 'an empty file')
  } catch (error) {
    await session.close()
    throw error
  }
}

/** Tries to open the file for writing: its mode does not tell whether the file system is read-only. */
function canWrite(file: string): boolean {
  try {
    closeSync(openSync(file, 'r+'))
    return true
  } catch {
    return false
  }
}

/** Whether SQLite could not write the file, or could not create its write-ahead log in the folder. */
function isNotWritable(error: unknown): boolean {
  if (error instanceof AccordError) return error.code === 'NOT_APPLICABLE' || error.code === 'FILE_NOT_FOUND'
  return /^SQLITE_(CANTOPEN|READONLY)/.test(String((error as { code?: unknown }).code))
}

function readHeader(connection: Sqlite.Database): FileHeader {
  return {
    applicationId: connection.pragma('application_id', { simple: true }) as number,
    schemaVersion: connection.pragma('user_version', { simple: true }) as number,
    tableNames: connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .pluck()
      .all() as string[],
  }
}

/** Refuses databases of other programs and of other versions of Accord. */
function checkOwner(file: string, { applicationId, schemaVersion, tableNames }: FileHeader): void {
  if (tableNames.length === 0 && applicationId === 0) return
  if (applicationId !== APPLICATION_ID) {
    throw notAccordDatabase(
      file,
      `a database of another program, with the table ${tableNames[0] ?? '(none)'}`,
    )
  }
  checkSchemaVersion(file, schemaVersion)
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
  })
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
