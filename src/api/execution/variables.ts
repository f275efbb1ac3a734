import {
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLScalarType,
  type GraphQLSchema,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql'
import { badInput } from '../http/bad-input.js'
import { LIMITS, quoteInput } from './limits.js'

/** Values checked before other requests are handled. */
const VALUES_PER_TURN = 5000

/** The values of variables as resolvers receive them. */
export type CoercedVariables = Readonly<Record<string, unknown>>

/**
 * Checks and coerces the variables of an operation, and stops at the first invalid one. Call `next` until it is done: other
 * requests can be handled in between.
 *
 * @param isImport whether lists and strings may have any length
 * @throws GraphQLError BAD_USER_INPUT with the variable, the place in it, what was expected and what was found
 */
export function* coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  isImport: boolean,
): Generator<void, CoercedVariables> {
  let checked = 0

  function* coerce(type: GraphQLInputType, value: unknown, place: Place): Generator<void, unknown> {
    if (++checked % VALUES_PER_TURN === 0) yield
    if (isNonNullType(type)) {
      if (value == null) throw invalid(place, type, value)
      return yield* coerce(type.ofType, value, place)
    }
    if (value == null) return null
    if (isListType(type)) return yield* coerceList(type.ofType, value, place)
    if (isInputObjectType(type)) return yield* coerceObject(type, value, place)
    return coerceLeaf(type, value, place)
  }

  function* coerceList(type: GraphQLInputType, value: unknown, place: Place): Generator<void, unknown[]> {
    // A single value is a list of one.
    if (!Array.isArray(value)) return [yield* coerce(type, value, place)]
    if (!isImport && value.length > LIMITS.list) {
      throw badInput(`${nameOf(place)}: expected at most ${LIMITS.list} entries, found ${value.length}`)
    }
    const coerced: unknown[] = []
    for (const [index, entry] of value.entries()) {
      coerced.push(yield* coerce(type, entry, { parent: place, key: `[${index}]` }))
    }
    return coerced
  }

  function* coerceObject(
    type: GraphQLInputObjectType,
    value: unknown,
    place: Place,
  ): Generator<void, object> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(place, type, value)
    const fields = type.getFields()
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(fields, key)) {
        throw badInput(`${nameOf(place)}: the input type ${type.name} has no field ${quoteInput(key)}`)
      }
    }
    const given = value as Readonly<Record<string, unknown>>
    const coerced: Record<string, unknown> = {}
    for (const { name, type: fieldType, defaultValue } of Object.values(fields)) {
      if (given[name] !== undefined || isNonNullType(fieldType)) {
        if (given[name] === undefined && defaultValue !== undefined) coerced[name] = defaultValue
        else coerced[name] = yield* coerce(fieldType, given[name], { parent: place, key: `.${name}` })
      } else if (defaultValue !== undefined) coerced[name] = defaultValue
    }
    if (type.isOneOf) checkOneOf(given, place)
    return coerced
  }

  function coerceLeaf(type: GraphQLInputType, value: unknown, place: Place): unknown {
    if (!isImport) checkText(value, () => nameOf(place))
    let parsed: unknown
    try {
      parsed = isLeafType(type) ? type.parseValue(value) : undefined
    } catch {
      parsed = undefined
    }
    if (parsed === undefined) throw invalid(place, type, value)
    return parsed
  }

  const coerced: Record<string, unknown> = {}
  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]) as GraphQLInputType
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value !== undefined || (!defaultValue && isNonNullType(type))) {
      coerced[name] = yield* coerce(type, value, { key: `$${name}` })
    } else if (defaultValue) coerced[name] = valueFromAST(defaultValue, type)
  }
  return coerced
}

/** The type of variables that are coerced already; it is not part of the schema. */
const COERCED = new GraphQLScalarType({ name: 'Coerced' })

/**
 * An operation whose variables are not coerced again: graphql-js would coerce all rows of an import in one turn of the event
 * loop.
 */
export function withCoercedVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): { readonly schema: GraphQLSchema; readonly document: DocumentNode } {
  const type: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: COERCED.name } }
  const variableDefinitions = operation.variableDefinitions?.map((definition) => ({
    ...definition,
    type,
    defaultValue: undefined,
  }))
  const definitions = document.definitions.map((definition) =>
    definition === operation ? { ...operation, variableDefinitions } : definition,
  )
  const getType: GraphQLSchema['getType'] = (name) => (name === COERCED.name ? COERCED : schema.getType(name))
  return {
    schema: Object.create(schema, { getType: { value: getType } }),
    document: { ...document, definitions },
  }
}

/** @throws GraphQLError BAD_USER_INPUT for a string that is too long */
export function checkText(value: unknown, place: () => string): void {
  if (typeof value !== 'string' || value.length <= LIMITS.string) return
  throw badInput(`${place()}: expected at most ${LIMITS.string} characters, found ${value.length}`)
}

/** A variable, or a place in the value of one. */
interface Place {
  readonly parent?: Place
  readonly key: string
}

function nameOf({ parent, key }: Place): string {
  return parent ? nameOf(parent) + key : `The variable ${key}`
}

function invalid(place: Place, type: GraphQLInputType, value: unknown) {
  return badInput(
    `${nameOf(place)}: expected ${type}, found ${value === undefined ? 'nothing' : quoteInput(value)}`,
  )
}

function checkOneOf(value: Readonly<Record<string, unknown>>, place: Place): void {
  const given = Object.keys(value)
  if (given.length === 1 && value[given[0]] != null) return
  throw badInput(`${nameOf(place)}: expected exactly one field that is not null, found ${given.length}`)
}
