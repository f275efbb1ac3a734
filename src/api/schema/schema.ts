import { readFileSync } from 'node:fs'
import { makeExecutableSchema } from '@graphql-tools/schema'
import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
} from 'graphql'
import { yieldToEventLoop } from '../../event-loop.js'
import { projectFile } from '../../project.js'
import { TIME_FORMAT, toUtc } from '../../services/shared/times.js'
import * as accounts from '../accounts/resolvers.js'
import * as bounds from '../bounds/resolvers.js'
import * as challenges from '../challenges/resolvers.js'
import * as collections from '../collections/resolvers.js'
import * as composites from '../composites/resolvers.js'
import * as coverage from '../coverage/resolvers.js'
import * as datasets from '../datasets/resolvers.js'
import * as diversity from '../diversity/resolvers.js'
import * as images from '../images/resolvers.js'
import * as imports from '../imports/resolvers.js'
import * as jobs from '../jobs/resolvers.js'
import * as judgements from '../judgements/resolvers.js'
import { identifyFigures } from '../node/figures.js'
import { ROWS } from '../node/nodes.js'
import * as node from '../node/resolvers.js'
import * as sceneGraphs from '../scene-graphs/resolvers.js'
import * as scores from '../scores/resolvers.js'
import * as selection from '../selection/resolvers.js'
import { connectionResolvers } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { toGlobalId } from '../shared/ids.js'
import type { Resolvers } from '../shared/schema-types.js'
import * as systems from '../systems/resolvers.js'
import * as words from '../words/resolvers.js'
import { applyRules, readTypeRules } from './access.js'
import { never } from './create-context.js'
import { identifyLists } from './lists.js'
import { plainResolvers } from './plain-resolvers.js'
import { COMPUTED, weightOf } from './weights.js'

type Field = GraphQLField<unknown, Context>
type Resolver = GraphQLFieldResolver<unknown, Context>

let built: GraphQLSchema | undefined

/**
 * The schema with its resolvers, by the rules of access, which a process builds once. Computations take turns with other work;
 * equal computations are executed once per request; objects in lists and fields that fail are counted.
 */
export function apiSchema(): GraphQLSchema {
  built ??= buildSchema()
  return built
}

function buildSchema(): GraphQLSchema {
  const schema = makeExecutableSchema({
    typeDefs: readFileSync(projectFile('schema.graphql'), 'utf8'),
    resolvers,
  })
  identifyFigures(schema)
  identifyLists(schema)
  const rules = readTypeRules(schema)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    if ('pageInfo' in type.getFields()) {
      for (const [name, resolve] of Object.entries(connectionResolvers))
        type.getFields()[name].resolve = resolve
    }
    for (const field of Object.values(type.getFields()) as Field[]) {
      applyRules(schema, rules, type, field)
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
  let turn = yieldToEventLoop()
  return Object.values(schema.getTypeMap()).map((type) => {
    turn = turn.then(() => yieldToEventLoop())
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
        return Array.isArray(list) && context.countObjects(list.length)
          ? // What loaders read for the entries of several lists is read at once, after the last of them.
            context.turn().then(() => inPieces(list, context), context.fail)
          : list
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

/** Entries of a list that are completed in one piece of work: with 50 fields each, some milliseconds. */
const PIECE = 50

/** A list whose entries are completed piece by piece, in turn with other work. */
function inPieces(list: readonly unknown[], context: Context): readonly unknown[] {
  if (list.length <= PIECE) return list
  let turn: Promise<void>
  return list.map((entry, index) => {
    if (index < PIECE) return entry
    if (index % PIECE === 0) turn = context.turn()
    return turn.then(() => entry, context.fail)
  })
}

/** Times: they are sent in UTC with milliseconds, and read in RFC 3339 with any offset. */
const DateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  serialize(value) {
    const time = typeof value === 'string' ? toUtc(value) : null
    if (time === null || time !== value) throw new Error(`a time that is none: ${JSON.stringify(value)}`)
    return time
  },
  parseValue: parse,
  parseLiteral(node) {
    if (node.kind !== Kind.STRING)
      throw new GraphQLError(`Expected a time in ${TIME_FORMAT}.`, { nodes: node })
    return parse(node.value)
  },
})

function parse(value: unknown): string {
  const time = typeof value === 'string' ? toUtc(value) : null
  if (time === null) throw new GraphQLError(`Expected a time in ${TIME_FORMAT}.`)
  return time
}

/** The id of the objects of a type that are rows. */
const idOfRow = (type: string) => [type, { id: ({ id }: { readonly id: number }) => toGlobalId(type, id) }]

/** The resolvers of the areas of the schema. An area exports the fields that it adds to a type by the name of the type. */
export const resolvers: Partial<Resolvers>[] = [
  { DateTime },
  Object.fromEntries(Object.keys(ROWS).map(idOfRow)),
  plainResolvers,
  accounts,
  bounds,
  collections,
  challenges,
  composites,
  coverage,
  diversity,
  datasets,
  images,
  imports,
  jobs,
  judgements,
  node,
  sceneGraphs,
  scores,
  selection,
  systems,
  words,
]
