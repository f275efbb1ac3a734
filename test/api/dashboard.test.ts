import { print } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/store/engine/sql.js'
import { documentOf, queriesOfDashboard } from '../kit/dashboard-queries.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

/** Values of the variables of all queries, on the dataset `park`. */
// biome-ignore format: a table
const VARIABLES: Readonly<Record<string, unknown>> = {
  dataset: 'park', word: 'dog', image: '1', system: 'captioner', systems: ['captioner', 'other'],
  first: 'captioner', second: 'other', metric: 'CIDEr-D', metrics: ['CIDEr-D'], count: 1, systemCount: 2,
  baseline: { system: 'other' },
  ...{ images: ['1'], upload: 'none', hasDifferences: true, hasWords: true, compared: ['BLEU-4'] },
  kind: 'FALSE_NEGATIVE', isAsPeople: true, against: 'AS_PEOPLE', isWithPeople: false, hasDiversity: true, isPeople: false,
  isDataset: false, isSystem: true, isWord: true, isImage: true, isChallenge: true,
  isHumanIncluded: true, isOfMetrics: true, direction: 'ASC', name: 'EvalMS', references: 2, filter: { word: 'dog' },
  challenge: 'walks', phase: 'main', team: 'local', order: { field: 'CIDEr-D' },
  annotator: 'anna', caption: 'A dog.', text: '*A dog.*',
  by: 'domain', isByField: true, orderBy: { field: { metric: 'BLEU-4', side: { system: 'captioner' } } },
  bestWin: '1', nextWin: '2', worstLoss: '3', nextLoss: '2',
  hasDifferences: true, hasWords: true, compared: ['CIDEr-D'], ids: ['1'],
}

const world = await initWorld()
let api: Api

beforeAll(async () => {
  const images = {
    1: ['A dog runs.', 'The dog plays.', 'A small dog.'],
    2: ['A man walks.', 'A man and a dog.', 'Somebody walks outside.'],
    3: ['A cat sleeps.', 'A cat on a sofa.', 'The cat rests.'],
  }
  const park = await world.dataset('park', { images, vocabulary: { dog: 'NN', cat: 'NN', walks: 'VB' } })
  for (const name of ['captioner', 'other']) {
    await park.captionSystem(name, { 1: 'A dog.', 2: 'A cat walks.', 3: 'A cat.' })
    await park.evaluate(name)
  }
  await park.scoreSystem('detector', { 1: { dog: 0.9 }, 2: { dog: 0.25, cat: 0.3 }, 3: { cat: 0.7 } })
  await world.database.run(sql`UPDATE image SET fields = ${JSON.stringify({ domain: 'near' })}`)
  api = await world.serve({ workers: 1 })
  const phases = '[{ name: "main", dataset: "park", closesAt: "2126-01-01T00:00:00Z" }]'
  await api.ask(`mutation { createChallenge(input: { name: "walks", phases: ${phases} }) { __typename } }`)
})

describe('the queries of the dashboard', () => {
  it.each(queriesOfDashboard.map((operation) => [operation.name?.value, operation] as const))(
    '%s is answered without an error',
    async (name, operation) => {
      const values = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
        const isCount = variable.name.value === 'first' && print(type) === 'Int!'
        return [variable.name.value, isCount ? 50 : VARIABLES[variable.name.value]]
      })
      if (['SubmissionImages', 'SubmissionDistances', 'LostImages'].includes(name ?? ''))
        values.push(['submission', await newestJob()])
      if (name === 'CaptionProblems') values.push(['task', await takenTask()])
      expect(await api.ask(documentOf(operation), Object.fromEntries(values))).not.toEqual({})
    },
  )

  const takenTask = async () => {
    await api.done('createCollection(input: { dataset: "park" })')
    const input = '{ collection: "park", annotator: "anna" }'
    const { takeTask } = await api.ask(
      `mutation { takeTask(input: ${input}) { ... on TakeTaskSuccess { task { id } } } }`,
    )
    return takeTask.task.id
  }

  const newestJob = async () => {
    await api.ask('{ dataset(name: "park") { comparisons(metrics: ["BLEU-1"]) { difference } } }')
    return (await api.ask('{ jobs(first: 1) { nodes { id } } }')).jobs.nodes[0].id
  }
})

