import type { ImageSelection, SelectionInput } from '../../jobs/content-selection.js'
import type { ConceptImportance } from '../../selection/importance.js'
import type { OwnedMention } from '../../store/boxes.js'
import type { Dataset } from '../../store/entities.js'
import type { Connection } from '../connection.js'

/** Content selection on a data set; its fields are computed when they are asked for. */
export interface ContentSelectionModel {
  readonly dataset: Dataset
  readonly input: SelectionInput
}

export type MentionModel = Omit<OwnedMention, 'ownerId'>
export type ImageSelectionConnectionModel = Connection<ImageSelection>
export type ConceptImportanceConnectionModel = Connection<ConceptImportance>
