import type { Provenance } from '../../services/provenance/word-provenance.js'
import type {
  ImageSelection,
  SelectionInput,
  SelectionResult,
} from '../../services/selection/content-selection.js'
import type { OwnedMention } from '../../store/boxes.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { loadBoxes } from '../loaders/selection.js'
import type { Context } from '../shared/context.js'

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

export interface SelectionSentenceModel {
  readonly text: string
  readonly mentions: readonly MentionModel[]
}

/** The sentence of a baseline with the boxes that it mentions. Null if there is none. */
export async function sentenceOf(
  { imageId, sentence }: ImageSelection,
  context: Context,
): Promise<SelectionSentenceModel | null> {
  if (sentence === null) return null
  const boxes = new Map((await loadBoxes(context, imageId)).map((box) => [box.externalId, box]))
  const mentions = sentence.mentions.flatMap(({ boxIds, ...span }) =>
    boxIds.flatMap((id) => {
      const box = boxes.get(id)
      return box ? [{ ...span, box }] : []
    }),
  )
  return { text: sentence.text, mentions }
}
