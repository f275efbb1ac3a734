import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { getIntrospectionQuery, graphql, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createContext } from '../../src/api/schema/create-context.js'
import { LIMITS } from '../../src/api/schema/limits.js'
import { formatResult } from '../../src/api/schema/operations.js'
import { apiSchema } from '../../src/api/schema/schema.js'
import { createRandom } from '../../src/core/stats/random.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { reportAgreement } from '../../src/services/agreement/agreement.js'
import { removeDataset, requireDataset } from '../../src/services/datasets/datasets.js'
import { openAccord } from '../../src/services/open-accord.js'
import { removeSystem } from '../../src/services/systems/systems.js'
import type { PartOfSpeech } from '../../src/shared/choices.js'
import { sql } from '../../src/store/engine/sql.js'
import { vocabulary } from '../kit/coco.js'
import { ENGINES } from '../kit/databases.js'
import { EXAMPLES } from '../kit/examples.js'
import { importScoredPets } from '../kit/pets.js'
import { randomQueries } from '../kit/random-queries.js'
import { type Answer, type Api, initWorld, type Json, type SeededDataset } from '../kit/seed.js'
import { isSlow } from '../kit/slow.js'

/** Two servers answer each query as plain `graphql` does on the same database with nothing in memory, however often they are asked. */

const [engine] = ENGINES
const world = await initWorld({ engine })
const otherAccord = await openAccord({ location: world.location, threadCount: 1 })
const schema = apiSchema()
let api: Api
let other: Api
let dataset: SeededDataset
let ids: Json

beforeAll(async () => {
  dataset = await importScoredPets(world)
  // The examples of the explorer use this name.
  await world.dataset('scenes', { images: { 1: ['a dog', 'the dog'], 2: ['a cat', 'a dog'] } })
  api = await world.serve({ accord: world.accord })
  other = await world.serve({ accord: otherAccord })
  ids = (
    await api.ask('{ dataset(name: "pets") { id system(name: "copycat") { id } word(text: "dog") { id } } }')
  ).dataset
})

afterAll(async () => {
  await other.close()
  await otherAccord.close()
})

/**
 * The answer of `graphql`, from a database that is opened for it and has no answers. Neither loaders nor computations are kept
 * during the query.
 */
async function plainAnswer(query: string, variables?: Json, operationName?: string) {
  await world.database.run(sql`DELETE FROM job`)
  const accord = await openAccord({ location: world.location, threadCount: 1 })
  const identity = {
    owner: undefined,
    viewer: OPEN_VIEWER,
    account: null,
    mayChange: true,
    isReadOnly: false,
  }
  const sender = { ...identity, signal: new AbortController().signal, isConnected: () => true }
  const context = createContext(accord, sender, { maximumBytes: 1e9, timeoutSeconds: 3600 })
  const contextValue = {
    ...context,
    once: (_key: string, compute: () => unknown) => compute(),
    loaders: { get: () => undefined, set: () => {} },
  }
  const options = { schema, source: query, variableValues: variables, operationName, contextValue }
  const { data = null, errors = [] } = formatResult(await graphql(options))
  await accord.close()
  return { data: JSON.parse(JSON.stringify(data)), errors: JSON.parse(JSON.stringify(errors)) }
}

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
    `query ($first: Int = 2, $order: WordOrder, $filter: WordFilter = { vocabulary: ALL }) { dataset(name: "pets") {
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
    `query ($ids: [ID!]) { dataset(name: "pets") { images(filter: { externalIds: $ids }) { nodes { externalId } } } }`,
    { ids: '10' },
  ],
  [
    'lists in lists, nulls and functions',
    pets(`images { nodes { externalId fileName captions { text tokens scores { value } } systemCaptions { nodes { text } } } }
      wordLeaderboard { rows { nodes { rank value interval { lower } gapToPeople { value } notes subject { name } } } }
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

