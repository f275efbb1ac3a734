import { request as send } from 'node:http'
import { type GraphQLObjectType, getOperationAST, getVariableValues, parse } from 'graphql'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { planCost } from '../../src/api/schema/cost.js'
import { LIMITS } from '../../src/api/schema/limits.js'
import { apiSchema, resolvers } from '../../src/api/schema/schema.js'
import { workOf } from '../../src/api/schema/weights.js'
import * as words from '../../src/services/words/words.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importPets(world)
  api = await world.serve()
})

const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ')

/** `systems { nodes { dataset { … } } }`, nested. */
const nested = (depth: number, inner: string): string =>
  depth === 0 ? inner : `systems { nodes { dataset { ${nested(depth - 1, inner)} } } }`

describe('an operation that would take too long', () => {
  it('is refused: nested systems with fits of usage models', async () => {
    const fits = repeat(45, (i) => `a${i}: usageFit(references: 2, model: BETA_BINOMIAL) { rSquared }`)
    const statements = await world.statementsOf(async () => {
      const codes = await api.refusal(`{ dataset(name: "pets") { ${nested(4, fits)} } }`)
      expect(codes).toEqual(['TOO_COSTLY'])
    })
    expect(statements).toEqual([])
  })

  it('is refused at the first invalid variable', async () => {
    const query =
      'query ($a: [String!]) { datasets { nodes { systems { nodes { scores(metrics: $a) { value } } } } } }'
    const wrong = await api.query(query, { a: Array.from({ length: LIMITS.list }, () => ['x'.repeat(500)]) })
    expect(wrong).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
    expect(wrong.errors[0].message).toContain('at "a[0]"; String')
    const long = await api.query(query, { a: Array.from({ length: LIMITS.list + 1 }, () => 1) })
    expect(long.errors.map(({ message }) => message)).toEqual([
      `The variable $a: expected at most ${LIMITS.list} entries, found ${LIMITS.list + 1}`,
    ])
  })

  it('executes equal computations once, for all paths to the same dataset', async () => {
    const fit = vi.spyOn(words, 'summarizeFit')
    const fits = repeat(20, (i) => `a${i}: usageFit(references: 2) { rSquared }`)
    const other = 'b: usageFit(references: 1) { rSquared }'
    await api.ask(`{ dataset(name: "pets") { ${other} ${nested(2, fits)} } }`)
    expect(fit).toHaveBeenCalledTimes(2)
    fit.mockRestore()
  })

  it('ends when its client disconnects', async () => {
    const wait = vi.spyOn(world.remote.queue, 'waitForResult')
    const { hostname, port, pathname } = new URL(api.url)
    const headers = { 'content-type': 'application/json' }
    const outgoing = send({ hostname, port, path: pathname, method: 'POST', headers })
    outgoing.on('error', () => {})
    // No worker executes the job.
    outgoing.end(JSON.stringify({ query: '{ dataset(name: "pets") { wordAgreement { means { value } } } }' }))
    await expect.poll(() => wait).toHaveBeenCalled()
    const waiting = Promise.allSettled([wait.mock.results[0].value])
    outgoing.destroy()
    expect(await waiting).toMatchObject([
      { reason: { code: 'CANCELLED', message: 'the client disconnected' } },
    ])
    wait.mockRestore()
  })
})

