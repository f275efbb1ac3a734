import {
  type ArgumentNode,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLBoolean,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
  valueFromAST,
} from 'graphql'
import { type Origin, originOf } from '../node/figures.js'
import { MAX_PAGE_SIZE } from '../shared/connection.js'
import { checkSizes, LIMITS, refusal } from './limits.js'
import * as weights from './weights.js'

/** The estimated cost of an operation. */
export interface Cost {
  /** Number of fields in the response. */
  readonly fields: number
  /** Sum of the weights of the fields. */
  readonly weight: number
  /** Sum of the weights of what workers compute. */
  readonly work: number
}

type Variables = Readonly<Record<string, unknown>>

/** What is known of an operation before it is executed. */
export interface CostPlan {
  /** Its cost, by the variables as they are coerced for its execution, with their defaults, and the sizes of the database. */
  readonly estimate: (variables: Variables, sizes: weights.Sizes) => Cost
  /** Whether it asks for nothing but the schema. */
  readonly isIntrospection: boolean
}

/** A field of the operation, with its fragments expanded. */
interface PlannedField {
  readonly isIncluded: (variables: Variables) => boolean
  /** Length of the list, 1 for other fields. */
  readonly length: (variables: Variables, sizes: weights.Sizes) => number
  readonly computation?: Computation
  /** Weight of what workers compute for it. */
  readonly work?: (variables: Variables, sizes: weights.Sizes) => number
  /** Weight of values that are read for many objects at once. */
  readonly reading: number
  /** Weight of what its arguments say how much it is. */
  readonly size?: (variables: Variables, sizes: weights.Sizes) => number
  /** The name of the dataset that it finds. */
  readonly dataset?: (variables: Variables) => unknown
  /** Whether what it computes is for all rows of the list of its object. */
  readonly isOfList: boolean
  /** Whether it is a connection, whose fields are counted for each entry of the page. */
  readonly isPage: boolean
  /** Whether it contains the entries of a connection. */
  readonly isInPage: boolean
  readonly children: readonly PlannedField[]
}

/** A computation of a field. Equal ones on the same object are executed once per request. */
interface Computation {
  /** Field and arguments. */
  readonly key: string
  readonly weight: (sizes: weights.Sizes) => number
  /** Number of different objects on which it can be executed. */
  readonly objects: (sizes: weights.Sizes) => number
}

/** What a document contains, for the limits that do not depend on variables. */
interface Counts {
  fields: number
  aliases: number
  depth: number
  introspectionDepth: number
}

/** Where a field stands. */
interface Place {
  readonly depth: number
  /** Name of the count of its depth. */
  readonly kind: 'depth' | 'introspectionDepth'
  /** Names of the lists whose length the field of their object knows, and that length. */
  readonly sized?: { readonly fields: readonly string[]; readonly length: PlannedField['length'] }
}

/**
 * Prepares the estimate of an operation that is valid.
 *
 * @throws GraphQLError for an operation that is too deep, or has too many fields or aliases
 */
