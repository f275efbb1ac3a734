import type { PartOfSpeech } from '../../core/text/part-of-speech.js'
import type { PhrSummary } from '../../services/words/phr.js'
import type { Dataset } from '../../store/schema/entities.js'

/** A mean PHR. What comes from images without a score is computed when it is requested. */
export interface PhrSummaryModel extends PhrSummary {
  readonly dataset: Dataset
  readonly systemId: number
  readonly partOfSpeech: readonly PartOfSpeech[] | null | undefined
}
