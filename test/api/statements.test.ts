import { beforeAll, describe, expect, it } from 'vitest'
import { reportAgreement } from '../../src/services/agreement/agreement.js'
import { evaluateSystem } from '../../src/services/scoring/evaluate.js'
import { ENGINES } from '../kit/databases.js'
import { type Api, initWorld, type Json, SPLIT_BATCHES } from '../kit/seed.js'

describe.each(ENGINES)('SQL statements on %s', async (engine) => {
  const world = await initWorld({ engine })
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
    for (const [name, count] of Object.entries({ few: 1, several: 8 })) {
      const pets = await world.dataset(name, { images: { 1: ['a dog', 'the dog'], 2: ['a cat', 'a dog'] } })
      for (let number = 0; number < count; number++) {
        await pets.captionSystem(`captions ${number}`, { 1: 'a dog', 2: 'a cat' })
        await pets.evaluate(`captions ${number}`)
        await evaluateSystem(world.accord, { dataset: name, system: `captions ${number}`, references: 1 })
        await pets.scoreSystem(`scores ${number}`, { 1: { dog: 1 }, 2: { dog: 0.5 } })
      }
    }
    for (const dataset of ['few', 'several']) await reportAgreement(world.accord, { dataset })
    api = await world.serve({ workers: 1 })
    await api.done('computeHumanAgreement(input: { dataset: "many" })')
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
        agreement { precision recall } usageModel { usageProbability objectProbability precision(references: 2) }
        systemResult(system: "detector") { precisionAtHumanRecall averagePrecision undefinedReason }
      }
    } } }`
      const { dataset } = await api.ask(QUERY, { first: 1000 })
      expect(dataset.words.nodes.length).toBe(1000)
      expect(dataset.words.nodes[0].systemResult.precisionAtHumanRecall).toBeGreaterThan(0)
      expect(await countOf(QUERY, { first: 2 })).toBeLessThanOrEqual(8)
      expect(await countOf(QUERY, { first: 1000 })).toBeLessThanOrEqual(8)
    })

    it.each<[string, string]>([
      [
        'words with their images, and these with captions',
        `query ($first: Int) { dataset(name: "many") { words(first: $first) { nodes {
        images(count: 2, first: 2) { totalCount nodes { externalId captions { text tokens } words { word { text } } } }
      } } } }`,
      ],
      [
        'words with results of several systems',
        `query ($first: Int) { dataset(name: "many") { words(first: $first) { nodes {
        detector: systemResult(system: "detector") { system { name } word { text } averagePrecision }
        one: systemResult(system: "one", references: 1) { system { dataset { name } } precision }
      } } } }`,
      ],
      [
        'words with pages of the results of all systems',
        `query ($first: Int) { dataset(name: "many") { words(first: $first) { nodes {
        systemResults(first: 2) { totalCount nodes { system { name } word { text } precision } }
        rest: systemResults(last: 1, references: 1) { nodes { system { name } } pageInfo { hasPreviousPage } }
      } } } }`,
      ],
      [
        'words with the intervals of systems',
        `query ($first: Int) { dataset(name: "many") { words(first: $first) { nodes {
        detector: systemResult(system: "detector") { estimates { gapToPeople { value undefinedReason } } }
        one: systemResult(system: "one") { estimates { precision { interval { lower } } } }
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
        'images with all captions and their scores',
        `query ($first: Int) { dataset(name: "many") { images(first: $first) { nodes {
        captions { text tokens scores { value metric { name } } }
        systemCaptions { nodes { text tokens system { name evaluation { status } } image { externalId } scores(metrics: ["METEOR"]) { value } } }
      } } } }`,
      ],
      [
        "a system's words",
        `query ($first: Int) { dataset(name: "many") { system(name: "one") { words(first: $first) { nodes {
        precision word { text agreement { precision } } system { name }
      } } } } }`,
      ],
      [
        'the provenance of figures of words',
        `query ($first: Int) { dataset(name: "many") {
        words(first: $first) { nodes {
          agreement { signature provenance(figure: WORD_RECALL) { metricName } } usageModel(kind: BINOMIAL) { signature }
          systemResult(system: "detector") { signature provenance(figure: AVERAGE_PRECISION) { metricName } }
        } }
        system(name: "one") { words(first: $first) { nodes { provenance { metricName } } } }
      } }`,
      ],
      [
        "a system's image scores",
        `query ($first: Int) { dataset(name: "many") { system(name: "one") { score(metric: "CIDEr-D") { imageScores(first: $first) {
        nodes { value image { externalId captions { text } } }
      } } } } }`,
      ],
    ])('for %s does not grow with the page', async (_what, query) => {
      const small = await countOf(query, { first: 2 })
      expect(small).toBeGreaterThan(1)
      expect(await countOf(query, { first: 50 })).toBeLessThanOrEqual(small + SPLIT_BATCHES)
    })

    it.each([
      [
        'a leaderboard by a metric',
        'leaderboards(metrics: ["METEOR"]) { rows { nodes { subject { name } value } } }',
      ],
      ['a leaderboard by PHR', 'wordLeaderboard { rows { nodes { subject { name } value notes } } }'],
      [
        'means of PHR with the share of images without a score',
        'systems { nodes { phrSummary { meanPrecisionAtHumanRecall unscoredShare notes } } }',
      ],
      [
        'the provenance of means of PHR and AP',
        'systems { nodes { phrSummary { signature provenance(figure: AVERAGE_PRECISION) { metricName } } } }',
      ],
      [
        'the provenance of scores, and people beside them',
        `systems {
          nodes {
            all: scores { value notes provenance { metricName } }
            matched: scores(references: 1) { value provenance { metricName } humanScore { mean provenance { metricName } } }
          }
        }`,
      ],
      [
        'all systems',
        `systems {
          nodes {
            name dataset { name } evaluation { status } scores { value metric { name } humanScore { mean } }
            phrSummary(partOfSpeech: [NN]) { meanPrecisionAtHumanRecall }
          }
        }`,
      ],
      [
        'an image',
        `image(externalId: "1") {
          systemCaptions { nodes { text system { name kind } scores(metrics: ["METEOR"]) { value } } }
        }`,
      ],
    ])('for %s does not grow with the systems', async (_what, field) => {
      const few = await countOf(`{ dataset(name: "few") { ${field} } }`, {})
      expect(few).toBeGreaterThan(1)
      expect(few).toBeLessThanOrEqual(12)
      const many = await countOf(`{ dataset(name: "several") { ${field} } }`, {})
      expect(many).toBeLessThanOrEqual(few + SPLIT_BATCHES)
    })
  })

  describe('a query with much computation', () => {
    it('does not block other requests', async () => {
      const order: string[] = []
      const computing = api
        .ask(
          '{ dataset(name: "many") { words(first: 1000) { nodes { agreement { precisionInterval { lower } } } } } }',
        )
        .then(() => order.push('computed'))
      while (order.length < 5) {
        await api.ask('{ __typename }')
        order.push('answered')
      }
      await computing
      expect(order.indexOf('computed')).toBeGreaterThan(1)
    })
  })

  describe('page 50', () => {
    it('requires as many statements as page 2, and has the right rows', async () => {
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
      expect(new Set(counts.slice(1)).size).toBe(1)
      expect(counts.length).toBe(WORDS / 20)
      expect(texts).toEqual(Array.from({ length: WORDS }, (_, word) => `w${word}`).toSorted())
    })
  })
})
