import type { Provenance } from '../../services/evaluations/provenance.js'
import type { SelectionInput, SelectionResult } from '../../services/selection/content-selection.js'
import type { OwnedMention } from '../../store/boxes.js'
import type { Dataset, System } from '../../store/schema/entities.js'

/** Content selection on a dataset. Its fields are computed when they are requested. */
export interface ContentSelectionModel {
  readonly dataset: Dataset
  readonly input: SelectionInput
}

/** The score of a system, and how it was made. */
export interface SystemSelectionModel extends Provenance {
  readonly system: System
  readonly score: SelectionResult
}

export type MentionModel = Omit<OwnedMention, 'ownerId'>
