import type { PartOfSpeech } from '../../shared/choices.js'
import {
  boolean,
  bytes,
  deferredReference,
  distinct,
  double,
  id,
  index,
  indexed,
  integer,
  json,
  key,
  optional,
  permanentReference,
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
export const DATASET_TABLES = tables.entities

/** The tokens of all datasets: document frequencies counted in one dataset are valid in another. */
export const TokenEntity = entity('token', [], { id: id(), text: distinct(text('text')) })

/** A set of images with human captions, boxes, or both. */
export const DatasetEntity = entity('dataset', [], {
  id: id(),
  name: distinct(text()),
  /** K: captions per image used by the statistics; 0 for a dataset without captions. */
  captionsPerImage: integer(),
  imageCount: integer(),
  captionCount: integer(),
  /** Images with fewer than K captions, which are excluded from the statistics. */
  excludedImageCount: integer(),
  /** Hash of the content, see content-hash.ts. */
  revision: text(),
  /** Revision of the statistics of its words; null for a dataset without captions. */
  wordRevision: optional(integer()),
  /** Hash of the vocabulary that replaced that of the import; null while none did. */
  vocabulary: optional(text()),
  /** Hash of all imports of annotated objects, in their order: a later one keeps images that it does not have. Null without any. */
  objects: optional(text()),
  /** Of its captions, BCP 47. */
  language: text(),
  /** That gave the tokens of its captions, with its version; see tokenization.ts. */
  tokenizer: text(),
  /** Whether only hosts and administrators see it, on a server with accounts. */
  isPrivate: boolean(),
  /** Absolute path of the folder of its pictures, on the machine of the server; null where it has none of its own. */
  imagesFolder: optional(text()),
  createdAt: time(),
})
export type Dataset = Row<typeof DatasetEntity>

/** Images of a dataset, in the order of the imported file. */
export const ImageEntity = entity('image', [unique('datasetId', 'externalId'), index('datasetId', 'id')], {
  id: id(),
  datasetId: reference('dataset'),
  externalId: text(),
  fileName: optional(text()),
  url: optional(text()),
  /** Pixels. */
  width: optional(integer()),
  height: optional(integer()),
  /** What else its file says of it, such as a domain or a split; null for nothing. */
  fields: optional(json<Readonly<Record<string, string>>>()),
  captionCount: integer(),
})
export type Image = Row<typeof ImageEntity>

/** A human caption. */
export const CaptionEntity = entity('caption', [unique('imageId', 'position')], {
  id: id(),
  imageId: reference('image'),
  /** Index of the caption among those of its image, from 0, by annotation id. */
  position: integer(),
  externalId: text(),
  text: text(),
  /** 32-bit token ids. */
  tokens: bytes(),
})
export type Caption = Row<typeof CaptionEntity>

/** A word of a dataset with its counts over the first K captions of each image. */
export const WordEntity = entity(
  'word',
  [unique('datasetId', 'text'), index('datasetId', 'vocabularyRank')],
  {
    id: id(),
    datasetId: reference('dataset'),
    tokenId: indexed(permanentReference('token')),
    text: text(),
    partOfSpeech: text<PartOfSpeech>(),
    /** Rank in the vocabulary, from 1; null for words outside the vocabulary. */
    vocabularyRank: optional(integer()),
    imageCount: integer(),
    captionCount: integer(),
    /** h_0 … h_K: the number of images in which exactly c of the K captions contain the word. */
    histogram: json<number[]>(),
    /** With K − 1 references; null if undefined. */
    humanPrecision: optional(double()),
    humanRecall: optional(double()),
  },
)
export type Word = Row<typeof WordEntity>

/**
 * The images in which a word is used by one of the first K captions. Images are grouped in blocks of consecutive ids
 * (see postings.ts); a word has one row for each block with such an image.
 */
export const PostingEntity = entity('posting', [], {
  /** Postings of a block are written before the words. */
  wordId: key(deferredReference('word')),
  block: key(integer()),
  /** 32-bit ids of the images, ascending. */
  imageIds: bytes(),
  /** One byte per image: the number of its first K captions that use the word. */
  captionCounts: bytes(),
})