export function planCost(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): CostPlan {
  const counts: Counts = { fields: 0, aliases: 0, depth: 0, introspectionDepth: 0 }

  function plan(parent: GraphQLNamedType, { selections }: SelectionSetNode, place: Place): PlannedField[] {
    return selections.flatMap((selection): PlannedField[] => {
      if (selection.kind === Kind.FIELD) return planField(parent, selection, place)
      const { typeCondition, selectionSet } =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection
          : (fragments.get(selection.name.value) as FragmentDefinitionNode)
      const type = typeCondition ? (schema.getType(typeCondition.name.value) as GraphQLNamedType) : parent
      const isIncluded = inclusion(selection.directives)
      const fields = plan(type, selectionSet, place)
      if (isIncluded === always) return fields
      return fields.map((field) => ({
        ...field,
        isIncluded: (variables) => isIncluded(variables) && field.isIncluded(variables),
      }))
    })
  }

  function planField(parent: GraphQLNamedType, node: FieldNode, outer: Place): PlannedField[] {
    const name = node.name.value
    const isMeta = name === SchemaMetaFieldDef.name || name === TypeMetaFieldDef.name
    const place = { ...outer, kind: isMeta ? 'introspectionDepth' : outer.kind } as const
    count(counts, node, place)
    const field = findField(schema, parent, name)
    if (!field) return []
    for (const { value } of node.arguments ?? []) checkStrings(value)
    const type = getNamedType(field.type)
    const weight = weights.weightOf(field)
    const argument = argumentReader(node, field)
    const coordinate = `${parent.name}.${name}`
    const work = coordinate === NODE ? workOfNode : weights.workOf(coordinate)
    const size = coordinate === NODE ? weightOfNode : weights.sizeOf(coordinate)
    const { sizedFields } = weights.listSizeOf(field) ?? {}
    const length = lengthOf(parent, field, argument)
    const isSizeOfFields = sizedFields !== undefined && !isConnection(type)
    const sized = isSizeOfFields ? { fields: sizedFields, length } : undefined
    return [
      {
        isIncluded: inclusion(node.directives),
        length: isSizeOfFields ? () => 1 : outer.sized?.fields.includes(name) ? outer.sized.length : length,
        computation: weight >= weights.COMPUTED ? computationOf(parent, node, field) : undefined,
        work: work && ((variables, sizes) => work((name) => argument(name, variables), sizes)),
        reading: weight >= weights.COMPUTED ? 0 : weight,
        size: size && ((variables, sizes) => size((name) => argument(name, variables), sizes)),
        dataset: coordinate === DATASET ? (variables) => argument('name', variables) : undefined,
        isOfList: weights.isComputedForList(field),
        isPage: isConnection(type),
        isInPage: isConnection(parent) || parent.name.endsWith('Edge'),
        children: node.selectionSet
          ? plan(type, node.selectionSet, { ...place, depth: place.depth + 1, sized })
          : [],
      },
    ]
  }

  /** The fields that are asked for again to find a figure by its id. */
  function originsOf(id: unknown): Origin[] {
    const origin = typeof id === 'string' ? originOf(schema, id) : null
    if (origin === null) return []
    checkSizes(origin.args, 'The id')
    return [origin, ...originsOf(origin.parentId)]
  }

  function workOfNode(argument: weights.Arguments, sizes: weights.Sizes): number {
    return sum(originsOf(argument('id')), ({ type, field, args }) => {
      const work = weights.workOf(`${type.name}.${field.name}`)
      return work?.((name) => args[name], sizes) ?? 0
    })
  }

  function weightOfNode(argument: weights.Arguments, sizes: weights.Sizes): number {
    return sum(originsOf(argument('id')), ({ field }) => weights.weightOn(field, sizes))
  }

  const root = schema.getRootType(operation.operation) as GraphQLNamedType
  const fields = plan(root, operation.selectionSet, { depth: 1, kind: 'depth' })
  requireWithin('depth', counts.depth, LIMITS.depth)
  requireWithin('depth of the introspection', counts.introspectionDepth, LIMITS.introspectionDepth)
  return {
    estimate: (variables, sizes) => measure(fields, variables, sizes),
    isIntrospection: counts.depth === 0,
  }
}

/** Finds objects by their ids. */
const NODE = 'Query.node'

/** Finds a dataset by its name, whose images are the only ones below it. */
const DATASET = 'Query.dataset'

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

/** Counts a field; refuses the operation early, since the expansion of fragments can grow exponentially. */
function count(counts: Counts, node: FieldNode, { depth, kind }: Place): void {
  requireWithin('number of fields', ++counts.fields, LIMITS.documentFields)
  if (node.alias) requireWithin('number of aliases', ++counts.aliases, LIMITS.aliases)
  counts[kind] = Math.max(counts[kind], depth)
}

function requireWithin(what: string, found: number, limit: number): void {
  if (found <= limit) return
  const message = `The query is too large: expected a ${what} of at most ${limit}, found ${found}.`
  throw refusal(message, 'GRAPHQL_VALIDATION_FAILED')
}

function findField(
  schema: GraphQLSchema,
  parent: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef
  if (name === SchemaMetaFieldDef.name && parent === schema.getQueryType()) return SchemaMetaFieldDef
  if (name === TypeMetaFieldDef.name && parent === schema.getQueryType()) return TypeMetaFieldDef
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
}

const always = () => true

/** Whether `@skip` and `@include` let the selection be executed. */
function inclusion(directives: readonly DirectiveNode[] = []): (variables: Variables) => boolean {
  const conditions = directives.flatMap(({ name, arguments: [condition] = [] }) => {
    if (name.value !== 'skip' && name.value !== 'include') return []
    const expected = name.value === 'include'
    return [(variables: Variables) => valueFromAST(condition.value, GraphQLBoolean, variables) === expected]
  })
  if (conditions.length === 0) return always
  return (variables) => conditions.every((condition) => condition(variables))
}

