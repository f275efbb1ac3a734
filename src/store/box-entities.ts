import type { SourceCounts } from '../selection/types.js'
import { EntitySchema } from './typeorm.js'

/** An object of an image: what it is and where. */
export interface Box {
  id: number
  imageId: number
  /** Unique within the image. */
  externalId: string
  /** A category, noun or WordNet synset, as imported. */
  concept: string
  /** Pixels; x and y are the upper left corner, counted from the image's own, 0, 0. */
  x: number
  y: number
  width: number
  height: number
}

/** What a person or a system says about an image, as the boxes that its words name. */
export interface Description {
  id: number
  imageId: number
  /** Null where a person wrote it. */
  systemId: number | null
  /** Null where a system wrote it. */
  externalId: string | null
  /** The human caption that it is, which then has its text. */
  captionId: number | null
  /** The system's caption that it is, which then has its text. */
  systemCaptionId: number | null
  /** Null also where the source says only which boxes are named. */
  text: string | null
}

/** A box that a description names. */
export interface Mention {
  descriptionId: number
  /** Counts a description's mentions from 0, in the order named. */
  position: number
  boxId: number
  /** The words that name it, `text.slice(start, end)`; both null where the source does not say. */
  start: number | null
  end: number | null
}

/** What an import of boxes kept and left out. */
export interface BoxImport {
  id: number
  datasetId: number
  counts: BoxImportCounts
  createdAt: string
}

export interface BoxImportCounts extends SourceCounts {
  readonly images: number
  readonly boxes: number
  readonly descriptions: number
  /** Of the descriptions: those that are captions of the data set. */
  readonly captions: number
  /** Left out, with their boxes and descriptions: images that the data set does not have. */
  readonly unknownImages: number
}

const integer = (name: string) => ({ type: 'integer', name }) as const
const text = (name: string) => ({ type: 'text', name }) as const
const number = (name: string) => ({ type: 'real', name }) as const
const optional = <T extends object>(column: T) => ({ ...column, nullable: true }) as const
const id = { type: 'integer', primary: true, generated: true } as const
const key = (name: string) => ({ ...integer(name), primary: true }) as const

export const BoxEntity = new EntitySchema<Box>({
  name: 'box',
  columns: {
    id,
    imageId: integer('image_id'),
    externalId: text('external_id'),
    concept: text('concept'),
    x: number('x'),
    y: number('y'),
    width: number('width'),
    height: number('height'),
  },
})

export const DescriptionEntity = new EntitySchema<Description>({
  name: 'description',
  columns: {
    id,
    imageId: integer('image_id'),
    systemId: optional(integer('system_id')),
    externalId: optional(text('external_id')),
    captionId: optional(integer('caption_id')),
    systemCaptionId: optional(integer('system_caption_id')),
    text: optional(text('text')),
  },
})

export const MentionEntity = new EntitySchema<Mention>({
  name: 'mention',
  columns: {
    descriptionId: key('description_id'),
    position: key('position'),
    boxId: integer('box_id'),
    start: optional(integer('span_start')),
    end: optional(integer('span_end')),
  },
})

export const BoxImportEntity = new EntitySchema<BoxImport>({
  name: 'box_import',
  columns: {
    id,
    datasetId: integer('dataset_id'),
    counts: { type: 'simple-json', name: 'counts' },
    createdAt: text('created_at'),
  },
})

export const BOX_ENTITIES = [BoxEntity, DescriptionEntity, MentionEntity, BoxImportEntity]
