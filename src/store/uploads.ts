import * as fs from 'node:fs'
import { join } from 'node:path'
import { fromNow, LONG_AGO, NOW } from './engine/clock.js'
import { columnsOf, find } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, perEngine, type Sql, sql } from './engine/sql.js'
import { diskFull, requireFreeSpace } from './engine/sqlite-file.js'
import { IS_UNFINISHED } from './jobs.js'
import { type Upload, UploadEntity, UploadPieceEntity } from './schema/job-tables.js'

/**
 * Files that clients sent. On SQLite their content is in files beside the database, and leaves its log alone; on PostgreSQL, whose
 * workers may be on other machines, it is in a table, in pieces that are written and removed in short transactions. A backup of
 * a SQLite file has it in the table as well, so that it is whole. All times are taken from the clock of the database.
 */

/** Size of the pieces of an upload, of which the last may be smaller. */
export const PIECE_BYTES = 1 << 20

/** Pieces that are removed in one transaction. */
const PIECES_PER_REMOVAL = 16

/** A condition on an upload: its job, or that of a submission, is unfinished; or the submission has failed and can be run again. */
const IS_IMPORTED = sql`(EXISTS (SELECT 1 FROM job WHERE job.id = upload.job_id AND ${IS_UNFINISHED})
  OR EXISTS (SELECT 1 FROM submission JOIN job ON job.id = submission.job_id
             WHERE submission.upload_id = upload.id AND (${IS_UNFINISHED} OR job.status = 'FAILED')))`

/** A condition on an upload: it can still arrive. One that was removed while it arrives lacks what had arrived until then. */
const IS_ARRIVING = sql`expires_at > ${NOW}`

/** What the owner of the uploads of a user begins with, before the id of the user. */
export const USER_PREFIX = 'user '

/** The uploads of a client that are not removed yet. */
export interface StoredUploads {
  /** How many have not arrived completely. */
  readonly unfinishedCount: number
  /** How many there are. */
  readonly count: number
  /** Size of all of them. */
  readonly bytes: number
}

/** Adds an upload without content. It expires unless a piece arrives in time. @returns false if there is one with this id */
export async function insertUpload(
  session: Session,
  { id, owner, name }: Pick<Upload, 'id' | 'owner' | 'name'>,
  lifetimeMs: number,
): Promise<boolean> {
  const added = await session.run(sql`
    INSERT INTO upload (id, owner, name, bytes, expires_at)
    VALUES (${id}, ${owner}, ${name}, 0, ${fromNow(lifetimeMs)}) ON CONFLICT DO NOTHING`)
  return added > 0
}

/**
 * The uploads of a client. Concurrent callers wait for the end of the transaction, so that they see what it adds.
 */
export async function storedUploads(session: Session, owner: string): Promise<StoredUploads> {
  if (session.engine === 'postgres')
    await session.run(sql`SELECT pg_advisory_xact_lock(hashtext(${`upload ${owner}`}))`)
  const [stored] = await session.all<StoredUploads>(sql`
    SELECT COUNT(CASE WHEN sha256 IS NULL THEN 1 END) AS "unfinishedCount", COUNT(*) AS "count",
           COALESCE(SUM(bytes), 0) AS bytes
    FROM upload WHERE owner = ${owner}`)
  return stored
}

/**
 * Size of the uploads of all users who are no hosts, together. Concurrent callers wait for the end of the transaction.
 */
export async function participantBytes(session: Session): Promise<number> {
  if (session.engine === 'postgres')
    await session.run(sql`SELECT pg_advisory_xact_lock(hashtext('uploads of participants'))`)
  const [{ bytes }] = await session.all<{ bytes: number }>(sql`
    SELECT COALESCE(SUM(bytes), 0) AS bytes
    FROM upload JOIN account_user ON upload.owner = ${USER_PREFIX} || account_user.id
    WHERE account_user.role = 'user'`)
  return bytes
}

/** An upload as its owner and administrators see it. */
export interface ListedUpload extends Pick<Upload, 'id' | 'owner' | 'name' | 'bytes' | 'expiresAt'> {
  /** Whether all bytes have arrived. */
  readonly isComplete: boolean
  /** Whether a job imports it. */
  readonly isImported: boolean
  /** Null where a client without an account has sent it. */
  readonly userName: string | null
}

/** Uploads that have not expired, the largest first. @param owner whose they are. Default: of everybody */
export function listUploads(session: Session, owner?: string): Promise<ListedUpload[]> {
  const isOwn = owner === undefined ? EMPTY : sql`AND upload.owner = ${owner}`
  return readListed(session, sql`${isOwn} ORDER BY upload.bytes DESC, upload.id`)
}

