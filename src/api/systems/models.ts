import type { PhrSummary } from '../../services/words/phr.js'
import type { WordChoice } from '../../services/words/vocabulary.js'
import type { Dataset } from '../../store/schema/entities.js'

/** A mean PHR. What comes from images without a score is computed when it is requested. */
export interface PhrSummaryModel extends PhrSummary, WordChoice {
  readonly dataset: Dataset
  readonly systemId: number
}
