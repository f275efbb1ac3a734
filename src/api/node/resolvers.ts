import { loadBound } from '../bounds/loaders.js'
import { loadTraining } from '../composites/loaders.js'
import { loadDataset } from '../dataset/loaders.js'
import { loadEvaluation } from '../evaluation/loaders.js'
import { fromGlobalId } from '../ids.js'
import { loadImage } from '../image/loaders.js'
import type { QueryResolvers } from '../schema-types.js'
import { loadSystem } from '../system/loaders.js'
import { loadWord } from '../word/loaders.js'

export const Query: Pick<QueryResolvers, 'node'> = {
  async node(_parent, { id: globalId }, context) {
    const parts = fromGlobalId(globalId)
    if (!parts) return null
    const { type, id } = parts
    switch (type) {
      case 'Dataset':
        return withType(type, await loadDataset(context, id))
      case 'Image':
        return withType(type, await loadImage(context, id))
      case 'Word':
        return withType(type, await loadWord(context, id))
      case 'System':
        return withType(type, await loadSystem(context, id))
      case 'Evaluation':
        return withType(type, await loadEvaluation(context, id))
      case 'Bound':
        return withType(type, await loadBound(context, id))
      case 'Training':
        return withType(type, await loadTraining(context, id))
    }
  },
}

function withType<Type extends string, Row extends object>(type: Type, row: Row | null) {
  return row && { ...row, __typename: type }
}
