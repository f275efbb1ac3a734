import { fromGlobalId } from '../ids.js'
import type { QueryResolvers } from '../schema-types.js'

export const Query: Pick<QueryResolvers, 'node'> = {
  async node(_parent, { id: globalId }, { loaders }) {
    const parts = fromGlobalId(globalId)
    if (!parts) return null
    const { type, id } = parts
    switch (type) {
      case 'Dataset':
        return named(type, await loaders.dataset.load(id))
      case 'Image':
        return named(type, await loaders.image.load(id))
      case 'Word':
        return named(type, await loaders.word.load(id))
      case 'System':
        return named(type, await loaders.system.load(id))
      case 'Evaluation':
        return named(type, await loaders.evaluation.load(id))
    }
  },
}

function named<Type extends string, Row extends object>(type: Type, row: Row | null) {
  return row && { ...row, __typename: type }
}