/** An upload that has not expired. */
export async function findUpload(session: Session, id: string): Promise<ListedUpload | undefined> {
  const [upload] = await readListed(session, sql`AND upload.id = ${id}`)
  return upload
}

/** @param more conditions and order */
async function readListed(session: Session, more: Sql): Promise<ListedUpload[]> {
  const rows = await session.all<
    ListedUpload & { readonly complete: number; readonly importing: number }
  >(sql`
    SELECT upload.id, upload.owner, upload.name, upload.bytes, upload.expires_at AS "expiresAt",
           account_user.name AS "userName", CASE WHEN sha256 IS NULL THEN 0 ELSE 1 END AS complete,
           CASE WHEN ${IS_IMPORTED} THEN 1 ELSE 0 END AS importing
    FROM upload LEFT JOIN account_user ON upload.owner = ${USER_PREFIX} || account_user.id
    WHERE (expires_at > ${NOW} OR ${IS_IMPORTED}) ${more}`)
  return rows.map(({ complete, importing, ...upload }) => ({
    ...upload,
    isComplete: complete === 1,
    isImported: importing === 1,
  }))
}

/**
 * Checks that an upload leaves the reserve of the disk free, and a small one, such as the captions of a submission, half of it.
 * PostgreSQL has a disk of its own.
 *
 * @param start the number of bytes before these
 * @param room bytes that an upload that is not small leaves free beside the reserve, at most a tenth of the disk
 * @throws AccordError RESOURCE_MISSING
 */
export function requireUploadSpace({ files }: Session, bytes: number, start = 0, room = 0): void {
  if (files === null) return
  fs.mkdirSync(files, { recursive: true, mode: 0o700 })
  const isSmall = start + bytes <= PIECE_BYTES
  requireFreeSpace(files, bytes, isSmall ? { share: 0.5 } : { room })
}

/**
 * Appends a piece.
 *
 * @param room as for {@link requireUploadSpace}
 * @returns false if the upload has expired
 * @throws AccordError RESOURCE_MISSING if the disk is full
 */
export async function insertPiece(
  session: Session,
  piece: { readonly uploadId: string; readonly position: number; readonly content: Buffer },
  { lifetimeMs, room }: { readonly lifetimeMs: number; readonly room: number },
): Promise<boolean> {
  const { uploadId, position, content } = piece
  const changed = await session.run(sql`
    UPDATE upload SET bytes = bytes + ${content.length}, expires_at = ${fromNow(lifetimeMs)}
    WHERE id = ${uploadId} AND ${IS_ARRIVING}`)
  if (changed === 0) return false
  if (session.files === null) await insertRow(session, piece)
  else {
    const start = position * PIECE_BYTES
    requireUploadSpace(session, content.length, start, room)
    writeAt(join(session.files, uploadId), content, start)
  }
  return true
}

async function insertRow(
  session: Session,
  { uploadId, position, content }: { uploadId: string; position: number; content: Buffer },
): Promise<void> {
  await session.run(sql`
    INSERT INTO upload_piece (upload_id, position, content) VALUES (${uploadId}, ${position}, ${content})`)
}

/** Writes into a file, which is created for its owner alone. */
function writeAt(path: string, content: Buffer, start: number): void {
  const file = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_CREAT, 0o600)
  try {
    for (let done = 0; done < content.length; )
      done += fs.writeSync(file, content, done, content.length - done, start + done)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? diskFull(path) : error
  } finally {
    fs.closeSync(file)
  }
}

/** Marks an upload as complete. @returns false if it has expired */
export async function completeUpload(
  session: Session,
  id: string,
  sha256: string,
  lifetimeMs: number,
): Promise<boolean> {
  const changed = await session.run(sql`
    UPDATE upload SET sha256 = ${sha256}, expires_at = ${fromNow(lifetimeMs)}
    WHERE id = ${id} AND ${IS_ARRIVING}`)
  return changed > 0
}

/** Complete uploads that have not expired, in no particular order, and whether a job imports them. */
export async function findUploads(
  session: Session,
  ids: readonly string[],
): Promise<(Upload & { readonly isImported: boolean })[]> {
  const rows = await session.all<Upload & { readonly importing: number }>(sql`
    SELECT ${columnsOf(UploadEntity)}, CASE WHEN ${IS_IMPORTED} THEN 1 ELSE 0 END AS importing
    FROM upload WHERE id ${among(ids)} AND sha256 IS NOT NULL AND (expires_at > ${NOW} OR ${IS_IMPORTED})`)
  return rows.map(({ importing, ...upload }) => ({ ...upload, isImported: importing === 1 }))
}

