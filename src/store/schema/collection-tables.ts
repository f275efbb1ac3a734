import {
  boolean,
  distinct,
  id,
  index,
  integer,
  optional,
  type Row,
  reference,
  tableList,
  text,
  time,
  unique,
} from '../engine/columns.js'

const tables = tableList()
const { entity } = tables

/** Each after those that it refers to. */
export const COLLECTION_TABLES = tables.entities

/** Captions that people are asked for: each image is described by a number of different annotators. */
export const CollectionEntity = entity('collection', [], {
  id: id(),
  /** Of the dataset whose images are described, or of the new one. */
  name: distinct(text()),
  /** Captions of each image. */
  captionsPerImage: integer(),
  /** Whether the images are those of the dataset of this name. */
  isExtension: boolean(),
  createdAt: time(),
  /** Id of the user who created it; null where nobody had signed in. */
  host: optional(text()),
})
export type Collection = Row<typeof CollectionEntity>

/** Images of a collection, in the order in which they were given. */
export const CollectionImageEntity = entity(
  'collection_image',
  [unique('collectionId', 'externalId'), index('collectionId', 'takenCount', 'id')],
  {
    id: id(),
    collectionId: reference('collection'),
    externalId: text(),
    fileName: optional(text()),
    url: optional(text()),
    /** Pixels. */
    width: optional(integer()),
    height: optional(integer()),
    /** Captions, and tasks whose annotators have not ended them yet. */
    takenCount: integer(),
    captionCount: integer(),
    /** Annotators who have reported the image. */
    reportCount: integer(),
  },
)
export type CollectionImage = Row<typeof CollectionImageEntity>

export type TaskStatus = 'TAKEN' | 'DESCRIBED' | 'SKIPPED' | 'REPORTED'

/** An image that an annotator was asked to describe. */
export const CollectionTaskEntity = entity(
  'collection_task',
  [unique('imageId', 'annotator'), index('collectionId', 'annotator'), index('collectionId', 'status', 'id')],
  {
    id: id(),
    collectionId: reference('collection'),
    imageId: reference('collection_image'),
    /** Who was asked. */
    annotator: text(),
    status: text<TaskStatus>(),
    takenAt: time(),
    /** Of a task that is taken: when its image may be given to another annotator. */
    expiresAt: time(),
    /** Null while it is taken. */
    endedAt: optional(time()),
    caption: optional(text()),
    /** The tokens of the caption, joined by spaces. */
    tokens: optional(text()),
    /** Why the image was reported. */
    reason: optional(text()),
  },
)
export type CollectionTask = Row<typeof CollectionTaskEntity>
