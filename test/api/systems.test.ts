import { beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/store/sql.js'
import { ENGINES } from '../kit/databases.js'
import { importScoredPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

describe.each(ENGINES)('systems on %s', async (engine) => {
  const world = await initWorld({ engine })
  let api: Api

  beforeAll(async () => {
    await importScoredPets(world)
    await importScoredPets(world, 'fresh')
    api = await world.serve({ workers: 1 })
  })

  describe('metrics', () => {
    it('have a description, a range, a citation and a signature', async () => {
      const { metrics } = await api.ask(`{
      metrics { name description lowest highest higherIsBetter citation signature }
    }`)
      const names = metrics.map(({ name }: Json) => name)
      for (const name of ['BLEU-1', 'BLEU-4', 'ROUGE-L', 'METEOR', 'CIDEr', 'CIDEr-D'])
        expect(names).toContain(name)
      for (const { name, description, citation, lowest, highest, higherIsBetter, signature } of metrics) {
        expect(description.length, name).toBeGreaterThan(40)
        expect(citation, name).toMatch(/\b(19|20)\d\d\b/)
        expect(lowest).toBeLessThan(highest)
        expect(higherIsBetter).toBe(true)
        expect(signature).toContain(name)
      }
    })
  })

  describe('a captioning system', () => {
    it('has corpus scores with interval, signature, warnings and human scores', async () => {
      const QUERY = `{ dataset(name: "fresh") { system(name: "guesser") {
      name kind imageCount missingImageCount dataset { name } evaluation { status }
      scores(metrics: ["BLEU-4", "CIDEr-D"]) {
        value signature references warnings interval { lower upper } metric { name }
        human { mean references publishedC5 }
      }
      all: scores { metric { name } }
    } } }`
      const before = (await api.ask(QUERY)).dataset.system
      expect(before).toMatchObject({
        name: 'guesser',
        kind: 'CAPTIONS',
        imageCount: 7,
        missingImageCount: 0,
        dataset: { name: 'fresh' },
        evaluation: null,
        scores: [{ metric: { name: 'BLEU-4' } }, { metric: { name: 'CIDEr-D' } }],
      })
      for (const { value, interval, signature, references, human } of before.scores) {
        expect(interval.lower).toBeLessThanOrEqual(value)
        expect(interval.upper).toBeGreaterThanOrEqual(value)
        expect(signature).toContain('ptb')
        expect({ references, human }).toEqual({ references: 1, human: null })
      }
      expect(before.all.length).toBe((await api.ask('{ metrics { name } }')).metrics.length)

      await api.ask('{ dataset(name: "fresh") { humanAgreement { imageCount } } }')
      const after = (await api.ask(QUERY)).dataset.system
      expect(after.scores[0].human).toMatchObject({ references: 2, publishedC5: 0.217 })
      expect(after.scores[0].human.mean).toBeGreaterThan(0)
    })

    it('has images in order of score, page by page in both directions', async () => {
      const QUERY = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: ScoreOrder) {
      dataset(name: "pets") { system(name: "guesser") {
        imageScores(metric: "ROUGE-L", first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) {
          totalCount nodes { value } edges { cursor node { value image { externalId } metric { name } } }
          pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
        }
      } }
    }`
      const list = async (variables: Json) => (await api.ask(QUERY, variables)).dataset.system.imageScores
      const rowsOf = ({ edges }: Json) => edges.map(({ node }: Json) => [node.image.externalId, node.value])
      const whole = await list({ first: 100 })
      // Image 60 has no human captions.
      expect(whole.totalCount).toBe(6)
      expect(whole.edges[0].node.metric.name).toBe('ROUGE-L')
      const values = whole.nodes.map(({ value }: Json) => value)
      expect(values).toEqual(values.toSorted((one: number, other: number) => one - other))
      const paged: Json[] = []
      for (let after: string | undefined, more = true; more; ) {
        const page = await list({ first: 1, after })
        paged.push(...rowsOf(page))
        after = page.pageInfo.endCursor
        more = page.pageInfo.hasNextPage
      }
      expect(paged).toEqual(rowsOf(whole))
      const backwards: Json[] = []
      for (let before: string | undefined, more = true; more; ) {
        const page = await list({ last: 2, before })
        backwards.unshift(...rowsOf(page))
        before = page.pageInfo.startCursor
        more = page.pageInfo.hasPreviousPage
      }
      expect(backwards).toEqual(rowsOf(whole))
      const best = await list({ first: 1, orderBy: 'BEST_FIRST' })
      expect(best.nodes[0].value).toBe(values.at(-1))
      expect(await api.refusal(QUERY, { after: best.pageInfo.endCursor, orderBy: 'WORST_FIRST' })).toEqual([
        'INVALID_CURSOR',
      ])
    })

    it('has words page by page in both directions', async () => {
      const QUERY = `query ($first: Int, $after: String, $last: Int, $before: String) {
        dataset(name: "pets") { system(name: "guesser") {
          words(first: $first, after: $after, last: $last, before: $before, orderBy: { field: TEXT, direction: DESC }) {
            totalCount nodes { word { text } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
          }
        } }
      }`
      const list = async (variables: Json) => (await api.ask(QUERY, variables)).dataset.system.words
      const textsOf = ({ nodes }: Json): string[] => nodes.map(({ word }: Json) => word.text)
      const whole = await list({ first: 100 })
      expect(textsOf(whole)).toEqual(textsOf(whole).toSorted().toReversed())
      expect(textsOf(whole)).toHaveLength(whole.totalCount)
      const last = await list({ last: 2 })
      expect(textsOf(last)).toEqual(textsOf(whole).slice(-2))
      expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
      const back = await list({ last: 3, before: last.pageInfo.startCursor })
      expect(textsOf(back)).toEqual(textsOf(whole).slice(-5, -2))
      expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
      expect(textsOf(await list({ first: 2, after: back.pageInfo.endCursor }))).toEqual(textsOf(last))
    })

    it('has one point per word', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") { system(name: "guesser") {
      words(first: 2, filter: { texts: ["dog", "cat", "asleep"] }, orderBy: { field: TEXT }) {
        totalCount
        edges { cursor node { word { text } } }
        nodes {
          system { name } word { text } references precision recall undefinedReason
          precisionAtHumanRecall averagePrecision curve { recall precision }
        }
        pageInfo { hasNextPage }
      }
      precisionAtHumanRecall { wordCount definedWordCount meanPrecisionAtHumanRecall meanAveragePrecision meanHumanPrecision }
    } } }`)
      const { words, precisionAtHumanRecall } = dataset.system
      expect({ totalCount: words.totalCount, ...words.pageInfo }).toEqual({
        totalCount: 3,
        hasNextPage: true,
      })
      const [asleep, cat] = words.nodes
      expect(asleep).toMatchObject({ word: { text: 'asleep' }, precision: null, recall: 0, curve: [] })
      expect(asleep.undefinedReason).toBe('NEVER_PREDICTED')
      expect(cat).toMatchObject({ system: { name: 'guesser' }, references: 2, precision: null, recall: 0 })
      expect(cat).toMatchObject({ precisionAtHumanRecall: null, averagePrecision: null })
      expect(precisionAtHumanRecall).toMatchObject({
        definedWordCount: 0,
        meanPrecisionAtHumanRecall: null,
        meanAveragePrecision: null,
        meanHumanPrecision: null,
      })
      const dog = (
        await api.ask(`{ dataset(name: "pets") { word(text: "dog") {
      systemResult(system: "guesser", references: 1) { references precision recall undefinedReason curve { recall precision } }
      nobody: systemResult(system: "nobody") { precision }
    } } }`)
      ).dataset.word
      // "dog" for images 10, 20 and 30, with 3, 2 and 0 of 3: TP = 3/3 + 2/3, FP = 1/3 + 1, positives = 5/3.
      const { precision, recall } = dog.systemResult
      expect(precision).toBeCloseTo(5 / 3 / (5 / 3 + 4 / 3), 12)
      expect(recall).toBeCloseTo(1, 12)
      expect(dog.systemResult).toMatchObject({
        references: 1,
        undefinedReason: null,
        curve: [{ precision, recall }],
      })
      expect(dog.nobody).toBeNull()
    })
  })

  describe('a word-score system', () => {
    it('has precision at human recall, average precision and a curve', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") { word(text: "dog") {
      detector: systemResult(system: "detector") { ...Result } noise: systemResult(system: "noise") { ...Result }
    } noise: system(name: "noise") { imageCount missingImageCount scores { value } evaluation { id } } } }
    fragment Result on SystemWordResult {
      precisionAtHumanRecall averagePrecision precision recall undefinedReason curve(points: 2) { recall precision }
    }`)
      const { detector, noise } = dataset.word
      expect(detector).toMatchObject({
        averagePrecision: 1,
        precision: null,
        recall: null,
        undefinedReason: null,
      })
      expect(detector.precisionAtHumanRecall).toBe(1)
      expect(detector.curve.at(-1).recall).toBeCloseTo(1, 12)
      expect(noise.precisionAtHumanRecall).toBeLessThan(0.6)
      expect(dataset.noise).toEqual({ imageCount: 5, missingImageCount: 2, scores: [], evaluation: null })
    })

    it('is ranked with people on the leaderboard by PHR', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") {
      leaderboard(by: PHR, partOfSpeech: [NN]) { rank isHuman system { name } value references wordCount interval { lower } signature }
      system(name: "detector") { precisionAtHumanRecall(partOfSpeech: [NN]) {
        references wordCount definedWordCount meanPrecisionAtHumanRecall meanAveragePrecision meanHumanPrecision } }
    } }`)
      const rows = dataset.leaderboard
      expect(rows.length).toBe(3)
      expect(rows.map(({ rank }: Json) => rank)).toEqual([1, 2, 3])
      const values = rows.map(({ value }: Json) => value)
      expect(values).toEqual(values.toSorted((one: number, other: number) => other - one))
      expect(rows.filter(({ isHuman }: Json) => isHuman)).toMatchObject([{ system: null, references: 2 }])
      const detector = rows.find(({ system }: Json) => system?.name === 'detector')
      const summary = dataset.system.precisionAtHumanRecall
      expect(detector).toMatchObject({
        value: summary.meanPrecisionAtHumanRecall,
        wordCount: summary.definedWordCount,
        interval: null,
        signature: null,
      })
      expect(summary.wordCount).toBeGreaterThan(summary.definedWordCount)
      expect(summary.meanAveragePrecision).toBeGreaterThan(0)
      expect(summary.meanHumanPrecision).toBeGreaterThan(0)
      expect(summary.references).toBe(2)
    })
  })

  describe('human agreement', () => {
    it('is computed once for requests at the same time, and stored', async () => {
      const QUERY = `{ dataset(name: "pets") { humanAgreement(references: 1) {
      references imageCount
      folds { fold scores { value metric { name } } }
      scores(metrics: ["BLEU-1", "ROUGE-1"]) {
        mean standardDeviation signature references warnings publishedC5 publishedC40 metric { name } interval { lower upper }
      }
    } } }`
      const rows = () => world.database.all<{ id: number }>(sql`SELECT id FROM agreement_score ORDER BY id`)
      const before = (await rows()).length
      const answers = await Promise.all([api.ask(QUERY), api.ask(QUERY), api.ask(QUERY)])
      const table = answers[0].dataset.humanAgreement
      expect(answers[1].dataset.humanAgreement).toEqual(table)
      const stored = await rows()
      expect(stored.length - before).toBe(table.folds[0].scores.length)
      // If it had been computed twice, the rows would have new ids.
      expect(stored.at(-1)?.id).toBe(stored.length)

      expect(table).toMatchObject({ references: 1, imageCount: 5 })
      expect(table.folds.map(({ fold }: Json) => fold)).toEqual([1, 2, 3])
      const [bleu, rouge] = table.scores
      expect(bleu).toMatchObject({
        references: 1,
        publishedC5: 0.663,
        publishedC40: 0.88,
        metric: { name: 'BLEU-1' },
      })
      expect(rouge).toMatchObject({ publishedC5: null, publishedC40: null })
      const folds = table.folds.map(
        ({ scores }: Json) => scores.find(({ metric }: Json) => metric.name === 'BLEU-1').value,
      )
      expect(bleu.mean).toBeCloseTo((folds[0] + folds[1] + folds[2]) / 3, 12)
      expect(bleu.interval.lower).toBeLessThan(bleu.interval.upper)

      const statements = await world.statementsOf(() => api.ask(QUERY))
      expect(statements.length).toBeLessThanOrEqual(3)
      expect(await rows()).toEqual(stored)
    })

    it('of unknown metrics is refused', async () => {
      const query =
        '{ dataset(name: "pets") { humanAgreement(references: 1) { scores(metrics: ["x"]) { mean } } } }'
      expect(await api.refusal(query)).toEqual(['UNKNOWN_METRIC'])
    })

    it('is ranked on the leaderboard by metric; equal systems share a rank, those without scores are last', async () => {
      const QUERY = `{ dataset(name: "pets") { leaderboard(by: METRIC, metric: "ROUGE-L") {
      rank isHuman system { name } value references interval { lower upper } signature wordCount
    } } }`
      const before = (await api.ask(QUERY)).dataset.leaderboard
      expect(before.map(({ system }: Json) => system?.name ?? 'people')).toEqual([
        'copycat',
        'guesser',
        'people',
        'newcomer',
      ])
      expect(before.map(({ rank }: Json) => rank)).toEqual([1, 2, 3, 3])
      expect(before[0]).toMatchObject({ value: 1, references: 1, wordCount: null })
      expect(before[2]).toMatchObject({ value: null, interval: null, signature: null, references: null })

      await api.ask('{ dataset(name: "pets") { humanAgreement { imageCount } } }')
      const { startEvaluation } = await api.ask(`mutation {
      startEvaluation(dataset: "pets", system: "newcomer") { ... on StartEvaluationSuccess { evaluation { id } } }
    }`)
      await api.ended(startEvaluation.evaluation.id)
      const after = (await api.ask(QUERY)).dataset.leaderboard
      expect(after.map(({ rank }: Json) => rank).slice(0, 2)).toEqual([1, 1])
      expect(after.map(({ value }: Json) => value)).not.toContain(null)
      expect(after.find(({ isHuman }: Json) => isHuman)).toMatchObject({ references: 2, system: null })
    })
  })

  describe('a comparison', () => {
    const COMPARE = `query ($systems: [String!]!, $metric: String!, $dataset: String = "pets") {
    dataset(name: $dataset) { compare(systems: $systems, metric: $metric) {
      metric { name } first { name } second { name } firstScore secondScore difference interval { lower upper }
      pValue imageCount signature
    } }
  }`

    it('of equal systems has difference 0; otherwise the better one is first', async () => {
      const { startEvaluation } = await api.ask(`mutation {
      startEvaluation(dataset: "pets", system: "newcomer") { ... on StartEvaluationSuccess { evaluation { id } } }
    }`)
      await api.ended(startEvaluation.evaluation.id)
      const { compare } = (
        await api.ask(COMPARE, { systems: ['guesser', 'newcomer', 'copycat', 'guesser'], metric: 'ROUGE-L' })
      ).dataset
      expect(compare.length).toBe(3)
      const pair = (one: string, other: string) =>
        compare.find(
          ({ first, second }: Json) => [first.name, second.name].toSorted().join() === `${one},${other}`,
        )
      expect(pair('copycat', 'newcomer')).toMatchObject({
        difference: 0,
        interval: { lower: 0, upper: 0 },
        pValue: 1,
        imageCount: 6,
      })
      const better = pair('copycat', 'guesser')
      expect(better).toMatchObject({ first: { name: 'copycat' }, metric: { name: 'ROUGE-L' }, firstScore: 1 })
      expect(better.difference).toBeCloseTo(better.firstScore - better.secondScore, 12)
      expect(better.pValue).toBeGreaterThan(0)
      expect(better.pValue).toBeLessThan(0.2)
      expect(better.interval.lower).toBeLessThanOrEqual(better.difference)
      expect(better.signature).toContain('ROUGE-L')
    })

    it.each<[string, Json, string]>([
      ['one system', { systems: ['copycat', 'copycat'], metric: 'METEOR' }, 'OUT_OF_RANGE'],
      ['no system', { systems: [], metric: 'METEOR' }, 'OUT_OF_RANGE'],
      [
        '21 systems',
        { systems: Array.from({ length: 21 }, (_, i) => `s${i}`), metric: 'METEOR' },
        'OUT_OF_RANGE',
      ],
      ['an unknown system', { systems: ['copycat', 'nobody'], metric: 'METEOR' }, 'UNKNOWN_SYSTEM'],
      ['an unknown metric', { systems: ['copycat', 'guesser'], metric: 'BLEU' }, 'UNKNOWN_METRIC'],
      ['word scores', { systems: ['copycat', 'noise'], metric: 'METEOR' }, 'NOT_APPLICABLE'],
      [
        'a system without scores',
        { systems: ['copycat', 'newcomer'], metric: 'METEOR', dataset: 'fresh' },
        'NOT_APPLICABLE',
      ],
    ])('refuses %s', async (_what, variables, code) => {
      expect(await api.refusal(COMPARE, variables)).toEqual([code])
    })
  })
})
