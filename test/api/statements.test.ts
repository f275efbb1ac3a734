import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

const IMAGES = 120
const WORDS = 1100

beforeAll(async () => {
  const ids = Array.from({ length: IMAGES }, (_, image) => image)
  const captionOf = (image: number, person: number) =>
    Array.from({ length: 12 }, (_, i) => `w${(image * 10 + i + (i % 2) * person) % WORDS}`).join(' ')
  const many = await world.dataset('many', {
    images: Object.fromEntries(
      ids.map((image) => [image, [0, 1, 2].map((person) => captionOf(image, person))]),
    ),
    vocabulary: Object.fromEntries(Array.from({ length: WORDS }, (_, word) => [`w${word}`, 'NN' as const])),
  })
  await many.scoreSystem(
    'detector',
    Object.fromEntries(
      ids.map((image) => [
        image,
        Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`w${(image * 10 + i) % WORDS}`, i / 12])),
      ]),
    ),
  )
  for (const system of ['one', 'two']) {
    await many.captionSystem(system, Object.fromEntries(ids.map((image) => [image, captionOf(image, 0)])))
    await many.evaluate(system)
  }
  api = await world.serve()
  await api.ask('{ dataset(name: "many") { humanAgreement { imageCount } } }')
})

const countOf = async (query: string, variables: Json) => {
  const statements = await world.statementsOf(() => api.ask(query, variables))
  return statements.length
}

describe('the number of SQL statements', () => {
  it('for 1,000 words with human agreement, a model and a system is at most 8', async () => {
    const QUERY = `query ($first: Int) { dataset(name: "many") { words(first: $first) {
      totalCount
      nodes {
        id text partOfSpeech countHistogram
        human { precision recall } usageModel { usageProbability objectProbability precision(references: 2) }
        systemResult(system: "detector") { precisionAtHumanRecall averagePrecision undefinedReason }
      }
    } } }`
    const { dataset } = await api.ask(QUERY, { first: 1000 })
    expect(dataset.words.nodes.length).toBe(1000)
    expect(dataset.words.nodes[0].systemResult.precisionAtHumanRecall).toBeGreaterThan(0)
    const small = await countOf(QUERY, { first: 2 })
    expect(small).toBeLessThanOrEqual(8)
    expect(await countOf(QUERY, { first: 1000 })).toBe(small)
  })

  it.each<[string, string]>([
    [
      'words with their images, and these with captions',
      `query ($first: Int) { dataset(name: "many") { words(first: $first) { nodes {
        images(count: 2, first: 2) { totalCount nodes { externalId captions { text tokens } words { word { text } } } }
      } } } }`,
    ],
    [
      'words with the same of several systems',
      `query ($first: Int) { dataset(name: "many") { words(first: $first) { nodes {
        detector: systemResult(system: "detector") { system { name } word { text } averagePrecision }
        one: systemResult(system: "one", references: 1) { system { dataset { name } } precision }
      } } } }`,
    ],
    [
      'words with their curves, and their images by count',
      `query ($first: Int) { dataset(name: "many") { words(first: $first) { nodes {
        detector: systemResult(system: "detector") { curve(points: 5) { recall precision } }
        one: systemResult(system: "one") { curve { recall precision } }
        none: images(count: 0, first: 1) { nodes { externalId } } all: images(count: 3, first: 1) { nodes { externalId } }
        any: images(first: 1) { nodes { externalId } }
      } } } }`,
    ],
    [
      'images with all that people and systems wrote, and its scores',
      `query ($first: Int) { dataset(name: "many") { images(first: $first) { nodes {
        captions { text tokens scores { value metric { name } } }
        systemCaptions { text tokens system { name evaluation { status } } image { externalId } scores(metrics: ["METEOR"]) { value } }
      } } } }`,
    ],
    [
      "a system's words",
      `query ($first: Int) { dataset(name: "many") { system(name: "one") { words(first: $first) { nodes {
        precision word { text human { precision } } system { name }
      } } } } }`,
    ],
    [
      "a system's image scores",
      `query ($first: Int) { dataset(name: "many") { system(name: "one") { imageScores(metric: "CIDEr-D", first: $first) {
        nodes { value image { externalId captions { text } } }
      } } } }`,
    ],
  ])('for %s does not grow with the page', async (_what, query) => {
    const small = await countOf(query, { first: 2 })
    expect(small).toBeGreaterThan(1)
    expect(await countOf(query, { first: 50 })).toBe(small)
  })

  it('for a leaderboard does not grow with the systems', async () => {
    const QUERY =
      '{ dataset(name: "many") { leaderboard(by: METRIC, metric: "METEOR") { system { name } value } } }'
    expect(await countOf(QUERY, {})).toBeLessThanOrEqual(5)
  })
})

describe('a query that computes for long', () => {
  it('leaves others their turn', async () => {
    const order: string[] = []
    const computing = api
      .ask(
        '{ dataset(name: "many") { words(first: 1000) { nodes { human { precisionInterval { lower } } } } } }',
      )
      .then(() => order.push('computed'))
    while (order.length < 5) {
      await api.ask('{ __typename }')
      order.push('answered')
    }
    await computing
    expect(order.indexOf('computed')).toBeGreaterThan(3)
  })
})

describe('page 50', () => {
  it('takes the statements of page 2, and is where it should be', async () => {
    const QUERY = `query ($after: String) { dataset(name: "many") {
      words(first: 20, after: $after, orderBy: { field: TEXT }) { nodes { text } pageInfo { endCursor hasNextPage } }
    } }`
    const counts: number[] = []
    const texts: string[] = []
    for (let after: string | undefined, more = true; more; ) {
      const statements = await world.statementsOf(async () => {
        const { words } = (await api.ask(QUERY, { after })).dataset
        texts.push(...words.nodes.map(({ text }: Json) => text))
        after = words.pageInfo.endCursor
        more = words.pageInfo.hasNextPage
      })
      counts.push(statements.length)
    }
    expect(new Set(counts).size).toBe(1)
    expect(counts.length).toBe(WORDS / 20)
    expect(texts).toEqual(Array.from({ length: WORDS }, (_, word) => `w${word}`).toSorted())
  })
})