describe('a query is answered three times as by plain graphql', () => {
  it.each(CASES)('%s', async (_what, query, variables) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const values = typeof variables === 'function' ? variables() : variables
    const operationName = query.includes('query B') ? 'B' : undefined
    await expectSameAnswers(query, values, operationName)
    expect(log).not.toHaveBeenCalled()
    log.mockRestore()
  })

  it('if it is random', async () => {
    const random = createRandom(20)
    const next = randomQueries(schema, () => random.next(), {
      root: 'dataset',
      // Jobs and users of the server are others than those of a database that is opened.
      omitted: new Set(['Query.jobs']),
      texts: {
        name: ['pets', 'copycat', 'detector', 'dog', 'BLEU-1', 'none'],
        text: ['dog', 'cat'],
        system: ['copycat', 'guesser', 'detector', 'noise', 'none'],
        metric: ['BLEU-1', 'CIDEr-D'],
        metrics: ['BLEU-1', 'CIDEr-D', 'ROUGE-L'],
        externalId: ['10', '20', '60'],
        externalIds: ['10', '20', '60'],
        texts: ['dog', 'cat', 'sofa'],
        word: ['dog', 'cat'],
        id: [ids.id, ids.system.id, ids.word.id],
      },
    })
    let answered = 0
    for (let count = 0; count < QUERIES; count++) {
      const { query, variables } = next()
      // A server refuses documents that plain graphql would parse.
      if ((parse(query).tokenCount ?? 0) > LIMITS.tokens) continue
      if (random.next() < 0.5) await changeUrls(count)
      if (await expectSameAnswers(query, variables)) answered++
    }
    expect(answered).toBeGreaterThan(QUERIES / 2)
  })
})

/** A field for each figure that is kept in memory or in the database. */
const KEPT = pets(`
  imageCount words(first: 5) { totalCount nodes { text isInVocabulary
    systemResult(system: "detector") { precisionAtHumanRecall estimates { precisionAtHumanRecall { value interval { lower } } } } } }
  images(first: 3) { nodes { externalId url captions { externalId text tokens } systemCaptions { nodes { text } } } }
  usageFit { rootMeanSquaredError wordCount } wordAgreement { wordCount meanPrecision means { value } }
  humanAgreement { scores { metric { name } mean } }
  systems { nodes { name scores { metric { name } value } phrSummary { meanPrecisionAtHumanRecall means { value } } } }
  leaderboards(metrics: ["BLEU-1"]) { rows { nodes { rank value subject { name } } } }
  comparisons(metrics: ["BLEU-1"]) { first { name } second { name } difference alone { pValue } undefinedReason }
`)

describe('a query is answered by what is stored', () => {
  const { accord } = world

  it.each([
    ['at first', async () => {}],
    [
      'after a system is added',
      () => dataset.captionSystem('late', { 10: 'A dog.', 20: 'A cat.', 30: 'A sofa.' }),
    ],
    ['after it is evaluated', () => dataset.evaluate('late')],
    ['after human agreement is computed', () => reportAgreement(accord, { dataset: 'pets' })],
    [
      'after scores of words are added',
      () => dataset.scoreSystem('newer', { 10: { dog: 0.5 }, 20: { cat: 0.7 } }),
    ],
    ['after the vocabulary is replaced', () => replaceVocabulary({ dog: 'NN', cat: 'NN', bird: 'NN' })],
    ['after a system is removed', () => removeSystem(accord, 'pets', 'guesser')],
    [
      'after a system is replaced',
      async () => {
        await removeSystem(accord, 'pets', 'detector')
        await dataset.scoreSystem('detector', { 10: { dog: 0.1, cat: 0.4 }, 20: { dog: 0.3, cat: 0.2 } })
      },
    ],
    ['after another program changed an image', () => changeUrls('10.jpg')],
    [
      'after the dataset is replaced',
      async () => {
        await removeDataset(accord, 'pets')
        await world.dataset('pets', { images: { 10: ['A zebra.', 'A dog.'], 20: ['A dog.', 'The dog.'] } })
      },
    ],
  ] as const)('%s', async (_what, change) => {
    await change()
    await expectSameAnswers(KEPT)
  })
})

/** Queries whose conditions would let more pass the limits if they were ignored. */
const WORDS = 'words(first: 1000) { nodes { dataset { words(first: 1000) { nodes { text } } } } }'

