import { closeSync, fstatSync, statSync } from 'node:fs'
import { AccordError, quote } from '../../errors.js'
import { type InputFile, nameOf, type OpenFile } from '../../formats/io/files.js'
import { openTemporary, writeTemporary } from '../../formats/io/spool.js'
import type { Progress } from '../../progress.js'
import type { Handler, JobContext } from '../../queue/kind.js'
import type { Session } from '../../store/engine/session.js'
import type { Upload } from '../../store/schema/job-tables.js'
import * as store from '../../store/uploads.js'

/** Where the file of an import is: on this machine, or in the database. */
export type FileSource = { readonly path: string } | { readonly upload: string }

/** The input of an import with open files instead of their sources. */
export type Opened<Input> = {
  readonly [Name in keyof Input]: Input[Name] extends FileSource | undefined
    ? InputFile | Extract<Input[Name], undefined>
    : Input[Name] extends readonly FileSource[] | undefined
      ? readonly InputFile[] | Extract<Input[Name], undefined>
      : Input[Name]
}

/** What an import works with. */
export interface ImportContext<Report, Ending> {
  readonly database: Session
  /** Throws if the import must stop. */
  readonly progress: Progress
  /** Writes what was read, in one transaction that is the last one of the import. */
  finishWith(write: (session: Session) => Promise<Report>): Promise<Ending>
}

/** Opens a file that stays where it is. @throws AccordError UNKNOWN_UPLOAD; errors of `use` */
export async function withSource<Result>(
  session: Session,
  source: FileSource,
  use: (file: InputFile) => Promise<Result>,
): Promise<Result> {
  if ('path' in source) return use(source.path)
  const file = await openUpload(session, source.upload, () => {})
  try {
    return await use(file)
  } finally {
    closeSync(file.descriptor)
  }
}

/** Imports without a job, for example in a transaction. */
export function withoutJob<Report>(session: Session, progress: Progress): ImportContext<Report, Report> {
  return { database: session, progress, finishWith: (write) => session.transaction(write) }
}

/**
 * A handler of an import. Its files are opened; those that were uploaded are removed by its last transaction, so that another
 * attempt can read them again.
 *
 * @param run must end with `finishWith`
 */
export function importJob<Input extends object, Report>(
  run: (context: JobContext<Input, Report>, input: Opened<Input>) => ReturnType<Handler<Input, Report>>,
): Handler<Input, Report> {
  return async (context) => {
    const { input, database } = context
    const uploads = uploadsOf(input)
    const finishing: JobContext<Input, Report> = {
      ...context,
      finishWith: (write) =>
        context.finishWith(async (session) => {
          if (uploads.length > 0) await store.deleteUploads(session, uploads)
          return write(session)
        }),
    }
    const result = await withOpened(context, input, (opened) => run(finishing, opened))
    if (uploads.length > 0) await store.removeUploadFiles(database)
    return result
  }
}

/** Opens the files of an input while it is used. @throws AccordError UNKNOWN_UPLOAD; INVALID_SHAPE for the database; errors of `use` */
export async function withOpened<Input extends object, Result>(
  { database, progress }: Pick<JobContext<unknown, unknown>, 'database' | 'progress'>,
  input: Input,
  use: (opened: Opened<Input>) => Promise<Result>,
): Promise<Result> {
  const files: number[] = []
  const open = async (source: FileSource): Promise<InputFile> => {
    if ('path' in source) {
      requireOther(source.path, database.location)
      return source.path
    }
    const file = await openUpload(database, source.upload, progress)
    files.push(file.descriptor)
    return file
  }
  try {
    const opened = { ...input } as Record<string, unknown>
    for (const [key, value] of Object.entries(input)) {
      if (isSource(value)) opened[key] = await open(value)
      else if (isSources(value)) {
        const list: InputFile[] = []
        for (const source of value) list.push(await open(source))
        opened[key] = list
      }
    }
    return await use(opened as Opened<Input>)
  } finally {
    for (const file of files) closeSync(file)
  }
}

/** Runs `write` and adds the file to errors without a source. */
export async function addSource<Result>(file: InputFile, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof AccordError) || error.detail.source !== undefined) throw error
    throw new AccordError(error.code, error.summary, { ...error.detail, source: nameOf(file) })
  }
}

