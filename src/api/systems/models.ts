import type { PartOfSpeech } from '../../core/text/part-of-speech.js'
import type { PhrSummary } from '../../services/words/phr.js'
import type { Dataset, MetricScore } from '../../store/schema/entities.js'
import type { ImageScores } from '../../store/scores.js'

/** A mean PHR. What comes from images without a score is computed when it is requested. */
export interface PhrSummaryModel extends PhrSummary {
  readonly dataset: Dataset
  readonly systemId: number
  readonly partOfSpeech: readonly PartOfSpeech[] | null | undefined
}

/** A score of a system and its image scores. */
export interface SystemScoresModel {
  readonly datasetId: number
  readonly score: MetricScore
  readonly scores: ImageScores
}

export type ScoreVectorModel = SystemScoresModel
export type ScoreDistributionModel = SystemScoresModel
