import type { SelectionInput, SelectionReport } from '../../services/selection/content-selection.js'
import {
  boxesById,
  boxesByImage,
  boxImportsByDataset,
  datasetsWithBoxes,
  descriptionsById,
  descriptionsByImage,
  mentionsByOwner,
  selectContent,
  systemDescriptionsById,
  systemDescriptionsByImage,
} from '../../services/selection/selection.js'
import type { MentionOwner, OwnedMention, SystemDescriptionRow } from '../../store/boxes.js'
import { defineListLoader, defineLoader, defineRowLoader } from '../execution/loader.js'

/** Whether any image of a dataset has a box. */
export const loadHasBoxes = defineLoader<number, number, boolean>({
  part: (datasetId) => datasetId,
  async read(accord, datasetIds) {
    const boxed = await datasetsWithBoxes(accord, datasetIds)
    return new Map(datasetIds.map((id) => [id, boxed.has(id)]))
  },
  absent: false,
})

export const loadBoxImports = defineListLoader(boxImportsByDataset)

export const loadBox = defineRowLoader(boxesById)

export const loadDescription = defineRowLoader(descriptionsById)

export const loadSystemDescription = defineRowLoader(systemDescriptionsById)

/** The boxes of an image. */
export const loadBoxes = defineListLoader(boxesByImage)

/** The human descriptions of an image. */
export const loadDescriptions = defineListLoader(descriptionsByImage)

/** The descriptions of an image by systems with these names, by all systems if there are no names. */
export const loadSystemDescriptions = defineLoader<
  { readonly imageId: number; readonly systems?: readonly string[] },
  number,
  readonly SystemDescriptionRow[]
>({
  group: ({ systems }) => JSON.stringify(systems ?? null),
  part: ({ imageId }) => imageId,
  read: (accord, keys) =>
    systemDescriptionsByImage(
      accord,
      keys.map(({ imageId }) => imageId),
      keys[0].systems,
    ),
  absent: [],
})

export const loadMentions = defineLoader<
  { readonly owner: MentionOwner; readonly id: number },
  number,
  readonly OwnedMention[]
>({
  group: ({ owner }) => owner,
  part: ({ id }) => id,
  read: (accord, keys) =>
    mentionsByOwner(
      accord,
      keys[0].owner,
      keys.map(({ id }) => id),
    ),
  absent: [],
})

/** Content selection scores, computed by a worker. */
export const loadSelection = defineLoader<SelectionInput, string, SelectionReport | null>({
  group: toKey,
  part: toKey,
  read: async (accord, [input], { client, outside }) =>
    new Map([[toKey(input), await outside(selectContent(accord, input, client))]]),
  absent: null,
})

function toKey({ dataset, priors, priorsShare }: SelectionInput): string {
  return JSON.stringify([dataset, priors, priorsShare])
}
