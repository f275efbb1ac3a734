import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const SCORE_TABLES = entities

/** How figures were made, see provenance.ts. Equal records are one row. */
export const ProvenanceEntity = entity('provenance', [], {
  id: t.id(),
  /** SHA-256 of the record, hexadecimal. */
  hash: t.distinct(t.text()),
  record: t.json<ProvenanceRecord>(),
})

/**
 * Rows of sufficient statistics of a family of metrics, one for each image of the set. Of a score on folds of
 * references: those of all images for the first fold, then for the second.
 */
export const MetricStatisticsEntity = entity('metric_statistics', [], {
  id: t.id(),
  systemId: t.indexed(t.reference('system')),
  imageSetId: t.indexed(t.reference('image_set')),
  /** Name of the family, and the revision of the layout of its rows. */
  family: t.text(),
  layoutRevision: t.integer(),
  /** Doubles, row by row. */
  statistics: t.bytes(),
})

/** A system's score on its images, for one signature. */
export const MetricScoreEntity = entity('metric_score', [t.unique('systemId', 'signature')], {
  id: t.id(),
  systemId: t.reference('system'),
  statisticsId: t.indexed(t.reference('metric_statistics')),
  provenanceId: t.permanentReference('provenance'),
  metric: t.text(),
  signature: t.text(),
  /** References per image; the minimum if the number varies. */
  referenceCount: t.integer(),
  /** Corpus score on each fold of references, which the value is the mean of; null for a score against all references. */
  folds: t.optional(t.json<number[]>()),
  value: t.double(),
  /** Ends of the 95 % interval; null for too few images. */
  lower: t.optional(t.double()),
  upper: t.optional(t.double()),
  warnings: t.json<string[]>(),
  /** Doubles, one for each image of the set of the statistics; means over folds. */
  imageScores: t.bytes(),
})
export type MetricScore = t.Row<typeof MetricScoreEntity>

/** Rows of sufficient statistics of people's held-out captions: of all images for the first fold, then for the second. */
export const AgreementStatisticsEntity = entity('agreement_statistics', [], {
  id: t.id(),
  datasetId: t.indexed(t.reference('dataset')),
  /** Name of the family, and the revision of the layout of its rows. */
  family: t.text(),
  layoutRevision: t.integer(),
  /** 32-bit ids. */
  imageIds: t.bytes(),
  /** Doubles, row by row. */
  statistics: t.bytes(),
})

/** One metric of a leave-one-out table. */
export const AgreementScoreEntity = entity(
  'agreement_score',
  [t.unique('datasetId', 'referenceCount', 'signature')],
  {
    id: t.id(),
    datasetId: t.reference('dataset'),
    statisticsId: t.indexed(t.reference('agreement_statistics')),
    provenanceId: t.permanentReference('provenance'),
    referenceCount: t.integer(),
    metric: t.text(),
    signature: t.text(),
    imageCount: t.integer(),
    /** Corpus score of each fold. */
    folds: t.json<number[]>(),
    mean: t.double(),
    standardDeviation: t.double(),
    /** Ends of the 95 % interval; null for too few images. */
    lower: t.optional(t.double()),
    upper: t.optional(t.double()),
    warnings: t.json<string[]>(),
    /** 32-bit ids of the images. */
    imageIds: t.bytes(),
    /** Doubles, fold by fold, aligned to `imageIds`: the score of the caption that the fold holds out. */
    imageScores: t.bytes(),
  },
)
export type AgreementScore = t.Row<typeof AgreementScoreEntity>
