import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { AccordError, hasCode } from '../errors.js'
import { connect } from './engine/better-sqlite3.js'
import { count } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, raw, sql } from './engine/sql.js'
import { translateSqliteError } from './engine/sqlite.js'
import { requireFreeSpace } from './engine/sqlite-file.js'
import { ENTITIES } from './schema/entities.js'

/** What the engine finds wrong: pages, indices and constraints of a SQLite file, and references between rows. */
export async function checkEngine(session: Session): Promise<string[]> {
  if (session.engine === 'postgres') return danglingReferences(session)
  const problems = await checkPages(session)
  // References of a damaged file may be unreadable.
  if (problems.length > 0) return problems
  const references = await session.all<{ table: string; parent: string }>(
    sql`SELECT DISTINCT "table", parent FROM pragma_foreign_key_check`,
  )
  return references.map(({ table, parent }) => dangling(table, parent))
}

/** What SQLite finds wrong with pages, indices and constraints: at most 100 texts, or the one with which it gives up. */
async function checkPages(session: Session): Promise<string[]> {
  try {
    const rows = await session.all<{ integrity_check: string }>(sql`PRAGMA integrity_check`)
    return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
  } catch (error) {
    if (hasCode(error, 'INVALID_SHAPE')) return [(error as AccordError).message]
    throw error
  }
}

/** PostgreSQL has no statement that checks references again. */
async function danglingReferences(session: Session): Promise<string[]> {
  const problems: string[] = []
  for (const { name: table, columns } of ENTITIES) {
    for (const { name: column, foreignKey } of Object.values(columns)) {
      if (!foreignKey) continue
      const parent = String(foreignKey.target)
      const rows = await session.all(
        raw(`SELECT 1 AS found FROM ${table} AS child WHERE child."${column}" IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM ${parent} AS parent WHERE parent.id = child."${column}") LIMIT 1`),
      )
      if (rows.length > 0) problems.push(dangling(table, parent))
    }
  }
  return problems
}

function dangling(table: string, parent: string): string {
  return `${table}: rows without a row of ${parent}`
}

/** The number of rows of all tables. */
export async function countRows(session: Session): Promise<number> {
  let rows = 0
  for (const { name } of ENTITIES) rows += await count(session, sql`FROM ${raw(name)}`)
  return rows
}

interface CheckedCaption {
  readonly externalId: string
  readonly text: string
}

/** An image with its captions, in order. */
interface CheckedImage {
  readonly externalId: string
  readonly captions: readonly CheckedCaption[]
}

/** Images that are read at once. */
const IMAGES = 2000

/** The images of a dataset with their captions, for its content hash. */
export async function* readCaptionedImages(
  session: Session,
  datasetId: number,
): AsyncGenerator<CheckedImage> {
  for (let last = 0; ; ) {
    const images = await session.all<{ id: number; externalId: string }>(
      sql`SELECT id, external_id AS "externalId" FROM image WHERE dataset_id = ${datasetId} AND id > ${last}
          ORDER BY id LIMIT ${IMAGES}`,
    )
    if (images.length === 0) return
    const captions = await session.all<CheckedCaption & { imageId: number }>(
      sql`SELECT image_id AS "imageId", external_id AS "externalId", text FROM caption
          WHERE image_id ${among(images.map(({ id }) => id))} ORDER BY image_id, position`,
    )
    const byImage = new Map(images.map(({ id }) => [id, [] as CheckedCaption[]]))
    for (const { imageId, ...caption } of captions) byImage.get(imageId)?.push(caption)
    for (const { id, externalId } of images) yield { externalId, captions: byImage.get(id)! }
    last = images[images.length - 1].id
  }
}

/** A captioning system with the hash of its captions. */
interface CheckedSystem {
  readonly id: number
  readonly name: string
  readonly content: string
}

/** The captioning systems of all datasets. */
export function listCaptioningSystems(session: Session): Promise<CheckedSystem[]> {
  return session.all(sql`SELECT id, name, content FROM system WHERE kind = 'CAPTIONS' ORDER BY id`)
}

/** The captions of a system with the external ids of their images. */
export function readNamedCaptions(
  session: Session,
  systemId: number,
): Promise<{ readonly imageId: string; readonly text: string }[]> {
  return session.all(
    sql`SELECT image.external_id AS "imageId", system_caption.text FROM system_caption
        JOIN image ON image.id = system_caption.image_id WHERE system_id = ${systemId}`,
  )
}

/** Hashes of the records of how figures were made, with their texts. */
export function readProvenance(
  session: Session,
): Promise<{ readonly hash: string; readonly record: string }[]> {
  return session.all(sql`SELECT hash, record FROM provenance ORDER BY id`)
}

/** The size of a file before and after, in bytes. */
export interface Compaction {
  readonly before: number
  readonly after: number
}

/**
 * Writes a SQLite file anew without the space of removed rows, by VACUUM. It needs the space of the content twice until then: for the
 * write-ahead log, and for a file in the folder of temporary files.
 *
 * @throws AccordError BUSY while another process has the file open, or another connection of this one; RESOURCE_MISSING if
 *   the space does not suffice
 */
export function compactFile(file: string): Compaction {
  const before = statSync(file).size
  const connection = connect(file, { fileMustExist: true, timeout: 0 })
  try {
    // Whoever has the file open in the mode of the write-ahead log has a lock of it.
    connection.pragma('locking_mode = EXCLUSIVE')
    const read = (name: string) => connection.pragma(name, { simple: true }) as number
    const bytes = (read('page_count') - read('freelist_count')) * read('page_size')
    requireFreeSpace(dirname(file), 2 * bytes)
    requireFreeSpace(tmpdir(), bytes)
    connection.exec('VACUUM')
  } catch (error) {
    const translated = translateSqliteError(error, file)
    throw hasCode(translated, 'BUSY') ? inUse(file) : translated
  } finally {
    connection.close()
  }
  return { before, after: statSync(file).size }
}

function inUse(file: string): AccordError {
  return new AccordError('BUSY', 'the database is in use; it was not compacted', {
    source: file,
    expected: 'no server, worker or command that has it open',
  })
}
