import { createHash, randomBytes } from 'node:crypto'
import { AccordError, hasCode, quote } from '../../errors.js'
import type { Database, Session } from '../../store/engine/session.js'
import * as store from '../../store/uploads.js'
import type { Accord } from '../shared/accord.js'
import { periodically } from '../shared/times.js'
import { ownerOfUser, unknownUpload } from './import-job.js'

/** A file that has arrived completely. */
export interface StoredUpload {
  /** Random. On a server with accounts, the user who sent it may use it; otherwise whoever knows it. */
  readonly id: string
  /** Its size. */
  readonly bytes: number
  /** SHA-256 of its content in hexadecimal digits. */
  readonly sha256: string
}

/** What uploads may take, in bytes. */
export interface UploadLimits {
  /** All uploads of the client together. */
  readonly owned: number
  /** Those of all users who are no hosts, together. Null for an upload of a host. */
  readonly participants: number | null
  /** What must stay free on the disk for others beside the reserve, at most a tenth of it. */
  readonly room: number
}

/** The limits of a client that shares the disk with nobody. */
export const alone = (owned: number): UploadLimits => ({ owned, participants: null, room: 0 })

export interface NewUpload {
  /** Of {@link newUploadId}. Default: a new one. */
  readonly id?: string
  /** The client that sends it. */
  readonly owner: string
  /** Name of the file for errors and readers. */
  readonly name: string
  /** Size of its content; 0 if unknown. */
  readonly announcedBytes: number
  readonly limits: UploadLimits
  /** Ends the upload when it is aborted. */
  readonly signal: AbortSignal
}

/** Maximum number of uploads that a client sends at the same time. */
const MAX_UNFINISHED = 4

/** Maximum number of uploads of a client that are not imported yet. */
const MAX_STORED = 100

/** Time until an upload expires: after its last piece, and once it is complete. */
const UNFINISHED_MS = 10 * 60_000
export const COMPLETE_MS = 24 * 3_600_000

/** Interval of the removal of uploads that have expired. */
const CLEANUP_INTERVAL_MS = 60_000

/** An id for an upload: 24 random bytes. */
export function newUploadId(): string {
  return randomBytes(24).toString('base64url')
}

/**
 * Stores a file that a client sends, so that any worker can import it. Nothing of it remains where it does not arrive
 * completely.
 *
 * @throws AccordError TOO_MANY_UPLOADS; NAME_TAKEN if there is an upload with this id; FORBIDDEN if the database is read-only; RESOURCE_MISSING if the disk is full;
 *   errors of `content`; the reason of the signal
 */
export async function storeUpload(
  { database }: Accord,
  { id = newUploadId(), owner, name, announcedBytes, limits, signal }: NewUpload,
  content: AsyncIterable<Buffer>,
): Promise<StoredUpload> {
  const write = <Result>(work: (session: Session) => Promise<Result>) => whenFree(database, signal, work)
  await write(async (session) => {
    const stored = await store.storedUploads(session, owner)
    if (stored.unfinishedCount >= MAX_UNFINISHED) {
      throw tooMany('the client sends too many files', `at most ${MAX_UNFINISHED} at the same time`)
    }
    if (stored.count >= MAX_STORED) {
      throw tooMany('the client has too many files that are not imported yet', `at most ${MAX_STORED}`)
    }
    await requireShare(session, stored, announcedBytes, limits)
    store.requireUploadSpace(session, announcedBytes, 0, limits.room)
    if (!(await store.insertUpload(session, { id, owner, name }, UNFINISHED_MS))) {
      throw new AccordError('NAME_TAKEN', 'a file with this id was sent already', {
        source: 'id',
        expected: 'a new id of createUpload',
      })
    }
  })
  try {
    const hash = createHash('sha256')
    let bytes = 0
    let position = 0
    for await (const piece of inPieces(content)) {
      hash.update(piece)
      bytes += piece.length
      await write(async (session) => {
        await requireShare(session, await store.storedUploads(session, owner), piece.length, limits)
        const added = { uploadId: id, position, content: piece }
        const kept = { lifetimeMs: UNFINISHED_MS, room: limits.room }
        if (!(await store.insertPiece(session, added, kept))) throw expired()
      })
      position++
    }
    const sha256 = hash.digest('hex')
    if (!(await write((session) => store.completeUpload(session, id, sha256, COMPLETE_MS)))) throw expired()
    return { id, bytes, sha256 }
  } catch (error) {
    // Where this fails too, it expires later.
    await store
      .expireUpload(database, id)
      .then(() => removeExpired(database))
      .catch(() => {})
    throw error
  }
}