describe('a leaderboard', () => {
  const board = async (options: string) => {
    const fields = 'metric { name } rows { nodes { subject { name } group referenceRange { max } } }'
    const text = `{ dataset(name: "park") { leaderboards${options} { ${fields} } } }`
    return (await api.ask(text)).dataset.leaderboards
  }

  it('of every metric has a board for each metric that has scores', async () => {
    const { scores } = (
      await api.ask('{ dataset(name: "park") { system(name: "captioner") { scores { metric { name } } } } }')
    ).dataset.system
    const nameOf = ({ metric }: { metric: { name: string } }) => metric.name
    expect((await board('')).map(nameOf)).toEqual(scores.map(nameOf))
    expect(await board('(metrics: [])')).toEqual([])
  })

  it('with people has as many references as people', async () => {
    await api.done('computeHumanAgreement(input: { dataset: "park", metrics: ["BLEU-1"] })')
    const [{ rows }] = await board('(metrics: ["BLEU-1"], isHumanIncluded: true)')
    expect(rows.nodes).toContainEqual({
      subject: { name: 'people' },
      group: 'COMPARABLE',
      referenceRange: { max: 2 },
    })
    const { dataset } = await api.ask(`{ dataset(name: "park") {
      leaderboards(metrics: ["BLEU-1"], isHumanIncluded: true) {
        all: rows(first: 9) { nodes { rank subject { name } } }
        people { rank subject { name } }
        rows(first: 1) { totalCount nodes { rank subject { name } } }
      }
    } }`)
    const [{ all, people, rows: page }] = dataset.leaderboards
    expect(page).toEqual({ totalCount: all.nodes.length, nodes: [all.nodes[0]] })
    expect(people).toEqual(all.nodes.find(({ subject }: Json) => subject.name === 'people'))
  })
})

it('scores as people have are those on as many references', async () => {
  await api.done('startEvaluation(input: { dataset: "park", system: "captioner", references: 2 })')
  const fields = (argument: string) =>
    `score(metric: "BLEU-1", ${argument}) { value referenceCount } scores(${argument}) { value referenceCount }`
  const captions = (argument: string) =>
    `systemCaptions(systems: ["captioner"]) { nodes { scores(${argument}) { value } } }`
  const ask = async (argument: string) =>
    api.ask(`{ dataset(name: "park") {
      system(name: "captioner") { ${fields(argument)} } image(externalId: "1") { ${captions(argument)} }
    } }`)
  const asPeople = await ask('against: AS_PEOPLE')
  expect(asPeople).toEqual(await ask('references: 2'))
  expect(asPeople.dataset.system.score.referenceCount).toBe(2)
})

describe('people on images', () => {
  const METRIC = '"BLEU-1"'
  let score: Json

  beforeAll(async () => {
    await api.done(`computeHumanAgreement(input: { dataset: "park", metrics: [${METRIC}] })`)
    const { dataset } = await api.ask(`{ dataset(name: "park") { humanAgreement { score(metric: ${METRIC}) {
      vector { externalIds values }
      imageScores(first: 3) { totalCount nodes { value image { externalId } } }
      distribution { imageCount bins(count: 2) { imageCount } }
    } } } }`)
    score = dataset.humanAgreement.score
  })

  it('have the mean of the scores of their captions', async () => {
    const fields = `captions { scores(metrics: [${METRIC}]) { value } }`
    const { dataset } = await api.ask(
      `{ dataset(name: "park") { images(first: 10) { nodes { externalId ${fields} } } } }`,
    )
    expect(score.vector.externalIds).toEqual(dataset.images.nodes.map((image: Json) => image.externalId))
    for (const [index, { captions }] of dataset.images.nodes.entries()) {
      const sum = captions.reduce((total: number, { scores }: Json) => total + scores[0].value, 0)
      expect(score.vector.values[index]).toBeCloseTo(sum / captions.length, 12)
    }
  })

  it('are listed with the images on which they disagree most first', () => {
    const { imageScores, vector, distribution } = score
    const values = imageScores.nodes.map(({ value }: Json) => value)
    expect(values).toEqual([...vector.values].sort((one, other) => one - other))
    expect(imageScores.totalCount).toBe(3)
    expect(distribution.bins.reduce((sum: number, bin: Json) => sum + bin.imageCount, 0)).toBe(3)
  })
})

it.each([
  ['all: ["dog", "small"]', ['1']],
  ['all: ["walks"], none: ["somebody"]', ['2']],
  ['any: ["cat", "plays"]', ['1', '3']],
  ['all: ["elephant"]', []],
])('images are found by the words of a caption: %s', async (captions, expected) => {
  const { dataset } = await api.ask(`{ dataset(name: "park") {
    images(filter: { captionWords: { ${captions} } }) { totalCount nodes { externalId } }
  } }`)
  expect(dataset.images.nodes.map(({ externalId }: Json) => externalId)).toEqual(expected)
  expect(dataset.images.totalCount).toBe(expected.length)
})

it('words as columns are those of the page', async () => {
  const { words } = (
    await api.ask(`{ dataset(name: "park") { words(first: 2, orderBy: { field: TEXT }) {
      nodes { text partOfSpeech captionCount agreement(references: 1) { precision recall precisionInterval { lower upper } recallInterval { lower upper } }
        usageModel(kind: BINOMIAL) { residual(references: 1) } }
      columns(references: 1) { texts partsOfSpeech captionCounts precisions recalls residuals(model: BINOMIAL)
        precisionIntervals { lower upper } recallIntervals { lower upper } }
      rounded: columns(digits: 2) { precisions precisionIntervals { lower } }
    } } }`)
  ).dataset
  expect(words.columns).toEqual({
    texts: words.nodes.map(({ text }: Json) => text),
    partsOfSpeech: words.nodes.map(({ partOfSpeech }: Json) => partOfSpeech),
    captionCounts: words.nodes.map(({ captionCount }: Json) => captionCount),
    precisions: words.nodes.map(({ agreement }: Json) => agreement.precision),
    recalls: words.nodes.map(({ agreement }: Json) => agreement.recall),
    precisionIntervals: words.nodes.map(({ agreement }: Json) => agreement.precisionInterval),
    recallIntervals: words.nodes.map(({ agreement }: Json) => agreement.recallInterval),
    residuals: words.nodes.map(({ usageModel }: Json) => usageModel.residual),
  })
  expect(words.columns.texts).toEqual(['cat', 'dog'])
  for (const value of words.rounded.precisions) expect(String(value).length).toBeLessThanOrEqual(4)
})

