import type { ImageRange } from './caption-search.js'
import { count } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { type Sql, sql } from './engine/sql.js'

/** Images of a dataset that have human captions. */
export interface CaptionedImages {
  readonly datasetId: number
  /** Minimum number of human captions of an image, at least 1. */
  readonly minCaptionCount: number
  /** Only images with a caption of this system. */
  readonly systemId?: number
}

/** Images whose numbers of captions are read together. */
const IMAGES_PER_READ = 65_536

/** Images whose captions are read together, to limit memory. */
const IMAGES_PER_RANGE = 16_384

/**
 * Divides the images into ranges, in ascending order.
 *
 * @param imagesPerRange at most. Default: 16,384, whose captions are in memory together
 */
export function splitImages(
  session: Session,
  images: CaptionedImages,
  imagesPerRange = IMAGES_PER_RANGE,
): Promise<ImageRange[]> {
  return session.all<ImageRange>(
    sql`SELECT MIN(id) AS first, MAX(id) AS last
        FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) - 1 AS place FROM (${idsOf(images)}) AS chosen) AS numbered
        GROUP BY place / CAST(${imagesPerRange} AS integer)
        ORDER BY first`,
  )
}

/** Images that are read between two turns of the event loop: a few milliseconds. */
const IMAGES_PER_TURN = 1024

/** All images of a dataset, whose ids are consecutive, in ranges that are read between two turns of the event loop. */
export async function rangesOfImages(
  session: Session,
  datasetId: number,
  imagesPerRange = IMAGES_PER_TURN,
): Promise<ImageRange[]> {
  const [{ first, last }] = await session.all<{ first: number | null; last: number | null }>(
    sql`SELECT (SELECT MIN(id) FROM image WHERE dataset_id = ${datasetId}) AS first,
               (SELECT MAX(id) FROM image WHERE dataset_id = ${datasetId}) AS last`,
  )
  if (first === null || last === null) return []
  return Array.from({ length: Math.ceil((last - first + 1) / imagesPerRange) }, (_, index) => {
    const start = first + index * imagesPerRange
    return { first: start, last: Math.min(last, start + imagesPerRange - 1) }
  })
}

export function countCaptionedImages(session: Session, images: CaptionedImages): Promise<number> {
  return count(session, sql`FROM (${idsOf(images)}) AS chosen`)
}

/** The images, by id, with the number of human captions of each. */
export async function readCaptionCounts(
  session: Session,
  images: CaptionedImages,
): Promise<{ readonly imageIds: Int32Array; readonly captionCounts: Int32Array }> {
  const imageCount = await countCaptionedImages(session, images)
  const imageIds = new Int32Array(imageCount)
  const captionCounts = new Int32Array(imageCount)
  let index = 0
  for (const { first, last } of await splitImages(session, images, IMAGES_PER_READ)) {
    const rows = await session.all<{ id: number; captionCount: number }>(
      sql`SELECT id, "captionCount" FROM (${idsOf(images)}) AS chosen
          WHERE id BETWEEN ${first} AND ${last} ORDER BY id`,
    )
    for (const { id, captionCount } of rows) {
      imageIds[index] = id
      captionCounts[index++] = captionCount
    }
  }
  return { imageIds, captionCounts }
}

function idsOf({ datasetId, minCaptionCount, systemId }: CaptionedImages): Sql {
  const condition = sql`image.dataset_id = ${datasetId} AND image.caption_count >= ${minCaptionCount}`
  const columns = sql`image.id, image.caption_count AS "captionCount"`
  return systemId === undefined
    ? sql`SELECT ${columns} FROM image WHERE ${condition}`
    : sql`SELECT ${columns} FROM system_caption JOIN image ON image.id = system_caption.image_id
          WHERE system_caption.system_id = ${systemId} AND ${condition}`
}