/**
 * The bytes in pieces of {@link store.PIECE_BYTES}, of which the last may be smaller. Each is valid until the next one is asked for. A file
 * can be sent byte by byte: chunks that are kept would take 400 times as much memory.
 */
async function* inPieces(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(store.PIECE_BYTES)
  let size = 0
  for await (const chunk of content) {
    for (let start = 0; start < chunk.length; ) {
      const copied = chunk.copy(piece, size, start)
      start += copied
      size += copied
      if (size < store.PIECE_BYTES) continue
      yield piece
      size = 0
    }
  }
  if (size > 0) yield piece.subarray(0, size)
}

/** Runs a transaction. While another process writes to the database, such as an import, the client waits. */
async function whenFree<Result>(
  database: Database,
  signal: AbortSignal,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await database.transaction(work)
    } catch (error) {
      if (!hasCode(error, 'BUSY')) throw error
    }
  }
}

/** @throws AccordError TOO_MANY_UPLOADS */
async function requireShare(
  session: Session,
  { bytes }: store.StoredUploads,
  added: number,
  { owned, participants }: UploadLimits,
): Promise<void> {
  if (bytes + added > owned) {
    const summary =
      'the files of the client that are not imported yet are too large; import or remove them, or try again later'
    throw tooMany(summary, `at most ${owned} bytes together`)
  }
  if (participants === null || (await store.participantBytes(session)) + added <= participants) return
  const summary =
    'the files that all participants have sent, and that are not imported yet, are too large; try again later'
  throw tooMany(summary, `at most ${participants} bytes together`)
}

function tooMany(summary: string, expected: string): AccordError {
  return new AccordError('TOO_MANY_UPLOADS', summary, { expected })
}

function expired(): AccordError {
  return new AccordError('UNKNOWN_UPLOAD', 'the upload has expired before it was complete')
}

/** Removes uploads that have expired, in many short transactions, and files of uploads that were imported. */
async function removeExpired(database: Database): Promise<void> {
  while (await database.transaction(store.deleteExpired));
  await store.removeUploadFiles(database)
}

/**
 * Removes uploads that have expired, now and periodically: those that were not imported in time, and what remained of
 * servers that were killed.
 *
 * @returns stops it, and waits for the current removal
 */
export function removeExpiredUploads({ database }: Accord): () => Promise<void> {
  if (database.isReadOnly) return async () => {}
  return periodically(CLEANUP_INTERVAL_MS, () => removeExpired(database))
}

/** Whose uploads a client lists and removes. */
interface UploadAsker {
  /** Of the client's uploads. */
  readonly owner: string
  /** Whether it lists and removes those of everybody. */
  readonly isAdministrator: boolean
}

/** Files that are not imported yet, the largest first: those of the client, or for administrators of everybody. */
export function readUploads(
  { database }: Accord,
  { owner, isAdministrator }: UploadAsker,
): Promise<store.ListedUpload[]> {
  return store.listUploads(database, isAdministrator ? undefined : owner)
}

/**
 * Removes a file that is not imported yet, or has not arrived completely.
 *
 * @throws AccordError UNKNOWN_UPLOAD, also for one of another client; NOT_APPLICABLE while a job imports it
 */
export async function removeUpload(
  { database }: Accord,
  { owner, isAdministrator }: UploadAsker,
  id: string,
): Promise<void> {
  // In one transaction, so that no job takes the file in between.
  await database.transaction(async (session) => {
    await store.lockUploads(session, [id])
    const upload = await store.findUpload(session, id)
    if (!upload || !(isAdministrator || upload.owner === owner)) throw unknownUpload(id)
    if (upload.isImported) {
      throw new AccordError('NOT_APPLICABLE', 'a job imports the file', {
        source: 'upload',
        expected: 'a file that no job imports; cancel the job first',
        found: quote(upload.name),
      })
    }
    await store.expireUpload(session, id)
  })
  await removeExpired(database)
}

/** Removes all files of a user that no job imports. @param userId of the user */
export async function removeUploadsOf(database: Database, userId: string): Promise<void> {
  await database.transaction(async (session) => {
    const uploads = await store.listUploads(session, ownerOfUser(userId))
    for (const { id, isImported } of uploads) if (!isImported) await store.expireUpload(session, id)
  })
  await removeExpired(database)
}
