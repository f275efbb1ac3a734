import { closeSync } from 'node:fs'
import { AccordError, quote } from '../../errors.js'
import type { InputFile } from '../../formats/io/files.js'
import { openTemporary, writeTemporary } from '../../formats/io/spool.js'
import type { Progress } from '../../progress.js'
import type { Handler, JobContext } from '../../queue/kind.js'
import type { Session } from '../../store/engine/session.js'
import { deleteUploads, findUploads, readPiece } from '../../store/uploads.js'

/** Where the file of an import is: on this machine, or in the database. */
export type FileSource = { readonly path: string } | { readonly upload: string }

/** The input of an import with open files instead of their sources. */
export type Opened<Input> = {
  readonly [Name in keyof Input]: Input[Name] extends FileSource | undefined
    ? InputFile | Extract<Input[Name], undefined>
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
  const descriptor = openTemporary()
  try {
    return await use({ name: await fetchUpload(session, source.upload, descriptor, () => {}), descriptor })
  } finally {
    closeSync(descriptor)
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
    const { input, database, progress } = context
    const uploads = uploadsOf(input)
    const files: number[] = []
    try {
      const opened = { ...input } as Record<string, unknown>
      for (const [key, value] of Object.entries(input)) {
        if (!isSource(value)) continue
        if ('path' in value) opened[key] = value.path
        else {
          const file = openTemporary()
          files.push(file)
          opened[key] = { name: await fetchUpload(database, value.upload, file, progress), descriptor: file }
        }
      }
      const finishing: JobContext<Input, Report> = {
        ...context,
        finishWith: (write) =>
          context.finishWith(async (session) => {
            // First, so that a SQLite file does not grow: what is written takes the place of the pieces.
            if (uploads.length > 0) await deleteUploads(session, uploads)
            return write(session)
          }),
      }
      return await run(finishing, opened as Opened<Input>)
    } finally {
      for (const file of files) closeSync(file)
    }
  }
}

/** The ids of the uploads of an input. */
export function uploadsOf(input: object): string[] {
  return Object.values(input).flatMap((value) => (isSource(value) && 'upload' in value ? value.upload : []))
}

function isSource(value: unknown): value is FileSource {
  return typeof value === 'object' && value !== null && ('path' in value || 'upload' in value)
}

/** Writes an upload to a file. @returns its name @throws AccordError UNKNOWN_UPLOAD; RESOURCE_MISSING if the disk is full */
async function fetchUpload(session: Session, id: string, file: number, progress: Progress): Promise<string> {
  const [upload] = await findUploads(session, [id])
  let bytes = 0
  for (let position = 0; upload && bytes < upload.bytes; position++) {
    progress(0, 'fetching the file')
    const piece = await readPiece(session, id, position)
    if (!piece) break
    writeTemporary(file, piece, bytes)
    bytes += piece.length
  }
  if (upload && bytes === upload.bytes) return upload.name
  throw unknownUpload(id)
}

/** The error for an upload that was removed. */
export function unknownUpload(id: string): AccordError {
  return new AccordError('UNKNOWN_UPLOAD', 'unknown upload; it may have been imported, or have expired', {
    source: 'upload',
    expected: 'the id of a file that was sent to /uploads',
    found: quote(id),
  })
}