describe('what a directive leaves out is neither counted nor computed', () => {
  it.each([
    ['a field', WORDS.replace(' {', ' @include(if: $yes) {')],
    ['an inline fragment', `... @include(if: $yes) { ${WORDS} }`],
    ['a fragment', '...F @include(if: $yes)'],
    ['a fragment that is skipped', '...F @skip(if: $no)'],
    ['a fragment in a fragment', '... @include(if: $yes) { ...F @skip(if: $no) }'],
  ])('%s', async (_what, selection) => {
    const fragment = selection.includes('...F') ? `fragment F on Dataset { ${WORDS} }` : ''
    const definitions = selection.includes('$no')
      ? '$yes: Boolean! = true, $no: Boolean = false'
      : '$yes: Boolean = true'
    const query = `query (${definitions}) { dataset(name: "pets") { name ${selection} } a: __typename @include(if: $yes) } ${fragment}`
    const without = selection.includes('$yes') ? { yes: false } : { no: true }
    for (let time = 0; time < 3; time++) {
      expect((await api.ask(query, without)).dataset).toEqual({ name: 'pets' })
      expect(await api.refusal(query)).toEqual(['TOO_COSTLY'])
    }
    // In the other order, the operation is refused when it is new.
    expect(await api.refusal(`${query} # again`)).toEqual(['TOO_COSTLY'])
    expect((await api.ask(`${query} # again`, without)).dataset).toEqual({ name: 'pets' })
  })
})

describe('variables', () => {
  it('that are null in place of a default are an error of the client', async () => {
    const query =
      'query ($references: Int, $points: Int = 3, $name: String = "pets") { dataset(name: $name) { usageCurve(references: $references, points: $points) { points { recall } } } }'
    for (let time = 0; time < 3; time++) {
      expect((await api.ask(query)).dataset.usageCurve.points).toHaveLength(3)
      expect(await api.refusal(query, { name: null })).toEqual(['BAD_USER_INPUT'])
    }
  })

  it('that are omitted inside an input object are absent', async () => {
    const query =
      'query ($vocabulary: InVocabulary, $min: Int) { dataset(name: "pets") { words(filter: { vocabulary: $vocabulary, captionCount: { min: $min } }) { totalCount } } }'
    const counts = []
    for (let time = 0; time < 3; time++) counts.push((await api.ask(query)).dataset.words.totalCount)
    const all = (await api.ask('{ dataset(name: "pets") { words { totalCount } } }')).dataset.words.totalCount
    expect(counts).toEqual([all, all, all])
  })
})

const QUERIES = isSlow ? 240 : 60

/** Changes what images and captions have in a database that is in use, on SQLite as a program that knows nothing of Accord. */
async function changeUrls(name: unknown): Promise<void> {
  const url = `https://other.example/${name}`
  if (engine === 'postgres') {
    await otherAccord.database.run(sql`UPDATE image SET url = ${url}`)
    return
  }
  const connection = new BetterSqlite3(world.location)
  connection.prepare('UPDATE image SET url = ?').run(url)
  connection.close()
}

async function replaceVocabulary(tags: Readonly<Record<string, PartOfSpeech>>): Promise<void> {
  const file = join(world.folder, 'words.csv')
  writeFileSync(file, vocabulary(tags))
  const { id: datasetId } = await requireDataset(world.accord, 'pets')
  await world.accord.run('importVocabulary', { datasetId, file: { path: file } })
}

/** @returns whether there is data */
async function expectSameAnswers(query: string, variables?: Json, operationName?: string): Promise<boolean> {
  const what = `${query}\n${JSON.stringify(variables)}`
  expect(validate(schema, parse(query)), what).toEqual([])
  const body = JSON.stringify({ query, variables, operationName })
  const first = await api.post(body)
  const isRefused = first.errors.some(({ extensions }) => extensions.code === 'TOO_COSTLY')
  const expected = sorted(isRefused ? first : await plainAnswer(query, variables, operationName))
  expect(sorted(first), what).toEqual(expected)
  for (const server of [api, other, api, other])
    expect(sorted(await server.post(body)), what).toEqual(expected)
  return expected.data !== null
}

/** Errors occur in any order, and those below the same null once or several times. */
function sorted({ data, errors }: Pick<Answer, 'data' | 'errors'>) {
  const distinct = new Set(errors.map(({ message, extensions }) => JSON.stringify({ message, extensions })))
  return { data, errors: [...distinct].sort() }
}
