import type { AgreementOnWord } from '../../services/words/word-figures.js'
import type { Word } from '../../store/schema/dataset-tables.js'

/** Words of a page as columns. */
export interface WordColumnsModel {
  readonly words: readonly Word[]
  /** Aligned to the words. */
  readonly agreement: readonly AgreementOnWord[]
  readonly references: number | null | undefined
  /** Significant digits of the numbers. */
  readonly digits: number | null | undefined
}
