import { getIntrospectionQuery } from 'graphql'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { EXAMPLES } from '../kit/examples.js'
import { importScoredPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

/** Compiled queries return the same as interpreted ones. All other tests of the API use compiled queries. */

const world = await initWorld()
let compiled: Api
let interpreted: Api
let ids: Json

beforeAll(async () => {
  await importScoredPets(world)
  // The examples of the explorer use this name.
  await world.dataset('scenes', { images: { 1: ['a dog', 'the dog'], 2: ['a cat', 'a dog'] } })
  compiled = await world.serve({ workers: 1 })
  interpreted = await world.serve({ interpretations: Number.POSITIVE_INFINITY })
  ids = (
    await compiled.ask(
      '{ dataset(name: "pets") { id system(name: "copycat") { id } word(text: "dog") { id } } }',
    )
  ).dataset
})

const pets = (fields: string, rest = '') => `{ dataset(name: "pets") { ${fields} } } ${rest}`

type Case = readonly [what: string, query: string, variables?: Json | (() => Json)]

const CASES: readonly Case[] = [
  ...EXAMPLES.map((text, index): Case => [`example ${index + 1} of the explorer`, text]),
  ['introspection', getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true })],
  ['nothing but the type', '{ __typename a: __typename }'],
  ['a missing object', '{ dataset(name: "none") { name systems { nodes { name } } } node(id: "x") { id } }'],
  [
    'fragments on interfaces',
    `query ($a: ID!, $b: ID!, $c: ID!) { a: node(id: $a) { ...N } b: node(id: $b) { ...N } c: node(id: $c) { ...N } }
     fragment N on Node { __typename id ... on Dataset { name imageCount } ... on System { name kind dataset { name } }
       ...W }
     fragment W on Word { text agreement { precision } }`,
    () => ({ a: ids.id, b: ids.system.id, c: ids.word.id }),
  ],
  [
    'fields merged from fragments',
    pets(
      '...A ...B systems { nodes { name } }',
      `fragment A on Dataset { systems { nodes { kind } } name }
      fragment B on Dataset { name systems { nodes { name imageCount dataset { ...C } } } } fragment C on Dataset { imageCount }`,
    ),
  ],
  ...[true, false].flatMap((yes): Case[] => [
    [
      `@include and @skip with ${yes}`,
      `query ($yes: Boolean!) { dataset(name: "pets") {
        name @include(if: $yes) id @skip(if: $yes) imageCount @include(if: $yes) @skip(if: $yes)
        ... @include(if: $yes) { captionCount systems { nodes { name } } } ...F @skip(if: $yes)
        systems @include(if: true) { nodes { name @skip(if: $yes) kind @include(if: $yes) } }
      } } fragment F on Dataset { captionsPerImage systems { nodes { imageCount } } }`,
      { yes },
    ],
    [
      `a field that is selected twice, once conditionally, with ${yes}`,
      `query ($yes: Boolean!) { dataset(name: "pets") { name name @include(if: $yes)
        systems { nodes { name } } systems @skip(if: $yes) { nodes { kind } } ... @include(if: $yes) { systems { nodes { imageCount } } } } }`,
      { yes },
    ],
  ]),
  [
    'defaults of variables and arguments',
    `query ($first: Int = 2, $order: WordOrder, $filter: WordFilter = { isInVocabulary: null }) { dataset(name: "pets") {
      words(first: $first, orderBy: $order, filter: $filter) { totalCount edges { cursor node { text } }
        pageInfo { hasNextPage endCursor } }
    } }`,
  ],
  [
    'variables that are null',
    `query ($first: Int = 2, $filter: WordFilter, $metrics: [String!]) { dataset(name: "pets") {
      words(first: $first, filter: $filter) { nodes { text } } system(name: "copycat") { scores(metrics: $metrics) { value } }
    } }`,
    { first: null, filter: null, metrics: null },
  ],
  [
    'a single value for a list',
    `query ($ids: [String!]) { dataset(name: "pets") { images(filter: { externalIds: $ids }) { nodes { externalId } } } }`,
    { ids: '10' },
  ],
  [
    'lists in lists, nulls and functions',
    pets(`images { nodes { externalId fileName captions { text tokens scores { value } } systemCaptions { nodes { text } } } }
      leaderboard { rows { nodes { rank value interval { lower } gapToPeople { value } notes system { name } } } }
      wordAgreement { meanPrecision byPartOfSpeech { partOfSpeech meanPrecision } }
      words(first: 3) { nodes { text agreement { precisionInterval { lower } } usageModel { aic undefinedReason }
        systemResult(system: "detector") { precisionAtHumanRecall curve(points: 3) { recall } } } }`),
  ],
  [
    'an error in a nullable field',
    pets(
      'word(text: "dog") { text } image(externalId: "10") { captions { scores(metrics: ["x"]) { value } } }',
    ),
  ],
  ['an error in a field that is not null', pets('name usageFit(references: 9) { rSquared }')],
  [
    'errors in a list',
    pets(
      'words(first: 3) { nodes { text images(first: 2000) { totalCount } } } systems { nodes { name score(metric: "x") { value } } }',
    ),
  ],
  ['one operation of several', 'query A { __typename } query B { datasets { nodes { name } } }'],
]

describe('a compiled query returns the same as an interpreted one', () => {
  it.each(CASES)('%s', async (_what, query, variables) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const values = typeof variables === 'function' ? variables() : variables
    const operationName = query.includes('query B') ? 'B' : undefined
    const body = JSON.stringify({ query, variables: values, operationName })
    const [one, other] = [await compiled.post(body), await interpreted.post(body)]
    expect(sorted(one)).toEqual(sorted(other))
    expect(log).not.toHaveBeenCalled()
    log.mockRestore()
  })
})

describe('an operation', () => {
  it('is compiled after it was interpreted once, with the same result', async () => {
    const api = await world.serve({ interpretations: 1 })
    const query = 'query ($first: Int) { dataset(name: "pets") { words(first: $first) { nodes { text } } } }'
    const results = []
    for (const first of [1, 2, 3]) results.push(await api.ask(query, { first }))
    expect(results.map(({ dataset }) => dataset.words.nodes.length)).toEqual([1, 2, 3])
  })
})

/** Errors occur in any order, and those below the same null once or several times. */
function sorted({ errors, ...rest }: Awaited<ReturnType<Api['post']>>) {
  const distinct = new Set(errors.map(({ message, extensions }) => JSON.stringify({ message, extensions })))
  return { ...rest, errors: [...distinct].sort() }
}
