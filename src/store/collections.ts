import { timeNow } from '../clock.js'
import { AccordError, nameTaken, unknownName } from '../errors.js'
import { NOW } from './engine/clock.js'
import { type Order, type PagedRows, pagedRows } from './engine/keyset.js'
import {
  columnsOf,
  count,
  decode,
  find,
  findOne,
  insert,
  lockRow,
  mapRows,
  rowsBy,
  translateViolations,
  update,
} from './engine/rows.js'
import type { Rows, Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import {
  type Collection,
  CollectionEntity,
  type CollectionImage,
  CollectionImageEntity,
  type CollectionTask,
  CollectionTaskEntity,
  type TaskStatus,
} from './schema/collection-tables.js'
import { type Image, ImageEntity } from './schema/dataset-tables.js'

/**
 * Collections of captions. Each step of an annotator is one transaction that locks the collection, so that an image never
 * has more captions and taken tasks than the collection asks for. All times are taken from the clock of the database.
 */

/** Annotators after whose reports an image is given to nobody else. */
const MAX_REPORTS = 2

export type NewCollection = Omit<Collection, 'id' | 'createdAt' | 'host'> & Partial<Pick<Collection, 'host'>>

export type NewCollectionImage = Pick<CollectionImage, 'externalId' | 'fileName' | 'url' | 'width' | 'height'>

/**
 * Writes a collection with its images. Call it in a transaction.
 *
 * @returns its id
 * @throws AccordError NAME_TAKEN
 */
export async function insertCollection(
  session: Session,
  collection: NewCollection,
  images: Rows<NewCollectionImage>,
): Promise<number> {
  const collectionId = await translateViolations(
    () => insert(session, CollectionEntity, { host: null, ...collection, createdAt: timeNow() }),
    { UNIQUE: () => collectionTaken(collection.name) },
  )
  await session.insertMany(
    CollectionImageEntity,
    [
      'collectionId',
      'externalId',
      'fileName',
      'url',
      'width',
      'height',
      'takenCount',
      'captionCount',
      'reportCount',
    ],
    mapRows(images, ({ externalId, fileName, url, width, height }) => {
      return [collectionId, externalId, fileName, url, width, height, 0, 0, 0]
    }),
  )
  return collectionId
}

/** The error for the name of a collection that exists. */
export function collectionTaken(name: string): AccordError {
  return nameTaken('a collection of this name exists', 'dataset', name)
}

/** All collections by name. */
export function listCollections(session: Session): Promise<Collection[]> {
  return find(session, CollectionEntity, sql`ORDER BY name`)
}

export function findCollection(session: Session, name: string): Promise<Collection | null> {
  return findOne(session, CollectionEntity, sql`WHERE name = ${name}`)
}

export const findCollections = rowsBy(CollectionEntity, 'id')
export const findCollectionImages = rowsBy(CollectionImageEntity, 'id')
export const findCollectionTasks = rowsBy(CollectionTaskEntity, 'id')

/** @throws AccordError UNKNOWN_COLLECTION, listing the existing ones */
export async function requireCollection(session: Session, name: string): Promise<Collection> {
  const collection = await findCollection(session, name)
  if (collection) return collection
  const known = (await listCollections(session)).map((existing) => existing.name)
  const none = 'a collection; there is none yet'
  throw unknownName('UNKNOWN_COLLECTION', 'unknown collection', {
    source: 'collection',
    known,
    none,
    found: name,
  })
}

/** Removes a collection with its images, tasks and captions. */
export async function deleteCollection(session: Session, id: number): Promise<void> {
  await session.run(sql`DELETE FROM collection WHERE id = ${id}`)
}

/** Who takes a task, and for how long. */
export interface TaskRequest {
  readonly collectionId: number
  readonly annotator: string
  /** Milliseconds until the image may be given to another annotator. */
  readonly leaseMs: number
}

/**
 * The task that the annotator has taken and not ended, or a new one: the image with the fewest captions and taken tasks,
 * among those that the annotator was never asked to describe. The lease begins now.
 *
 * @returns null if there is no image left for the annotator
 */
export function takeTask(
  database: Session,
  { collectionId, annotator, leaseMs }: TaskRequest,
): Promise<CollectionTask | null> {
  return database.transaction(async (session) => {
    if (!(await lockRow(session, CollectionEntity, collectionId))) return null
    await releaseExpired(session, collectionId, annotator)
    const now = await readClock(session)
    const expiresAt = new Date(Date.parse(now) + leaseMs).toISOString()
    const own = await findOne(
      session,
      CollectionTaskEntity,
      sql`WHERE collection_id = ${collectionId} AND annotator = ${annotator} AND status = 'TAKEN'`,
    )
    if (own) {
      const takenAt = own.expiresAt <= now ? now : own.takenAt
      await update(session, CollectionTaskEntity, { takenAt, expiresAt }, sql`id = ${own.id}`)
      return { ...own, takenAt, expiresAt }
    }
    const [image] = await session.all<{ id: number }>(sql`
      SELECT image.id FROM collection_image AS image
      JOIN collection ON collection.id = image.collection_id
      WHERE image.collection_id = ${collectionId} AND image.taken_count < collection.captions_per_image
        AND image.report_count < ${MAX_REPORTS}
        AND NOT EXISTS (SELECT 1 FROM collection_task AS task
                        WHERE task.image_id = image.id AND task.annotator = ${annotator})
      ORDER BY image.taken_count, image.id LIMIT 1`)
    if (!image) return null
    await addToImage(session, image.id, { taken: 1 })
    const task = {
      collectionId,
      imageId: image.id,
      annotator,
      status: 'TAKEN' as const,
      takenAt: now,
      expiresAt,
      endedAt: null,
      caption: null,
      tokens: null,
      reason: null,
    }
    return { ...task, id: await insert(session, CollectionTaskEntity, task) }
  })
}

async function readClock(session: Session): Promise<string> {
  const [{ now }] = await session.all<{ now: string }>(sql`SELECT ${NOW} AS now`)
  return now
}

/** Makes images free whose annotators have not ended their tasks in time; the annotator who asks continues. */
async function releaseExpired(session: Session, collectionId: number, annotator: string): Promise<void> {
  const released = await session.all<{ imageId: number }>(sql`
    DELETE FROM collection_task WHERE collection_id = ${collectionId} AND status = 'TAKEN'
      AND expires_at <= ${NOW} AND annotator <> ${annotator}
    RETURNING image_id AS "imageId"`)
  for (const { imageId } of released) await addToImage(session, imageId, { taken: -1 })
}

async function addToImage(
  session: Session,
  imageId: number,
  { taken = 0, captions = 0, reports = 0 }: { taken?: number; captions?: number; reports?: number },
): Promise<void> {
  await session.run(sql`
    UPDATE collection_image SET taken_count = taken_count + ${taken}, caption_count = caption_count + ${captions},
      report_count = report_count + ${reports} WHERE id = ${imageId}`)
}

export type TaskEnd =
  | { readonly status: 'DESCRIBED'; readonly caption: string; readonly tokens: string }
  | { readonly status: 'SKIPPED' }
  | { readonly status: 'REPORTED'; readonly reason: string | null }

/**
 * Ends a task that the annotator has taken, in a transaction.
 *
 * @param endOf how it ends, or what prevents it. It must use only the session that it receives
 * @returns what prevents it; null if the task has ended
 * @throws AccordError UNKNOWN_TASK if the annotator has no such task: it has ended, or another one may take the image
 */
export function endTask<Refusal extends object>(
  database: Session,
  { taskId, annotator }: { readonly taskId: number; readonly annotator: string },
  endOf: (session: Session, task: CollectionTask) => Promise<TaskEnd | { readonly refusal: Refusal }>,
): Promise<Refusal | null> {
  return database.transaction(async (session) => {
    const { collectionId } = await requireTaken(session, taskId, annotator)
    await lockRow(session, CollectionEntity, collectionId)
    const task = await requireTaken(session, taskId, annotator)
    const end = await endOf(session, task)
    if ('refusal' in end) return end.refusal
    const now = await readClock(session)
    await update(session, CollectionTaskEntity, { ...end, endedAt: now }, sql`id = ${taskId}`)
    const isDescribed = end.status === 'DESCRIBED'
    await addToImage(session, task.imageId, {
      taken: isDescribed ? 0 : -1,
      captions: isDescribed ? 1 : 0,
      reports: end.status === 'REPORTED' ? 1 : 0,
    })
    return null
  })
}

/** A task that the annotator has taken. @throws AccordError UNKNOWN_TASK */
export async function requireTaken(
  session: Session,
  taskId: number,
  annotator: string,
): Promise<CollectionTask> {
  const [task] = await findCollectionTasks(session, [taskId])
  if (task?.annotator === annotator && task.status === 'TAKEN') return task
  throw new AccordError('UNKNOWN_TASK', 'the task has ended, or its time is over; take another one', {
    source: 'task',
    expected: 'a task that the annotator has taken and not ended',
  })
}

/** Which captions of a collection have these tokens: others of the image, and others of the annotator. */
export async function findEqualCaptions(
  session: Session,
  { collectionId, imageId, annotator }: CollectionTask,
  tokens: string,
): Promise<{ readonly isOfImage: boolean; readonly isOfAnnotator: boolean }> {
  const rows = await session.all<{ isOfImage: number }>(sql`
    SELECT 1 AS "isOfImage" FROM collection_task WHERE image_id = ${imageId} AND tokens = ${tokens}
    UNION SELECT 0 AS "isOfImage" FROM collection_task
    WHERE collection_id = ${collectionId} AND annotator = ${annotator} AND tokens = ${tokens}`)
  return {
    isOfImage: rows.some(({ isOfImage }) => isOfImage === 1),
    isOfAnnotator: rows.some(({ isOfImage }) => isOfImage === 0),
  }
}

/** How far a collection is. */
export interface CollectionCounts {
  readonly imageCount: number
  /** Images with all captions that are asked for. */
  readonly completeImageCount: number
  /** Images that are given to nobody, since annotators have reported them. */
  readonly withdrawnImageCount: number
  readonly captionCount: number
  /** Captions that are asked for, of images that are not withdrawn. */
  readonly wantedCaptionCount: number
  /** Tasks that annotators work on. */
  readonly takenTaskCount: number
  readonly skippedTaskCount: number
  readonly reportedTaskCount: number
  /** Annotators with at least one caption. */
  readonly annotatorCount: number
}

/** Counts of collections by id, in no particular order. */
export function readCollectionCounts(
  session: Session,
  ids: readonly number[],
): Promise<(CollectionCounts & { readonly id: number })[]> {
  return session.all(sql`
    SELECT collection.id, "imageCount", "completeImageCount", "withdrawnImageCount", "captionCount",
      "wantedCaptionCount", COALESCE("takenTaskCount", 0) AS "takenTaskCount",
      COALESCE("skippedTaskCount", 0) AS "skippedTaskCount", COALESCE("reportedTaskCount", 0) AS "reportedTaskCount",
      COALESCE("annotatorCount", 0) AS "annotatorCount"
    FROM collection
    JOIN (SELECT collection_id, COUNT(*) AS "imageCount", SUM(image.caption_count) AS "captionCount",
            COUNT(CASE WHEN caption_count >= captions_per_image THEN 1 END) AS "completeImageCount",
            COUNT(CASE WHEN report_count >= ${MAX_REPORTS} THEN 1 END) AS "withdrawnImageCount",
            SUM(CASE WHEN report_count >= ${MAX_REPORTS} THEN caption_count ELSE captions_per_image END)
              AS "wantedCaptionCount"
          FROM collection_image AS image JOIN collection ON collection.id = image.collection_id
          WHERE collection_id ${among(ids)} GROUP BY collection_id) AS images ON images.collection_id = collection.id
    LEFT JOIN (SELECT collection_id, COUNT(CASE WHEN status = 'TAKEN' THEN 1 END) AS "takenTaskCount",
                 COUNT(CASE WHEN status = 'SKIPPED' THEN 1 END) AS "skippedTaskCount",
                 COUNT(CASE WHEN status = 'REPORTED' THEN 1 END) AS "reportedTaskCount",
                 COUNT(DISTINCT CASE WHEN status = 'DESCRIBED' THEN annotator END) AS "annotatorCount"
               FROM collection_task WHERE collection_id ${among(ids)} GROUP BY collection_id) AS tasks
      ON tasks.collection_id = collection.id
    WHERE collection.id ${among(ids)}`)
}

/** Captions that an annotator has written in a collection. */
export function countOwnCaptions(
  session: Session,
  { collectionId, annotator }: Pick<CollectionTask, 'collectionId' | 'annotator'>,
): Promise<number> {
  return count(
    session,
    sql`FROM collection_task WHERE collection_id = ${collectionId} AND annotator = ${annotator} AND status = 'DESCRIBED'`,
  )
}

/** The images of a dataset that can be shown: those with the address of a picture, or all if it has a folder of pictures. In order. */
export function readPicturedImages(session: Session, datasetId: number): Promise<Image[]> {
  return find(
    session,
    ImageEntity,
    sql`WHERE dataset_id = ${datasetId} AND (url LIKE 'http%' OR EXISTS
        (SELECT 1 FROM dataset WHERE dataset.id = ${datasetId} AND images_folder IS NOT NULL)) ORDER BY id`,
  )
}

/** The images of datasets that images of collections are, where a collection describes those of a dataset. */
export async function findDescribedImages(
  session: Session,
  collectionImageIds: readonly number[],
): Promise<(Image & { readonly collectionImageId: number })[]> {
  const rows = await session.all<Image & { collectionImageId: number }>(sql`
    SELECT ${columnsOf(ImageEntity)}, asked.id AS "collectionImageId" FROM collection_image AS asked
    JOIN collection ON collection.id = asked.collection_id AND is_extension
    JOIN dataset ON dataset.name = collection.name
    JOIN image ON image.dataset_id = dataset.id AND image.external_id = asked.external_id
    WHERE asked.id ${among(collectionImageIds)}`)
  return decode(ImageEntity, rows)
}

export async function hasCollectionImage(
  session: Session,
  collectionId: number,
  externalId: string,
): Promise<boolean> {
  const condition = sql`WHERE collection_id = ${collectionId} AND external_id = ${externalId}`
  return (await findOne(session, CollectionImageEntity, condition)) !== null
}

/** Whether an annotator has a task of an image of a collection, or had one. */
export async function wasGiven(
  session: Session,
  { collectionId, externalId, annotator }: GivenImage,
): Promise<boolean> {
  const rows = await session.all(sql`
    SELECT 1 AS found FROM collection_task AS task JOIN collection_image AS image ON image.id = task.image_id
    WHERE image.collection_id = ${collectionId} AND image.external_id = ${externalId}
      AND task.annotator = ${annotator} LIMIT 1`)
  return rows.length > 0
}

interface GivenImage {
  readonly collectionId: number
  readonly externalId: string
  readonly annotator: string
}

/** The images of a collection, in order. */
export function readCollectionImages(session: Session, collectionId: number): Promise<CollectionImage[]> {
  return find(session, CollectionImageEntity, sql`WHERE collection_id = ${collectionId} ORDER BY id`)
}

/** The tasks of a collection that have ended, by image, in the order in which they ended. */
export function readEndedTasks(session: Session, collectionId: number): Promise<CollectionTask[]> {
  return find(
    session,
    CollectionTaskEntity,
    sql`WHERE collection_id = ${collectionId} AND ended_at IS NOT NULL ORDER BY image_id, ended_at, id`,
  )
}

/** What annotators have reported, by image. */
export function readReports(
  session: Session,
  collectionId: number,
): Promise<{ readonly image: string; readonly annotator: string; readonly remark: string | null }[]> {
  return session.all(sql`
    SELECT image.external_id AS image, annotator, reason AS remark FROM collection_task AS task
    JOIN collection_image AS image ON image.id = task.image_id
    WHERE task.collection_id = ${collectionId} AND status = 'REPORTED' ORDER BY image.id, task.id`)
}

/** How many tasks of a collection have ended: it identifies them, since they are never changed or removed. */
export function countEndedTasks(session: Session, collectionId: number): Promise<number> {
  return count(session, sql`FROM collection_task WHERE collection_id = ${collectionId} AND status <> 'TAKEN'`)
}

/** Conditions on tasks. Those that are absent or null are ignored. */
export interface TaskFilter {
  readonly status?: TaskStatus | null
  readonly annotator?: string | null
}

/** The tasks of a collection, by the order in which they were taken. */
export function pagedTasks(
  session: Session,
  collectionId: number,
  { status, annotator }: TaskFilter,
): PagedRows<CollectionTask> {
  const order: Order = { expression: sql`collection_task.id`, type: 'integer', direction: 'ASC' }
  const conditions = [
    sql`collection_id = ${collectionId}`,
    ...(status == null ? [] : [sql`status = ${status}`]),
    ...(annotator == null ? [] : [sql`annotator = ${annotator}`]),
  ]
  return pagedRows(session, { entity: CollectionTaskEntity, conditions, order })
}

/** The images of a collection, in order. */
export function pagedCollectionImages(session: Session, collectionId: number): PagedRows<CollectionImage> {
  const order: Order = { expression: sql`collection_image.id`, type: 'integer', direction: 'ASC' }
  const conditions = [sql`collection_id = ${collectionId}`]
  return pagedRows(session, { entity: CollectionImageEntity, conditions, order })
}
