import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import {
  bytes,
  distinct,
  double,
  id,
  indexed,
  integer,
  json,
  optional,
  permanentReference,
  type Row,
  reference,
  tableList,
  text,
  unique,
} from '../engine/columns.js'

const tables = tableList()
const { entity } = tables

/** Each after those that it refers to. */
export const SCORE_TABLES = tables.entities

/** How figures were made, see provenance.ts. Equal records are one row. */
export const ProvenanceEntity = entity('provenance', [], {
  id: id(),
  /** SHA-256 of the record, hexadecimal. */
  hash: distinct(text()),
  record: json<ProvenanceRecord>(),
})

/**
 * Rows of sufficient statistics of a family of metrics, one for each image of the set. Of a score on folds of
 * references: those of all images for the first fold, then for the second.
 */
export const MetricStatisticsEntity = entity('metric_statistics', [], {
  id: id(),
  systemId: indexed(reference('system')),
  imageSetId: indexed(reference('image_set')),
  /** Name of the family, and the revision of the layout of its rows. */
  family: text(),
  layoutRevision: integer(),
  /** Doubles, row by row. */
  statistics: bytes(),
})

/** A system's score on its images, for one signature. */
export const MetricScoreEntity = entity('metric_score', [unique('systemId', 'signature')], {
  id: id(),
  systemId: reference('system'),
  statisticsId: indexed(reference('metric_statistics')),
  provenanceId: permanentReference('provenance'),
  metric: text(),
  signature: text(),
  /** References per image; the minimum if the number varies. */
  referenceCount: integer(),
  /** Corpus score on each fold of references, which the value is the mean of; null for a score against all references. */
  folds: optional(json<number[]>()),
  value: double(),
  /** Ends of the 95 % interval; null for too few images. */
  lower: optional(double()),
  upper: optional(double()),
  warnings: json<string[]>(),
  /** Doubles, one for each image of the set of the statistics; means over folds. */
  imageScores: bytes(),
})
export type MetricScore = Row<typeof MetricScoreEntity>

/** Rows of sufficient statistics of people's held-out captions: of all images for the first fold, then for the second. */
export const AgreementStatisticsEntity = entity('agreement_statistics', [], {
  id: id(),
  datasetId: indexed(reference('dataset')),
  /** Name of the family, and the revision of the layout of its rows. */
  family: text(),
  layoutRevision: integer(),
  /** 32-bit ids. */
  imageIds: bytes(),
  /** Doubles, row by row. */
  statistics: bytes(),
})

/** One metric of a leave-one-out table. */
export const AgreementScoreEntity = entity(
  'agreement_score',
  [unique('datasetId', 'referenceCount', 'signature')],
  {
    id: id(),
    datasetId: reference('dataset'),
    statisticsId: indexed(reference('agreement_statistics')),
    provenanceId: permanentReference('provenance'),
    referenceCount: integer(),
    metric: text(),
    signature: text(),
    imageCount: integer(),
    /** Corpus score of each fold. */
    folds: json<number[]>(),
    mean: double(),
    standardDeviation: double(),
    /** Ends of the 95 % interval; null for too few images. */
    lower: optional(double()),
    upper: optional(double()),
    warnings: json<string[]>(),
    /** 32-bit ids of the images. */
    imageIds: bytes(),
    /** Doubles, fold by fold, aligned to `imageIds`: the score of the caption that the fold holds out. */
    imageScores: bytes(),
  },
)
export type AgreementScore = Row<typeof AgreementScoreEntity>