describe('input', () => {
  const QUERY =
    'query ($ids: [String!], $order: WordOrder, $first: Int) { dataset(name: "pets") { images(first: $first) { totalCount } words(filter: { texts: $ids }, orderBy: $order) { totalCount } } }'

  it.each([
    [{ ids: [7] }, 'Variable "$ids" got invalid value 7 at "ids[0]"; String'],
    [{ ids: ['a', null] }, 'Variable "$ids" got invalid value null at "ids[1]"; Expected'],
    [{ ids: [{ a: 1 }] }, 'Variable "$ids" got invalid value { a: 1 } at "ids[0]"; String'],
    [{ ids: ['x'.repeat(10_001)] }, 'The variable $ids[0]: expected at most 10000 characters, found 10001'],
    [{ order: 'TEXT' }, 'Variable "$order" got invalid value "TEXT"; Expected'],
    [{ order: {} }, 'Variable "$order" got invalid value {}; Field "field"'],
    [{ order: { field: 'SIZE' } }, 'Variable "$order" got invalid value "SIZE" at "order.field"'],
    [
      { order: { field: 'TEXT', by: 1 } },
      'Variable "$order" got invalid value { field: "TEXT", by: 1 }; Field "by"',
    ],
    [{ first: 2 ** 40 }, `Variable "$first" got invalid value ${2 ** 40}; Int`],
    [{ first: 'x'.repeat(9000) }, `Variable "$first" got invalid value "xxx`],
  ])('%j is refused', async (variables, message) => {
    const { status, errors } = await api.query(QUERY, variables)
    expect(errors.map((error) => [error.extensions.code, error.message])).toEqual([
      ['BAD_USER_INPUT', expect.stringContaining(message)],
    ])
    expect(status).toBe(400)
  })

  it.each([
    [
      `{ dataset(name: "${'x'.repeat(LIMITS.string + 1)}") { name } }`,
      'An argument: expected at most 10000 characters',
    ],
    [`{ ${'x'.repeat(5000)} }`, `Cannot query field "${'x'.repeat(99)}…"`],
    [
      `{ dataset(name: "pets") { words(orderBy: { field: ${'X'.repeat(5000)} }) { totalCount } } }`,
      'Value "XXX',
    ],
    [`{ ${repeat(190, (i) => `unknown${i}`)} }`, 'Cannot query field "unknown0"'],
    [`{ ${repeat(100, () => 'dataset(name: "pets") { id }')} `, 'Syntax Error'],
  ])('%.40s… is quoted briefly', async (query, message) => {
    const { status, errors } = await api.query(query)
    expect(status).toBe(400)
    expect(errors.length).toBeLessThanOrEqual(LIMITS.validationErrors + 1)
    expect(errors[0].message).toContain(message)
    expect(Math.max(...errors.map((error) => error.message.length))).toBeLessThan(400)
  })
})

