import { type GraphQLObjectType, getNamedType, isLeafType, isNonNullType, isRequiredArgument } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { apiSchema } from '../../src/api/schema/schema.js'
import { fromGlobalId, type KeyPart, toGlobalId } from '../../src/api/shared/ids.js'
import {
  ARGUMENTS,
  FIELDS,
  type Field,
  isConnection,
  isFigure,
  literal,
  pathOf,
  serveFigures,
} from '../kit/figures.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

/** Figures have the id of their object, their field and their arguments. */

const schema = apiSchema()
const world = await initWorld()
let api: Api

beforeAll(async () => {
  api = await serveFigures(world)
})

/** Fields without arguments that have to be given, and the id. */
function facts(type: GraphQLObjectType): string {
  const leaves = Object.values(type.getFields()).filter(
    (field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
  )
  return ['__typename', ...leaves.map(({ name }) => name)].join(' ')
}

function ask(parent: GraphQLObjectType, call: string, variables = '', values: Json = {}): Promise<Json> {
  const path = pathOf(parent, /^\w+/.exec(call)?.[0] as string)
  const depth = path.split('{').length
  return api
    .ask(`query ${variables} { ${path} { ${call} ${'}'.repeat(depth + 1)}`, values)
    .then((data) => figuresIn(data, path, call))
}

/** The figures of an answer: those of the first object that has some. */
function figuresIn(data: Json, path: string, call: string): Json[] {
  const names = [...path.split(/ \{ /), call].map((step) => /^\w+/.exec(step.trim())?.[0] as string)
  return names.reduce<Json[]>((found, name) => found.flatMap((one) => one?.[name] ?? []), [data])
}

/** The ids of the figures of a field, with its arguments written in the document, and as variables. */
async function idsOf(parent: GraphQLObjectType, field: Field, values: Json): Promise<string[][]> {
  const variables = field.args.map(({ name, type }) => `$${name}: ${type}`)
  const passed = field.args.map(({ name }) => `${name}: $${name}`)
  const named = variables.length > 0 ? [`(${variables})`, `(${passed})`] : ['', '']
  const answers = [
    await ask(parent, `${field.name}${literal(field, values)} { id }`),
    await ask(parent, `${field.name}${named[1]} { id }`, named[0], values),
  ]
  return answers.map((figures) => figures.map(({ id }: Json) => id))
}

it('figures are those that are tested here, with all their arguments', () => {
  expect(FIELDS.map(([coordinate]) => coordinate).toSorted()).toEqual(Object.keys(ARGUMENTS).toSorted())
  for (const [coordinate, , { args }] of FIELDS) {
    const given = new Set(ARGUMENTS[coordinate].flatMap(Object.keys))
    expect([...given].toSorted(), coordinate).toEqual(args.map(({ name }) => name).toSorted())
  }
})

describe.each(FIELDS)('%s', (coordinate, parent, field) => {
  const type = getNamedType(field.type) as GraphQLObjectType
  const variants = ARGUMENTS[coordinate]
  const [least, all = least] = variants
  const byId = (id: string, fields = facts(type)) =>
    api.query(`query ($id: ID!) { node(id: $id) { ... on ${type.name} { ${fields} } } }`, { id })

  it('has the same id however its arguments are written', async () => {
    const full = await idsOf(parent, field, all)
    expect(full[0].length).toBeGreaterThan(0)
    expect(new Set(full[0])).toHaveLength(full[0].length)
    expect(full[1]).toEqual(full[0])
    const nulls = field.args.filter(({ type: of }) => !isNonNullType(of)).map(({ name }) => [name, null])
    const defaults = field.args.flatMap(({ name, defaultValue }) =>
      defaultValue === undefined ? [] : [[name, defaultValue]],
    )
    const [omitted] = await idsOf(parent, field, least)
    for (const values of [nulls, defaults].map(Object.fromEntries)) {
      for (const ids of await idsOf(parent, field, { ...values, ...least })) expect(ids).toEqual(omitted)
    }
  })

  it('has other ids with other arguments', async () => {
    const ids: string[] = []
    for (const values of variants) {
      const [found] = await idsOf(parent, field, values)
      expect(found.length, JSON.stringify(values)).toBeGreaterThan(0)
      ids.push(...found)
    }
    expect(new Set(ids)).toHaveLength(ids.length)
  })

  it('is found by its id, with the figures in it', async () => {
    const fields = `${facts(type)} ${inner(type)}`
    for (const values of variants) {
      const figures = await ask(parent, `${field.name}${literal(field, values)} { ${fields} }`)
      for (const figure of figures.slice(0, 3)) {
        expect(await byId(figure.id, fields)).toMatchObject({ data: { node: figure }, errors: [] })
        for (const one of objectsIn(Object.values(figure))) {
          const own = facts(schema.getType(one.__typename) as GraphQLObjectType)
          const query = `query ($id: ID!) { node(id: $id) { ... on ${one.__typename} { ${own} } } }`
          expect(await api.ask(query, { id: one.id })).toEqual({ node: one })
        }
      }
    }
  })

  it('is not found by an id that was changed', async () => {
    const [[id]] = await idsOf(parent, field, all)
    const { key = [] } = fromGlobalId(id) ?? {}
    const [object, name, named, own] = key
    const changed: KeyPart[][] = [
      [],
      [object],
      [object, name],
      [object, 'name', named, own],
      [object, '__proto__', named, own],
      [null, name, named, own],
      [toGlobalId(parent.name, 2 ** 31 - 2), name, named, own],
      [toGlobalId('Metric', 'BLEU-1'), name, named, own],
      [object, name, '{', own],
      [object, name, '[]', own],
      [object, name, 'null', own],
      [object, name, '{"other":1}', own],
      [object, name, JSON.stringify({ ...all, __proto__: [] }).replace('{', '{"references":"x",'), own],
      [object, name, named, 'none'],
      [...key, null],
    ]
    for (const parts of changed) {
      const { data, errors } = await byId(toGlobalId(type.name, ...parts))
      expect({ data, errors }, JSON.stringify(parts)).toEqual({ data: { node: null }, errors: [] })
    }
    expect(await byId(toGlobalId('Word', ...key))).toMatchObject({ data: { node: null }, errors: [] })
  })
})

/** The fields of a figure that are figures, or pages of them. */
function inner(type: GraphQLObjectType): string {
  return Object.values(type.getFields())
    .flatMap((field) => {
      const value = getNamedType(field.type)
      if (isFigure(value)) return `${field.name} { ${facts(value as unknown as GraphQLObjectType)} }`
      if (!isConnection(value)) return []
      const row = getNamedType(value.getFields().nodes.type) as GraphQLObjectType
      return isFigure(row) ? `${field.name} { nodes { ${facts(row)} } }` : []
    })
    .join(' ')
}

/** The objects in the values of fields, the first of each list. */
function objectsIn(values: readonly Json[]): Json[] {
  return values
    .map((value) => (Array.isArray(value) ? value[0] : (value?.nodes?.[0] ?? value)))
    .filter((value) => value?.__typename !== undefined)
}
