import type { UndefinedReason } from '../../shared/undefined-reason.js'
import {
  boolean,
  bytes,
  double,
  id,
  index,
  indexed,
  integer,
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
export const SYSTEM_TABLES = tables.entities

export type SystemKind = 'CAPTIONS' | 'WORD_SCORES' | 'DESCRIPTIONS'

export const SystemEntity = entity(
  'system',
  [unique('datasetId', 'name'), index('datasetId', 'isSubmission', 'name')],
  {
    id: id(),
    datasetId: reference('dataset'),
    name: text(),
    kind: text<SystemKind>(),
    imageCount: integer(),
    missingImageCount: integer(),
    /** Of the missing images those with K captions, which statistics count. */
    missingCountedCount: integer(),
    /** Hash of its captions, scores or descriptions, see content-hash.ts. */
    content: text(),
    /** Revision of its results on words; null where it has none. */
    wordRevision: optional(integer()),
    /** Captions of a submission to a challenge are a system of its dataset to nobody but its team and hosts. */
    isSubmission: boolean(),
    createdAt: time(),
  },
)
export type System = Row<typeof SystemEntity>

/** A system's caption of an image. */
export const SystemCaptionEntity = entity('system_caption', [unique('systemId', 'imageId')], {
  id: id(),
  systemId: reference('system'),
  imageId: indexed(reference('image')),
  text: text(),
  /** 32-bit token ids. */
  tokens: bytes(),
})
export type SystemCaption = Row<typeof SystemCaptionEntity>

/** A system's results on one word, for one number of references. */
export const SystemWordEntity = entity('system_word', [], {
  systemId: key(reference('system')),
  referenceCount: key(integer()),
  /** No foreign key, which would require another index: words are removed only with their dataset. */
  wordId: key(integer()),
  precisionAtHumanRecall: optional(double()),
  averagePrecision: optional(double()),
  precision: optional(double()),
  recall: optional(double()),
  undefinedReason: optional(text<UndefinedReason>()),
})
export type SystemWord = Row<typeof SystemWordEntity>

/** Image ids, ascending, to which rows of other tables are aligned. */
export const ImageSetEntity = entity('image_set', [], {
  id: id(),
  systemId: indexed(reference('system')),
  /** 32-bit ids. */
  imageIds: bytes(),
})

/** A system's scores of images for one word. */
export const WordScoresEntity = entity('word_scores', [], {
  systemId: key(reference('system')),
  /** No foreign key: words are removed only with their dataset. */
  wordId: key(integer()),
  imageSetId: indexed(reference('image_set')),
  /** 4 for single precision, 8 for double precision. */
  bytesPerScore: integer(),
  /** One score for each image of the set. */
  scores: bytes(),
})
