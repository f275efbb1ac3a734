import { CHECKSUM, checksumOf, hasChecksums, hasSealedBytes } from './engine/checksums.js'
import { describeKey } from './engine/columns.js'
import type { Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { readRanges } from './raw-rows.js'
import { ENTITIES } from './schema/entities.js'

/** What SQLite finds wrong with its file; nothing on PostgreSQL, which has no such check. */
export async function checkEngine(session: Session): Promise<string[]> {
  if (session.engine === 'postgres') return []
  const pages = await session.all<{ integrity_check: string }>(sql`PRAGMA integrity_check`)
  const problems = pages.map((page) => page.integrity_check).filter((text) => text !== 'ok')
  const keys = await session.all<{ table: string; parent: string }>(sql`PRAGMA foreign_key_check`)
  const references = new Set(keys.map(({ table, parent }) => `${table}: rows without a row of ${parent}`))
  return [...problems, ...references]
}

/** The rows of a table that differ from their checksums. */
interface TableCheck {
  readonly table: string
  readonly rowCount: number
  readonly damagedCount: number
  /** The first of them by its key: `id 7`. */
  readonly first: string | null
}

/** Compares the rows of all tables with their checksums. */
export async function* checkRows(session: Session): AsyncGenerator<TableCheck> {
  for (const entity of ENTITIES.filter(hasChecksums)) {
    const [checksum, isSealed] = [checksumOf(entity), hasSealedBytes(entity)]
    let [rowCount, damagedCount] = [0, 0]
    let first: string | null = null
    for await (const rows of readRanges(session, entity)) {
      const damaged = rows.filter((row) => checksum(row) !== row[CHECKSUM] || !isSealed(row))
      rowCount += rows.length
      damagedCount += damaged.length
      if (damaged.length > 0) first ??= describeKey(entity, damaged[0])
    }
    yield { table: entity.name, rowCount, damagedCount, first }
  }
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
