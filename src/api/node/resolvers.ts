import { fromGlobalId } from '../shared/ids.js'
import type { QueryResolvers } from '../shared/schema-types.js'
import { NODES } from './nodes.js'

export const Query: Pick<QueryResolvers, 'node'> = {
  async node(_parent, { id }, context) {
    const found = fromGlobalId(id)
    if (!found || !Object.hasOwn(NODES, found.type)) return null
    const object = await NODES[found.type](context, found.key)
    return object && ({ __typename: found.type, ...object } as never)
  },
}
