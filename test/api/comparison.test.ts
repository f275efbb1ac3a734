import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { THING_CAPTIONS, THINGS, thingOf } from '../kit/things.js'

type ById<Value> = Readonly<Record<string, Value>>

/** The third caption does not tell the place, so that people are worse than a system. */
const HUMAN: ById<string[]> = Object.fromEntries(
  Object.entries(THING_CAPTIONS).map(([id, [first, second]]) => [
    id,
    [first, second, `A ${thingOf(id)} today.`],
  ]),
)
const IDS = Object.keys(HUMAN)

const captions = (write: (id: string) => string, ids: readonly string[] = IDS): ById<string> =>
  Object.fromEntries(ids.map((id) => [id, write(id)]))

const GOOD = captions((id) => HUMAN[id][0])
/** As good as people on every eighth image. */
const POOR = captions((id) => (IDS.indexOf(id) % 8 === 0 ? HUMAN[id][0] : `A ${thingOf(id)}.`))

const WORD_MEANS = expect.stringMatching(/^Means over words depend on the number of images/)
const USUAL_WORDS = expect.stringMatching(/^With fewer than 200 images/)
const RAREFIED = 'Rarefied means are expected for random subsets of 20 images, whatever the number of images.'

describe('comparisons', async () => {
  const world = await initWorld()
  let api: Api

  beforeAll(async () => {
    const vocabulary = Object.fromEntries([...THINGS, 'old'].map((word) => [word, 'NN' as const]))
    const things = await world.dataset('things', { images: HUMAN, vocabulary })
    await things.captionSystem('good', GOOD)
    await things.captionSystem('copy', GOOD)
    await things.captionSystem('poor', POOR)
    await things.captionSystem(
      'part',
      captions((id) => HUMAN[id][0], IDS.slice(0, 12)),
    )
    await things.captionSystem(
      'few',
      captions((id) => `A ${thingOf(id)}.`, IDS.slice(0, 9)),
    )
    await things.captionSystem('new', POOR)
    for (const name of ['good', 'copy', 'poor', 'part', 'few']) await things.evaluate(name)
    await things.scoreSystem(
      'dense',
      scoresOf((id, word) => (thingOf(id) === word ? 1 : 0.1)),
    )
    // It scores no image for most words: these reach human recall only with the images without a score.
    await things.scoreSystem(
      'sparse',
      scoresOf((_, word) => (word === 'dog' ? 0.5 : undefined)),
    )
    await world.dataset('animals', {
      images: { '1': ['A dog and a cat.', 'A horse.'] },
      vocabulary: { horse: 'NN', cat: 'NN', dog: 'NN', cow: 'NN' },
    })
    api = await world.serve({ workers: 1 })
  })

  function scoresOf(score: (id: string, word: string) => number | undefined) {
    const words = (id: string) =>
      THINGS.flatMap((word) => {
        const value = score(id, word)
        return value === undefined ? [] : [[word, value]]
      })
    return Object.fromEntries(IDS.map((id) => [id, Object.fromEntries(words(id))]))
  }

  const COMPARE = `query (
    $systems: [String!], $people: Boolean, $metrics: [String!], $words: [WordComparisonInput!], $baseline: SideInput,
    $references: Int, $documents: String
  ) { dataset(name: "things") { comparisons(
    systems: $systems, isHumanIncluded: $people, metrics: $metrics, words: $words, baseline: $baseline, references: $references,
    documents: $documents
  ) {
    figure metric { name } first { name } second { name } firstScore secondScore difference conclusion
    alone { interval { lower upper } pValue better } together { interval { lower upper } pValue better tests level } imageCount wordCount referenceRange { min max foldCount } isSmall
    undefinedReason signature notes
  } } }`
  const compare = async (variables: Json): Promise<Json[]> =>
    (await api.ask(COMPARE, variables)).dataset.comparisons
  const namesOf = ({ first, second }: Json) => [first.name, second.name]

  describe('a comparison', () => {
    it('of systems has difference, interval and p-values, as it is asked for', async () => {
      const pairs = await compare({ systems: ['poor', 'good', 'copy', 'good'], metrics: ['ROUGE-L'] })
      expect(pairs.map(namesOf)).toEqual([
        ['poor', 'good'],
        ['poor', 'copy'],
        ['good', 'copy'],
      ])
      const [clear, , equal] = pairs
      expect(equal).toMatchObject({
        difference: 0,
        alone: { interval: null, pValue: 1, better: null },
        together: { interval: null, pValue: 1, better: null, tests: 2 },
        undefinedReason: 'NO_VARIATION',
        conclusion: 'good and copy have the same scores by ROUGE-L.',
      })
      expect(clear).toMatchObject({
        figure: 'METRIC',
        metric: { name: 'ROUGE-L' },
        alone: { better: 'SECOND' },
        together: { better: 'SECOND', tests: 2 },
        imageCount: 40,
        wordCount: null,
        referenceRange: { min: 3, max: 3, foldCount: null },
        isSmall: false,
        undefinedReason: null,
        notes: [],
      })
      expect(clear.difference).toBeCloseTo(clear.firstScore - clear.secondScore, 12)
      expect(clear.difference).toBeLessThan(0)
      expect(clear.alone.interval.upper).toBeLessThan(0)
      expect(clear.conclusion).toMatch(
        /^good is better than poor by ROUGE-L: \+\.\d{3} \[\+\.\d{3}, \+\.\d{3}\], p < \.0001, 40 images\.$/,
      )
      // Two equal tests count as one.
      expect(clear.together.level).toBeCloseTo(0.05, 2)
      expect(clear.signature).toContain('ROUGE-L|')
      const [opposite] = await compare({ systems: ['good', 'poor'], metrics: ['ROUGE-L'] })
      expect(opposite).toMatchObject({
        first: { name: 'good' },
        firstScore: clear.secondScore,
        secondScore: clear.firstScore,
        difference: -clear.difference,
        alone: {
          interval: { lower: -clear.alone.interval.upper, upper: -clear.alone.interval.lower },
          pValue: clear.alone.pValue,
          better: 'FIRST',
        },
        together: { pValue: clear.alone.pValue, tests: 1, level: 0.05 },
        conclusion: clear.conclusion,
      })
    })

    it('with people is on as many references as they have, once both are computed', async () => {
      const variables = { systems: ['new'], people: true, metrics: ['ROUGE-1'] }
      const [before] = await compare(variables)
      expect(before).toMatchObject({ difference: null, undefinedReason: 'NOT_COMPUTED' })
      for (const references of [1, 2]) {
        const { startEvaluation } = await api.ask(
          `mutation ($references: Int) {
            startEvaluation(input: { dataset: "things", system: "new", metrics: ["ROUGE-1"], references: $references }) {
              ... on JobSuccess { job { id } }
            }
          }`,
          { references },
        )
        await api.ended(startEvaluation.job.id)
      }
      for (const k of [1, 2])
        await api.done(`computeHumanAgreement(input: { dataset: "things", references: ${k} })`)
      const pairs = await compare(variables)
      expect(pairs).toHaveLength(1)
      expect(namesOf(pairs[0]).toSorted()).toEqual(['new', 'people'])
      expect(pairs[0]).toMatchObject({
        imageCount: 40,
        referenceRange: { min: 2, max: 2, foldCount: 3 },
        signature: expect.stringMatching(/\|refs:2\|folds:3\|images:40\|/),
      })
      expect(pairs[0].notes).toContain(
        'ROUGE-N is recall only: longer captions score higher, whatever else they say.',
      )
      const [fewer] = await compare({ ...variables, references: 1 })
      expect(fewer.referenceRange).toEqual({ min: 1, max: 1, foldCount: 3 })
    })

    it('has each pair on its own images, and few images have a note or no test', async () => {
      const pairs = await compare({ systems: ['good', 'poor', 'part', 'few'], metrics: ['BLEU-1'] })
      const pair = (...names: string[]) =>
        pairs.find((row) => namesOf(row).toSorted().join() === names.toSorted().join())
      expect(pair('good', 'poor')).toMatchObject({ imageCount: 40, isSmall: false })
      expect(pair('part', 'poor')).toMatchObject({ imageCount: 12, isSmall: true })
      expect(pair('part', 'poor').notes).toContain(
        'Fewer than 30 images: intervals and tests are approximate.',
      )
      expect(pair('good', 'few')).toMatchObject({
        imageCount: 9,
        difference: expect.any(Number),
        alone: { interval: null, pValue: null, better: null },
        together: { interval: null, pValue: null, better: null, tests: 2 },
        undefinedReason: 'TOO_FEW_IMAGES',
        conclusion: expect.stringMatching(
          /^The difference between good and few by BLEU-1, .* has no test: there are too few images\.$/,
        ),
      })
      const [unscored] = await compare({ systems: ['good', 'new'], metrics: ['BLEU-1'] })
      expect(unscored).toMatchObject({ firstScore: null, undefinedReason: 'NOT_COMPUTED', signature: null })
    })

    it.each([
      [
        { systems: ['dense', 'sparse'], people: true, words: [{ figure: 'PHR' }] },
        [
          ['dense', 'people'],
          ['dense', 'sparse'],
          ['people', 'sparse'],
        ],
      ],
      [
        { systems: ['dense', 'sparse'], words: [{ figure: 'AVERAGE_PRECISION' }], references: 1 },
        [['dense', 'sparse']],
      ],
      [{ systems: ['dense', 'sparse'], words: [{ figure: 'PHR', word: 'cat' }] }, [['dense', 'sparse']]],
      [
        { systems: ['poor'], people: true, words: [{ figure: 'WORD_PRECISION', partOfSpeech: ['NN'] }] },
        [['people', 'poor']],
      ],
    ])('on words: %o', async (variables, expected) => {
      const pairs = await compare(variables)
      expect(pairs.map((pair) => namesOf(pair).toSorted()).toSorted()).toEqual(expected)
      for (const pair of pairs) {
        expect(pair).toMatchObject({ figure: variables.words[0].figure, metric: null, imageCount: 40 })
        expect(pair.wordCount).toBeGreaterThan(0)
        expect(pair.difference).toBeCloseTo(pair.firstScore - pair.secondScore, 12)
      }
    })

    it('with document frequencies of COCO has people beside a system', async () => {
      const coco = 'dataset: "things", metrics: ["CIDEr"], references: 2, documents: "coco"'
      await api.done(`computeHumanAgreement(input: { ${coco} })`)
      await api.done(`startEvaluation(input: { ${coco}, system: "good" })`)
      const wanted = { systems: ['good'], people: true, metrics: ['CIDEr'], references: 2 }
      const [{ signature, alone, notes }] = await compare({ ...wanted, documents: 'coco' })
      expect(signature).toContain('df:coco')
      expect(alone.interval.lower).toBeLessThan(alone.interval.upper)
      expect(notes).not.toContainEqual(expect.stringContaining('Document frequencies'))
      const [own] = await compare(wanted)
      expect(own.undefinedReason).toBe('OTHER_DOCUMENT_FREQUENCIES')

      const source = 'references: 2, documents: "coco"'
      const { dataset } = await api.ask(`{
        dataset(name: "things") {
          humanAgreement(${source}) { id scores { id signature } }
          own: humanAgreement(references: 2, metrics: ["CIDEr"]) { scores { signature } }
          leaderboards(metrics: ["CIDEr"], ${source}) { rows { nodes { rank subject { name } signature } } }
          system(name: "good") {
            score(metric: "CIDEr", ${source}) { signature humanScore { id signature imageScores { nodes { image { externalId } } } } }
            metricCorrelations(${source}, metrics: ["CIDEr", "CIDEr-D"]) { pearson }
        }
        }
      }`)
      const { humanScore, signature: ofSystem } = dataset.system.score
      for (const text of [ofSystem, humanScore.signature]) expect(text).toContain('df:coco')
      expect(humanScore.imageScores.nodes).not.toEqual([])
      const human = dataset.humanAgreement.scores.find(({ id }: Json) => id === humanScore.id)
      expect(human.signature).toBe(humanScore.signature)
      for (const score of dataset.own?.scores ?? []) expect(score.signature).not.toContain('df:coco')
      // CIDEr-D was not computed with these document frequencies.
      expect(dataset.system.metricCorrelations).toEqual([])
      const ranked = dataset.leaderboards[0].rows.nodes.filter(({ rank }: Json) => rank !== null)
      expect(ranked.map(({ subject }: Json) => subject.name).toSorted()).toEqual(['good', 'people'])
      for (const row of ranked) expect(row.signature).toContain('df:coco')
      for (const id of [humanScore.id, dataset.humanAgreement.id]) {
        const { node } = await api.ask(
          'query ($id: ID!) { node(id: $id) { id ... on AgreementScore { signature } } }',
          { id },
        )
        expect(node.id).toBe(id)
        if (id === humanScore.id) expect(node.signature).toBe(humanScore.signature)
      }
      const refused = await api.query(
        '{ dataset(name: "things") { humanAgreement(documents: "things") { id } } }',
      )
      expect(refused.errors[0].message).toContain('document frequencies of a dataset')
    })

    it('says alone what it says if nothing else is asked, and has a wider interval beside others', async () => {
      const systems = ['good', 'poor']
      const [asked] = await compare({ systems, metrics: ['CIDEr'] })
      expect(asked.together.interval).toEqual(asked.alone.interval)
      const [one] = await compare({ systems, metrics: ['CIDEr', 'BLEU-1'] })
      expect([one.alone, one.conclusion]).toEqual([asked.alone, asked.conclusion])
      expect(one.together.tests).toBe(2)
      const widthOf = ({ interval }: Json) => interval.upper - interval.lower
      expect(widthOf(one.together)).toBeGreaterThan(widthOf(asked.together))
      expect(one.signature).toBe(asked.signature)
    })

    it('on several metrics has only the pairs with a baseline, which is second', async () => {
      const systems = ['good', 'copy', 'poor']
      const metrics = ['ROUGE-L', 'METEOR']
      const pairs = await compare({ systems, metrics, baseline: { system: 'good' } })
      expect(pairs.map((pair) => [pair.metric.name, ...namesOf(pair)])).toEqual([
        ['ROUGE-L', 'copy', 'good'],
        ['ROUGE-L', 'poor', 'good'],
        ['METEOR', 'copy', 'good'],
        ['METEOR', 'poor', 'good'],
      ])
      const [, poor] = pairs
      expect(poor.difference).toBeCloseTo(poor.firstScore - poor.secondScore, 12)
      expect(poor.difference).toBeLessThan(0)
      // Those of the copy do not count.
      expect(poor.together).toMatchObject({ better: 'SECOND', tests: 2 })
    })

    it('with people as the baseline is of all systems that have the figure, by default', async () => {
      const pairs = await compare({ words: [{ figure: 'PHR' }], baseline: { human: 'LEAVE_ONE_OUT' } })
      expect(pairs.map(namesOf).toSorted()).toEqual([
        ['dense', 'people'],
        ['sparse', 'people'],
      ])
    })

    it.each<[string, Json, string]>([
      ['one system', { systems: ['good', 'good'], metrics: ['METEOR'] }, 'OUT_OF_RANGE'],
      ['no system', { systems: [], people: true, metrics: ['METEOR'] }, 'OUT_OF_RANGE'],
      [
        '21 systems',
        { systems: Array.from({ length: 21 }, (_, i) => `s${i}`), metrics: ['METEOR'] },
        'OUT_OF_RANGE',
      ],
      ['many references', { systems: ['good', 'poor'], metrics: ['METEOR'], references: 3 }, 'OUT_OF_RANGE'],
      ['an unknown system', { systems: ['good', 'nobody'], metrics: ['METEOR'] }, 'UNKNOWN_SYSTEM'],
      ['an unknown metric', { systems: ['good', 'poor'], metrics: ['BLEU'] }, 'UNKNOWN_METRIC'],
      [
        'an unknown word',
        { systems: ['dense', 'sparse'], words: [{ figure: 'PHR', word: 'moon' }] },
        'UNKNOWN_WORD',
      ],
      ['a metric of word scores', { systems: ['good', 'dense'], metrics: ['METEOR'] }, 'NOT_APPLICABLE'],
      ['PHR of captions', { systems: ['good', 'dense'], words: [{ figure: 'PHR' }] }, 'NOT_APPLICABLE'],
      [
        'AP of people',
        { systems: ['dense'], people: true, words: [{ figure: 'AVERAGE_PRECISION' }] },
        'NOT_APPLICABLE',
      ],
      ['nothing to compare on', { systems: ['good', 'poor'] }, 'OUT_OF_RANGE'],
      [
        'a metric as a figure of words',
        { systems: ['good', 'poor'], words: [{ figure: 'METRIC' }] },
        'NOT_APPLICABLE',
      ],
      ['an unknown baseline', { metrics: ['METEOR'], baseline: { system: 'nobody' } }, 'UNKNOWN_SYSTEM'],
      [
        'a word and parts of speech',
        { systems: ['dense', 'sparse'], words: [{ figure: 'PHR', word: 'cat', partOfSpeech: ['NN'] }] },
        'NOT_APPLICABLE',
      ],
    ])('refuses %s', async (_what, variables, code) => {
      expect(await api.refusal(COMPARE, variables)).toEqual([code])
    })
  })

  describe('a leaderboard', () => {
    const BOARD = `query ($metric: String!, $references: Int) { dataset(name: "things") {
      leaderboards(metrics: [$metric], references: $references) { rows {
        nodes {
          rank subject { __typename name } value referenceRange { min max foldCount } wordCount imageCount isPartial group undefinedReason
          signature provenance { metricName isHuman } notes
          interval { lower upper }
        }
      } }
    } }`
    const board = async (variables: Json): Promise<Json[]> =>
      (await api.ask(BOARD, variables)).dataset.leaderboards[0].rows.nodes
    const shown = (rows: Json[]) =>
      rows.map(({ rank, subject, undefinedReason }) => [rank, subject.name, undefinedReason])

    it('against all references does not rank people, nor a part of the images', async () => {
      await api.done('computeHumanAgreement(input: { dataset: "things" })')
      const rows = await board({ metric: 'ROUGE-3' })
      expect(shown(rows).slice(0, 3)).toEqual([
        [1, 'copy', null],
        [1, 'good', null],
        [3, 'poor', null],
      ])
      expect(shown(rows.slice(3)).toSorted()).toEqual([
        [null, 'few', 'PARTIAL'],
        [null, 'new', 'NOT_COMPUTED'],
        [null, 'part', 'PARTIAL'],
        [null, 'people', 'OTHER_REFERENCES'],
      ])
      expect(rows[0]).toMatchObject({
        group: 'COMPARABLE',
        referenceRange: { min: 3, max: 3, foldCount: null },
        provenance: { metricName: 'ROUGE-3', isHuman: false },
        imageCount: 40,
        isPartial: false,
        notes: [expect.stringContaining('recall only')],
      })
      const people = rows.find(({ subject }) => subject.__typename === 'People')
      expect(people).toMatchObject({
        value: null,
        interval: null,
        referenceRange: { min: 2, max: 2, foldCount: 3 },
      })
      const part = rows.find(({ subject }) => subject.name === 'part')
      expect(part).toMatchObject({ group: 'APART', imageCount: 12, isPartial: true })
      expect(part?.notes).toContain('Fewer than 30 images: intervals and tests are approximate.')
      const few = rows.find(({ subject }) => subject.name === 'few')
      expect(few?.interval).toBeNull()
      expect(few?.notes).toContain('Fewer than 10 images: no interval and no test is reliable.')
      const unscored = rows.find(({ subject }) => subject.name === 'new')
      expect(unscored).toMatchObject({ value: null, interval: null, signature: null, notes: [] })
    })

    it.each([
      ['good', false, null],
      ['part', true, null],
      ['few', false, 'TOO_FEW_IMAGES'],
    ])('the scores of %s: small %s, reason %s', async (name, isSmall, undefinedReason) => {
      const { dataset } = await api.ask(
        `query ($name: String!) { dataset(name: "things") { system(name: $name) {
          scores { metric { name } value interval { lower upper } isSmall undefinedReason notes }
        } } }`,
        { name },
      )
      for (const { metric, value, interval, notes, ...status } of dataset.system.scores) {
        const hasDocuments = /^CIDEr/.test(metric.name)
        // Some scores are the same for all images.
        expect([
          undefinedReason,
          undefinedReason ?? (hasDocuments ? 'OWN_DOCUMENTS' : 'NO_VARIATION'),
        ]).toContain(status.undefinedReason)
        expect(status.isSmall).toBe(isSmall)
        expect(interval === null).toBe(status.undefinedReason !== null)
        expect(notes.some((note: string) => note.startsWith('Fewer than'))).toBe(name !== 'good')
        if (interval === null) continue
        expect(interval.lower).toBeLessThanOrEqual(value)
        expect(interval.upper).toBeGreaterThanOrEqual(value)
      }
    })

    const standingsBy = async (board: string): Promise<Json[]> => {
      const { dataset } = await api.ask(`{ dataset(name: "things") { board: ${board} { rows { nodes {
        subject { name } standing { tiedWith { name } isTiedWithPeople rankRange { min max } undefinedReason notes }
      } } } } }`)
      return [dataset.board].flat()[0].rows.nodes
    }

    it('says which ranks paired tests leave open, of ranked rows alone', async () => {
      const rows = await standingsBy('leaderboards(metrics: ["ROUGE-3"])')
      const standings = rows.map(({ subject, standing }) => [
        subject.name,
        standing && [standing.tiedWith.map(({ name }: Json) => name), standing.rankRange],
      ])
      expect(standings.slice(0, 3)).toEqual([
        ['copy', [['good'], { min: 1, max: 2 }]],
        ['good', [['copy'], { min: 1, max: 2 }]],
        ['poor', [[], { min: 3, max: 3 }]],
      ])
      expect(standings.slice(3).map(([, standing]: Json[]) => standing)).toEqual([null, null, null, null])
    })

    it('by PHR has standings of systems with word scores', async () => {
      const rows = await standingsBy('wordLeaderboard')
      const [pair] = await compare({ systems: ['dense', 'sparse'], words: [{ figure: 'PHR' }] })
      expect(pair.together.pValue).toBeLessThan(0.05)
      const standings = rows.map(({ subject, standing }) => [subject.name, standing])
      expect(Object.fromEntries(standings)).toEqual({
        people: {
          tiedWith: [{ name: 'dense' }],
          isTiedWithPeople: null,
          rankRange: { min: 1, max: 2 },
          undefinedReason: null,
          notes: [],
        },
        dense: {
          tiedWith: [],
          isTiedWithPeople: true,
          rankRange: { min: 1, max: 2 },
          undefinedReason: null,
          notes: [],
        },
        sparse: {
          tiedWith: [],
          isTiedWithPeople: false,
          rankRange: { min: 3, max: 3 },
          undefinedReason: null,
          notes: [],
        },
      })
    })

    it('on folds of references ranks people among the systems', async () => {
      const { startEvaluation } = await api.ask(`mutation {
        startEvaluation(input: { dataset: "things", system: "poor", references: 2 }) {
          ... on JobSuccess { job { id } }
        }
      }`)
      await api.ended(startEvaluation.job.id)
      const rows = await board({ metric: 'BLEU-4', references: 2 })
      const ranked = rows.filter(({ group }) => group === 'COMPARABLE')
      expect(ranked.map(({ subject }) => subject.name).toSorted()).toEqual(['people', 'poor'])
      const onFolds = { min: 2, max: 2, foldCount: 3 }
      expect(ranked.map(({ referenceRange }) => referenceRange)).toEqual([onFolds, onFolds])
      expect(new Set(ranked.map(({ signature }) => signature)).size).toBe(1)
    })

    it('by PHR has intervals, and the gap between systems and people', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "things") {
        wordLeaderboard { rows { nodes { subject { __typename name } value interval { lower upper } gapToPeople { ...Mean } } } }
        wordAgreement { meanPrecision meanRecall means { ...Mean } }
        dense: system(name: "dense") { phrSummary { ...Summary } }
        good: system(name: "good") { phrSummary { ...Summary } }
      } }
      fragment Mean on WordMean { figure wordCount value standardError interval { lower upper } pValue isSmall undefinedReason }
      fragment Summary on PhrSummary { definedWordCount meanPrecisionAtHumanRecall meanHumanPrecision means { ...Mean } }`)
      const { wordLeaderboard, wordAgreement, dense, good } = dataset
      const rows = wordLeaderboard.rows.nodes
      for (const { value, interval, subject, gapToPeople } of rows) {
        if (interval === null) expect(value).toBe(1)
        else {
          expect(interval.lower).toBeLessThanOrEqual(value)
          expect(interval.upper).toBeGreaterThanOrEqual(value)
        }
        expect(gapToPeople?.figure ?? 'people').toBe(
          subject.__typename === 'People' ? 'people' : 'GAP_TO_PEOPLE',
        )
      }
      const figureOf = (means: Json[], wanted: string) => means.find(({ figure }) => figure === wanted)
      const summary = dense.phrSummary
      const phr = figureOf(summary.means, 'PHR')
      expect(phr.wordCount).toBe(summary.definedWordCount)
      expect(phr.value).toBeCloseTo(summary.meanPrecisionAtHumanRecall, 12)
      expect(rows.find(({ subject }: Json) => subject.name === 'dense').interval).toEqual(phr.interval)
      const gap = figureOf(summary.means, 'GAP_TO_PEOPLE')
      expect(gap.value).toBeCloseTo(phr.value - summary.meanHumanPrecision, 12)
      // Two means of people: over all words, and over those with human recall above 0.
      const all = figureOf(wordAgreement.means, 'HUMAN_PRECISION')
      const agreed = figureOf(wordAgreement.means, 'AGREED_HUMAN_PRECISION')
      expect(all.value).toBeCloseTo(wordAgreement.meanPrecision, 12)
      expect(agreed.wordCount).toBeLessThan(all.wordCount)
      expect(rows.find(({ subject }: Json) => subject.name === 'people').value).toBeCloseTo(agreed.value, 12)
      const figures = good.phrSummary.means.map(({ figure }: Json) => figure)
      expect(figures).toEqual(['WORD_PRECISION', 'WORD_RECALL', 'HELD_OUT_PRECISION', 'GAP_TO_PEOPLE'])
    })

    it('has rarefied means, and words of another vocabulary, as comparisons and means have them', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "things") {
        wordLeaderboard(vocabularyOf: "animals") {
          rows { nodes { subject { name } wordCount rarefied { imageCount value } standing { undefinedReason } notes } } }
        dense: system(name: "dense") { phrSummary(vocabularyOf: "animals") {
          means { figure wordCount rarefied { imageCount value interval { lower } } } notes } }
        comparisons(systems: ["dense"], isHumanIncluded: true, words: [{ figure: PHR, vocabularyOf: "animals" }]) {
          wordCount difference rarefied { imageCount value } notes } } }`)
      const chosen = expect.stringMatching(/^Only words that the vocabulary of "animals" has too/)
      const people = dataset.wordLeaderboard.rows.nodes.find(({ subject }: Json) => subject.name === 'people')
      expect(people).toMatchObject({ wordCount: 3, rarefied: { imageCount: 20 } })
      expect(people.notes).toContainEqual(chosen)
      const { means, notes } = dataset.dense.phrSummary
      expect(notes).toContainEqual(chosen)
      const gap = means.find(({ figure }: Json) => figure === 'GAP_TO_PEOPLE')
      expect(gap).toMatchObject({ wordCount: 3, rarefied: { imageCount: 20 } })
      const [pair] = dataset.comparisons
      expect(pair).toMatchObject({ wordCount: 3, rarefied: { imageCount: 20 } })
      expect(pair.rarefied.value).toBeCloseTo(gap.rarefied.value, 12)
      expect(pair.notes).toEqual([WORD_MEANS, expect.stringMatching(/are conservative/), RAREFIED, chosen])
      const { good, comparisons } = (
        await api.ask(`{ dataset(name: "things") {
          good: system(name: "good") { phrSummary { means { figure rarefied { imageCount } } } }
          comparisons(systems: ["good", "poor"], isHumanIncluded: true, words: [{ figure: WORD_PRECISION }]) {
            rarefied { imageCount } notes } } }`)
      ).dataset
      const ofGap = good.phrSummary.means.map(({ figure, rarefied }: Json) => [figure, rarefied?.imageCount])
      expect(ofGap).toEqual([
        ['WORD_PRECISION', 20],
        ['WORD_RECALL', 20],
        ['HELD_OUT_PRECISION', 20],
        ['GAP_TO_PEOPLE', 20],
      ])
      for (const { rarefied, notes: found } of comparisons) {
        expect(rarefied).not.toBeNull()
        expect(found).toContainEqual(expect.stringMatching(/One caption of people is held out/))
      }
      const missing = '{ dataset(name: "things") { wordAgreement(vocabularyOf: "plants") { wordCount } } }'
      expect(await api.refusal(missing)).toEqual(['UNKNOWN_DATASET'])
    })

    it('by PHR says what comes from images without a score', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "things") {
        wordLeaderboard { rows { nodes { subject { name } value notes } } }
        wordAgreement { notes }
        sparse: system(name: "sparse") { phrSummary { ...Summary } }
        dense: system(name: "dense") { phrSummary { ...Summary } }
        good: system(name: "good") { phrSummary { ...Summary } }
      } }
      fragment Summary on PhrSummary { definedWordCount unscoredWordCount unscoredShare notes }`)
      const { sparse, dense, good } = dataset
      expect(dataset.wordAgreement.notes).toEqual([WORD_MEANS, RAREFIED, USUAL_WORDS])
      const unscored = sparse.phrSummary
      // Every word but "dog"; "old" is in one caption per image at most, and has no PHR.
      expect(unscored).toMatchObject({ definedWordCount: 10, unscoredWordCount: 9 })
      expect(unscored.unscoredShare).toBeCloseTo(0.9, 12)
      const ofPhr = [WORD_MEANS, RAREFIED, USUAL_WORDS, expect.stringMatching(/chosen by the outcome/)]
      expect(unscored.notes).toEqual([
        ...ofPhr,
        expect.stringMatching(/^90\.0 % of the mean PHR comes from 9 of 10 words/),
      ])
      expect(dense.phrSummary).toMatchObject({ unscoredWordCount: 0, unscoredShare: 0, notes: ofPhr })
      expect(good.phrSummary).toMatchObject({ unscoredWordCount: null, unscoredShare: null, notes: ofPhr })
      const notes = Object.fromEntries(
        dataset.wordLeaderboard.rows.nodes.map(({ subject, notes: own }: Json) => [subject.name, own]),
      )
      expect(notes).toEqual({ people: ofPhr, dense: ofPhr, sparse: unscored.notes })
    })
  })

  describe('human agreement beside Table I', () => {
    it('has a curve and reasons, and no comparison of METEOR with another metric', async () => {
      const { rows } = (
        await api.ask(`{ dataset(name: "things") { publishedAgreement { rows {
        score { id metric { name } referenceCount mean interval { lower upper } signature } isSameMetric publishedC5 publishedC40
        curve { id metric { name } referenceCount mean interval { lower } } extrapolation { referenceCount value method error } differences
      } } } }`)
      ).dataset.publishedAgreement
      expect(rows.map(({ score }: Json) => score.metric.name)).toEqual([
        'BLEU-1',
        'BLEU-2',
        'BLEU-3',
        'BLEU-4',
        'METEOR',
        'ROUGE-L',
        'CIDEr-D',
      ])
      const of = (name: string) => rows.find(({ score }: Json) => score.metric.name === name)
      const bleu = of('BLEU-1')
      expect(bleu).toMatchObject({
        isSameMetric: true,
        publishedC5: 0.663,
        publishedC40: 0.88,
        score: { referenceCount: 2 },
        extrapolation: null,
        differences: ['REFERENCES', 'IMAGES'],
      })
      expect(bleu.curve.map(({ referenceCount }: Json) => referenceCount)).toEqual([1, 2])
      expect(bleu.curve.map(({ metric }: Json) => metric.name)).toEqual(['BLEU-1', 'BLEU-1'])
      expect(bleu.curve[1]).toMatchObject({ id: bleu.score.id, mean: bleu.score.mean })
      expect(of('METEOR')).toMatchObject({
        isSameMetric: false,
        extrapolation: null,
        differences: ['REFERENCES', 'IMAGES', 'PARAPHRASES'],
      })
      expect(of('CIDEr-D').differences).toContain('DOCUMENT_FREQUENCIES')
    })
  })
})
