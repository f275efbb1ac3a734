import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { Json } from './seed.js'

/** An operation with the values of its variables. */
export interface RandomQuery {
  readonly query: string
  readonly variables: Readonly<Record<string, Json>>
}

interface QueryOptions {
  /** Values of strings and ids, by the name of the argument or of the input field. */
  readonly texts: Readonly<Record<string, readonly string[]>>
  /** Fields that no query has, as `Type.field`. */
  readonly omitted: ReadonlySet<string>
  /** The field of `Query` that every query has. */
  readonly root: string
}

const MAX_LEVELS = 5

/**
 * Returns a function that makes valid queries of a schema: fields with arguments as literals and as variables, which are given,
 * null or omitted, with and without defaults, also inside input objects; `@skip` and `@include` on fields and on both kinds of
 * fragments; fields that are merged.
 *
 * @param random numbers from 0 to below 1
 */
export function randomQueries(
  schema: GraphQLSchema,
  random: () => number,
  { texts, omitted, root }: QueryOptions,
): () => RandomQuery {
  const queries = schema.getQueryType() as GraphQLObjectType
  let definitions: string[]
  let fragments: string[]
  let variables: Record<string, Json>
  let aliases: number

  const chance = (probability: number) => random() < probability
  const below = (count: number) => Math.floor(random() * count)
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]

  /** A value as JSON; undefined leaves it out. Enum values begin with `=`. */
  function inputOf(type: GraphQLInputType, name: string, level = 0): Json {
    if (isNonNullType(type)) return inputOf(type.ofType, name, level) ?? inputOf(type, name, level)
    if (chance(0.1)) return null
    if (isListType(type)) {
      if (chance(0.2)) return inputOf(type.ofType, name, level)
      return Array.from({ length: below(3) }, () => inputOf(type.ofType, name, level))
    }
    if (isEnumType(type)) return `=${pick(type.getValues()).name}`
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields())
      if (type.isOneOf) {
        const field = pick(fields)
        return { [field.name]: inputOf(new GraphQLNonNull(field.type), field.name, level + 1) }
      }
      return Object.fromEntries(
        fields
          .filter((field) => isNonNullType(field.type) || chance(0.6 / (level + 1)))
          .map((field) => [field.name, inputOf(field.type, field.name, level + 1)]),
      )
    }
    switch (getNamedType(type).name) {
      case 'Int':
        return pick([1, 2, 3, 5])
      case 'Float':
        return pick([0, 0.25, 0.5, 1])
      case 'Boolean':
        return chance(0.5)
      default:
        return pick(texts[name] ?? ['x'])
    }
  }

  const toJson = (value: Json): Json => JSON.parse(JSON.stringify(value).replaceAll('"=', '"'))

  /** Writes a value; a part of it may be a variable. */
  function write(value: Json, type: GraphQLInputType, hasDefault: boolean): string {
    if (chance(0.3)) return variableOf(value, type, hasDefault)
    return literal(value, type)
  }

  function literal(value: Json, type: GraphQLInputType): string {
    if (isNonNullType(type)) return literal(value, type.ofType)
    if (value === null) return 'null'
    if (isListType(type)) {
      if (!Array.isArray(value)) return literal(value, type.ofType)
      return `[${value.map((entry) => write(entry, type.ofType, false)).join(', ')}]`
    }
    if (isInputObjectType(type)) {
      const fields = type.getFields()
      const written = Object.keys(value).map((name) => {
        const { type: own, defaultValue } = fields[name]
        const hasDefault = defaultValue !== undefined
        return `${name}: ${type.isOneOf ? constant(value[name], own) : write(value[name], own, hasDefault)}`
      })
      return `{ ${written.join(', ')} }`
    }
    return constant(value, type)
  }

  function constant(value: Json, type: GraphQLInputType): string {
    if (Array.isArray(value)) return `[${value.map((entry) => constant(entry, type)).join(', ')}]`
    if (typeof value === 'object' && value !== null) {
      return `{ ${Object.entries(value)
        .map(([name, entry]) => `${name}: ${constant(entry, type)}`)
        .join(', ')} }`
    }
    return typeof value === 'string' && value.startsWith('=') ? value.slice(1) : JSON.stringify(value)
  }

  /** A variable with a value; or one without, where the place or the default of the variable allows it. */
  function variableOf(value: Json, type: GraphQLInputType, hasDefault: boolean): string {
    const name = `v${definitions.length}`
    const isRequired = isNonNullType(type)
    const hasOwnDefault = chance(0.4) && value !== null
    // A nullable variable may stand in a place that is not null if one of them has a default.
    const isNullable = isRequired && (hasOwnDefault || hasDefault) && chance(0.5)
    const typeName = isNullable ? String(type.ofType) : String(type)
    definitions.push(`$${name}: ${typeName}${hasOwnDefault ? ` = ${constant(value, type)}` : ''}`)
    const mayBeOmitted = hasOwnDefault || !typeName.endsWith('!')
    if (mayBeOmitted && chance(0.4)) return `$${name}`
    variables[name] = !typeName.endsWith('!') && chance(0.2) ? null : toJson(value)
    return `$${name}`
  }

  function argumentsOf(args: readonly (GraphQLArgument | GraphQLInputField)[]): string {
    const written = args
      .filter(({ type, defaultValue }) => (isNonNullType(type) && defaultValue === undefined) || chance(0.5))
      .filter(({ name }) => name !== 'after' && name !== 'before' && name !== 'last')
      .map(({ name, type, defaultValue }) => {
        return `${name}: ${write(inputOf(type, name), type, defaultValue !== undefined)}`
      })
    return written.length > 0 ? `(${written.join(', ')})` : ''
  }

  function directives(): string {
    if (chance(0.75)) return ''
    const names = chance(0.2) ? ['skip', 'include'] : [pick(['skip', 'include'])]
    return names
      .map((name) => {
        const condition = chance(0.5)
        if (chance(0.4)) return ` @${name}(if: ${condition})`
        const variable = `v${definitions.length}`
        const [type, given] = pick([
          ['Boolean!', [condition]],
          [`Boolean! = ${!condition}`, [condition, undefined]],
          [`Boolean = ${!condition}`, [condition, undefined, undefined]],
        ] as const)
        definitions.push(`$${variable}: ${type}`)
        const value = pick(given)
        if (value !== undefined) variables[variable] = value
        return ` @${name}(if: $${variable})`
      })
      .join('')
  }

  function selectionOf(type: GraphQLNamedType, level: number): string {
    const parts = ['__typename']
    const fields =
      isObjectType(type) || isInterfaceType(type)
        ? Object.values(type.getFields()).filter(({ name }) => !omitted.has(`${type.name}.${name}`))
        : []
    const candidates =
      level < MAX_LEVELS ? fields : fields.filter((field) => !isCompositeType(getNamedType(field.type)))
    for (let count = candidates.length > 0 ? 1 + below(3) : 0; count > 0; count--) {
      const field =
        (parts.length === 1 && level === 1 && type === queries && queries.getFields()[root]) ||
        pick(candidates)
      const result = getNamedType(field.type)
      const args = argumentsOf(field.args)
      const alias = args !== '' || chance(0.1) ? `a${aliases++}: ` : ''
      const selection = isCompositeType(result) ? ` ${selectionOf(result, level + 1)}` : ''
      parts.push(`${alias}${field.name}${args}${directives()}${selection}`)
    }
    if (level < MAX_LEVELS && chance(0.3)) parts.push(fragmentOn(type, level + 1))
    return `{ ${parts.join(' ')} }`
  }

  function fragmentOn(type: GraphQLNamedType, level: number): string {
    const types = isInterfaceType(type) || isUnionType(type) ? schema.getPossibleTypes(type) : [type]
    const condition = pick(types)
    const selection = selectionOf(condition, level)
    if (chance(0.5)) {
      const on = condition !== type || chance(0.5) ? `on ${condition.name}` : ''
      return `... ${on}${directives()} ${selection}`
    }
    const name = `F${fragments.length}`
    fragments.push(`fragment ${name} on ${condition.name} ${selection}`)
    return chance(0.2) ? `...${name}${directives()} ...${name}${directives()}` : `...${name}${directives()}`
  }

  return () => {
    definitions = []
    fragments = []
    variables = {}
    aliases = 0
    const selection = selectionOf(queries, 1)
    const head = definitions.length > 0 ? `query (${definitions.join(', ')}) ` : ''
    return { query: [head + selection, ...fragments].join('\n'), variables }
  }
}
