import type { JudgementKind, Rating } from '../../core/judgements/judgement.js'
import {
  bytes,
  distinct,
  id,
  index,
  indexed,
  integer,
  json,
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
export const JUDGEMENT_TABLES = tables.entities

/** Human judgements on captions of a dataset's images; a dataset has at most one set. */
export const JudgementSetEntity = entity('judgement_set', [], {
  id: id(),
  datasetId: distinct(reference('dataset')),
  kind: text<JudgementKind>(),
  /** Judged captions. */
  captionCount: integer(),
  /** Ratings, or preferences. */
  judgementCount: integer(),
  /** Captions of the source that were left out because they are references of the same image. */
  ownCaptionCount: integer(),
  /** Preferences between equal captions: every metric ties. */
  equalPairCount: integer(),
  /** Hash of the captions and judgements. */
  content: text(),
  createdAt: time(),
})
export type JudgementSet = Row<typeof JudgementSetEntity>

/**
 * A caption that people judged, in the order of the source. Its references are the human captions of its image. The two
 * captions of a preference follow each other.
 */
export const JudgedCaptionEntity = entity('judged_caption', [index('setId', 'id')], {
  id: id(),
  setId: reference('judgement_set'),
  imageId: indexed(reference('image')),
  text: text(),
  /** 32-bit token ids. */
  tokens: bytes(),
  /** Name of the system that wrote the caption; null where the source names none. */
  system: optional(text()),
  /** Empty for captions of preferences. */
  ratings: json<Rating[]>(),
})
export type JudgedCaption = Row<typeof JudgedCaptionEntity>

/** Which of two captions of an image people prefer, if any. */
export const PreferenceEntity = entity('preference', [unique('setId', 'externalId')], {
  id: id(),
  setId: reference('judgement_set'),
  externalId: text(),
  firstId: indexed(reference('judged_caption')),
  secondId: indexed(reference('judged_caption')),
  /** 0 for the first caption, 1 for the second, null for a tie. */
  preferred: optional(integer()),
  category: text(),
})
export type PreferenceRow = Row<typeof PreferenceEntity>

/** The scores of the captions of a set by one metric. */
export const JudgedScoreEntity = entity('judged_score', [unique('setId', 'provenanceId')], {
  id: id(),
  setId: reference('judgement_set'),
  provenanceId: permanentReference('provenance'),
  metric: text(),
  /** Doubles, one for each caption in the order of the source; NaN where a score is undefined. */
  scores: bytes(),
})
