import {
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import { badInput } from './bad-input.js'
import { LIMITS, quoteInput } from './limits.js'

/** Values checked before other requests are handled. */
const VALUES_PER_TURN = 5000

/**
 * Checks the variables of an operation, and stops at the first invalid one. Call `next` until it is done: other requests
 * can be handled in between.
 *
 * @param isImport whether lists and strings may have any length
 * @throws GraphQLError BAD_USER_INPUT with the variable, the place in it, what was expected and what was found
 */
export function* checkVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  isImport: boolean,
): Generator<void> {
  let checked = 0

  function* check(type: GraphQLInputType, value: unknown, place: Place): Generator<void> {
    if (++checked % VALUES_PER_TURN === 0) yield
    if (isNonNullType(type)) {
      if (value == null) throw invalid(place, type, value)
      yield* check(type.ofType, value, place)
    } else if (value == null) {
      return
    } else if (isListType(type)) {
      yield* checkList(type.ofType, value, place)
    } else if (isInputObjectType(type)) {
      if (typeof value !== 'object' || Array.isArray(value)) throw invalid(place, type, value)
      const fields = type.getFields()
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(fields, key)) {
          throw badInput(`${nameOf(place)}: the input type ${type.name} has no field ${quoteInput(key)}`)
        }
      }
      const given = value as Readonly<Record<string, unknown>>
      for (const { name, type: fieldType, defaultValue } of Object.values(fields)) {
        if (given[name] === undefined && defaultValue !== undefined) continue
        yield* check(fieldType, given[name], { parent: place, key: `.${name}` })
      }
      if (type.isOneOf) checkOneOf(given, place)
    } else {
      checkLeaf(type, value, place)
    }
  }

  function* checkList(type: GraphQLInputType, value: unknown, place: Place): Generator<void> {
    // A single value is a list of one.
    if (!Array.isArray(value)) return yield* check(type, value, place)
    if (!isImport && value.length > LIMITS.list) {
      throw badInput(`${nameOf(place)}: expected at most ${LIMITS.list} entries, found ${value.length}`)
    }
    for (const [index, entry] of value.entries()) {
      yield* check(type, entry, { parent: place, key: `[${index}]` })
    }
  }

  function checkLeaf(type: GraphQLInputType, value: unknown, place: Place): void {
    if (!isImport) checkText(value, () => nameOf(place))
    let parsed: unknown
    try {
      parsed = isLeafType(type) ? type.parseValue(value) : undefined
    } catch {
      parsed = undefined
    }
    if (parsed === undefined) throw invalid(place, type, value)
  }

  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]) as GraphQLInputType
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined && defaultValue) continue
    yield* check(type, value, { key: `$${name}` })
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