/**
 * Refuses to read the file of the database, which only SQLite may open: where a process closes it, its locks end.
 *
 * @throws AccordError INVALID_SHAPE
 */
export function requireOther(path: string, location: string): void {
  const [file, database] = [path, location].map((name) => statSync(name, { throwIfNoEntry: false }))
  if (!file || file.ino !== database?.ino || file.dev !== database.dev) return
  throw new AccordError('INVALID_SHAPE', 'the file is the database', {
    source: path,
    expected: 'a file of captions, scores or judgements',
    found: location,
  })
}

/** The ids of the uploads of an input. */
export function uploadsOf(input: object): string[] {
  return Object.values(input).flatMap((value): string[] => {
    if (isSource(value)) return 'upload' in value ? [value.upload] : []
    return Array.isArray(value) ? uploadsOfList(value) : []
  })
}

/** @param list of sources, or of objects that have some */
function uploadsOfList(list: readonly unknown[]): string[] {
  return list.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return []
    return uploadsOf(isSource(entry) ? { entry } : entry)
  })
}

function isSources(value: unknown): value is readonly FileSource[] {
  return Array.isArray(value) && value.length > 0 && value.every(isSource)
}

function isSource(value: unknown): value is FileSource {
  return typeof value === 'object' && value !== null && ('path' in value || 'upload' in value)
}

/**
 * Opens the file of an upload, or a temporary one with its content. The caller closes it.
 *
 * @throws AccordError UNKNOWN_UPLOAD; RESOURCE_MISSING if the disk is full
 */
async function openUpload(session: Session, id: string, progress: Progress): Promise<OpenFile> {
  const [upload] = await store.findUploads(session, [id])
  if (!upload) throw unknownUpload(id)
  const kept = store.openUploadFile(session, id)
  const descriptor = kept ?? openTemporary()
  try {
    const bytes =
      kept === undefined ? await fetchPieces(session, upload, descriptor, progress) : fstatSync(kept).size
    if (bytes !== upload.bytes) throw unknownUpload(id)
    return { name: upload.name, descriptor }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Writes the pieces of an upload to a file. @returns their size */
async function fetchPieces(
  session: Session,
  upload: Pick<Upload, 'id' | 'bytes'>,
  file: number,
  progress: Progress,
): Promise<number> {
  let bytes = 0
  for (let position = 0; bytes < upload.bytes; position++) {
    progress(0, 'fetching the file')
    const piece = await store.readPiece(session, upload.id, position)
    if (!piece) break
    writeTemporary(file, piece, bytes)
    bytes += piece.length
  }
  return bytes
}

/** The owner of what a user sends, and of their jobs, wherever the requests come from. @param id of the user */
export const ownerOfUser = (id: string) => `${store.USER_PREFIX}${id}`

/** The owner of what a client sends; undefined for this process itself. */
interface Asker {
  readonly owner?: string
}

/**
 * Checks that a client may use uploads: those of a user are that user's alone, as if others did not exist.
 *
 * @throws AccordError UNKNOWN_UPLOAD
 */
export function requireOwn(uploads: readonly Pick<Upload, 'id' | 'owner'>[], { owner }: Asker): void {
  const other = uploads.find((upload) => !isOwn(upload, owner))
  if (other) throw unknownUpload(other.id)
}

/** The same of the sources of an input. */
export async function requireOwnSources(session: Session, input: object, client: Asker): Promise<void> {
  const ids = uploadsOf(input)
  if (ids.length > 0) requireOwn(await store.findUploads(session, ids), client)
}

/** @param owner of the client; undefined for this process itself */
export function isOwn(upload: Pick<Upload, 'owner'>, owner: string | undefined): boolean {
  return owner === undefined || !upload.owner.startsWith(store.USER_PREFIX) || upload.owner === owner
}

/** The error for an upload that was removed. */
export function unknownUpload(id: string): AccordError {
  return new AccordError('UNKNOWN_UPLOAD', 'unknown upload; it may have been imported, or have expired', {
    source: 'upload',
    expected: 'the id of a file that was sent to /uploads',
    found: quote(id),
  })
}
