import type { UndefinedReason } from '../../shared/undefined-reason.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const SYSTEM_TABLES = entities

export type SystemKind = 'CAPTIONS' | 'WORD_SCORES' | 'DESCRIPTIONS'

export const SystemEntity = entity(
  'system',
  [t.unique('datasetId', 'name'), t.index('datasetId', 'isSubmission', 'name')],
  {
    id: t.id(),
    datasetId: t.reference('dataset'),
    name: t.text(),
    kind: t.text<SystemKind>(),
    imageCount: t.integer(),
    missingImageCount: t.integer(),
    /** Of the missing images those with K captions, which statistics count. */
    missingCountedCount: t.integer(),
    /** Hash of its captions, scores or descriptions, see content-hash.ts. */
    content: t.text(),
    /** Revision of its results on words; null where it has none. */
    wordRevision: t.optional(t.integer()),
    /** Captions of a submission to a challenge are a system of its dataset to nobody but its team and hosts. */
    isSubmission: t.boolean(),
    createdAt: t.time(),
  },
)
export type System = t.Row<typeof SystemEntity>

/** A system's caption of an image. */
export const SystemCaptionEntity = entity('system_caption', [t.unique('systemId', 'imageId')], {
  id: t.id(),
  systemId: t.reference('system'),
  imageId: t.indexed(t.reference('image')),
  text: t.text(),
  /** 32-bit token ids. */
  tokens: t.bytes(),
})
export type SystemCaption = t.Row<typeof SystemCaptionEntity>

/** A system's results on one word, for one number of references. */
export const SystemWordEntity = entity('system_word', [], {
  systemId: t.key(t.reference('system')),
  referenceCount: t.key(t.integer()),
  /** No foreign key, which would require another index: words are removed only with their dataset. */
  wordId: t.key(t.integer()),
  precisionAtHumanRecall: t.optional(t.double()),
  averagePrecision: t.optional(t.double()),
  precision: t.optional(t.double()),
  recall: t.optional(t.double()),
  undefinedReason: t.optional(t.text<UndefinedReason>()),
})
export type SystemWord = t.Row<typeof SystemWordEntity>

/** Image ids, ascending, to which rows of other tables are aligned. */
export const ImageSetEntity = entity('image_set', [], {
  id: t.id(),
  systemId: t.indexed(t.reference('system')),
  /** 32-bit ids. */
  imageIds: t.bytes(),
})

/** A system's scores of images for one word. */
export const WordScoresEntity = entity('word_scores', [], {
  systemId: t.key(t.reference('system')),
  /** No foreign key: words are removed only with their dataset. */
  wordId: t.key(t.integer()),
  imageSetId: t.indexed(t.reference('image_set')),
  /** 4 for single precision, 8 for double precision. */
  bytesPerScore: t.integer(),
  /** One score for each image of the set. */
  scores: t.bytes(),
})
