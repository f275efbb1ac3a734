import type { PartOfSpeech } from '../../shared/choices.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const DATASET_TABLES = entities

/** The tokens of all datasets: document frequencies counted in one dataset are valid in another. */
export const TokenEntity = entity('token', [], { id: t.id(), text: t.distinct(t.text('text')) })

/** A set of images with human captions, boxes, or both. */
export const DatasetEntity = entity('dataset', [], {
  id: t.id(),
  name: t.distinct(t.text()),
  /** K: captions per image used by the statistics; 0 for a dataset without captions. */
  captionsPerImage: t.integer(),
  imageCount: t.integer(),
  captionCount: t.integer(),
  /** Images with fewer than K captions, which are excluded from the statistics. */
  excludedImageCount: t.integer(),
  /** Hash of the content, see content-hash.ts. */
  revision: t.text(),
  /** Revision of the statistics of its words; null for a dataset without captions. */
  wordRevision: t.optional(t.integer()),
  /** Hash of the vocabulary that replaced that of the import; null while none did. */
  vocabulary: t.optional(t.text()),
  /** Hash of all imports of annotated objects, in their order: a later one keeps images that it does not have. Null without any. */
  objects: t.optional(t.text()),
  /** Of its captions, BCP 47. */
  language: t.text(),
  /** That gave the tokens of its captions, with its version; see tokenization.ts. */
  tokenizer: t.text(),
  /** Whether only hosts and administrators see it, on a server with accounts. */
  isPrivate: t.boolean(),
  /** Absolute path of the folder of its pictures, on the machine of the server; null where it has none of its own. */
  imagesFolder: t.optional(t.text()),
  createdAt: t.time(),
})
export type Dataset = t.Row<typeof DatasetEntity>

/** Images of a dataset, in the order of the imported file. */
export const ImageEntity = entity(
  'image',
  [t.unique('datasetId', 'externalId'), t.index('datasetId', 'id')],
  {
    id: t.id(),
    datasetId: t.reference('dataset'),
    externalId: t.text(),
    fileName: t.optional(t.text()),
    url: t.optional(t.text()),
    /** Pixels. */
    width: t.optional(t.integer()),
    height: t.optional(t.integer()),
    /** What else its file says of it, such as a domain or a split; null for nothing. */
    fields: t.optional(t.json<Readonly<Record<string, string>>>()),
    captionCount: t.integer(),
  },
)
export type Image = t.Row<typeof ImageEntity>

/** A human caption. */
export const CaptionEntity = entity('caption', [t.unique('imageId', 'position')], {
  id: t.id(),
  imageId: t.reference('image'),
  /** Index of the caption among those of its image, from 0, by annotation id. */
  position: t.integer(),
  externalId: t.text(),
  text: t.text(),
  /** 32-bit token ids. */
  tokens: t.bytes(),
})
export type Caption = t.Row<typeof CaptionEntity>

/** A word of a dataset with its counts over the first K captions of each image. */
export const WordEntity = entity(
  'word',
  [t.unique('datasetId', 'text'), t.index('datasetId', 'vocabularyRank')],
  {
    id: t.id(),
    datasetId: t.reference('dataset'),
    tokenId: t.indexed(t.permanentReference('token')),
    text: t.text(),
    partOfSpeech: t.text<PartOfSpeech>(),
    /** Rank in the vocabulary, from 1; null for words outside the vocabulary. */
    vocabularyRank: t.optional(t.integer()),
    imageCount: t.integer(),
    captionCount: t.integer(),
    /** h_0 … h_K: the number of images in which exactly c of the K captions contain the word. */
    histogram: t.json<number[]>(),
    /** With K − 1 references; null if undefined. */
    humanPrecision: t.optional(t.double()),
    humanRecall: t.optional(t.double()),
  },
)
export type Word = t.Row<typeof WordEntity>

/**
 * The images in which a word is used by one of the first K captions. Images are grouped in blocks of consecutive ids
 * (see postings.ts); a word has one row for each block with such an image.
 */
export const PostingEntity = entity('posting', [], {
  /** Postings of a block are written before the words. */
  wordId: t.key(t.deferredReference('word')),
  block: t.key(t.integer()),
  /** 32-bit ids of the images, ascending. */
  imageIds: t.bytes(),
  /** One byte per image: the number of its first K captions that use the word. */
  captionCounts: t.bytes(),
})
