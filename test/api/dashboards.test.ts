import { beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/store/engine/sql.js'
import { type Api, initWorld, type Json, SPLIT_BATCHES } from '../kit/seed.js'

/** "dog" is in 3, 1 and 0 captions of the images 1, 2 and 3. */
const IMAGES = {
  1: ['A dog runs.', 'The dog plays.', 'A small dog.'],
  2: ['A man walks.', 'A man and a dog.', 'Somebody walks outside.'],
  3: ['A cat sleeps.', 'A cat on a sofa.', 'The cat rests.'],
}

describe('dashboards', async () => {
  const world = await initWorld()
  let api: Api

  beforeAll(async () => {
    const vocabulary = { dog: 'NN', cat: 'NN', walks: 'VB' } as const
    const park = await world.dataset('park', { images: IMAGES, vocabulary })
    await park.captionSystem('captioner', { 1: 'A dog.', 2: 'A cat walks.', 3: 'A cat.' })
    await park.captionSystem('unscored', { 1: 'A dog.' })
    await park.evaluate('captioner')
    for (const name of ['detector', 'second', 'third']) {
      await park.scoreSystem(name, { 1: { dog: 0.9 }, 2: { dog: 0.25, cat: 0.3 }, 3: { dog: 0.5, cat: 0.7 } })
    }
    const zoo = await world.dataset('zoo', {
      images: Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [
          i,
          ['One dog.', i === 5 ? 'The moon.' : 'Dogs.', i < 30 ? 'A cat.' : 'It.', 'Cats.'],
        ]),
      ),
      vocabulary: { cat: 'NN', dog: 'NN', moon: 'NN' } as const,
    })
    await zoo.captionSystem(
      'feline',
      Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [i, i < 30 ? 'A cat.' : i === 30 ? 'Moon.' : 'It.']),
      ),
    )
    await zoo.scoreSystem('detector', { 1: { dog: 0.9 } })
    api = await world.serve({ workers: 1 })
    const bbox = [1, 2, 30, 40]
    const dog = { id: 1, concept: 'dog', bbox, attributes: ['red', 'small'], depth: 2.5 }
    const upload = await api.upload({
      images: [{ image_id: 7, width: 100, height: 50, boxes: [dog, { id: 2, concept: 'cat', bbox }] }],
      descriptions: [{ id: 1, image_id: 7, caption: 'A [dog](1).' }],
    })
    await api.done(`importBoxes(input: { dataset: "boxes", upload: "${upload}" })`)
  })

  const park = async (fields: string, variables = ''): Promise<Json> =>
    (await api.ask(`query ${variables} { dataset(name: "park") { ${fields} } }`)).dataset

  describe('one field that does not apply', () => {
    const ofSystem = `score(metric: "CIDEr-D") {
      value interval { lower } undefinedReason isSmall signature provenance { metricName } referenceCount foldScores warnings
      notes humanScore { mean } imageScores { totalCount } vector { values } distribution { imageCount }
    }`
    const noScore = {
      value: null,
      interval: null,
      isSmall: false,
      signature: null,
      provenance: null,
      referenceCount: null,
      foldScores: null,
      warnings: [],
      notes: [],
      humanScore: null,
      imageScores: null,
      vector: null,
      distribution: null,
    }

    it.each([
      ['detector', 'NO_CAPTIONS'],
      ['unscored', 'NOT_COMPUTED'],
    ])('of the system %s is null with a reason', async (name, undefinedReason) => {
      const { system, imageCount } = await park(
        `imageCount system(name: "${name}") { ${ofSystem} scores { value } }`,
      )
      expect({ system, imageCount }).toEqual({
        system: { score: { ...noScore, undefinedReason }, scores: null },
        imageCount: 3,
      })
    })

    it('of a dataset without captions is null with a reason', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "boxes") {
        name wordAgreement { wordCount meanPrecision means { value } signature undefinedReason }
        usageFit { referenceCount wordCount rSquared outOfSample { wordCount } signature undefinedReason }
        usageCurve { points { recall } undefinedReason }
        humanAgreement { referenceCount imageCount scores { mean } undefinedReason }
        publishedAgreement { rows { score { mean } } undefinedReason }
        phr: wordLeaderboard { rows { nodes { rank } } undefinedReason }
        metrics: leaderboards(metrics: ["METEOR", "CIDEr-D"]) { metric { name } rows { nodes { rank } } undefinedReason }
        captions { totalCount nodes { text } } words { totalCount } systems { nodes { name } }
      } }`)
      const undefinedReason = 'NO_CAPTIONS'
      const none = { rows: null, undefinedReason }
      expect(dataset).toEqual({
        name: 'boxes',
        wordAgreement: { wordCount: 0, meanPrecision: null, means: null, signature: null, undefinedReason },
        usageFit: {
          referenceCount: null,
          wordCount: 0,
          rSquared: null,
          outOfSample: { wordCount: 0 },
          signature: null,
          undefinedReason,
        },
        usageCurve: { points: null, undefinedReason },
        humanAgreement: { referenceCount: null, imageCount: 1, scores: null, undefinedReason },
        publishedAgreement: { rows: null, undefinedReason },
        phr: none,
        metrics: [
          { metric: { name: 'METEOR' }, ...none },
          { metric: { name: 'CIDEr-D' }, ...none },
        ],
        captions: { totalCount: 0, nodes: [] },
        words: { totalCount: 0 },
        systems: { nodes: [] },
      })
    })

    it('leaves the others, also where an argument is refused', async () => {
      const { data, errors } = await api.query(`{ dataset(name: "park") {
        name usageFit(references: 9) { wordCount } leaderboards(metrics: ["x"]) { rows { nodes { rank } } }
        comparisons(metrics: ["x"]) { difference } system(name: "captioner") { name score(metric: "x") { value } }
      } }`)
      expect(data.dataset).toEqual({
        name: 'park',
        usageFit: null,
        leaderboards: null,
        comparisons: null,
        system: { name: 'captioner', score: null },
      })
      expect(errors.map(({ extensions }) => extensions.code).toSorted()).toEqual([
        'OUT_OF_RANGE',
        'UNKNOWN_METRIC',
        'UNKNOWN_METRIC',
        'UNKNOWN_METRIC',
      ])
    })
  })

  it('search captions of people and systems, page by page', async () => {
    const first = await park(`captions(filter: { all: ["DOG"], none: ["small"] }, first: 2) {
      totalCount nodes { id text externalId image { externalId dataset { name } } } pageInfo { hasNextPage endCursor }
    }
    system(name: "captioner") { captions(filter: { any: ["cat", "sofa"] }) { nodes { id text image { externalId } } } }`)
    expect(first.captions).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } })
    expect(first.captions.nodes).toMatchObject([
      { text: 'A dog runs.', image: { externalId: '1', dataset: { name: 'park' } } },
      { text: 'The dog plays.' },
    ])
    expect(first.system.captions.nodes.map(({ image }: Json) => image.externalId)).toEqual(['2', '3'])
    const { captions } = await park(`captions(
      filter: { all: ["DOG"], none: ["small"] }, last: 5, before: "${first.captions.pageInfo.endCursor}"
    ) { nodes { text } pageInfo { hasNextPage hasPreviousPage } }`)
    expect(captions).toEqual({
      nodes: [{ text: 'A dog runs.' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    })
  })

  it('show the scores of all images, their distribution, and how metrics correlate', async () => {
    const found = await park(`system(name: "captioner") {
      score(metric: "ROUGE-L") {
        metric { name } vector { externalIds values rounded: values(digits: 2) }
        imageScores(orderBy: { field: IMAGE }) { nodes { value image { externalId } } }
        distribution {
          imageCount bins(count: 2, from: 0, to: 1) { from to imageCount } quantiles(at: [0, 1]) { at value }
        }
      }
      metricCorrelations(metrics: ["ROUGE-L", "BLEU-1"]) { first { name } second { name } imageCount pearson spearman }
    }`)
    const { score, metricCorrelations } = found.system
    const { vector, imageScores, distribution } = score
    expect(score.metric).toEqual({ name: 'ROUGE-L' })
    expect(vector.externalIds).toEqual(['1', '2', '3'])
    expect(vector.rounded).toEqual(vector.values.map((value: number) => Number(value.toPrecision(2))))
    expect(imageScores.nodes.map(({ value }: Json) => value)).toEqual(vector.values)
    expect(
      distribution.bins.map(({ imageCount }: Json) => imageCount).reduce((a: number, b: number) => a + b),
    ).toBe(3)
    expect(distribution.quantiles).toEqual([
      { at: 0, value: Math.min(...vector.values) },
      { at: 1, value: Math.max(...vector.values) },
    ])
    expect(metricCorrelations).toMatchObject([
      { first: { name: 'BLEU-1' }, second: { name: 'ROUGE-L' }, imageCount: 3, pearson: expect.any(Number) },
    ])
  })

  it('show the scores of all images in one table', async () => {
    const { scoreTable, system } = await park(`
      scoreTable(systems: ["captioner"], metrics: ["ROUGE-L", "SPICE"], isHumanIncluded: false) {
        externalIds columns {
          subject { __typename name } metric { name } values rounded: values(digits: 2) signature undefinedReason provenance { metricName }
        }
      }
      system(name: "captioner") { score(metric: "ROUGE-L") { signature vector { externalIds values } } }`)
    const { signature, vector } = system.score
    expect(scoreTable.externalIds).toEqual(vector.externalIds)
    expect(scoreTable.columns).toEqual([
      {
        subject: { __typename: 'System', name: 'captioner' },
        metric: { name: 'ROUGE-L' },
        values: vector.values,
        rounded: vector.values.map((value: number) => Number(value.toPrecision(2))),
        signature,
        undefinedReason: null,
        provenance: { metricName: 'ROUGE-L' },
      },
      {
        subject: { __typename: 'System', name: 'captioner' },
        metric: { name: 'SPICE' },
        values: null,
        rounded: null,
        signature: null,
        undefinedReason: 'NOT_COMPUTED',
        provenance: null,
      },
    ])
  })

  it('show null for images without a score in a table, and people in the last column', async () => {
    const few = await world.dataset('few', { images: { 1: ['a dog', 'a cat'], 2: ['a cow', 'the cow'] } })
    await few.captionSystem('whole', { 1: 'a dog', 2: 'a cow' })
    await few.captionSystem('partial', { 2: 'a cow' })
    for (const name of ['whole', 'partial']) await few.evaluate(name)
    const table = 'externalIds columns { subject { name } values undefinedReason }'
    const { all, folds } = (
      await api.ask(`{ dataset(name: "few") {
        all: scoreTable(metrics: ["ROUGE-L"]) { ${table} }
        folds: scoreTable(metrics: ["ROUGE-L"], isHumanIncluded: true) { ${table} }
      } }`)
    ).dataset
    expect(all).toEqual({
      externalIds: ['1', '2'],
      columns: [
        { subject: { name: 'partial' }, values: [null, 1], undefinedReason: null },
        { subject: { name: 'whole' }, values: [1, 1], undefinedReason: null },
      ],
    })
    const nothing = { values: null, undefinedReason: 'NOT_COMPUTED' }
    expect(folds).toEqual({
      externalIds: [],
      columns: [
        { subject: { name: 'partial' }, ...nothing },
        { subject: { name: 'whole' }, ...nothing },
        { subject: { name: 'people' }, ...nothing },
      ],
    })
  })

  it('order and filter words by the figures of a system', async () => {
    const { captioner } = await park(`
      captioner: system(name: "captioner") { words(
        filter: { word: { contains: "a", imageCount: { max: 1 } }, recall: { min: 0.1 } }
        orderBy: { field: WORD_PRECISION, direction: ASC }
      ) { nodes { word { text dataset { name } } precision } } }
    `)
    expect(captioner.words.nodes.map(({ word }: Json) => word.text)).toEqual(['cat', 'walks'])
  })

  it('show how often a captioning system uses words, beside people', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "zoo") {
      feline: system(name: "feline") {
        all: wordRates(first: 1) { totalCount nodes { word { text } captionCount humanCaptionCount rate humanRate ratio use } }
        overused: wordRates(use: OVERUSED) { nodes { word { text } interval { lower upper } } }
        underused: wordRates(use: UNDERUSED) { nodes { word { text } captionCount ratio use interval { lower upper } } }
      }
      detector: system(name: "detector") { wordRates { totalCount } }
    } }`)
    const { feline, detector } = dataset
    // "moon" is used once.
    expect(feline.all).toEqual({
      totalCount: 2,
      nodes: [
        {
          word: { text: 'cat' },
          captionCount: 30,
          humanCaptionCount: 30,
          rate: 0.75,
          humanRate: 30 / 160,
          ratio: 4,
          use: 'OVERUSED',
        },
      ],
    })
    expect(feline.overused.nodes).toMatchObject([{ word: { text: 'cat' } }])
    expect(feline.overused.nodes[0].interval.lower).toBeGreaterThan(1)
    const [dog] = feline.underused.nodes
    expect(dog).toMatchObject({ word: { text: 'dog' }, captionCount: 0, ratio: 0, interval: { lower: 0 } })
    expect(dog.interval.upper).toBeLessThan(1)
    expect(detector).toEqual({ wordRates: { totalCount: 0 } })
  })

  it.each([1, 2])('order and filter words by the gap to people with %i references', async (references) => {
    const { dataset } = await api.ask(
      `query ($references: Int) { dataset(name: "park") { system(name: "detector") {
        all: words(references: $references, orderBy: { field: GAP_TO_PEOPLE, direction: ASC }) { ...Gaps }
        some: words(references: $references, filter: { gapToPeople: { max: 0.4 } }) { ...Gaps }
      } } }
      fragment Gaps on SystemWordConnection { nodes {
        precisionAtHumanRecall word { agreement(references: $references) { precision } }
      } }`,
      { references },
    )
    const { system } = dataset
    const gapsOf = ({ nodes }: Json): number[] =>
      nodes.map(({ word, precisionAtHumanRecall: phr }: Json) => phr - word.agreement.precision)
    const gaps = gapsOf(system.all)
    expect(new Set(gaps).size).toBeGreaterThan(1)
    expect(gaps).toEqual(gaps.toSorted((one, other) => one - other))
    expect(gapsOf(system.some).sort()).toEqual(gaps.filter((gap) => gap <= 0.4).sort())
  })

  it('show thresholds, mistakes and overdispersion of a word', async () => {
    const { word } = await park(`word(text: "dog") {
      usageModel(kind: BETA_BINOMIAL) { overdispersion precision }
      moment: usageModel { overdispersion }
      detector: systemResult(system: "detector") {
        curve { recall threshold }
        mistakes(kind: FALSE_NEGATIVE) { totalCount nodes { captionCount wordScore image { externalId } } }
      }
      captioner: systemResult(system: "captioner") {
        curve { threshold } mistakes(kind: FALSE_NEGATIVE, last: 1) { nodes { wordScore image { externalId } } }
      }
    }`)
    expect(word.moment.overdispersion).toBe(0)
    expect(word.usageModel.overdispersion).toBeGreaterThanOrEqual(0)
    expect(word.detector.curve.map(({ threshold }: Json) => threshold)).toEqual(
      [0.9, 0.25].map((t) => expect.closeTo(t, 6)),
    )
    expect(word.detector.mistakes).toEqual({
      totalCount: 1,
      nodes: [{ captionCount: 1, wordScore: 0.25, image: { externalId: '2' } }],
    })
    expect(word.captioner).toEqual({
      curve: [{ threshold: null }],
      mistakes: { nodes: [{ wordScore: null, image: { externalId: '2' } }] },
    })
  })

  it('show attributes and depth of boxes', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "boxes") { image(externalId: 7) {
      boxes { id attributes depth } descriptions { id image { externalId } mentions { box { id attributes } } }
    } } }`)
    const [box] = dataset.image.boxes
    expect(dataset.image.boxes).toMatchObject([
      { attributes: ['red', 'small'], depth: 2.5 },
      { attributes: [], depth: null },
    ])
    expect(dataset.image.descriptions[0].mentions).toEqual([
      { box: { id: box.id, attributes: ['red', 'small'] } },
    ])
    const { box: found, selection } = await api.ask(
      `query ($id: ID!) {
        box: node(id: $id) { __typename ... on Box { concept image { externalId } } }
        selection: dataset(name: "boxes") { contentSelection { id } }
      }`,
      { id: box.id },
    )
    expect(found).toEqual({ __typename: 'Box', concept: 'dog', image: { externalId: '7' } })
    const again = await api.ask(
      'query ($id: ID!) { node(id: $id) { id ... on ContentSelection { imageCount } } }',
      { id: selection.contentSelection.id },
    )
    expect(again.node).toEqual({ id: selection.contentSelection.id, imageCount: 1 })
  })

  it('import boxes at the same time, each with its own counts', async () => {
    const importBoxes = async (first: number, count: number) => {
      const boxes = Array.from({ length: count }, (_, box) => ({
        id: first + box,
        concept: 'dog',
        bbox: [1, 2, 30, 40],
      }))
      const upload = await api.upload({ images: [{ image_id: '1', width: 100, height: 50, boxes }] })
      const { importBoxes } = await api.ask(
        `mutation ($upload: ID!) { importBoxes(input: { dataset: "together", upload: $upload }) {
          ... on JobSuccess { job { id } }
        } }`,
        { upload },
      )
      const { id } = importBoxes.job
      expect((await api.ended(id)).failure).toBeNull()
      return id
    }
    const first = await importBoxes(0, 1)
    const counts = [4, 3, 2, 5]
    const ids = await Promise.all(counts.map((count, index) => importBoxes(10 * (index + 1), count)))
    const IMPORT = `query ($id: ID!) { job(id: $id) {
      subject { ... on Dataset { name } } result { ... on ImportResult { boxImport { boxCount } } }
    } }`
    const imports = await Promise.all([first, ...ids].map(async (id) => (await api.ask(IMPORT, { id })).job))
    const { jobs } = await api.ask('{ jobs(filter: { dataset: "together" }) { totalCount } }')
    expect(jobs.totalCount).toBe(5)
    expect(imports).toEqual(
      [1, ...counts].map((boxCount) => ({
        subject: { name: 'together' },
        result: { boxImport: { boxCount } },
      })),
    )
  })

  it('show when things were made, and the history of evaluations', async () => {
    for (const metrics of ['["BLEU-1"]', '["METEOR"]']) {
      const { startEvaluation } = await api.ask(`mutation {
        startEvaluation(input: { dataset: "park", system: "unscored", metrics: ${metrics} }) {
          ... on JobSuccess { job { id createdAt } }
        }
      }`)
      expect((await api.ended(startEvaluation.job.id)).status).toBe('DONE')
    }
    const { createdAt, system } = await park(`createdAt system(name: "unscored") {
      createdAt
      scores { metric { name } }
    }`)
    expect([createdAt, system.createdAt].map(Date.parse)).not.toContain(Number.NaN)
    const { jobs, oldest } = await api.ask(`{
      jobs(filter: { kinds: [EVALUATE], dataset: "park", statuses: [DONE] }) {
        totalCount nodes { createdAt subject { ... on System { name } } }
      }
      oldest: jobs(first: 1, filter: { kinds: [EVALUATE], dataset: "park" }, direction: ASC) {
        pageInfo { hasNextPage } nodes { id }
      }
    }`)
    const times = jobs.nodes.map((job: Json) => job.createdAt)
    expect(jobs.totalCount).toBe(jobs.nodes.length)
    const ofSystem = jobs.nodes.filter((job: Json) => job.subject.name === 'unscored')
    expect(ofSystem).toHaveLength(2)
    expect(times).toEqual(times.toSorted().reverse())
    expect(oldest.pageInfo.hasNextPage).toBe(true)
    expect(system.scores).toEqual([{ metric: { name: 'BLEU-1' } }, { metric: { name: 'METEOR' } }])
  })

  it('import captions in the formats of the command line', async () => {
    const tsv = await api.upload('caption\timage\na dog\t7\na cat\t8\nA dog.\t7\n')
    await api.done(`importCaptions(input: { dataset: "tsv", upload: "${tsv}" })`)
    const [lines, imageIds] = [await api.upload('a dog\n\n'), await api.upload('7\n8\n')]
    const input = `dataset: "tsv", system: "lines", upload: "${lines}", imageIds: "${imageIds}"`
    await api.done(`importResults(input: { ${input} })`)
    const { jobs } = await api.ask(
      '{ jobs(filter: { kinds: [IMPORT_CAPTIONS, IMPORT_RESULTS], dataset: "tsv" }) { nodes { summary } } }',
    )
    expect(jobs.nodes.map(({ summary }: Json) => summary)).toEqual([
      'Imported the system lines from a caption per line.',
      'Imported the dataset tsv from TSV, columns image, caption.',
    ])
  })

  it('import captions and a vocabulary, and remove a dataset', async () => {
    const annotations = ['A dog.', 'A red dog.'].map((caption, id) => ({ id, image_id: 1, caption }))
    const captions = await api.upload({ images: [{ id: 1 }], annotations })
    await api.done(`importCaptions(input: { dataset: "new", upload: "${captions}" })`)
    const words = await api.upload('word,part_of_speech\nRed,JJ\nzebra,NN\n')
    const { importVocabulary } = await api.ask(`mutation {
      importVocabulary(input: { dataset: "new", upload: "${words}" }) { ... on JobSuccess { job { id } } }
    }`)
    const objects = await api.upload('image_id,objects\n1,dog\n')
    await api.done(`importObjects(input: { dataset: "new", upload: "${objects}" })`)
    const { id: jobId } = importVocabulary.job
    expect((await api.ended(jobId)).failure).toBeNull()
    const { job } = await api.ask(
      `query ($id: ID!) { job(id: $id) {
        subject { ... on Dataset { captionCount words { nodes { text } } } }
        result { ... on ImportResult { wordCount unknownWordCount unknownWords } }
      } }`,
      { id: jobId },
    )
    expect(job).toEqual({
      subject: { captionCount: 2, words: { nodes: [{ text: 'red' }] } },
      result: { wordCount: 1, unknownWordCount: 1, unknownWords: ['zebra'] },
    })
    // Jobs are found by the dataset that they created or change, failed ones too.
    for (const kind of ['importBoxes', 'importJudgements']) {
      const upload = await api.upload('nothing')
      const answer = await api.ask(`mutation {
        started: ${kind}(input: { dataset: "new", upload: "${upload}" }) { ... on JobSuccess { job { id } } }
      }`)
      expect((await api.ended(answer.started.job.id)).status).toBe('FAILED')
    }
    const { jobs } = await api.ask(
      '{ jobs(filter: { dataset: "new" }, direction: ASC) { nodes { kind summary } } }',
    )
    expect(jobs.nodes).toEqual([
      { kind: 'IMPORT_CAPTIONS', summary: 'Imported the dataset new.' },
      { kind: 'IMPORT_VOCABULARY', summary: 'Replaced the vocabulary.' },
      { kind: 'IMPORT_OBJECTS', summary: 'Imported the objects of 1 image.' },
      { kind: 'IMPORT_BOXES', summary: null },
      { kind: 'IMPORT_JUDGEMENTS', summary: null },
    ])
    const REMOVE = `mutation { removeDataset(input: { dataset: "new" }) {
      __typename ... on JobSuccess { job { id } } ... on MutationError { code }
    } }`
    const { dataset } = await api.ask('{ dataset(name: "new") { id } }')
    const { id } = (await api.ask(REMOVE)).removeDataset.job
    expect(await api.ended(id)).toMatchObject({
      status: 'DONE',
      summary: 'Removed the dataset new and its 0 systems.',
    })
    const removal = await api.ask(
      'query ($id: ID!) { job(id: $id) { result { ... on RemovalSuccess { removedId } } } }',
      { id },
    )
    expect(removal.job.result).toEqual({ removedId: dataset.id })
    expect((await api.ask(REMOVE)).removeDataset).toEqual({
      __typename: 'MutationError',
      code: 'UNKNOWN_DATASET',
    })
  })

  it('a leaderboard by PHR asks for one job for all rows', async () => {
    const countJobs = async () =>
      (await world.database.all(sql`SELECT id FROM job WHERE kind = 'wordMeans'`)).length
    const before = await countJobs()
    const statements = await world.statementsOf(() =>
      park('wordLeaderboard { rows { nodes { value interval { lower } gapToPeople { value } notes } } }'),
    )
    expect((await countJobs()) - before).toBe(1)
    expect(statements.filter((text) => text.includes('INSERT INTO job')).length).toBeLessThanOrEqual(1)
  })

  it.each([
    [
      'mistakes',
      'words(first: N) { nodes { systemResult(system: "captioner") { mistakes(kind: FALSE_NEGATIVE) { nodes { image { externalId } } } } } }',
    ],
    ['captions', 'captions(first: N) { nodes { image { externalId dataset { name } } tokens } }'],
    ['words', 'words(first: N) { nodes { dataset { name } } }'],
  ])('the number of SQL statements for %s does not grow with the page', async (_what, query) => {
    const countOf = async (size: number) =>
      (await world.statementsOf(() => park(query.replace('N', String(size))))).length
    const small = await countOf(1)
    expect((await countOf(3)) - small).toBeLessThanOrEqual(SPLIT_BATCHES)
  })
})
