import type { SourceCounts } from '../../core/selection/scenes.js'
import {
  distinct,
  double,
  id,
  indexed,
  integer,
  json,
  key,
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
export const BOX_TABLES = tables.entities

/** The bounding box of an object in an image. */
export const BoxEntity = entity('box', [unique('imageId', 'externalId')], {
  id: id(),
  imageId: reference('image'),
  /** Unique within the image. */
  externalId: text(),
  /** A category, noun or WordNet synset, as imported. */
  concept: text(),
  /** Pixels; x and y are the upper left corner, relative to the upper left corner of the image. */
  x: double(),
  y: double(),
  width: double(),
  height: double(),
  /** Words that describe the object, such as its colour; null if the source has none. */
  attributes: optional(json<string[]>()),
  /** Distance from the camera, in the unit of the source; null if unknown. */
  depth: optional(double()),
})
export type Box = Row<typeof BoxEntity>

/** The objects that are annotated in an image, beside those that have boxes. */
export const ImageObjectEntity = entity('image_object', [], {
  imageId: key(reference('image')),
  /** Each once; may be none. */
  names: json<string[]>(),
})
export type ImageObject = Row<typeof ImageObjectEntity>

/** A sentence of a person or a system about an image, as the sequence of boxes that it mentions. */
export const DescriptionEntity = entity(
  'description',
  [unique('imageId', 'externalId'), unique('systemId', 'imageId')],
  {
    id: id(),
    imageId: reference('image'),
    /** Null for a human description. */
    systemId: optional(reference('system')),
    /** Null for a system's description. */
    externalId: optional(text()),
    /** The linked human caption, which contains the text. */
    captionId: distinct(optional(reference('caption'))),
    /** The linked caption of the system, which contains the text. */
    systemCaptionId: distinct(optional(reference('system_caption'))),
    /** Null if a caption is linked, or if the source contains only the mentioned boxes. */
    text: optional(text()),
  },
)
export type Description = Row<typeof DescriptionEntity>

/** A box that a description mentions. */
export const MentionEntity = entity('mention', [], {
  descriptionId: key(reference('description')),
  /** Index of the mention in the description, from 0. */
  position: key(integer()),
  boxId: indexed(reference('box')),
  /** The words that refer to the box, `text.slice(start, end)`; both null if the source does not contain them. */
  start: optional(integer('span_start')),
  end: optional(integer('span_end')),
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
  id: id(),
  datasetId: indexed(reference('dataset')),
  counts: json<BoxImportCounts>(),
  createdAt: time(),
})
export type BoxImport = Row<typeof BoxImportEntity>
