import {
  type DocumentNode,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { apiSchema } from '../../src/api/schema/schema.js'
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
import { type Api, initWorld } from '../kit/seed.js'
import { CLIENTS, showTogether, withIds } from '../kit/widgets.js'

/**
 * Two parts of a page that show different fields of one object, by one client with a cache: each asks once. If an object had no
 * id, the cache would replace what the first one shows by the answer to the second one, and the first would ask again.
 */

const world = await initWorld()
let api: Api

beforeAll(async () => {
  api = await serveFigures(world)
})

/** Every other field of an object: those with an even number, or with an odd one; of its rows and figures too. */
function half(type: GraphQLObjectType, parity: 0 | 1): string {
  const fields = Object.values(type.getFields()).filter(
    ({ name, args }) => name !== 'id' && !args.some(isRequiredArgument),
  )
  return fields
    .flatMap((field, index) => {
      const value = getNamedType(field.type)
      if (isConnection(value))
        return `${field.name} { nodes { ${half(getNamedType(value.getFields().nodes.type) as GraphQLObjectType, parity)} } }`
      if (isObjectType(value) && isFigure(value)) return `${field.name} { ${half(value, parity)} }`
      return index % 2 === parity ? whole(field as Field) : []
    })
    .join(' ')
}

/** A field with all facts of its object. */
function whole({ name, type }: Field): string {
  const value = getNamedType(type)
  if (isLeafType(value)) return name
  if (isAbstractType(value)) {
    const withId = apiSchema()
      .getPossibleTypes(value)
      .filter((one) => 'id' in one.getFields())
    return `${name} { __typename ${withId.map((one) => `... on ${one.name} { id }`).join(' ')} }`
  }
  if (!isObjectType(value)) throw new Error(`expected an object as ${name}`)
  if ('id' in value.getFields()) return `${name} { id }`
  const fields = Object.values(value.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && !isConnection(getNamedType(field.type)),
  )
  return `${name} { ${fields.map((field) => whole(field as Field)).join(' ')} }`
}

describe.each(CLIENTS)('%s', (client) => {
  const shown = async (
    documents: readonly string[],
    prepare: (document: DocumentNode) => DocumentNode = withIds,
  ) =>
    showTogether(
      client,
      api.url,
      documents.map((document) => ({ document: prepare(parse(document)) })),
    )

  it.each(FIELDS)('asks twice for two halves of %s', async (coordinate, parent, field) => {
    const [least] = ARGUMENTS[coordinate]
    const path = pathOf(parent, field.name)
    const type = getNamedType(field.type) as GraphQLObjectType
    const widgets = ([0, 1] as const).map(
      (parity) =>
        `{ ${path} { ${field.name}${literal(field, least)} { ${half(type, parity)} ${'}'.repeat(path.split('{').length + 2)}`,
    )
    expect(await shown(widgets)).toEqual({ requests: 2, warnings: [] })
  })

  it('asks again and again without the ids', async () => {
    const [, dataset] = FIELDS.find(
      ([coordinate]) => coordinate === 'Dataset.wordAgreement',
    ) as (typeof FIELDS)[0]
    const path = pathOf(dataset, 'wordAgreement')
    const widgets = ['wordCount', 'meanPrecision'].map(
      (fact) => `{ ${path} { id wordAgreement { ${fact} } } }`,
    )
    const { requests, warnings } = await shown(widgets, (document) => document)
    if (client === 'Apollo Client') {
      expect(requests).toBeGreaterThan(2)
      expect(warnings.join()).toContain('Cache data may be lost')
    } else {
      expect(warnings.join()).toContain('Invalid key')
    }
  })
})
