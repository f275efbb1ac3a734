import { beforeAll, describe, expect, it } from 'vitest'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

describe('words', async () => {
  const world = await initWorld()
  let api: Api

  beforeAll(async () => {
    await importPets(world)
    await world.dataset('alone', { images: { 1: ['A dog.'], 2: ['A cat.'] } })
    api = await world.serve()
  })

  async function wordOf(text: string, selection: string): Promise<Json> {
    const { dataset } = await api.ask(
      `query ($text: String!) { dataset(name: "pets") { word(text: $text) { ${selection} } } }`,
      { text },
    )
    return dataset.word
  }

  describe('a word', () => {
    it('has the counts over the first K captions of the images with at least K captions', async () => {
      const selection = 'text partOfSpeech isInVocabulary imageCount captionCount countHistogram'
      expect(await wordOf('dog', selection)).toEqual({
        text: 'dog',
        partOfSpeech: 'NN',
        isInVocabulary: true,
        imageCount: 2,
        captionCount: 5,
        countHistogram: [3, 0, 1, 1],
      })
      expect(await wordOf('parrot', selection)).toMatchObject({
        isInVocabulary: false,
        imageCount: 0,
        captionCount: 0,
        countHistogram: [5, 0, 0, 0],
      })
    })

    it('has human precision and recall for every k', async () => {
      const { one, two, usual } = await wordOf(
        'dog',
        `one: agreement(references: 1) {
         referenceCount precision recall undefinedReason truePositives falsePositives positives
         precisionInterval { lower upper } recallInterval { lower upper }
       }
       two: agreement(references: 2) { precision recall }
       usual: agreement { referenceCount }`,
      )
      expect(one).toMatchObject({ referenceCount: 1, undefinedReason: null })
      expect(one.precision).toBeCloseTo(0.8, 12)
      expect(one.recall).toBeCloseTo(0.8, 12)
      expect([one.truePositives, one.falsePositives, one.positives]).toEqual([
        expect.closeTo(4 / 3, 12),
        expect.closeTo(1 / 3, 12),
        expect.closeTo(5 / 3, 12),
      ])
      expect(two.precision).toBe(1)
      expect(two.recall).toBeCloseTo(0.8, 12)
      expect(one.recallInterval.lower).toBeLessThanOrEqual(one.recall)
      expect(one.recallInterval.upper).toBeGreaterThanOrEqual(one.recall)
      expect(one.precisionInterval.lower).toBeLessThan(one.precisionInterval.upper)
      expect(usual.referenceCount).toBe(2)
    })

    it('has the provenance of human agreement and of usage models', async () => {
      const {
        agreement: human,
        one,
        usageModel,
      } = await wordOf(
        'dog',
        `agreement {
           signature recall: signature(figure: WORD_RECALL) none: provenance(figure: AVERAGE_PRECISION) { metricName }
           provenance { metricName isHuman parameters { name text } referenceRange { min max } measuredImages { imageCount completeImageCount } seed }
         }
         one: agreement(references: 1) { signature }
         usageModel(kind: BINOMIAL) { signature provenance { metricName parameters { name text } referenceRange { max } } }`,
      )
      expect(human.provenance).toEqual({
        metricName: 'WORD_PRECISION',
        isHuman: true,
        parameters: [{ name: 'word', text: 'dog' }],
        referenceRange: { min: 2, max: 2 },
        measuredImages: { imageCount: 5, completeImageCount: 5 },
        seed: null,
      })
      expect(human.signature).toMatch(/^WORD_PRECISION\|word:dog\|refs:2\|images:5\|tok:/)
      expect(human.recall).toBe(human.signature.replace('PRECISION', 'RECALL'))
      expect(one.signature).toBe(human.signature.replace('refs:2', 'refs:1'))
      expect(human.none).toBeNull()
      expect(usageModel.signature).toMatch(/^USAGE_MODEL\|word:dog\|model:BINOMIAL\|refs:3\|/)
      expect(usageModel.provenance).toEqual({
        metricName: 'USAGE_MODEL',
        parameters: [
          { name: 'word', text: 'dog' },
          { name: 'model', text: 'BINOMIAL' },
        ],
        referenceRange: { max: 3 },
      })
    })

    it.each(['MOMENT', 'BINOMIAL', 'BETA_BINOMIAL'])('has a usage model: %s', async (kind) => {
      const {
        usageModel: model,
        agreement: human,
        isRare,
      } = await wordOf(
        'cat',
        `usageModel(kind: ${kind}) {
         kind usageProbability objectProbability logLikelihood aic precision(references: 1) recall
         residual(references: 1) undefinedReason isWeaklyIdentified expectedHistogram rounded: expectedHistogram(digits: 2)
         usageProbabilityInterval { lower upper } objectProbabilityInterval { lower upper }
       }
       isRare
       agreement(references: 1) { precision }`,
      )
      expect(model).toMatchObject({ kind, undefinedReason: null })
      for (const probability of [model.usageProbability, model.objectProbability, model.recall]) {
        expect(probability).toBeGreaterThan(0)
        expect(probability).toBeLessThanOrEqual(1)
      }
      expect([isRare, model.isWeaklyIdentified]).toEqual([true, kind !== 'MOMENT'])
      expect(model.usageProbabilityInterval.lower).toBeLessThanOrEqual(model.usageProbability)
      expect(model.usageProbabilityInterval.upper).toBeGreaterThanOrEqual(model.usageProbability)
      expect(model.objectProbabilityInterval.lower).toBeLessThan(model.objectProbability)
      expect(model.objectProbabilityInterval.upper).toBeLessThanOrEqual(1)
      expect(model.aic).toBeCloseTo((kind === 'BETA_BINOMIAL' ? 6 : 4) - 2 * model.logLikelihood, 9)
      expect(model.residual).toBeCloseTo(human.precision - model.precision, 12)
      // The images with three captions, of which 0 to 3 use the word.
      expect(model.expectedHistogram).toHaveLength(4)
      expect(model.expectedHistogram.reduce((sum: number, images: number) => sum + images, 0)).toBeCloseTo(
        5,
        9,
      )
      expect(model.rounded).toEqual(
        model.expectedHistogram.map((images: number) => Number(images.toPrecision(2))),
      )
    })

    it('is found in any case, and null if no caption uses it', async () => {
      expect(await wordOf('unicorn', 'text')).toBeNull()
      expect(await wordOf('Dog', 'text')).toEqual({ text: 'dog' })
      expect(await wordOf('', 'text')).toBeNull()
    })
  })

  describe('the results of all systems on a word', () => {
    const PAGE =
      'totalCount nodes { system { name } referenceCount precision averagePrecision } pageInfo { endCursor hasNextPage }'
    const namesOf = ({ nodes }: Json) => nodes.map(({ system }: Json) => system.name)

    it('are by name, those of systems without scores for it left out', async () => {
      const all = await wordOf(
        'dog',
        `systemResults { ${PAGE} } noise: systemResult(system: "noise") { averagePrecision }`,
      )
      expect(namesOf(all.systemResults)).toEqual(['copycat', 'detector', 'guesser', 'newcomer', 'noise'])
      expect(all.systemResults.totalCount).toBe(5)
      expect(all.systemResults.nodes.at(-1)).toMatchObject({ referenceCount: 2, ...all.noise })
      const { systemResults } = await wordOf('parrot', `systemResults { ${PAGE} }`)
      expect(namesOf(systemResults)).toEqual(['copycat', 'guesser', 'newcomer'])
    })

    it('come page by page in both directions', async () => {
      const { systemResults: start } = await wordOf('dog', `systemResults(first: 2) { ${PAGE} }`)
      expect([namesOf(start), start.pageInfo.hasNextPage]).toEqual([['copycat', 'detector'], true])
      const { after, before } = await wordOf(
        'dog',
        `after: systemResults(after: "${start.pageInfo.endCursor}") { ${PAGE} }
         before: systemResults(last: 5, before: "${start.pageInfo.endCursor}") { ${PAGE} }`,
      )
      expect(namesOf(after)).toEqual(['guesser', 'newcomer', 'noise'])
      expect(namesOf(before)).toEqual(['copycat'])
    })

    it('are none where images have one caption', async () => {
      const { dataset } = await api.ask(
        '{ dataset(name: "alone") { word(text: "dog") { systemResults { totalCount nodes { precision } } } } }',
      )
      expect(dataset.word.systemResults).toEqual({ totalCount: 0, nodes: [] })
    })
  })

  describe('an undefined value is null with its reason', () => {
    const NUMBERS = `agreement { precision recall undefinedReason precisionInterval { lower } recallInterval { lower } }
    moment: usageModel { usageProbability aic precision(references: 1) recall residual(references: 1) undefinedReason }
    beta: usageModel(kind: BETA_BINOMIAL) { usageProbability undefinedReason }
    detector: systemResult(system: "detector") { precisionAtHumanRecall averagePrecision undefinedReason curve { recall } }
    copycat: systemResult(system: "copycat") { precision recall undefinedReason curve { recall } }`

    it('a word that only images outside the statistics use', async () => {
      expect(await wordOf('parrot', NUMBERS)).toEqual({
        agreement: {
          precision: null,
          recall: null,
          undefinedReason: 'NO_CAPTION_USES_WORD',
          precisionInterval: null,
          recallInterval: null,
        },
        moment: {
          usageProbability: null,
          aic: null,
          precision: null,
          recall: null,
          residual: null,
          undefinedReason: 'NO_CAPTION_USES_WORD',
        },
        beta: { usageProbability: null, undefinedReason: 'NO_CAPTION_USES_WORD' },
        detector: null,
        copycat: { precision: null, recall: null, undefinedReason: 'NO_CAPTION_USES_WORD', curve: [] },
      })
    })

    it('a word that at most one person uses per image', async () => {
      const { agreement: human, moment, detector, copycat } = await wordOf('asleep', NUMBERS)
      expect(human).toMatchObject({ precision: 0, recall: 0, undefinedReason: null })
      expect(moment).toMatchObject({ usageProbability: null, undefinedReason: 'HUMAN_RECALL_ZERO' })
      expect(detector).toMatchObject({ precisionAtHumanRecall: null, undefinedReason: 'HUMAN_RECALL_ZERO' })
      expect(detector.averagePrecision).toBeGreaterThan(0)
      expect(copycat).toMatchObject({
        precision: null,
        recall: 0,
        undefinedReason: 'NEVER_PREDICTED',
        curve: [],
      })
    })

    it('a model of a word that all or none of the captions use', async () => {
      await world.dataset('certain', { images: { 1: ['dog', 'dog', 'dog'], 2: ['cat', 'cat', 'cat'] } })
      const { dataset } = await api.ask(`{ dataset(name: "certain") {
      word(text: "dog") { usageModel(kind: BETA_BINOMIAL) { recall undefinedReason } }
      usageFit(references: 1) { wordCount rootMeanSquaredError rSquared undefinedReason }
      usageCurve(references: 2, points: 3) { referenceCount points { recall precision } }
    } }`)
      expect(dataset.word.usageModel).toEqual({ recall: null, undefinedReason: 'NOT_IDENTIFIABLE' })
      expect(dataset.usageFit).toEqual({
        wordCount: 0,
        rootMeanSquaredError: null,
        rSquared: null,
        undefinedReason: 'TAUTOLOGY',
      })
      expect(dataset.usageCurve.points[0]).toEqual({ recall: 0, precision: 0 })
      expect(dataset.usageCurve.points[2]).toEqual({ recall: 1, precision: 1 })
    })

    it('a dataset with one caption per image has no agreement', async () => {
      const { dataset: without } = await api.ask(`{ dataset(name: "alone") {
        wordAgreement { meanPrecision undefinedReason } usageFit { rSquared undefinedReason }
        usageCurve { points { recall } undefinedReason } humanAgreement { scores { mean } undefinedReason }
        publishedAgreement { rows { score { mean } } undefinedReason } wordLeaderboard { rows { nodes { rank } } undefinedReason }
        word(text: "dog") {
          agreement { id referenceCount precision truePositives precisionInterval { lower } signature undefinedReason }
          usageModel { precision residual } systemResult(system: "x") { recall }
        }
      } }`)
      const undefinedReason = 'ONE_CAPTION'
      expect(without).toEqual({
        wordAgreement: { meanPrecision: null, undefinedReason },
        usageFit: { rSquared: null, undefinedReason },
        usageCurve: { points: null, undefinedReason },
        humanAgreement: { scores: null, undefinedReason },
        publishedAgreement: { rows: null, undefinedReason },
        wordLeaderboard: { rows: null, undefinedReason },
        word: {
          agreement: {
            id: expect.any(String),
            referenceCount: null,
            precision: null,
            truePositives: null,
            precisionInterval: null,
            signature: null,
            undefinedReason,
          },
          usageModel: { precision: null, residual: null },
          systemResult: null,
        },
      })
      const { dataset } = await api.ask(`{ dataset(name: "alone") {
      captionsPerImage
      words(orderBy: { field: HUMAN_PRECISION }) { nodes { text countHistogram usageModel { undefinedReason } } }
      leaderboards(metrics: ["CIDEr-D"]) { rows { nodes { rank subject { name } value } } }
      images { nodes { captions { scores { value } } words { captionCount word { text } } } }
    } }`)
      expect(dataset.captionsPerImage).toBe(1)
      expect(dataset.words.nodes.map(({ text }: Json) => text)).toEqual(['cat', 'dog', 'a'])
      expect(dataset.words.nodes[1].usageModel.undefinedReason).toBe('HUMAN_RECALL_ZERO')
      expect(dataset.leaderboards[0].rows.nodes).toEqual([
        { rank: null, subject: { name: 'people' }, value: null },
      ])
      expect(dataset.images.nodes[0].captions[0].scores).toBeNull()
    })

    it('means and goodness of fit have their provenance', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") {
        all: wordAgreement { ...Of } nouns: wordAgreement(partOfSpeech: [NN]) { ...Of }
        usageFit(references: 1, partOfSpeech: [NN]) { signature provenance { metricName parameters { name text } seed } }
      } }
      fragment Of on WordAgreementSummary {
        wordCount signature recall: signature(figure: WORD_RECALL) phr: signature(figure: PHR)
        provenance { metricName isHuman parameters { name text } resources { name text } }
      }`)
      const { all, nouns, usageFit } = dataset
      expect(all.provenance).toMatchObject({
        metricName: 'WORD_PRECISION',
        isHuman: true,
        parameters: [{ name: 'words', text: String(all.wordCount) }],
        resources: [{ name: 'vocabulary', text: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      })
      expect([all.recall, all.phr]).toEqual(
        ['WORD_RECALL', 'PHR'].map((to) => all.signature.replace(/^\w+/, to)),
      )
      expect(nouns.provenance.resources).not.toEqual(all.provenance.resources)
      expect(usageFit).toMatchObject({
        signature: expect.stringMatching(/^USAGE_FIT\|words:\d+\|model:MOMENT\|refs:1\|/),
        provenance: { metricName: 'USAGE_FIT', seed: 1 },
      })
    })

    it('means have the number of words', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") {
      all: wordAgreement { referenceCount wordCount definedWordCount meanPrecision meanRecall byPartOfSpeech {
        partOfSpeech wordCount definedWordCount meanPrecision meanRecall } }
      pronouns: wordAgreement(partOfSpeech: [PRP]) { wordCount definedWordCount meanPrecision meanRecall byPartOfSpeech { wordCount } }
      none: wordAgreement(partOfSpeech: []) { wordCount meanPrecision }
      fit: usageFit(references: 1, model: BINOMIAL, partOfSpeech: [NN]) {
        model referenceCount wordCount rootMeanSquaredError rSquared undefinedReason
        outOfSample { wordCount rootMeanSquaredError rSquared undefinedReason } }
    } }`)
      const { all, pronouns, none, fit } = dataset
      expect(all.referenceCount).toBe(2)
      const sum = all.byPartOfSpeech.reduce((words: number, row: Json) => words + row.wordCount, 0)
      expect(sum).toBe(all.wordCount)
      expect(pronouns).toEqual({
        wordCount: 0,
        definedWordCount: 0,
        meanPrecision: null,
        meanRecall: null,
        byPartOfSpeech: [],
      })
      expect(none).toEqual({ wordCount: 0, meanPrecision: null })
      expect(fit).toMatchObject({ model: 'BINOMIAL', referenceCount: 1, undefinedReason: null })
      expect(fit.rootMeanSquaredError).toBeGreaterThan(0)
      expect(fit.rSquared).toBeLessThan(1)
      expect(fit.outOfSample.wordCount).toBeLessThanOrEqual(fit.wordCount)
    })
  })

  describe("a word's images", () => {
    it.each([
      [0, ['30', '40', '70']],
      [1, []],
      [2, ['20']],
      [3, ['10']],
      [null, ['10', '20']],
    ])('used by %s captions', async (count, ids) => {
      const { dataset } = await api.ask(
        `query ($count: Int) { dataset(name: "pets") { word(text: "dog") {
        images(count: $count) { totalCount nodes { externalId } edges { cursor node { externalId } } pageInfo { hasNextPage } }
      } } }`,
        { count },
      )
      const { totalCount, nodes, edges, pageInfo } = dataset.word.images
      expect(nodes.map(({ externalId }: Json) => externalId)).toEqual(ids)
      expect(edges.map(({ node }: Json) => node.externalId)).toEqual(ids)
      expect({ totalCount, ...pageInfo }).toEqual({ totalCount: ids.length, hasNextPage: false })
    })

    it('are listed page by page in both directions', async () => {
      const QUERY = `query ($first: Int, $after: String, $last: Int, $before: String) { dataset(name: "pets") {
        word(text: "dog") { images(count: 0, first: $first, after: $after, last: $last, before: $before) {
          nodes { externalId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        } }
      } }`
      async function page(variables: Json): Promise<Json> {
        const { nodes, pageInfo } = (await api.ask(QUERY, variables)).dataset.word.images
        return { ids: nodes.map(({ externalId }: Json) => externalId), ...pageInfo }
      }
      const first = await page({ first: 2 })
      expect(first).toMatchObject({ ids: ['30', '40'], hasNextPage: true, hasPreviousPage: false })
      const second = await page({ first: 2, after: first.endCursor })
      expect(second).toMatchObject({ ids: ['70'], hasNextPage: false, hasPreviousPage: true })
      const back = await page({ last: 1, before: second.startCursor })
      expect(back).toMatchObject({ ids: ['40'], hasNextPage: true, hasPreviousPage: true })
      const whole = await page({ last: 10 })
      expect(whole).toMatchObject({ ids: ['30', '40', '70'], hasNextPage: false, hasPreviousPage: false })
      const between = await page({ first: 5, after: first.startCursor, before: second.startCursor })
      expect(between).toMatchObject({ ids: ['40'], hasNextPage: true, hasPreviousPage: true })
      expect(await page({ first: 0 })).toMatchObject({ ids: [], startCursor: null })
    })
  })

  describe('a list of words', () => {
    const LIST = `query ($filter: WordFilter, $orderBy: WordOrder, $first: Int) { dataset(name: "pets") {
    words(filter: $filter, orderBy: $orderBy, first: $first) { totalCount nodes { text } edges { cursor node { id } } }
  } }`

    async function texts(variables: Json): Promise<string[]> {
      const { words } = (await api.ask(LIST, { first: 100, ...variables })).dataset
      expect(words.nodes.length).toBe(words.totalCount)
      return words.nodes.map(({ text }: Json) => text)
    }

    it.each<[string, Json, readonly string[]]>([
      ['a beginning', { startsWith: 'ca' }, ['cat', 'car']],
      ['a beginning with a wildcard', { startsWith: '%a' }, []],
      ['a beginning of 100,000 letters', { startsWith: 'a'.repeat(10_000) }, []],
      ['texts', { texts: ['dog', 'sofa', 'unicorn'] }, ['dog', 'sofa']],
      ['no texts', { texts: [] }, []],
      ['images', { imageCount: { min: 3 } }, ['a', 'on']],
      ['captions', { captionCount: { min: 5 }, imageCount: { min: 2 } }, ['a', 'on', 'dog']],
      ['no part of speech', { partOfSpeech: [] }, []],
      ['words outside the vocabulary', { vocabulary: 'OUT' }, ['lonely', 'parrot', 'far', 'away']],
      ['all words', { vocabulary: 'ALL', startsWith: 'pa' }, ['parrot']],
      ['nouns', { partOfSpeech: ['NN'], captionCount: { min: 4 } }, ['dog', 'cat']],
    ])('by %s', async (_name, filter, expected) => {
      expect((await texts({ filter })).toSorted()).toEqual(expected.toSorted())
    })

    it('by rank: vocabulary first, most used first', async () => {
      const ranked = await texts({ filter: { vocabulary: 'ALL' } })
      expect(ranked.slice(0, 3)).toEqual(['a', 'dog', 'on'])
      expect(ranked.slice(-4).toSorted()).toEqual(['away', 'far', 'lonely', 'parrot'])
    })

    it.each(['ASC', 'DESC'])('by human recall %s: undefined values are last', async (direction) => {
      const filter = { texts: ['parrot', 'dog', 'asleep', 'cat'], vocabulary: 'ALL' }
      const ordered = await texts({ filter, orderBy: { field: 'HUMAN_RECALL', direction } })
      const defined = ['asleep', 'cat', 'dog']
      expect(ordered).toEqual([...(direction === 'ASC' ? defined : defined.toReversed()), 'parrot'])
    })

    it.each([
      ['TEXT', ['asleep', 'cat', 'dog']],
      ['IMAGE_COUNT', ['cat', 'dog', 'asleep']],
      ['CAPTION_COUNT', ['dog', 'cat', 'asleep']],
      ['HUMAN_PRECISION', ['cat', 'dog', 'asleep']],
    ])('by %s', async (field, expected) => {
      const ordered = await texts({ filter: { texts: ['dog', 'asleep', 'cat'] }, orderBy: { field } })
      // Ties are ordered by id, in the direction of the order.
      const ties = field === 'IMAGE_COUNT' || field === 'HUMAN_PRECISION'
      if (ties) expect(ordered.toSorted()).toEqual(expected.toSorted())
      else expect(ordered).toEqual(expected)
      expect(ordered.at(-1)).toBe(expected.at(-1))
    })
  })
})
