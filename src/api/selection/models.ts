import type { Provenance } from '../../services/provenance/provenance.js'
import type {
  ImageSelection,
  SelectionInput,
  SelectionResult,
} from '../../services/selection/content-selection.js'
import type { OwnedMention } from '../../store/boxes.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { loadDataset } from '../loaders/datasets.js'
import { loadBoxes, loadHasBoxes } from '../loaders/selection.js'
import type { Context } from '../server/context.js'
import { isRowId, type KeyPart } from '../shared/ids.js'

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

/** What identifies content selection: the dataset, and what the text baselines learn from. */
export function toSelectionKey({ dataset, input }: ContentSelectionModel): KeyPart[] {
  return [dataset.id, input.priors ?? null, input.priorsShare ?? null]
}

/** The content selection with a key. Null if the key is invalid or the dataset has no boxes. */
export async function selectionOf(
  context: Context,
  [datasetId, priors, priorsShare]: readonly KeyPart[],
): Promise<ContentSelectionModel | null> {
  const dataset = isRowId(datasetId) && (await loadDataset(context, datasetId))
  if (!dataset || !(await loadHasBoxes(context, dataset.id))) return null
  const input = {
    dataset: dataset.name,
    priors: typeof priors === 'string' ? priors : undefined,
    priorsShare: typeof priorsShare === 'number' ? priorsShare : undefined,
  }
  return { dataset, input }
}

/** The sentence of a baseline with the boxes that it mentions. Null if there is none. */
export async function sentenceOf(
  { imageId, sentence }: ImageSelection,
  context: Context,
): Promise<{ text: string; mentions: MentionModel[] } | null> {
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
