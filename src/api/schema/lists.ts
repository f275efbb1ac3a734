import { createHash } from 'node:crypto'
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql'
import { globalIdOf } from '../node/figures.js'
import { PAGE_ARGUMENTS } from '../shared/connection.js'
import type { Context } from '../shared/context.js'

type Field = GraphQLField<unknown, Context>
type Resolver = GraphQLFieldResolver<unknown, Context>

/** The field that returned an object without id, its arguments and its own object. */
const ORIGIN = Symbol('origin')

const HASH_LENGTH = 12

/**
 * Lets the resolvers of connections know which list they are asked for, as the argument `list`: the object, the field and its
 * arguments, but those of the page. A cursor belongs to one list.
 */
export function identifyLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields()) as Field[]) {
      const result = getNamedType(field.type)
      if (result.name.endsWith('Connection')) field.resolve = withList(type, field)
      else if (isObjectType(result) && hasLists(result) && !result.getFields().id)
        field.resolve = withOrigin(type, field)
    }
  }
}

function hasLists(type: GraphQLObjectType): boolean {
  return Object.values(type.getFields()).some((field) => getNamedType(field.type).name.endsWith('Connection'))
}

function withList(type: GraphQLObjectType, field: Field): Resolver {
  const { resolve = defaultFieldResolver } = field
  return (parent, args, context, info) => {
    const list = () =>
      createHash('sha1')
        .update(nameOf(type, field, parent, args, context, info))
        .digest('base64url')
        .slice(0, HASH_LENGTH)
    return resolve(parent, { ...args, list }, context, info)
  }
}

function withOrigin(type: GraphQLObjectType, field: Field): Resolver {
  const { resolve = defaultFieldResolver } = field
  return async (parent, args, context, info) => {
    const found: unknown = await resolve(parent, args, context, info)
    const origin = nameOf(type, field, parent, args, context, info)
    const add = (object: unknown, index = 0) =>
      typeof object === 'object' && object !== null ? { ...object, [ORIGIN]: `${origin} ${index}` } : object
    return Array.isArray(found) ? found.map(add) : add(found)
  }
}

function nameOf(
  type: GraphQLObjectType,
  { name }: Field,
  parent: unknown,
  args: Readonly<Record<string, unknown>>,
  context: Context,
  info: GraphQLResolveInfo,
): string {
  const given = Object.entries(args).filter(([key, value]) => value != null && !PAGE_ARGUMENTS.has(key))
  return `${type.name}.${name} ${ownerOf(type, parent, context, info)} ${JSON.stringify(given)}`
}

/** The id of an object, or its origin; nothing for that of all operations. */
function ownerOf(
  type: GraphQLObjectType,
  parent: unknown,
  context: Context,
  info: GraphQLResolveInfo,
): unknown {
  if (type.getFields().id) return globalIdOf(type, parent, context, info)
  return (parent as { readonly [ORIGIN]?: string } | undefined)?.[ORIGIN] ?? ''
}
