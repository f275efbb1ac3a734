import type { SourceCounts } from '../../core/selection/scenes.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const BOX_TABLES = entities

/** The bounding box of an object in an image. */
export const BoxEntity = entity('box', [t.unique('imageId', 'externalId')], {
  id: t.id(),
  imageId: t.reference('image'),
  /** Unique within the image. */
  externalId: t.text(),
  /** A category, noun or WordNet synset, as imported. */
  concept: t.text(),
  /** Pixels; x and y are the upper left corner, relative to the upper left corner of the image. */
  x: t.double(),
  y: t.double(),
  width: t.double(),
  height: t.double(),
  /** Words that describe the object, such as its colour; null if the source has none. */
  attributes: t.optional(t.json<string[]>()),
  /** Distance from the camera, in the unit of the source; null if unknown. */
  depth: t.optional(t.double()),
})
export type Box = t.Row<typeof BoxEntity>

/** The objects that are annotated in an image, beside those that have boxes. */
export const ImageObjectEntity = entity('image_object', [], {
  imageId: t.key(t.reference('image')),
  /** Each once; may be none. */
  names: t.json<string[]>(),
})
export type ImageObject = t.Row<typeof ImageObjectEntity>

/** A sentence of a person or a system about an image, as the sequence of boxes that it mentions. */
export const DescriptionEntity = entity(
  'description',
  [t.unique('imageId', 'externalId'), t.unique('systemId', 'imageId')],
  {
    id: t.id(),
    imageId: t.reference('image'),
    /** Null for a human description. */
    systemId: t.optional(t.reference('system')),
    /** Null for a system's description. */
    externalId: t.optional(t.text()),
    /** The linked human caption, which contains the text. */
    captionId: t.distinct(t.optional(t.reference('caption'))),
    /** The linked caption of the system, which contains the text. */
    systemCaptionId: t.distinct(t.optional(t.reference('system_caption'))),
    /** Null if a caption is linked, or if the source contains only the mentioned boxes. */
    text: t.optional(t.text()),
  },
)
export type Description = t.Row<typeof DescriptionEntity>

/** A box that a description mentions. */
export const MentionEntity = entity('mention', [], {
  descriptionId: t.key(t.reference('description')),
  /** Index of the mention in the description, from 0. */
  position: t.key(t.integer()),
  boxId: t.indexed(t.reference('box')),
  /** The words that refer to the box, `text.slice(start, end)`; both null if the source does not contain them. */
  start: t.optional(t.integer('span_start')),
  end: t.optional(t.integer('span_end')),
})

/** The numbers of items that an import of boxes added and excluded. */
export interface BoxImportCounts extends SourceCounts {
  readonly images: number
  readonly boxes: number
  readonly descriptions: number
  /** Of the descriptions: those linked to captions of the dataset. */
  readonly captions: number
  /** Excluded images that are not in the dataset, with their boxes and descriptions. */
  readonly unknownImages: number
}

export const BoxImportEntity = entity('box_import', [], {
  id: t.id(),
  datasetId: t.indexed(t.reference('dataset')),
  counts: t.json<BoxImportCounts>(),
  createdAt: t.time(),
})
export type BoxImport = t.Row<typeof BoxImportEntity>
