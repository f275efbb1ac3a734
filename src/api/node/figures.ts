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
import type { ConceptImportance } from '../../core/selection/importance.js'
import type { PublishedRow } from '../../services/agreement/published.js'
import type { BoardRow } from '../../services/challenges/board.js'
import type { MeasuredSystem, PeopleCoverage } from '../../services/coverage/compute-coverage.js'
import type { SystemDiversity } from '../../services/diversity/compute-diversity.js'
import type { MetaEvaluationRow } from '../../services/judgements/judgements.js'
import type { ImageSelection } from '../../services/selection/content-selection.js'
import type { WordMean } from '../../services/words/compute-word-means.js'
import type { BoundPointModel } from '../bounds/models.js'
import type { ComparisonModel, LeaderboardModel, LeaderboardRowModel } from '../datasets/models.js'
import type { SystemSelectionModel } from '../selection/models.js'
import { type Connection, MAX_PAGE_SIZE, PAGE_ARGUMENTS } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { fromGlobalId, type KeyPart, toGlobalId } from '../shared/ids.js'

/**
 * Figures are computed from another object by one of its fields. Their id names the object, the field and its arguments: `node`
 * asks for the field again, by its rules of access and at its cost. Their types implement Node, and have no resolver of `id`.
 */

type Field = GraphQLField<unknown, Context>
type Arguments = Readonly<Record<string, unknown>>

interface Identified {
  readonly id: string
}

/** What distinguishes the figures of a list or of pages that a field returns, by type. */
const KEYS: Readonly<Record<string, (figure: never) => KeyPart>> = {
  Leaderboard: ({ metric }: LeaderboardModel) => metric,
  LeaderboardRow: ({ system }: LeaderboardRowModel) => system?.id ?? null,
  Comparison: ({ figure, first, second }: ComparisonModel) =>
    toText([figure, first?.id ?? null, second?.id ?? null]),
  WordMean: ({ figure }: WordMean) => figure,
  PublishedAgreementRow: ({ metric }: PublishedRow) => metric,
  PeopleCoverage: ({ people }: PeopleCoverage) => people,
  SystemCoverage: ({ systemId }: MeasuredSystem) => systemId,
  SystemDiversity: ({ systemId }: SystemDiversity) => systemId,
  SystemSelection: ({ system }: SystemSelectionModel) => system.id,
  ImageSelection: ({ imageId }: ImageSelection) => imageId,
  ConceptImportance: ({ concept }: ConceptImportance) => concept,
  BoundPoint: ({ boundId }: BoundPointModel) => boundId,
  MetaEvaluationRow: ({ metric }: MetaEvaluationRow) => metric,
  BoardRow: ({ kind, submission, name }: BoardRow) => `${kind} ${submission?.id ?? name}`,
}

/** The fields that ids name, where another field returns one of their figures as well. */
const NAMED_FIELDS: Readonly<Record<string, string>> = { 'Leaderboard.people': 'rows' }

/** Lets the fields that return figures, or pages of them, add their ids. */
export function identifyFigures(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    if (type.name.endsWith('Connection') || type.name.endsWith('Edge')) continue
    for (const field of Object.values(type.getFields()) as Field[]) {
      const result = objectTypeOf(field)
      if (isFigure(result)) field.resolve = withIds(type, field, result)
    }
  }
}

/** The type of the objects of a field, or of the entries of its pages. */
function objectTypeOf(field: Field): GraphQLNamedType {
  const type = getNamedType(field.type)
  const { nodes } = isObjectType(type) && type.name.endsWith('Connection') ? type.getFields() : {}
  return nodes ? getNamedType(nodes.type) : type
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
  const fieldName = NAMED_FIELDS[`${parentType.name}.${field.name}`] ?? field.name
  const keyOf = KEYS[type] ?? (() => null)
  return (parent: unknown, args: Arguments, context: Context, info: GraphQLResolveInfo) => {
    const identifyAll = (found: unknown): unknown => {
      const ofParent = globalIdOf(parentType, parent, context, info)
      const named = nameArguments(field, args)
      const identify = (figure: object) => ({
        ...figure,
        id: toGlobalId(type, ofParent, fieldName, named, keyOf(figure as never)),
      })
      if (Array.isArray(found)) return found.map(identify)
      if (isPage(found)) {
        const { nodes, edges } = found
        const identifyNode = ({ cursor, node }: Edge) => ({ cursor, node: identify(node) })
        return { ...found, nodes: nodes.map(identify), edges: () => edges().map(identifyNode) }
      }
      return found && identify(found)
    }
    const found: unknown = resolve(parent, args, context, info)
    return found instanceof Promise ? found.then(identifyAll) : identifyAll(found)
  }
}

type Edge = ReturnType<Connection<object>['edges']>[number]

function isPage(found: unknown): found is Connection<Identified> {
  return typeof found === 'object' && found !== null && 'pageInfo' in found
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

/** The arguments of a field as ids name them, without those of pages: null and the default value are the same as absent. */
function nameArguments(field: Field, args: Arguments): string | null {
  const given = field.args.filter(
    ({ name, defaultValue }) =>
      args[name] != null && args[name] !== defaultValue && !PAGE_ARGUMENTS.has(name),
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

/** Where the figure with an id comes from. Null if no figure has this id. */
export function originOf(schema: GraphQLSchema, id: string): Origin | null {
  const { type, key = [] } = fromGlobalId(id) ?? {}
  if (type === undefined) return null
  const [parentId, name, named, own] = key
  if (typeof parentId !== 'string') return null
  const parentType = schema.getType(fromGlobalId(parentId)?.type ?? '')
  if (!isObjectType(parentType)) return null
  const field = parentType.getFields()[String(name)] as Field | undefined
  if (field === undefined) return null
  const result = objectTypeOf(field)
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

/** The figure with an id. Null if there is none, or its object cannot be seen. */
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
  const { name: fieldName, resolve = defaultFieldResolver, type } = origin.field
  const isPaged = getNamedType(type).name.endsWith('Connection')
  let args = isPaged ? { ...origin.args, first: MAX_PAGE_SIZE } : origin.args
  for (;;) {
    const found: unknown = await resolve(parent, args, context, { ...info, fieldName })
    const figures = isPage(found) ? found.nodes : [(found ?? []) as Identified].flat()
    const figure = figures.find((one) => one.id === id)
    if (figure) return figure
    const { hasNextPage, endCursor } = isPage(found) ? found.pageInfo() : {}
    if (!hasNextPage) return null
    args = { ...args, after: endCursor }
  }
}
