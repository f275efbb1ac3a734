import { beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/store/engine/sql.js'
import { importScoredPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

describe('systems', async () => {
  const world = await initWorld()
  let api: Api

  beforeAll(async () => {
    await importScoredPets(world)
    await importScoredPets(world, 'fresh')
    api = await world.serve({ workers: 1 })
  })

  describe('metrics', () => {
    it('have a description, a range, a citation and a signature', async () => {
      const {
        metrics: { nodes: metrics },
      } = await api.ask(`{
      metrics(first: 100) { nodes { name description lowest highest isHigherBetter citation signature notes } }
    }`)
      const names = metrics.map(({ name }: Json) => name)
      for (const name of ['BLEU-1', 'BLEU-4', 'ROUGE-L', 'METEOR', 'CIDEr', 'CIDEr-D'])
        expect(names).toContain(name)
      for (const { name, description, citation, lowest, highest, isHigherBetter, signature } of metrics) {
        expect(description.length, name).toBeGreaterThan(40)
        expect(citation, name).toMatch(/\b(19|20)\d\d\b/)
        expect(lowest).toBeLessThan(highest)
        expect(isHigherBetter, name).toBe(!name.includes('CHAIR'))
        expect(signature).toContain(name)
      }
      const noted = metrics.filter(({ notes }: Json) => notes.length > 0)
      expect(noted.map(({ name }: Json) => name)).toEqual([
        ...['ROUGE-1', 'ROUGE-2', 'ROUGE-3', 'ROUGE-4'],
        ...['CHAIR-i', 'CHAIR-s', 'object-recall'],
        ...['open-CHAIR-i', 'open-CHAIR-s', 'open-object-recall'],
        'chrF',
      ])
    })
  })

  describe('a captioning system', () => {
    it('has corpus scores with interval, signature, warnings and human scores', async () => {
      const QUERY = `{ dataset(name: "fresh") { system(name: "guesser") {
      name kind imageCount missingImageCount dataset { name } evaluation { status }
      scores(metrics: ["BLEU-4", "CIDEr-D"]) {
        value signature referenceCount warnings interval { lower upper } undefinedReason isSmall metric { name }
        foldScores notes humanScore { mean referenceCount }
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
        evaluation: { status: 'DONE' },
        scores: [{ metric: { name: 'BLEU-4' } }, { metric: { name: 'CIDEr-D' } }],
      })
      for (const { interval, undefinedReason, isSmall, signature, ...score } of before.scores) {
        const { metric, referenceCount, foldScores, notes, humanScore: human } = score
        expect({ interval, undefinedReason, isSmall }).toEqual({
          interval: null,
          undefinedReason: 'TOO_FEW_IMAGES',
          isSmall: false,
        })
        expect(signature).toContain('ptb')
        expect({ referenceCount, foldScores, notes, humanScore: human }).toEqual({
          referenceCount: 1,
          foldScores: null,
          notes: [
            ...(metric.name === 'CIDEr-D' ? [expect.stringContaining('Document frequencies of')] : []),
            'Fewer than 10 images: no interval and no test is reliable.',
          ],
          humanScore: null,
        })
      }
      const { metrics: listed } = await api.ask('{ metrics(first: 100) { nodes { name isDefault } } }')
      const byDefault = listed.nodes.filter(({ isDefault }: Json) => isDefault)
      expect(before.all).toEqual(byDefault.map(({ name }: Json) => ({ metric: { name } })))

      await api.done('computeHumanAgreement(input: { dataset: "fresh" })')
      // People are never beside scores against all references.
      expect((await api.ask(QUERY)).dataset.system).toEqual(before)
    })

    it('has scores on folds of references, with people beside them, and their provenance', async () => {
      const QUERY = `query ($references: Int) { dataset(name: "fresh") { system(name: "guesser") {
      scores(metrics: ["ROUGE-1", "CIDEr-D"], references: $references) {
        value signature referenceCount foldScores notes
        provenance {
          datasetHash isHuman subjectHash family metricName revision parameters { name text } resources { name text }
          tokenizer isRawText documentFrequencies { hash imageCount source } referenceRange { min max foldCount }
          measuredImages { imageCount completeImageCount hash } intervalMethod seed layoutRevision
        }
        humanScore { mean referenceCount signature notes provenance { isHuman measuredImages { imageCount } } }
      }
      score(metric: "ROUGE-1", references: $references) { imageScores { totalCount } }
    } image(externalId: "10") {
      captions { scores(metrics: ["ROUGE-1"]) { signature } }
      systemCaptions(systems: ["guesser"]) { nodes { scores(metrics: ["ROUGE-1"], references: $references) { value signature } } }
    } } }`
      const folds = { references: 2 }
      expect(
        (
          await api.ask(
            'query ($references: Int) { dataset(name: "fresh") { system(name: "guesser") { scores(references: $references) { value } } } }',
            folds,
          )
        ).dataset.system.scores,
      ).toBeNull()
      const { startEvaluation } = await api.ask(`mutation {
      startEvaluation(input: { dataset: "fresh", system: "guesser", references: 2 }) { ... on JobSuccess { job { id } } }
    }`)
      expect((await api.ended(startEvaluation.job.id)).status).toBe('DONE')
      await api.done('computeHumanAgreement(input: { dataset: "fresh" })')
      const { system, image } = (await api.ask(QUERY, folds)).dataset
      const [rouge, cider] = system.scores
      expect(rouge.foldScores).toHaveLength(3)
      expect(rouge.value).toBeCloseTo(
        (rouge.foldScores[0] + rouge.foldScores[1] + rouge.foldScores[2]) / 3,
        12,
      )
      expect(rouge.notes).toEqual([
        expect.stringContaining('recall only'),
        expect.stringContaining('not a sampling error'),
        expect.stringContaining('Fewer than 10 images'),
      ])
      expect(cider.notes).toHaveLength(3)
      expect(cider.notes).toContainEqual(expect.stringContaining('Document frequencies of'))
      const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
      expect(cider.provenance).toEqual({
        datasetHash: hash,
        isHuman: false,
        subjectHash: hash,
        family: expect.any(String),
        metricName: 'CIDEr-D',
        revision: 1,
        parameters: [
          { name: 'n', text: '4' },
          { name: 'sigma', text: '6' },
        ],
        resources: [],
        tokenizer: 'ptb-3.4.1',
        isRawText: false,
        documentFrequencies: { hash, imageCount: 5, source: 'FOLD' },
        referenceRange: { min: 2, max: 2, foldCount: 3 },
        measuredImages: { imageCount: 5, completeImageCount: 5, hash: null },
        intervalMethod: 'jackknife',
        seed: null,
        layoutRevision: 3,
      })
      // Scores of systems and people can be compared: only the subjects differ.
      expect(rouge.humanScore).toMatchObject({
        referenceCount: 2,
        signature: rouge.signature,
        notes: rouge.notes,
        provenance: { isHuman: true, measuredImages: { imageCount: 5 } },
      })
      expect(system.score.imageScores.totalCount).toBe(5)
      const [{ scores }] = image.systemCaptions.nodes
      expect(scores[0].signature).toBe(rouge.signature)
      expect(image.captions[0].scores[0].signature).toBe(rouge.signature)

      const all = (await api.ask(QUERY)).dataset.system
      expect(all.scores.map(({ humanScore }: Json) => humanScore)).toEqual([null, null])
      expect(all.scores[1].provenance).toMatchObject({
        documentFrequencies: { imageCount: 6, source: 'OWN' },
        referenceRange: { min: 1, max: 4, foldCount: null },
      })
      expect(all.score.imageScores.totalCount).toBe(6)
    })

    it('has images in order of score, page by page in both directions', async () => {
      const QUERY = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: ImageScoreOrder) {
      dataset(name: "pets") { system(name: "guesser") {
        score(metric: "ROUGE-L") {
          metric { name }
          imageScores(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) {
            totalCount nodes { value } edges { cursor node { value image { externalId } } }
            pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
          }
        }
      } }
    }`
      const list = async (variables: Json) =>
        (await api.ask(QUERY, variables)).dataset.system.score.imageScores
      const rowsOf = ({ edges }: Json) => edges.map(({ node }: Json) => [node.image.externalId, node.value])
      const whole = await list({ first: 100 })
      // Image 60 has no human captions.
      expect(whole.totalCount).toBe(6)
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
      const best = await list({ first: 1, orderBy: { field: 'VALUE', direction: 'DESC' } })
      expect(best.nodes[0].value).toBe(values.at(-1))
      expect(
        await api.refusal(QUERY, {
          after: best.pageInfo.endCursor,
          orderBy: { field: 'VALUE', direction: 'ASC' },
        }),
      ).toEqual(['INVALID_CURSOR'])
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
      words(first: 2, filter: { word: { texts: ["dog", "cat", "asleep"] } }, orderBy: { field: TEXT }) {
        totalCount
        edges { cursor node { word { text } } }
        nodes {
          system { name } word { text } referenceCount precision recall undefinedReason
          precisionAtHumanRecall averagePrecision curve { recall precision }
        }
        pageInfo { hasNextPage }
      }
      phrSummary { wordCount definedWordCount meanPrecisionAtHumanRecall meanAveragePrecision meanHumanPrecision }
    } } }`)
      const { words, phrSummary } = dataset.system
      expect({ totalCount: words.totalCount, ...words.pageInfo }).toEqual({
        totalCount: 3,
        hasNextPage: true,
      })
      const [asleep, cat] = words.nodes
      expect(asleep).toMatchObject({ word: { text: 'asleep' }, precision: null, recall: 0, curve: [] })
      expect(asleep.undefinedReason).toBe('NEVER_PREDICTED')
      expect(cat).toMatchObject({
        system: { name: 'guesser' },
        referenceCount: 2,
        precision: null,
        recall: 0,
      })
      expect(cat).toMatchObject({ precisionAtHumanRecall: null, averagePrecision: null })
      expect(phrSummary).toMatchObject({
        definedWordCount: 0,
        meanPrecisionAtHumanRecall: null,
        meanAveragePrecision: null,
        meanHumanPrecision: null,
      })
      const dog = (
        await api.ask(`{ dataset(name: "pets") { word(text: "dog") {
      systemResult(system: "guesser", references: 1) { referenceCount precision recall undefinedReason curve { recall precision } }
      nobody: systemResult(system: "nobody") { precision }
    } } }`)
      ).dataset.word
      // "dog" for images 10, 20 and 30, with 3, 2 and 0 of 3: TP = 3/3 + 2/3, FP = 1/3 + 1, positives = 5/3.
      const { precision, recall } = dog.systemResult
      expect(precision).toBeCloseTo(5 / 3 / (5 / 3 + 4 / 3), 12)
      expect(recall).toBeCloseTo(1, 12)
      expect(dog.systemResult).toMatchObject({
        referenceCount: 1,
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
    } noise: system(name: "noise") { imageCount missingImageCount wordsPerCaption scores { value } evaluation { id } } } }
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
      expect(dataset.noise).toEqual({
        imageCount: 5,
        missingImageCount: 2,
        wordsPerCaption: null,
        scores: null,
        evaluation: null,
      })
    })

    it('has the provenance of its figures, single and as means, as captioning systems have', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") {
        word(text: "dog") {
          detector: systemResult(system: "detector", references: 1) { ...Result }
          guesser: systemResult(system: "guesser") { ...Result }
        }
        detector: system(name: "detector") { phrSummary { ...Mean } words(first: 1) { nodes { signature } } }
        other: system(name: "noise") { phrSummary(partOfSpeech: [NN]) { signature } }
        guesser: system(name: "guesser") { phrSummary { ...Mean } }
      } }
      fragment Result on SystemWordResult {
        signature ap: signature(figure: AVERAGE_PRECISION) recall: signature(figure: WORD_RECALL)
        provenance { metricName isHuman subjectHash }
      }
      fragment Mean on PhrSummary {
        signature ap: signature(figure: AVERAGE_PRECISION) provenance { metricName isHuman subjectHash parameters { name } }
      }`)
      const { word, detector, guesser, other } = dataset
      expect(word.detector.signature).toMatch(/^PHR\|word:dog\|refs:1\|.*\|seed:1\|/)
      expect(word.detector.ap).toBe(word.detector.signature.replace('PHR', 'AVERAGE_PRECISION'))
      expect(word.detector.recall).toBeNull()
      expect(word.detector.provenance).toMatchObject({ metricName: 'PHR', isHuman: false })
      expect(word.guesser.signature).toMatch(/^WORD_PRECISION\|word:dog\|refs:2\|/)
      expect(word.guesser).toMatchObject({
        ap: null,
        recall: expect.stringMatching(/^WORD_RECALL\|word:dog\|/),
      })
      const summary = detector.phrSummary
      expect(summary.provenance).toEqual({ ...word.detector.provenance, parameters: [{ name: 'words' }] })
      expect(summary.ap).toBe(summary.signature.replace('PHR', 'AVERAGE_PRECISION'))
      expect(detector.words.nodes[0].signature).toMatch(/^PHR\|word:/)
      expect(other.phrSummary.signature).not.toBe(summary.signature)
      expect(guesser.phrSummary).toMatchObject({
        signature: expect.stringMatching(/^WORD_PRECISION\|words:/),
        ap: null,
      })
    })

    it('is ranked with people on the leaderboard by PHR', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") {
      wordLeaderboard(partOfSpeech: [NN]) { rows { nodes { rank subject { __typename name } value referenceRange { max } wordCount interval { lower } signature } } }
      system(name: "detector") { phrSummary(partOfSpeech: [NN]) {
        referenceCount wordCount definedWordCount meanPrecisionAtHumanRecall meanAveragePrecision meanHumanPrecision } }
    } }`)
      const { nodes: rows } = dataset.wordLeaderboard.rows
      expect(rows.length).toBe(3)
      expect(rows.map(({ rank }: Json) => rank)).toEqual([1, 2, 3])
      const values = rows.map(({ value }: Json) => value)
      expect(values).toEqual(values.toSorted((one: number, other: number) => other - one))
      expect(rows.filter(({ subject }: Json) => subject.__typename === 'People')).toMatchObject([
        { subject: { name: 'people' }, referenceRange: { max: 2 } },
      ])
      const detector = rows.find(({ subject }: Json) => subject.name === 'detector')
      const summary = dataset.system.phrSummary
      expect(detector).toMatchObject({
        value: summary.meanPrecisionAtHumanRecall,
        wordCount: summary.definedWordCount,
        interval: null,
        signature: expect.stringMatching(/^PHR\|/),
      })
      expect(summary.wordCount).toBeGreaterThan(summary.definedWordCount)
      expect(summary.meanAveragePrecision).toBeGreaterThan(0)
      expect(summary.meanHumanPrecision).toBeGreaterThan(0)
      expect(summary.referenceCount).toBe(2)
    })
  })

  describe('human agreement', () => {
    it('is computed once for requests at the same time, and stored', async () => {
      const QUERY = `{ dataset(name: "pets") { all: humanAgreement(references: 1) { scores { foldScores } }
      named: humanAgreement(references: 1, metrics: ["BLEU-1", "ROUGE-1"]) { referenceCount imageCount scores {
        mean standardDeviation foldScores signature referenceCount warnings notes metric { name } interval { lower upper }
        undefinedReason isSmall
      } }
    } }`
      const rows = () => world.database.all<{ id: number }>(sql`SELECT id FROM agreement_score ORDER BY id`)
      const before = (await rows()).length
      const missing =
        '{ dataset(name: "pets") { humanAgreement(references: 1) { imageCount scores { mean } undefinedReason } } }'
      expect((await api.ask(missing)).dataset).toEqual({
        humanAgreement: { imageCount: 5, scores: null, undefinedReason: 'NOT_COMPUTED' },
      })
      expect((await rows()).length).toBe(before)
      const compute = () => api.done('computeHumanAgreement(input: { dataset: "pets", references: 1 })')
      await Promise.all([compute(), compute(), compute()])
      expect((await api.ask(missing)).dataset.humanAgreement.undefinedReason).toBeNull()
      const { all, named } = (await api.ask(QUERY)).dataset
      const stored = await rows()
      expect(stored.length - before).toBe(all.scores.length)
      // If it had been computed twice, the rows would have new ids.
      expect(stored.at(-1)?.id).toBe(stored.length)

      expect(named).toMatchObject({ referenceCount: 1, imageCount: 5 })
      expect(all.scores.map(({ foldScores }: Json) => foldScores.length)).toEqual(all.scores.map(() => 3))
      const [bleu, rouge] = named.scores
      expect(bleu).toMatchObject({
        referenceCount: 1,
        notes: [
          expect.stringContaining('not a sampling error'),
          expect.stringContaining('Fewer than 10 images'),
        ],
        interval: null,
        undefinedReason: 'TOO_FEW_IMAGES',
        isSmall: false,
        metric: { name: 'BLEU-1' },
      })
      expect(rouge.notes).toHaveLength(3)
      expect(bleu.foldScores).toHaveLength(3)
      expect(bleu.mean).toBeCloseTo((bleu.foldScores[0] + bleu.foldScores[1] + bleu.foldScores[2]) / 3, 12)

      const statements = await world.statementsOf(() => api.ask(QUERY))
      expect(statements.length).toBeLessThanOrEqual(6)
      expect(await rows()).toEqual(stored)
    })

    it('of unknown metrics is refused', async () => {
      const query =
        '{ dataset(name: "pets") { humanAgreement(references: 1, metrics: ["x"]) { scores { mean } } } }'
      expect(await api.refusal(query)).toEqual(['UNKNOWN_METRIC'])
    })
  })
})
