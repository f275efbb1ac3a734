import { readFileSync } from 'node:fs'
import { makeExecutableSchema } from '@graphql-tools/schema'
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { projectFile } from '../../project.js'
import { giveWay } from '../../turns.js'
import { applyRules } from './access.js'
import { connectionResolvers } from './connection.js'
import { type Context, never } from './context.js'
import { resolvers } from './resolvers.js'
import { COMPUTED, weightOf } from './weights.js'

type Field = GraphQLField<unknown, Context>
type Resolver = GraphQLFieldResolver<unknown, Context>

/**
 * The schema with its resolvers, by the rules of access. Computations take turns with other work; equal computations are
 * executed once per request; objects in lists and fields that fail are counted.
 *
 * Compiled queries read fields without a resolver as plain properties: a property that is a function or a promise needs
 * a resolver.
 */
export function createSchema(): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs: readFileSync(projectFile('schema.graphql'), 'utf8'),
    resolvers,
  })
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    if ('pageInfo' in type.getFields()) {
      for (const [name, resolve] of Object.entries(connectionResolvers))
        type.getFields()[name].resolve = resolve
    }
    for (const field of Object.values(type.getFields()) as Field[]) {
      applyRules(schema, type.name, field)
      const coordinate = `${type.name}.${field.name}`
      if (weightOf(field) >= COMPUTED) field.resolve = computedOnce(coordinate, field)
      const isList = isListOfObjects(field)
      if (field.resolve || isList) field.resolve = limited(field, isList)
    }
  }
  const { types } = (schema.getType('__Schema') as GraphQLObjectType).getFields()
  types.resolve = typesInTurns
  return schema
}

/**
 * The types of an introspection, one after the other: all of them take 20 ms and more. The field is that of the library, which
 * all schemas share.
 */
function typesInTurns(schema: GraphQLSchema): Promise<GraphQLNamedType>[] {
  let turn = giveWay()
  return Object.values(schema.getTypeMap()).map((type) => {
    turn = turn.then(giveWay)
    return turn.then(() => type)
  })
}

/** Resolves a field in turn with other work. */
function inTurn({ resolve = defaultFieldResolver }: Field): Resolver {
  return (parent, args, context, info) => context.inTurn(() => resolve(parent, args, context, info))
}

/** The same, once per request for the same object and arguments. */
function computedOnce(coordinate: string, field: Field): Resolver {
  const resolve = inTurn(field)
  return (parent, args, context, info) => {
    const compute = () => resolve(parent, args, context, info)
    const id = idOf(parent)
    return id === undefined ? compute() : context.once(`${coordinate} ${id} ${JSON.stringify(args)}`, compute)
  }
}

/** The number of a row; undefined for objects without one. */
function idOf(parent: unknown): unknown {
  return typeof parent === 'object' && parent !== null && 'id' in parent ? parent.id : undefined
}

function isListOfObjects({ type }: Field): boolean {
  return isListType(getNullableType(type)) && isObjectType(getNamedType(type))
}

/** Counts the objects of a list, and a field that fails. */
function limited({ resolve = defaultFieldResolver }: Field, isList: boolean): Resolver {
  return (parent, args, context, info) => {
    if (context.isGivenUp()) return never()
    const count = (list: unknown) => {
      try {
        if (Array.isArray(list)) context.countObjects(list.length)
        return list
      } catch (error) {
        return context.fail(error)
      }
    }
    try {
      const result: unknown = resolve(parent, args, context, info)
      if (result instanceof Promise)
        return isList ? result.then(count, context.fail) : result.catch(context.fail)
      return isList ? count(result) : result
    } catch (error) {
      return context.fail(error)
    }
  }
}