type ArgumentReader = (name: string, variables: Variables) => unknown

/** Reads arguments as they are coerced for the execution, however they are written. */
function argumentReader(node: FieldNode, field: GraphQLField<unknown, unknown>): ArgumentReader {
  const given = new Map(node.arguments?.map(({ name, value }: ArgumentNode) => [name.value, value]))
  const args = new Map(field.args.map((argument) => [argument.name, argument]))
  return (name, variables) => {
    const { type, defaultValue } = args.get(name) ?? {}
    const value = given.get(name)
    return (value && type && valueFromAST(value, type, variables)) ?? defaultValue
  }
}

function lengthOf(
  parent: GraphQLNamedType,
  field: GraphQLField<unknown, unknown>,
  argument: ArgumentReader,
): PlannedField['length'] {
  const { assumedSize, slicingArguments = [] } = weights.listSizeOf(field) ?? {}
  const isPage = isConnection(getNamedType(field.type))
  const known = weights.knownLength(parent.name, field)
  // The page size was counted at the connection itself.
  const isList = isListType(getNullableType(field.type)) && !isConnection(parent)
  if (assumedSize === undefined && !(known && (isList || parent.name.startsWith('__')))) return () => 1
  return (variables, sizes) => {
    const given = slicingArguments.map((name) => weights.lengthGivenBy(argument(name, variables)))
    const sliced = given.find((length) => length !== undefined)
    const length = known?.(sizes, (name) => argument(name, variables))
    if (sliced === undefined && !isPage) return length ?? assumedSize ?? 1
    // Sizes out of range are refused by the resolver, with a better message.
    const size = Math.min(Math.max(isPage ? 1 : 0, sliced ?? assumedSize ?? 1), MAX_PAGE_SIZE)
    return isPage ? Math.min(size, length ?? size) : size
  }
}

function isConnection(type: GraphQLNamedType): boolean {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}

function computationOf(
  parent: GraphQLNamedType,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
): Computation {
  return {
    key: `${parent.name}.${node.name.value}(${node.arguments?.map(print).sort().join()})`,
    weight: (sizes) => weights.weightOn(field, sizes),
    objects: (sizes) => weights.objectsOf(parent.name, sizes),
  }
}

function measure(planned: readonly PlannedField[], variables: Variables, ofDatabase: weights.Sizes): Cost {
  let fields = 0
  let weight = 0
  let workers = 0
  const executions = new Map<string, { computation: Computation; sizes: weights.Sizes; times: number }>()
  /**
   * @param objects number of objects that have the fields
   * @param lists number of lists that they are entries of
   */
  function add(
    group: readonly PlannedField[],
    sizes: weights.Sizes,
    times: number,
    objects: number,
    lists: number,
  ): void {
    for (const field of group) {
      if (!field.isIncluded(variables)) continue
      const { computation, dataset, isPage, children } = field
      const executed = field.isOfList ? lists : objects
      fields += times
      weight += (field.reading + (field.size?.(variables, sizes) ?? 0)) * executed
      if (field.work) workers += field.work(variables, sizes) * executed
      if (computation) {
        const key = `${sizes.imagesPerDataset} ${computation.key}`
        const execution = executions.get(key)
        if (execution) execution.times += executed
        else executions.set(key, { computation, sizes, times: executed })
      }
      const inner = dataset ? weights.sizesOfDataset(sizes, dataset(variables)) : sizes
      const entries = times * field.length(variables, sizes)
      if (children.length === 0) fields += entries - times
      else if (isPage) add(children, inner, entries, times, objects)
      else add(children, inner, entries, entries, field.isInPage ? lists : entries)
    }
  }
  add(planned, ofDatabase, 1, 1, 1)
  for (const { computation, sizes, times } of executions.values()) {
    weight += computation.weight(sizes) * Math.min(times, computation.objects(sizes))
  }
  return { fields, weight, work: workers }
}

/** @throws GraphQLError BAD_USER_INPUT for a string that is too long */
function checkStrings(node: ValueNode): void {
  if (node.kind === Kind.STRING) checkSizes(node.value, 'An argument')
  if (node.kind === Kind.LIST) for (const value of node.values) checkStrings(value)
  if (node.kind === Kind.OBJECT) for (const { value } of node.fields) checkStrings(value)
}
