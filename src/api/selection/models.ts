import type { Dataset } from '../../services/datasets.js'
import type { OwnedMention, SelectionInput } from '../../services/selection.js'

/** Content selection on a dataset. Its fields are computed when they are requested. */
export interface ContentSelectionModel {
  readonly dataset: Dataset
  readonly input: SelectionInput
}

export type MentionModel = Omit<OwnedMention, 'ownerId'>