it('a board by the precision of words ranks captioning systems beside people', async () => {
  const { dataset } = await api.ask(`{ dataset(name: "park") {
    wordLeaderboard(figure: WORD_PRECISION) { metric { name } rows { nodes {
      rank subject { __typename name } value wordCount signature notes gapToPeople { value } standing { undefinedReason }
    } } }
    captioner: system(name: "captioner") { words(first: 10) { nodes { precision } } }
  } }`)
  const { metric, rows } = dataset.wordLeaderboard
  const mean = (values: (number | null)[]) => {
    const defined = values.filter((value) => value !== null)
    return defined.reduce((sum, value) => sum + value, 0) / defined.length
  }
  expect(metric).toBeNull()
  const of = (name: string) => rows.nodes.find(({ subject }: Json) => subject.name === name)
  expect(of('captioner').value).toBeCloseTo(
    mean(dataset.captioner.words.nodes.map(({ precision }: Json) => precision)),
    12,
  )
  expect(of('people').subject.__typename).toBe('People')
  // People hold out one caption of each image at a time. The first and the last use dog, cat and walks where others do; the
  // second uses cat, and dog on an image with two captions that contain it and on one with none.
  expect(of('people').value).toBeCloseTo(mean([1, mean([2 / 3, 1]), 1]), 12)
  expect(of('detector')).toBeUndefined()
  expect(of('captioner').signature).toContain('WORD_PRECISION')
  expect(of('captioner').notes).toContainEqual(
    expect.stringContaining('over all words that the captions use, in the vocabulary or not'),
  )
  expect(of('captioner').standing.undefinedReason).toBe('TOO_FEW_IMAGES')
})

it('addresses of pictures are those by https, and boxes have the names that people read', async () => {
  const annotations = {
    images: [{ id: 1, coco_url: 'http://example.org/1.jpg' }],
    annotations: [{ id: 1, image_id: 1, caption: 'x' }],
  }
  const upload = await api.upload(annotations)
  await api.done(`importCaptions(input: { dataset: "pictures", upload: "${upload}" })`)
  const boxes = [{ id: 1, concept: 'traffic_light.n.01', bbox: [1, 2, 3, 4] }]
  const file = await api.upload({ images: [{ image_id: '1', width: 100, height: 50, boxes }] })
  await api.done(`importBoxes(input: { dataset: "pictures", upload: "${file}" })`)
  const { image } = (
    await api.ask('{ dataset(name: "pictures") { image(externalId: "1") { url boxes { concept label } } } }')
  ).dataset
  expect(image).toEqual({
    url: 'https://example.org/1.jpg',
    boxes: [{ concept: 'traffic_light.n.01', label: 'traffic light' }],
  })
})

describe('the pages of the dashboard', () => {
  const get = (path: string) => fetch(new URL(path, api.url))

  it.each(['/', '/d/park/words/dog', '/metrics', '/jobs', '/import', '/composites/EvalMS'])(
    '%s is the page, which loads files of this server alone',
    async (path) => {
      const response = await get(path)
      expect(response.headers.get('content-type')).toContain('text/html')
      expect(response.headers.get('cache-control')).toBe('no-cache')
      const policy = response.headers.get('content-security-policy') as string
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]),
      )
      const page = await response.text()
      expect(page).not.toMatch(/\b(https?:)?\/\/[a-z]/i)
      expect(page).not.toMatch(/<style|<script>|\sstyle=/)
    },
  )

  it('has files whose names change with their contents, kept for ever', async () => {
    const page = await (await get('/')).text()
    const [, script] = /<script type="module"[^>]* src="\.(\/assets\/[^"]+)"/.exec(page) as RegExpExecArray
    const response = await get(script)
    expect(response.headers.get('content-type')).toContain('javascript')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await get('/favicon.svg')).headers.get('cache-control')).toBe('no-cache')
    expect((await get('/assets/unknown.js')).status).toBe(404)
    expect((await get('/assets/..%2f..%2fpackage.json')).status).toBe(404)
    expect((await get('/unknown')).status).toBe(404)
  })

  it('stands below the prefix of the server', async () => {
    const prefixed = await world.serve({ pathPrefix: '/accord' })
    const page = await (await fetch(new URL('/accord/', prefixed.url))).text()
    expect(page).toContain('<base href="/accord/"')
    expect((await fetch(new URL('/', prefixed.url))).status).toBe(404)
    await prefixed.close()
  })
})
