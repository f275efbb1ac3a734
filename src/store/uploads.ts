import { columnsOf, find } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, perEngine, sql } from './engine/sql.js'
import { IS_UNFINISHED, NOW_MS } from './jobs.js'
import { type Upload, UploadEntity, UploadPieceEntity } from './schema/entities.js'

/**
 * Files that clients sent. Pieces are written and removed in short transactions, so that other writers go on. All times are
 * taken from the clock of the database.
 */

/** Pieces that are removed in one transaction. */
const PIECES_PER_REMOVAL = 16

/** A condition on an upload: its job, or that of a submission, is unfinished. */
const IS_IMPORTED = sql`(EXISTS (SELECT 1 FROM job WHERE job.id = upload.job_id AND ${IS_UNFINISHED})
  OR EXISTS (SELECT 1 FROM submission JOIN job ON job.id = submission.job_id
             WHERE submission.upload_id = upload.id AND ${IS_UNFINISHED}))`

/** The uploads of a client that are not removed yet. */
export interface StoredUploads {
  /** How many have not arrived completely. */
  readonly unfinishedCount: number
  /** Size of all of them. */
  readonly bytes: number
}

/** Adds an upload without content. It expires unless a piece arrives in time. */
export async function insertUpload(
  session: Session,
  { id, owner, name }: Pick<Upload, 'id' | 'owner' | 'name'>,
  lifetimeMs: number,
): Promise<void> {
  await session.run(sql`
    INSERT INTO upload (id, owner, name, bytes, expires_at)
    VALUES (${id}, ${owner}, ${name}, 0, ${NOW_MS} + ${lifetimeMs})`)
}

/**
 * The uploads of a client. Concurrent callers wait for the end of the transaction, so that they see what it adds.
 */
export async function storedUploads(session: Session, owner: string): Promise<StoredUploads> {
  if (session.engine === 'postgres')
    await session.run(sql`SELECT pg_advisory_xact_lock(hashtext(${`upload ${owner}`}))`)
  const [stored] = await session.all<StoredUploads>(sql`
    SELECT COUNT(CASE WHEN sha256 IS NULL THEN 1 END) AS "unfinishedCount", COALESCE(SUM(bytes), 0) AS bytes
    FROM upload WHERE owner = ${owner}`)
  return stored
}

/** Appends a piece. @returns false if the upload has expired and was removed */
export async function insertPiece(
  session: Session,
  { uploadId, position, content }: { uploadId: string; position: number; content: Buffer },
  lifetimeMs: number,
): Promise<boolean> {
  const changed = await session.run(sql`
    UPDATE upload SET bytes = bytes + ${content.length}, expires_at = ${NOW_MS} + ${lifetimeMs}
    WHERE id = ${uploadId}`)
  if (changed === 0) return false
  await session.run(sql`
    INSERT INTO upload_piece (upload_id, position, content) VALUES (${uploadId}, ${position}, ${content})`)
  return true
}

/** Marks an upload as complete. @returns false if it has expired and was removed */
export async function completeUpload(
  session: Session,
  id: string,
  sha256: string,
  lifetimeMs: number,
): Promise<boolean> {
  const changed = await session.run(sql`
    UPDATE upload SET sha256 = ${sha256}, expires_at = ${NOW_MS} + ${lifetimeMs} WHERE id = ${id}`)
  return changed > 0
}

/** Complete uploads that have not expired, in no particular order, and whether a job imports them. */
export async function findUploads(
  session: Session,
  ids: readonly string[],
): Promise<(Upload & { readonly isImported: boolean })[]> {
  const rows = await session.all<Upload & { readonly importing: number }>(sql`
    SELECT ${columnsOf(UploadEntity)}, CASE WHEN ${IS_IMPORTED} THEN 1 ELSE 0 END AS importing
    FROM upload WHERE id ${among(ids)} AND sha256 IS NOT NULL AND (expires_at > ${NOW_MS} OR ${IS_IMPORTED})`)
  return rows.map(({ importing, ...upload }) => ({ ...upload, isImported: importing === 1 }))
}

/** Names the job that imports uploads. They expire this long after it was added, but not before it has ended. */
export async function assignUploads(
  session: Session,
  ids: readonly string[],
  jobId: number,
  lifetimeMs: number,
): Promise<void> {
  await session.run(sql`
    UPDATE upload SET job_id = ${jobId}, expires_at = ${NOW_MS} + ${lifetimeMs} WHERE id ${among(ids)}`)
}

/** A piece of an upload; undefined after the last one. */
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

/** Removes uploads in the transaction that has imported them. */
export async function deleteUploads(session: Session, ids: readonly string[]): Promise<void> {
  await session.run(sql`DELETE FROM upload WHERE id ${among(ids)}`)
}

/** Makes an upload expire now. */
export async function expireUpload(session: Session, id: string): Promise<void> {
  await session.run(sql`UPDATE upload SET expires_at = 0 WHERE id = ${id}`)
}

/**
 * Removes a part of an upload that has expired.
 *
 * @returns whether there is more to remove
 */
export async function deleteExpired(session: Session): Promise<boolean> {
  const [expired] = await session.all<{ id: string }>(
    sql`SELECT id FROM upload WHERE expires_at <= ${NOW_MS} AND NOT ${IS_IMPORTED} LIMIT 1
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
