import {
  coerceInputValue,
  defaultFieldResolver,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import type { BoardRow } from '../../services/challenges/board.js'
import type { ComparisonModel, LeaderboardModel, LeaderboardRowModel } from '../datasets/models.js'
import type { Context } from '../server/context.js'
import { fromGlobalId, type KeyPart, toGlobalId } from '../shared/ids.js'

/**
 * Figures are computed from another object by one of its fields. Their id names the object, the field and its arguments: `node`
 * asks for the field again, by its rules of access and at its cost. Their types implement Node, and have no resolver of `id`.
 */

type Field = GraphQLField<unknown, Context>
type Arguments = Readonly<Record<string, unknown>>

interface Identified extends Readonly<Record<string, unknown>> {
  readonly id: string
}

/** What a field with figures returns. */
type Figures = Identified | readonly Identified[] | null

/** What distinguishes the figures of a list that a field returns, by type. */
const KEYS: Readonly<Record<string, (figure: never) => KeyPart>> = {
  Leaderboard: ({ metric }: LeaderboardModel) => metric,
  Comparison: ({ figure, first, second }: ComparisonModel) =>
    toText([figure, first?.id ?? null, second?.id ?? null]),
}

/** Rows of a figure. */
interface Rows {
  /** The type of the figure. */
  readonly of: string
  /** The property of the figure that has them. */
  readonly property: string
  /** What distinguishes a row from the others. */
  readonly keyOf: (row: never) => KeyPart
}

const ROWS: Readonly<Record<string, Rows>> = {
  LeaderboardRow: {
    of: 'Leaderboard',
    property: 'rows',
    keyOf: ({ system }: LeaderboardRowModel) => system?.id ?? null,
  },
  BoardRow: {
    of: 'Board',
    property: 'rows',
    keyOf: ({ kind, submission, name }: BoardRow) => `${kind} ${submission?.id ?? name}`,
  },
}

/** Lets the fields that return figures add their ids, and those of their rows. */
export function identifyFigures(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields()) as Field[]) {
      const result = getNamedType(field.type)
      if (isFigure(result) && !Object.hasOwn(ROWS, result.name)) field.resolve = withIds(type, field, result)
    }
  }
}

function isFigure(type: GraphQLNamedType): boolean {
  return (
    isObjectType(type) &&
    type.getInterfaces().some(({ name }) => name === 'Node') &&
    type.getFields().id.resolve === undefined
  )
}

function withIds(parentType: GraphQLObjectType, field: Field, { name: type }: GraphQLNamedType) {
  const { resolve = defaultFieldResolver } = field
  const rowsOfType = Object.entries(ROWS).filter(([, { of }]) => of === type)
  function identify(figure: object, idOf: (key: KeyPart) => string): Identified {
    const id = idOf(KEYS[type]?.(figure as never) ?? null)
    const rows = rowsOfType.map(([rowType, { property, keyOf }]) => {
      const all = figure[property as keyof typeof figure] as readonly object[]
      return [property, all.map((row) => ({ ...row, id: toGlobalId(rowType, id, keyOf(row as never)) }))]
    })
    return { ...figure, ...Object.fromEntries(rows), id }
  }
  return async (parent: unknown, args: Arguments, context: Context, info: GraphQLResolveInfo) => {
    const found: unknown = await resolve(parent, args, context, info)
    const ofParent = globalIdOf(parentType, parent, context, info)
    const named = nameArguments(field, args)
    const idOf = (key: KeyPart) => toGlobalId(type, ofParent, field.name, named, key)
    if (Array.isArray(found)) return found.map((figure) => identify(figure, idOf))
    return found && identify(found, idOf)
  }
}

/** The global id of an object of a type that has ids. */
export function globalIdOf(
  type: GraphQLObjectType,
  object: unknown,
  context: Context,
  info: GraphQLResolveInfo,
): string {
  const { resolve } = type.getFields().id
  return resolve ? (resolve(object, {}, context, info) as string) : (object as Identified).id
}

/** The arguments of a field as ids name them: null and the default value are the same as absent. */
function nameArguments(field: Field, args: Arguments): string | null {
  const given = field.args.filter(
    ({ name, defaultValue }) => args[name] != null && args[name] !== defaultValue,
  )
  if (given.length === 0) return null
  return toText(Object.fromEntries(given.map(({ name }) => [name, args[name]])))
}

/** JSON without fields that are null. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_name, part) => part ?? undefined)
}

/** The field that a figure is the value of. */
export interface Origin {
  readonly type: GraphQLObjectType
  readonly field: Field
  readonly args: Arguments
  /** Id of the object that has the field. */
  readonly parentId: string
}

/** Where the figure with an id comes from, or the figure that has the row with it. Null if no figure has this id. */
export function originOf(schema: GraphQLSchema, id: string): Origin | null {
  const { type, key = [] } = fromGlobalId(id) ?? {}
  if (type === undefined) return null
  const [parentId, name, named, own] = key
  if (typeof parentId !== 'string') return null
  if (Object.hasOwn(ROWS, type)) {
    return fromGlobalId(parentId)?.type === ROWS[type].of ? originOf(schema, parentId) : null
  }
  const parentType = schema.getType(fromGlobalId(parentId)?.type ?? '')
  if (!isObjectType(parentType)) return null
  const field = parentType.getFields()[String(name)] as Field | undefined
  if (field === undefined) return null
  const result = getNamedType(field.type)
  if (result.name !== type || !isFigure(result)) return null
  const args = readArguments(field.args, named)
  if (args === null) return null
  const isSame = toGlobalId(type, parentId, field.name, nameArguments(field, args), own) === id
  return isSame ? { type: parentType, field, args, parentId } : null
}

/** Arguments as the field takes them. Null if it does not. */
function readArguments(args: readonly GraphQLArgument[], named: KeyPart | undefined): Arguments | null {
  try {
    const given = named === null ? {} : JSON.parse(String(named))
    const values = args.map((argument) => {
      const value = given[argument.name]
      if (value === undefined && !isRequiredArgument(argument)) return [argument.name, argument.defaultValue]
      return [argument.name, coerceInputValue(value, argument.type, refuse)]
    })
    return Object.fromEntries(values.filter(([, value]) => value !== undefined))
  } catch {
    return null
  }
}

function refuse(_path: unknown, _value: unknown, error: Error): never {
  throw error
}

/** The figure, or the row of one, with an id. Null if there is none, or its object cannot be seen. */
export async function figureOf(
  id: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<object | null> {
  const origin = originOf(info.schema, id)
  if (origin === null) return null
  const { node } = info.parentType.getFields()
  const parent = await node.resolve?.(undefined, { id: origin.parentId }, context, info)
  if (!parent) return null
  const { resolve = defaultFieldResolver } = origin.field
  const found = (await resolve(parent, origin.args, context, info)) as Figures
  const figures = [found ?? []].flat()
  const rows = ROWS[fromGlobalId(id)?.type ?? '']
  const objects = rows ? figures.flatMap((figure) => figure[rows.property] as Identified[]) : figures
  return objects.find((object) => object.id === id) ?? null
}
