import { fromGlobalId } from '../shared/ids.js'
import type * as schema from '../shared/schema-types.js'
import { figureOf } from './figures.js'
import { NODES } from './nodes.js'

export const Query: schema.QueryResolvers = {
  async node(_parent, { id }, context, info) {
    const found = fromGlobalId(id)
    if (!found) return null
    const object = await (Object.hasOwn(NODES, found.type)
      ? NODES[found.type](context, found.key)
      : figureOf(id, context, info))
    return object && ({ __typename: found.type, ...object } as never)
  },
}
