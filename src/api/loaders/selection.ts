import type { SelectionInput } from '../../services/selection/content-selection.js'
import * as selection from '../../services/selection/selection.js'
import type { MentionOwner } from '../../store/boxes.js'
import { defineListLoader, defineLoader, defineRowLoader } from '../shared/loader.js'

/** Whether any image of a dataset has a box. */
export const loadHasBoxes = defineLoader({
  part: (datasetId: number) => datasetId,
  async read(accord, datasetIds) {
    const boxed = await selection.datasetsWithBoxes(accord, datasetIds)
    return new Map(datasetIds.map((id) => [id, boxed.has(id)]))
  },
  absent: false,
})

export const loadBoxImports = defineListLoader(selection.boxImportsByDataset)
export const loadBoxImport = defineRowLoader(selection.boxImportsById)
export const loadBox = defineRowLoader(selection.boxesById)
export const loadDescription = defineRowLoader(selection.descriptionsById)
export const loadSystemDescription = defineRowLoader(selection.systemDescriptionsById)
export const loadBoxes = defineListLoader(selection.boxesByImage)
export const loadDescriptions = defineListLoader(selection.descriptionsByImage)

/** The descriptions of an image by systems with these names, by all systems if there are no names. */
export const loadSystemDescriptions = defineLoader({
  part: ({ imageId }: { imageId: number; systems?: readonly string[] }) => imageId,
  group: ({ systems }) => systems,
  read: (accord, imageIds, [{ systems }]) => selection.systemDescriptionsByImage(accord, imageIds, systems),
  absent: [],
})

export const loadMentions = defineLoader({
  part: ({ id }: { owner: MentionOwner; id: number }) => id,
  group: ({ owner }) => owner,
  read: (accord, ids, [{ owner }]) => selection.mentionsByOwner(accord, owner, ids),
  absent: [],
})

/** Content selection scores, computed by a worker. */
export const loadSelection = defineLoader({
  part: toKey,
  group: toKey,
  read: async (accord, [part], [input], { client, outside }) =>
    new Map([[part, await outside(selection.selectContent(accord, input, client))]]),
  absent: null,
})

function toKey({ dataset, priors, priorsShare }: SelectionInput): string {
  return JSON.stringify([dataset, priors, priorsShare])
}
