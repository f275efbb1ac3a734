import { type GraphQLField, type GraphQLSchema, getNamedType, isCompositeType, isObjectType } from 'graphql'
import { createRandom, type Random } from '../../src/core/stats/random.js'

/** The body of a request, with its content type. */
export interface AbusiveRequest {
  readonly what: string
  readonly body: string | Buffer
  readonly type: string
}

const pick = <Item>(items: readonly Item[], random: Random): Item => items[random.below(items.length)]
const several = (random: Random, most: number, make: (index: number) => string, separator = ' ') =>
  Array.from({ length: 1 + random.below(most) }, (_, index) => make(index)).join(separator)

const VALUES = [
  'null',
  '-1',
  '1e400',
  '99999999999999999999',
  '"\\u0000"',
  '"%_"',
  '[]',
  '{}',
  '[[[[1]]]]',
  '$x',
  'NOPE',
  '""',
  '"pets"',
  'true',
]

/** A selection of fields that exist, with arguments that are mostly wrong. */
function selection(schema: GraphQLSchema, typeName: string, random: Random, depth: number): string {
  const type = schema.getType(typeName)
  if (!isObjectType(type)) return '{ __typename }'
  const fields = Object.values(type.getFields())
  const field = (one: GraphQLField<unknown, unknown>, alias: number): string => {
    const given = one.args
      .filter(() => random.next() < 0.5)
      .map(({ name }) => `${name}: ${pick(VALUES, random)}`)
    const inner = getNamedType(one.type)
    const selected =
      isCompositeType(inner) && depth > 0 ? selection(schema, inner.name, random, depth - 1) : ''
    return `${random.next() < 0.3 ? `a${alias}: ` : ''}${one.name}${given.length > 0 ? `(${given.join(', ')})` : ''} ${selected}`
  }
  return `{ ${several(random, 4, (index) => field(pick(fields, random), index))} }`
}

type Make = (random: Random, schema: GraphQLSchema) => string

const DOCUMENTS: Readonly<Record<string, Make>> = {
  'fields with any arguments': (random, schema) => selection(schema, 'Query', random, random.below(8)),
  'mutations with any arguments': (random, schema) => `mutation ${selection(schema, 'Mutation', random, 2)}`,
  'open brackets': (random) => '{'.repeat(1 + random.below(20_000)),
  'deep lists': (random) => `{ dataset(name: ${'['.repeat(1 + random.below(5000))}) { id } }`,
  'many aliases': (random) => `{ ${several(random, 2000, (index) => `a${index}: __typename`)} }`,
  'equal fields': (random) => `{ ${several(random, 3000, () => 'datasets { totalCount }')} }`,
  'circles of fragments': (random) => {
    const count = 1 + random.below(50)
    const fragments = Array.from(
      { length: count },
      (_, index) => `fragment F${index} on Query { ...F${(index + 1) % count} }`,
    )
    return `{ ...F0 } ${fragments.join(' ')}`
  },
  'doubling fragments': (random) => {
    const count = 5 + random.below(30)
    const fragments = Array.from(
      { length: count },
      (_, index) =>
        `fragment F${index} on Query { a: __typename ...F${index + 1} b: __typename ...F${index + 1} }`,
    )
    return `{ ...F0 } ${fragments.join(' ')} fragment F${count} on Query { __typename }`
  },
  directives: (random) =>
    `{ __typename ${several(random, 1500, () => pick(['@skip(if: false)', '@include(if: true)', '@nope'], random))} }`,
  introspection: (random) =>
    `{ __schema { types { fields { type ${'{ ofType '.repeat(random.below(60))} { name }`,
  'nested introspection': (random) => {
    const depth = random.below(40)
    return `{ __schema { types ${'{ fields { type '.repeat(depth)}{ name }${' } }'.repeat(depth)} } }`
  },
  noise: (random) =>
    String.fromCharCode(...Array.from({ length: 1 + random.below(3000) }, () => random.below(65_536))),
  strings: (random) => `{ dataset(name: "${'\\u0041'.repeat(random.below(15_000))}") { id } }`,
  variables: (random) =>
    `query (${several(random, 300, (index) => `$v${index}: [[[Int]]] = [[[${index}]]]`)}) { __typename }`,
}

const BODIES: Readonly<Record<string, (random: Random) => string | Buffer>> = {
  'noise as a body': (random) =>
    Buffer.from(Array.from({ length: random.below(5000) }, () => random.below(256))),
  'deep bodies': (random) => `{"query":"{ __typename }","variables":${'['.repeat(random.below(200_000))}`,
  'deep objects': (random) =>
    `{"query":"{ __typename }","variables":${'{"a":'.repeat(random.below(100_000))}1`,
  'many values': (random) =>
    `{"query":"{ __typename }","variables":{"x":[${'0,'.repeat(random.below(200_000))}0]}}`,
  batches: (random) =>
    `[${'{"query":"{ __typename }"},'.repeat(random.below(1000))}{"query":"{ __typename }"}]`,
  'other shapes': (random) =>
    pick(
      [
        'null',
        '[]',
        '7',
        '""',
        '{}',
        '{"query":7}',
        '{"query":{}}',
        '{"query":null}',
        '{"query":"{ __typename }","variables":7}',
        '{"query":"{ __typename }","operationName":[]}',
        '{"query":"{ __typename }","extensions":{"persistedQuery":{"version":1,"sha256Hash":7}}}',
      ],
      random,
    ),
  'truncated bodies': (random) =>
    '{"query":"{ __typename }","variables":{"a":[1,2,3]}}'.slice(0, random.below(50)),
}

/** @returns `count` requests, the same ones for the same seed */
export function abusiveRequests(schema: GraphQLSchema, count: number, seed: number): AbusiveRequest[] {
  const random = createRandom(seed)
  const kinds = [...Object.keys(DOCUMENTS), ...Object.keys(BODIES)]
  return Array.from({ length: count }, (_, index) => {
    const what = kinds[index % kinds.length]
    const type =
      random.next() < 0.9
        ? 'application/json'
        : pick(['text/plain', 'application/graphql', 'multipart/form-data', ''], random)
    const body =
      what in DOCUMENTS ? JSON.stringify({ query: DOCUMENTS[what](random, schema) }) : BODIES[what](random)
    return { what, body, type }
  })
}
