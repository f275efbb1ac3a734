import type { AgreementScore, Dataset, MetricScore, System } from '../../store/schema/entities.js'
import type { ImageScores } from '../../store/scores.js'
import type { UndefinedReason } from '../../undefined-reason.js'

/** Score of one caption. */
export interface CaptionScoreModel {
  readonly metric: string
  readonly value: number
  readonly signature: string
}

/** A score of a system by a metric. */
export interface MetricScoreModel {
  readonly system: System
  readonly metric: string
  /** k of the folds; null: against all captions of each image. */
  readonly references: number | null
  /** Null if it was not computed. */
  readonly row: MetricScore | null
}

/** Image scores of a system. */
export interface ScoreVectorModel {
  readonly datasetId: number
  readonly scores: ImageScores
}

/** Human agreement with k references. */
export interface HumanAgreementModel {
  readonly dataset: Dataset
  /** k. Null if no caption can be held out. */
  readonly references: number | null
  readonly rows: readonly AgreementScore[]
  readonly undefinedReason: UndefinedReason | null
}