describe('the estimated cost', () => {
  const schema = apiSchema()
  const sizes = {
    datasets: 2,
    systems: 10,
    systemsPerDataset: 5,
    metricsPerDataset: 12,
    captionsPerImage: 5,
    vocabulary: 1000,
    imagesPerDataset: 5000,
    judgements: 1000,
    metrics: 12,
    challenges: 2,
    phasesPerChallenge: 2,
    submissionsPerPhase: 8,
    boardRows: 6,
    boardMetrics: 3,
    collections: 1,
    imageCounts: new Map<string, number>(),
  }

  function costOf(query: string, variables = {}, given = sizes) {
    const document = parse(query)
    const operation = getOperationAST(document)
    if (!operation) throw new Error('no operation')
    const fragments = document.definitions.flatMap((definition) =>
      definition.kind === 'FragmentDefinition' ? [[definition.name.value, definition] as const] : [],
    )
    const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables)
    return planCost(schema, operation, new Map(fragments)).estimate(coerced, given)
  }

  it.each([
    ['{ __typename }', 1, 0],
    ['{ datasets { nodes { name } } }', 1 + 2 + 2, 1],
    ['{ datasets(first: 1) { nodes { name } } }', 1 + 1 + 1, 1],
    ['{ datasets { totalCount } }', 1 + 2, 1 + 1],
    ['{ datasets { nodes { systems { nodes { name kind } } } } }', 1 + 2 + 2 + 10 + 20, 1 + 2],
    ['{ datasets { nodes { words(first: 10) { nodes { text } } } } }', 1 + 2 + 2 + 20 + 20, 1 + 2000],
    ['{ datasets { nodes { words { nodes { text } } } } }', 1 + 2 + 2 + 40 + 40, 1 + 2000],
    ['{ datasets { nodes { words { totalCount } } } }', 1 + 2 + 2 + 40, 1 + 2000 + 2 * 100],
    [
      'query ($first: Int = 7) { datasets { nodes { words(first: $first) { nodes { text } } } } }',
      1 + 2 + 2 + 14 + 14,
      1 + 2000,
    ],
    [
      '{ datasets { nodes { usageCurve(references: 1) { points { recall } } } } }',
      1 + 2 + 2 + 2 + 202,
      1 + 2 * 100,
    ],
    [
      '{ datasets { nodes { a: usageCurve(references: 1) { undefinedReason } b: usageCurve(references: 1) { undefinedReason } } } }',
      1 + 2 + 4 + 4,
      1 + 2 * 100,
    ],
    [
      '{ datasets { nodes { systems { nodes { dataset { wordAgreement { wordCount } } } } } } }',
      1 + 2 + 2 + 10 + 10 + 10 + 10,
      1 + 2 + 10 + 2 * 100,
    ],
    ['{ datasets { nodes { ...F ...F } } } fragment F on Dataset { name }', 1 + 2 + 4, 1],
    ['{ datasets { nodes { name @skip(if: true) id @include(if: false) } } }', 1 + 2, 1],
    ['{ node(id: "x") { ... on Dataset { name } ... on System { name kind } } }', 4, 1],
    [
      '{ datasets { nodes { images(first: 10) { nodes { dataset { name } } } } } }',
      1 + 2 + 2 + 20 + 20 + 20,
      1 + 2 * 1000 + 20,
    ],
    [
      '{ datasets { nodes { systems { nodes { score(metric: "METEOR") { vector { values } } } } } } }',
      1 + 2 + 2 + 10 + 10 + 10 + 10 * (5000 / 4),
      1 + 2 + 10 + 10 * 100 + 10 * 100,
    ],
    // Two challenges of two phases with boards of six rows.
    [
      '{ challenges { nodes { phases { board { rows { nodes { name scores { value } } } } } } } }',
      1 + 2 + 2 + 4 + 4 + 24 + 24 + 24 + 72,
      1 + 2 + 4 * 100 + 4,
    ],
    [
      '{ challenges { nodes { phases { submissions { nodes { method } } } } } }',
      1 + 2 + 2 + 4 + 32 + 32,
      1 + 2 + 4 * 100 + 32,
    ],
    // Metrics that are named are all that there are.
    [
      '{ datasets(first: 1) { nodes { system(name: "a") { scores(metrics: ["BLEU-1", "SPICE"]) { value } } } } }',
      1 + 1 + 1 + 1 + 2,
      1 + 1 + 1,
    ],
    [
      '{ datasets(first: 1) { nodes { system(name: "a") { scores { value } } } } }',
      1 + 1 + 1 + 1 + 12,
      1 + 1 + 1,
    ],
    // Notes are those of the whole board.
    [
      '{ datasets(first: 1) { nodes { leaderboards(metrics: ["SPICE"]) { rows { nodes { value notes } } } } } }',
      1 + 1 + 1 + 1 + 6 + 6 + 6,
      1 + 1000 + 1 + 1000,
    ],
    [
      '{ datasets(first: 1) { nodes { comparisons(metrics: ["SPICE"], systems: ["a", "b"], isHumanIncluded: false) { difference } } } }',
      1 + 1 + 1 + 1,
      1,
    ],
    [`{ markdownHtml(text: "${'x'.repeat(400)}") }`, 1, 10 + 100],
  ])('of %s is %d fields', (query, fields, weight) => {
    const cost = costOf(query)
    expect(cost.fields).toBe(fields)
    expect(cost.weight).toBe(weight)
  })

  it('is in the extensions of a response that was asked for it', async () => {
    const ask = async (extensions?: object) => {
      const body = JSON.stringify({ query: '{ datasets { nodes { name } } }', extensions })
      const headers = { 'content-type': 'application/json' }
      return (await fetch(api.url, { method: 'POST', headers, body })).json() as Promise<{
        extensions?: object
      }>
    }
    expect((await ask()).extensions).toBeUndefined()
    const { fields, weight, work } = LIMITS
    expect((await ask({ cost: true })).extensions).toEqual({
      cost: { fields: 3, weight: 1, work: 0, limits: { fields, weight, work } },
    })
  })

  it('depends on variables', () => {
    const query =
      'query ($first: Int, $yes: Boolean!) { datasets @include(if: $yes) { nodes { words(first: $first) { nodes { text } } } } }'
    expect(costOf(query, { first: 100, yes: true }).fields).toBe(1 + 2 + 2 + 200 + 200)
    expect(costOf(query, { first: 100, yes: false }).fields).toBe(0)
  })

  it('of what is computed over all images grows with them', () => {
    const query = `{ datasets { nodes { system(name: "a") { words(first: 1000) { nodes {
      estimates { gapToPeople { value } } } } } } } }`
    const [usual, large] = [5000, 40_000].map(
      (imagesPerDataset) => costOf(query, {}, { ...sizes, imagesPerDataset }).weight,
    )
    expect(usual).toBeLessThan(LIMITS.weight)
    expect(large).toBeGreaterThan(LIMITS.weight)
  })

  it.each([
    // Two systems and people on 5,000 images: three pairs.
    [
      'comparisons(metrics: ["CIDEr"], systems: ["a", "b"], isHumanIncluded: true)',
      5000 * (3 * 4e-6 + 3 * 1e-7) + 3 * 3 * 1e-5,
    ],
    ['comparisons(metrics: ["CIDEr"], systems: ["a", "b"])', 5000 * (2 * 4e-6 + 1e-7) + 2e-5],
    [
      'comparisons(metrics: ["CIDEr", "SPICE"], systems: ["a", "b"], isHumanIncluded: true)',
      5000 * 2 * (3 * 4e-6 + 3 * 1e-7) + 6 * 2 * 3 * 1e-5,
    ],
    [
      'comparisons(metrics: $metrics, isHumanIncluded: true)',
      5000 * 3 * (6 * 4e-6 + 15 * 1e-7) + 45 * 3 * 6 * 1e-5,
    ],
    ['comparisons(words: [{ figure: PHR }], systems: ["a"], isHumanIncluded: true)', 5000 * 2e-4 + 2e-5],
    // Five systems and people.
    [
      'leaderboards(metrics: ["CIDEr"]) { rows { nodes { standing { isTied: place } } } }',
      5000 * (6 * 4e-6 + 15 * 1e-7) + 15 * 6 * 1e-5,
    ],
    ['wordLeaderboard { rows { nodes { rank } } }', 6],
    ['coverage { summary }', 0.4],
    ['coverage(units: OPEN_OBJECTS) { summary }', 2],
    ['diversity { tokenCount }', 1],
    ['system(name: "a") { imageCoverage { signature } }', 5000 * 6 * 8e-6],
    ['system(name: "a") { imageCoverage(units: TUPLES) { signature } }', 5000 * 6 * 4e-5],
    ['system(name: "a") { unconfirmedObjects { totalCount } }', 5000 * 6 * 8e-6],
    ['system(name: "a") { unconfirmedObjects(isOpen: true) { totalCount } }', 5000 * 6 * 4e-5],
    ['judgements { metaEvaluation(metrics: ["CIDEr"], resampleCount: 500) { rows { category } } }', 0.08],
    ['words(first: 1000) { nodes { text } }', 0],
  ])('in seconds of a worker, of %s, grows with what is asked for', (field, work) => {
    const selection = field.endsWith(')') ? `${field} { difference }` : field
    const query = `query ($metrics: [String!]) { dataset(name: "pets") { ${selection} } }`
    expect(costOf(query, { metrics: ['BLEU-1', 'CIDEr', 'METEOR'] }).work).toBeCloseTo(work, 9)
  })

  it('has seconds of a worker for every field that waits for one', () => {
    const waits = (resolve: unknown) =>
      typeof resolve === 'function' && /\boutside\(|\bloadWordMeans\(/.test(String(resolve))
    const found = resolvers.flatMap((area) =>
      Object.entries(area)
        .filter(([type]) => type !== 'Mutation' && type !== 'Subscription')
        .flatMap(([type, fields]) =>
          Object.entries(fields as Record<string, unknown>)
            .filter(([, resolve]) => waits(resolve))
            .map(([field]) => `${type}.${field}`),
        ),
    )
    expect(found.filter((coordinate) => workOf(coordinate) === undefined)).toEqual([])
    expect(found.length).toBeGreaterThan(9)
  })

  it('has every field that is read or computed', () => {
    const areas = resolvers.flatMap((area) => Object.entries(area))
    const others = areas.filter(([type]) => type !== 'Mutation' && type !== 'Subscription')
    const found = others.flatMap(([type, fields]) =>
      Object.entries(fields as Record<string, unknown>)
        // Others are properties of their objects.
        .filter(([, resolve]) => typeof resolve === 'function' && resolve.length > 1)
        .map(([field]) => `${type}.${field}`),
    )
    const totals = Object.keys(schema.getTypeMap())
      .filter((type) => type.endsWith('Connection'))
      .map((type) => `${type}.totalCount`)
    const hasCost = (coordinate: string) => {
      const [type, field] = coordinate.split('.')
      const { astNode } = (schema.getType(type) as GraphQLObjectType).getFields()[field]
      return astNode?.directives?.some(({ name }) => /^(cost|listSize)$/.test(name.value))
    }
    expect([...found, ...totals].filter((coordinate) => !hasCost(coordinate))).toEqual([])
    expect(found.length).toBeGreaterThan(100)
  })
})

describe('the objects of a response', () => {
  it('are counted while it is computed', async () => {
    const limits = LIMITS as { objects: number }
    const { objects } = limits
    limits.objects = 10
    try {
      const codes = await api.refusal('{ dataset(name: "pets") { words(first: 30) { nodes { text } } } }')
      expect(codes).toEqual(['TOO_MANY_OBJECTS'])
    } finally {
      limits.objects = objects
    }
  })
})
