import { createHash } from 'node:crypto'
import { wasRemoved } from '../errors.js'
import { yieldToEventLoop } from '../event-loop.js'
import { columnsOf, decode, find, lockRow, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { rangesOfImages } from './image-ranges.js'
import { type ImageObject, ImageObjectEntity } from './schema/box-tables.js'
import { DatasetEntity } from './schema/dataset-tables.js'

/** An image with the names of its annotated objects. */
export interface ImageObjects {
  readonly image: number
  readonly externalId: string
  /** May be none. */
  readonly names: readonly string[]
}

/** Images that are written together. */
const CHUNK = 1_000

/**
 * The objects that are annotated in images of a dataset: the concepts of their boxes, and the names that were imported. Images
 * without annotations are left out.
 */
export async function readImageObjects(session: Session, datasetId: number): Promise<ImageObjects[]> {
  const images = new Map<number, ImageObjects & { names: string[] }>()
  const add = (image: number, externalId: string, names: readonly string[]) => {
    const known = images.get(image)
    if (known) known.names.push(...names)
    else images.set(image, { image, externalId, names: [...names] })
  }
  for (const { first, last } of await rangesOfImages(session, datasetId)) {
    await yieldToEventLoop()
    const inRange = sql`image.dataset_id = ${datasetId} AND image.id BETWEEN ${first} AND ${last}`
    const boxed = await session.all<{ image: number; externalId: string; concept: string }>(
      sql`SELECT DISTINCT image.id AS image, image.external_id AS "externalId", box.concept
          FROM image JOIN box ON box.image_id = image.id WHERE ${inRange}`,
    )
    for (const { image, externalId, concept } of boxed) add(image, externalId, [concept])
    const named = await session.all<ImageObject & { externalId: string }>(
      sql`SELECT ${columnsOf(ImageObjectEntity)}, image.external_id AS "externalId"
          FROM image_object JOIN image ON image.id = image_object.image_id WHERE ${inRange}`,
    )
    for (const { imageId, externalId, names } of decode(ImageObjectEntity, named))
      add(imageId, externalId, names)
  }
  return [...images.values()]
}

/**
 * Stores the objects of images, which replace those of these images that were imported before, in one transaction.
 *
 * @throws AccordError UNKNOWN_DATASET if the dataset was removed
 */
export function saveImageObjects(
  session: Session,
  datasetId: number,
  objects: ReadonlyMap<number, readonly string[]>,
): Promise<void> {
  return session.transaction(async (session) => {
    if (!(await lockRow(session, DatasetEntity, datasetId))) throw wasRemoved('dataset')
    const all = [...objects]
    const [{ objects: before }] = await find(session, DatasetEntity, sql`WHERE id = ${datasetId}`, [
      'objects',
    ])
    const hash = createHash('sha256').update(JSON.stringify([before, all]))
    await update(session, DatasetEntity, { objects: hash.digest('hex') }, sql`id = ${datasetId}`)
    for (let start = 0; start < all.length; start += CHUNK) {
      const rows = all.slice(start, start + CHUNK)
      await session.run(sql`DELETE FROM image_object WHERE image_id ${among(rows.map(([image]) => image))}`)
      await session.insertMany(
        ImageObjectEntity,
        ['imageId', 'names'],
        rows.map(([image, names]) => [image, [...names]]),
      )
    }
  })
}
