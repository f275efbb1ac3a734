import type { SelectionInput } from '../../services/selection/content-selection.js'
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
import type { MentionOwner } from '../../store/boxes.js'
import { defineListLoader, defineLoader, defineRowLoader } from '../execution/loader.js'

/** Whether any image of a dataset has a box. */
export const loadHasBoxes = defineLoader({
  part: (datasetId: number) => datasetId,
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
export const loadSystemDescriptions = defineLoader({
  part: ({ imageId }: { imageId: number; systems?: readonly string[] }) => imageId,
  group: ({ systems }) => systems,
  read: (accord, imageIds, [{ systems }]) => systemDescriptionsByImage(accord, imageIds, systems),
  absent: [],
})

export const loadMentions = defineLoader({
  part: ({ id }: { owner: MentionOwner; id: number }) => id,
  group: ({ owner }) => owner,
  read: (accord, ids, [{ owner }]) => mentionsByOwner(accord, owner, ids),
  absent: [],
})

/** Content selection scores, computed by a worker. */
export const loadSelection = defineLoader({
  part: toKey,
  group: toKey,
  read: async (accord, [part], [input], { client, outside }) =>
    new Map([[part, await outside(selectContent(accord, input, client))]]),
  absent: null,
})

function toKey({ dataset, priors, priorsShare }: SelectionInput): string {
  return JSON.stringify([dataset, priors, priorsShare])
}