/** Lets other transactions that import or remove uploads wait for the end of this one. */
export async function lockUploads(session: Session, ids: readonly string[]): Promise<void> {
  const lock = perEngine({ sqlite: '', postgres: 'FOR NO KEY UPDATE' })
  await session.all(sql`SELECT id FROM upload WHERE id ${among(ids)} ORDER BY id ${lock}`)
}

/** Names the job that imports uploads. They expire this long after it was added, but not before it has ended. */
export async function assignUploads(
  session: Session,
  ids: readonly string[],
  jobId: number,
  lifetimeMs: number,
): Promise<void> {
  await session.run(sql`
    UPDATE upload SET job_id = ${jobId}, expires_at = ${fromNow(lifetimeMs)} WHERE id ${among(ids)}`)
}

/** The file of an upload, open for reading; undefined where its content is in the table. The caller closes it. */
export function openUploadFile({ files }: Session, uploadId: string): number | undefined {
  const path = files === null ? undefined : join(files, uploadId)
  return path !== undefined && fs.existsSync(path) ? fs.openSync(path, 'r') : undefined
}

/** A piece of an upload in the table; undefined after the last one. */
export async function readPiece(
  session: Session,
  uploadId: string,
  position: number,
): Promise<Buffer | undefined> {
  const [piece] = await find(
    session,
    UploadPieceEntity,
    sql`WHERE upload_id = ${uploadId} AND position = ${position}`,
    ['content'],
  )
  return piece?.content
}

/**
 * Copies the content of complete uploads from files of a database to the table of another one, which has their rows. After a
 * restore a file may still have what is in the table: it is not copied.
 */
export async function copyUploadFiles(source: Session, target: Session): Promise<void> {
  const uploads = await source.all<{ id: string }>(sql`
    SELECT id FROM upload WHERE sha256 IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM upload_piece WHERE upload_piece.upload_id = upload.id)`)
  for (const { id } of uploads) {
    const file = openUploadFile(source, id)
    if (file === undefined) continue
    try {
      const { size } = fs.fstatSync(file)
      for (let position = 0; position * PIECE_BYTES < size; position++) {
        const content = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - position * PIECE_BYTES))
        fs.readSync(file, content, 0, content.length, position * PIECE_BYTES)
        await insertRow(target, { uploadId: id, position, content })
      }
    } finally {
      fs.closeSync(file)
    }
  }
}

/** Removes the files of uploads that were removed. */
export async function removeUploadFiles(session: Session): Promise<void> {
  const { files } = session
  const names = files !== null && fs.existsSync(files) ? fs.readdirSync(files) : []
  if (files === null || names.length === 0) return
  // A file is created after its row, so that one without a row is of no use.
  const rows = await session.all<{ id: string }>(sql`SELECT id FROM upload WHERE id ${among(names)}`)
  const known = new Set(rows.map(({ id }) => id))
  for (const name of names) if (!known.has(name)) fs.rmSync(join(files, name), { force: true })
}

/** Removes uploads in the transaction that has imported them. */
export async function deleteUploads(session: Session, ids: readonly string[]): Promise<void> {
  await session.run(sql`DELETE FROM upload WHERE id ${among(ids)}`)
}

/** Removes the file of an upload, which makes room on a full disk, and makes the upload expire now. */
export async function expireUpload(session: Session, id: string): Promise<void> {
  if (session.files !== null) fs.rmSync(join(session.files, id), { force: true })
  await session.run(sql`UPDATE upload SET expires_at = ${LONG_AGO} WHERE id = ${id}`)
}

/** Removes a part of an upload that has expired. @returns whether there is more to remove */
export async function deleteExpired(session: Session): Promise<boolean> {
  const [expired] = await session.all<{ id: string }>(
    sql`SELECT id FROM upload WHERE expires_at <= ${NOW} AND NOT ${IS_IMPORTED} LIMIT 1
        ${perEngine({ sqlite: '', postgres: 'FOR UPDATE SKIP LOCKED' })}`,
  )
  if (!expired) return false
  const pieces = sql`SELECT position FROM upload_piece WHERE upload_id = ${expired.id} LIMIT ${PIECES_PER_REMOVAL}`
  const removed = await session.run(
    sql`DELETE FROM upload_piece WHERE upload_id = ${expired.id} AND position IN (${pieces})`,
  )
  if (removed < PIECES_PER_REMOVAL) await session.run(sql`DELETE FROM upload WHERE id = ${expired.id}`)
  return true
}
