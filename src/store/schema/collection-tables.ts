import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const COLLECTION_TABLES = entities

/** Captions that people are asked for: each image is described by a number of different annotators. */
export const CollectionEntity = entity('collection', [], {
  id: t.id(),
  /** Of the dataset whose images are described, or of the new one. */
  name: t.distinct(t.text()),
  /** Captions of each image. */
  captionsPerImage: t.integer(),
  /** Whether the images are those of the dataset of this name. */
  isExtension: t.boolean(),
  createdAt: t.time(),
  /** Id of the user who created it; null where nobody had signed in. */
  host: t.optional(t.text()),
})
export type Collection = t.Row<typeof CollectionEntity>

/** Images of a collection, in the order in which they were given. */
export const CollectionImageEntity = entity(
  'collection_image',
  [t.unique('collectionId', 'externalId'), t.index('collectionId', 'takenCount', 'id')],
  {
    id: t.id(),
    collectionId: t.reference('collection'),
    externalId: t.text(),
    fileName: t.optional(t.text()),
    url: t.optional(t.text()),
    /** Pixels. */
    width: t.optional(t.integer()),
    height: t.optional(t.integer()),
    /** Captions, and tasks whose annotators have not ended them yet. */
    takenCount: t.integer(),
    captionCount: t.integer(),
    /** Annotators who have reported the image. */
    reportCount: t.integer(),
  },
)
export type CollectionImage = t.Row<typeof CollectionImageEntity>

export type TaskStatus = 'TAKEN' | 'DESCRIBED' | 'SKIPPED' | 'REPORTED'

/** An image that an annotator was asked to describe. */
export const CollectionTaskEntity = entity(
  'collection_task',
  [
    t.unique('imageId', 'annotator'),
    t.index('collectionId', 'annotator'),
    t.index('collectionId', 'status', 'id'),
  ],
  {
    id: t.id(),
    collectionId: t.reference('collection'),
    imageId: t.reference('collection_image'),
    /** Who was asked. */
    annotator: t.text(),
    status: t.text<TaskStatus>(),
    takenAt: t.time(),
    /** Of a task that is taken: when its image may be given to another annotator. */
    expiresAt: t.time(),
    /** Null while it is taken. */
    endedAt: t.optional(t.time()),
    caption: t.optional(t.text()),
    /** The tokens of the caption, joined by spaces. */
    tokens: t.optional(t.text()),
    /** Why the image was reported. */
    reason: t.optional(t.text()),
  },
)
export type CollectionTask = t.Row<typeof CollectionTaskEntity>
