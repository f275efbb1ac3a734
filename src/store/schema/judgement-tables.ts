import type { JudgementKind, Rating } from '../../core/judgements/judgement.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const JUDGEMENT_TABLES = entities

/** Human judgements on captions of a dataset's images; a dataset has at most one set. */
export const JudgementSetEntity = entity('judgement_set', [], {
  id: t.id(),
  datasetId: t.distinct(t.reference('dataset')),
  kind: t.text<JudgementKind>(),
  /** Judged captions. */
  captionCount: t.integer(),
  /** Ratings, or preferences. */
  judgementCount: t.integer(),
  /** Captions of the source that were left out because they are references of the same image. */
  ownCaptionCount: t.integer(),
  /** Preferences between equal captions: every metric ties. */
  equalPairCount: t.integer(),
  /** Hash of the captions and judgements. */
  content: t.text(),
  createdAt: t.time(),
})
export type JudgementSet = t.Row<typeof JudgementSetEntity>

/**
 * A caption that people judged, in the order of the source. Its references are the human captions of its image. The two
 * captions of a preference follow each other.
 */
export const JudgedCaptionEntity = entity('judged_caption', [t.index('setId', 'id')], {
  id: t.id(),
  setId: t.reference('judgement_set'),
  imageId: t.indexed(t.reference('image')),
  text: t.text(),
  /** 32-bit token ids. */
  tokens: t.bytes(),
  /** Name of the system that wrote the caption; null where the source names none. */
  system: t.optional(t.text()),
  /** Empty for captions of preferences. */
  ratings: t.json<Rating[]>(),
})
export type JudgedCaption = t.Row<typeof JudgedCaptionEntity>

/** Which of two captions of an image people prefer, if any. */
export const PreferenceEntity = entity('preference', [t.unique('setId', 'externalId')], {
  id: t.id(),
  setId: t.reference('judgement_set'),
  externalId: t.text(),
  firstId: t.indexed(t.reference('judged_caption')),
  secondId: t.indexed(t.reference('judged_caption')),
  /** 0 for the first caption, 1 for the second, null for a tie. */
  preferred: t.optional(t.integer()),
  category: t.text(),
})
export type PreferenceRow = t.Row<typeof PreferenceEntity>

/** The scores of the captions of a set by one metric. */
export const JudgedScoreEntity = entity('judged_score', [t.unique('setId', 'provenanceId')], {
  id: t.id(),
  setId: t.reference('judgement_set'),
  provenanceId: t.permanentReference('provenance'),
  metric: t.text(),
  /** Doubles, one for each caption in the order of the source; NaN where a score is undefined. */
  scores: t.bytes(),
})
