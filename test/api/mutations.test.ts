import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { importPets, PETS } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

const MANY = 1200

beforeAll(async () => {
  await importPets(world)
  const images = Object.fromEntries(
    Array.from({ length: MANY }, (_, image) => [
      `${image}`,
      Array.from(
        { length: 3 },
        (_, person) => `a w${image % 50} near w${(image * 7 + person) % 90} and more.`,
      ),
    ]),
  )
  await world.dataset('many', { images })
  api = await world.serve()
})

const IMPORT_RESULTS = `mutation ($input: ImportResultsInput!) { importResults(input: $input) {
  __typename
  ... on ImportResultsSuccess {
    system { id name kind imageCount missingImageCount } evaluation { id status progress message system { name } startedAt finishedAt }
  }
  ... on MutationError { code message place expected found }
} }`

const IMPORT_SCORES = `mutation ($input: ImportWordScoresInput!) { importWordScores(input: $input) {
  __typename
  ... on ImportWordScoresSuccess { system { name kind imageCount missingImageCount } unknownWords }
  ... on MutationError { code message place expected found }
} }`

const START = `mutation ($dataset: String = "many", $system: String!) { startEvaluation(dataset: $dataset, system: $system) {
  __typename ... on StartEvaluationSuccess { evaluation { id status progress message } } ... on MutationError { code message place }
} }`

const CANCEL = `mutation ($id: ID!) { cancelEvaluation(id: $id) {
  __typename ... on CancelEvaluationSuccess { evaluation { id status message progress startedAt finishedAt } } ... on MutationError { code message found }
} }`

const REMOVE = `mutation ($dataset: String = "many", $name: String!) { removeSystem(dataset: $dataset, name: $name) {
  __typename ... on RemoveSystemSuccess { dataset { name systems { name } } } ... on MutationError { code message place expected }
} }`

const captionsOf = (text: (image: number) => string) =>
  Array.from({ length: MANY }, (_, image) => ({ imageId: `${image}`, caption: text(image) }))

async function importMany(system: string, text = (image: number) => `a w${image % 50} and w${image % 7}.`) {
  const input = { dataset: 'many', system, captions: captionsOf(text) }
  const { importResults } = await api.ask(IMPORT_RESULTS, { input })
  expect(importResults).toMatchObject({ __typename: 'ImportResultsSuccess', system: { name: system } })
  return importResults.evaluation.id as string
}

/** Long enough to be caught in the middle of its evaluation. */
const longStory = (image: number) => `a w${image % 50} ${'and then the long story of it all '.repeat(8)}`

async function untilRunning(id: string): Promise<Json> {
  for (;;) {
    const { evaluation } = await api.ask(
      'query ($id: ID!) { evaluation(id: $id) { status progress message startedAt } }',
      { id },
    )
    if (evaluation.status !== 'QUEUED') return evaluation
    await sleep(5)
  }
}

const scoresOf = async (system: string): Promise<Json> =>
  (
    await api.ask(
      'query ($system: String!) { dataset(name: "many") { system(name: $system) { evaluation { status } scores { value } } } }',
      { system },
    )
  ).dataset.system

const countRows = (table: string) =>
  world.database.connection.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get()

describe('importResults', () => {
  it('stores captions, starts an evaluation to poll, and the scores are there when it is done', async () => {
    const captions = Object.keys(PETS).map((imageId) => ({
      imageId,
      caption: imageId === '60' ? '' : 'A dog.',
    }))
    const input = { dataset: 'pets', system: 'barker', captions }
    const { importResults } = await api.ask(IMPORT_RESULTS, { input })
    expect(importResults).toMatchObject({
      __typename: 'ImportResultsSuccess',
      system: { name: 'barker', kind: 'CAPTIONS', imageCount: 7, missingImageCount: 0 },
      evaluation: { system: { name: 'barker' }, finishedAt: null },
    })
    const ended = await api.ended(importResults.evaluation.id)
    expect(ended).toMatchObject({ status: 'DONE', progress: 1, message: null })
    expect(Date.parse(ended.startedAt)).toBeLessThanOrEqual(Date.parse(ended.finishedAt))
    const { dataset } = await api.ask(`{ dataset(name: "pets") { system(name: "barker") {
      evaluation { id status } scores(metrics: ["BLEU-1"]) { value }
      words(filter: { texts: ["dog"] }) { nodes { precision recall } }
    } } }`)
    expect(dataset.system.evaluation).toEqual({ id: ended.id, status: 'DONE' })
    expect(dataset.system.scores[0].value).toBeGreaterThan(0)
    expect(dataset.system.words.nodes[0].recall).toBeCloseTo(1, 12)
  })

  it('keeps a system with missing images only where that is allowed', async () => {
    const input = { dataset: 'pets', system: 'lazy', captions: [{ imageId: '10', caption: 'A dog.' }] }
    expect((await api.ask(IMPORT_RESULTS, { input })).importResults).toEqual({
      __typename: 'MutationError',
      code: 'MISSING_IMAGES',
      message:
        'captions: images are missing: expected all 7 images of the data set, found 1, without 20, 30, 40 and 3 more',
      place: 'captions',
      expected: 'all 7 images of the data set',
      found: '1, without 20, 30, 40 and 3 more',
    })
    const { importResults } = await api.ask(IMPORT_RESULTS, { input: { ...input, allowMissing: true } })
    expect(importResults.system).toMatchObject({ imageCount: 1, missingImageCount: 6 })
    expect((await api.ended(importResults.evaluation.id)).status).toBe('DONE')
    const { dataset } = await api.ask(`{ dataset(name: "pets") { system(name: "lazy") {
      scores(metrics: ["CIDEr-D"]) { value warnings } imageScores(metric: "CIDEr-D") { totalCount } } } }`)
    expect(dataset.system.scores[0].warnings.length).toBe(1)
    expect(dataset.system.imageScores.totalCount).toBe(1)
  })

  it.each<[string, Json, Json]>([
    [
      'a caption for an image that comes twice',
      {
        captions: [
          { imageId: '10', caption: 'a' },
          { imageId: '10', caption: 'b' },
        ],
      },
      { code: 'DUPLICATE_ID', place: 'captions[1].imageId', found: '"10" again' },
    ],
    [
      'an unknown image',
      {
        captions: [
          { imageId: '10', caption: 'a' },
          { imageId: '11', caption: 'b' },
        ],
      },
      { code: 'UNKNOWN_IMAGE', place: 'captions[1].imageId', found: '"11"' },
    ],
    [
      'an empty id',
      { captions: [{ imageId: '', caption: 'a' }] },
      { code: 'INVALID_VALUE', place: 'captions[0].imageId' },
    ],
    [
      'no caption, even where images may be missing',
      { captions: [], allowMissing: true },
      { code: 'MISSING_IMAGES' },
    ],
    [
      'a name that is taken',
      { system: 'copycat' },
      { code: 'NAME_TAKEN', place: 'system', found: '"copycat"' },
    ],
    ['a blank name', { system: ' ' }, { code: 'INVALID_VALUE', place: 'system', found: '" "' }],
    [
      'an unknown data set',
      { dataset: 'cats' },
      { code: 'UNKNOWN_DATASET', place: 'dataset', expected: 'one of many, pets', found: '"cats"' },
    ],
  ])('refuses %s, and changes nothing', async (_what, change, error) => {
    const before = countRows('system')
    const input = { dataset: 'pets', system: 'new', captions: [{ imageId: '10', caption: 'a' }], ...change }
    const { importResults } = await api.ask(IMPORT_RESULTS, { input })
    expect(importResults).toMatchObject({ __typename: 'MutationError', ...error })
    expect(countRows('system')).toBe(before)
  })

  it.each<[string, Json]>([
    ['a caption that is null', { captions: [{ imageId: '10', caption: null }] }],
    ['a caption that is a number', { captions: [{ imageId: '10', caption: 4 }] }],
    ['an image id that is a number', { captions: [{ imageId: 10, caption: 'a' }] }],
    ['no captions', { captions: null }],
    ['an unknown field', { colour: 'red' }],
  ])('refuses %s by the schema, naming the place', async (_what, change) => {
    const input = { dataset: 'pets', system: 'new', captions: [], ...change }
    const { status, errors } = await api.query(IMPORT_RESULTS, { input })
    expect({ status, code: errors[0].extensions.code }).toEqual({ status: 400, code: 'BAD_USER_INPUT' })
    expect(errors[0].message).toMatch(/\$input/)
  })

  it('takes 5 MB, and the server answers others meanwhile', async () => {
    const filler = 'the very long story of it all '.repeat(140)
    const input = {
      dataset: 'many',
      system: 'verbose',
      captions: captionsOf((image) => `w${image} ${filler}`),
    }
    const body = JSON.stringify({ query: IMPORT_RESULTS, variables: { input } })
    expect(body.length).toBeGreaterThan(5e6)
    const order: string[] = []
    const importing = api.post(body).then(({ data }) => {
      order.push('imported')
      return data.importResults
    })
    while (order.length === 0) {
      await api.ask('{ __typename }')
      order.push('answered')
    }
    const { __typename, evaluation } = await importing
    expect(__typename).toBe('ImportResultsSuccess')
    expect(order[0]).toBe('answered')

    // Its evaluation takes long: the server answers, and reads, while it is under way.
    expect((await untilRunning(evaluation.id)).status).toBe('RUNNING')
    expect((await scoresOf('verbose')).scores).toEqual([])
    const { removeSystem } = await api.ask(REMOVE, { name: 'verbose' })
    expect(removeSystem).toMatchObject({ __typename: 'RemoveSystemSuccess', dataset: { name: 'many' } })
    expect(await scoresOf('verbose')).toBeNull()
    const QUERY = 'query ($id: ID!) { evaluation(id: $id) { id } }'
    expect((await api.ask(QUERY, { id: evaluation.id })).evaluation).toBeNull()
  })
})

describe('importWordScores', () => {
  const scores = (images: readonly string[], words: Json) => images.map((imageId) => ({ imageId, words }))

  it('stores scores with PHR and AP, and names the words that nobody uses', async () => {
    const input = {
      dataset: 'pets',
      system: 'eye',
      scores: Object.keys(PETS).map((imageId, index) => ({
        imageId,
        words: [
          { word: 'dog', score: -index },
          { word: 'unicorn', score: 1e300 },
        ],
      })),
    }
    const { importWordScores } = await api.ask(IMPORT_SCORES, { input })
    expect(importWordScores).toEqual({
      __typename: 'ImportWordScoresSuccess',
      system: { name: 'eye', kind: 'WORD_SCORES', imageCount: 7, missingImageCount: 0 },
      unknownWords: ['unicorn'],
    })
    const { dataset } = await api.ask(`{ dataset(name: "pets") { word(text: "dog") {
      systemResult(system: "eye") { precisionAtHumanRecall averagePrecision }
    } } }`)
    expect(dataset.word.systemResult).toEqual({ precisionAtHumanRecall: 1, averagePrecision: 1 })
  })

  it.each<[string, Json, Json]>([
    [
      'an unknown image',
      { scores: scores(['10', 'x'], []) },
      { code: 'UNKNOWN_IMAGE', place: 'scores[1].imageId', found: '"x"' },
    ],
    [
      'an image that comes twice',
      { scores: scores(['10', '10'], []) },
      { code: 'DUPLICATE_ID', place: 'scores[1].imageId' },
    ],
    [
      'a word that comes twice',
      {
        scores: scores(
          ['10'],
          [
            { word: 'dog', score: 1 },
            { word: 'cat', score: 1 },
            { word: 'dog', score: 0 },
          ],
        ),
      },
      { code: 'DUPLICATE_ID', place: 'scores[0].words[2]' },
    ],
    [
      'missing images',
      { scores: scores(['10'], [{ word: 'dog', score: 1 }]) },
      { code: 'MISSING_IMAGES', place: 'scores' },
    ],
    [
      'unknown words only',
      {
        scores: scores(Object.keys(PETS), [
          { word: 'Dog', score: 1 },
          { word: 'unicorn', score: 1 },
        ]),
      },
      { code: 'UNKNOWN_WORD', found: '2 others, the first "Dog"' },
    ],
    ['no words', { scores: scores(Object.keys(PETS), []) }, { code: 'UNKNOWN_WORD', found: 'no words' }],
    ['a name that is taken', { system: 'noise' }, { code: 'NAME_TAKEN', found: '"noise"' }],
    ['an unknown data set', { dataset: '' }, { code: 'UNKNOWN_DATASET' }],
  ])('refuses %s, and changes nothing', async (_what, change, error) => {
    const before = countRows('system')
    const input = { dataset: 'pets', system: 'new', scores: [], ...change }
    const { importWordScores } = await api.ask(IMPORT_SCORES, { input })
    expect(importWordScores).toMatchObject({ __typename: 'MutationError', ...error })
    expect(countRows('system')).toBe(before)
  })

  it('refuses numbers that are none', async () => {
    for (const score of ['1e999', '"1"', 'null', '"NaN"']) {
      const input = `{"dataset":"pets","system":"new","scores":[{"imageId":"10","words":[{"word":"dog","score":${score}}]}]}`
      const body = `{"query":${JSON.stringify(IMPORT_SCORES)},"variables":{"input":${input}}}`
      const { status, errors } = await api.post(body)
      expect({ score, status, code: errors[0].extensions.code }).toEqual({
        score,
        status: 400,
        code: 'BAD_USER_INPUT',
      })
    }
    const { data } =
      await api.query(`mutation { importWordScores(input: { dataset: "pets", system: "new", scores: [
      { imageId: "10", words: [{ word: "dog", score: 1e999 }] }
    ] }) { ... on MutationError { code place found } } }`)
    expect(data.importWordScores).toEqual({
      code: 'INVALID_VALUE',
      place: 'scores[0].words[0]',
      found: 'Infinity',
    })
    expect((await api.post('{"query":"{ __typename }","variables":{"x":NaN}}')).status).toBe(400)
  })
})

describe('an evaluation', () => {
  it('is one, however many ask for it at once; once ended it can be started again', async () => {
    const first = await importMany('twice')
    const before = countRows('evaluation')
    const answers = await Promise.all([1, 2, 3].map(() => api.ask(START, { system: 'twice' })))
    expect(new Set(answers.map(({ startEvaluation }) => startEvaluation.evaluation.id))).toEqual(
      new Set([first]),
    )
    expect((await api.ended(first)).status).toBe('DONE')
    const scores = (await scoresOf('twice')).scores
    const again = await Promise.all([1, 2, 3].map(() => api.ask(START, { system: 'twice' })))
    const ids = new Set(again.map(({ startEvaluation }) => startEvaluation.evaluation.id))
    expect(ids.size).toBe(1)
    expect(ids).not.toContain(first)
    expect(countRows('evaluation')).toBe(Number(before) + 1)
    expect((await api.ended([...ids][0])).status).toBe('DONE')
    expect((await scoresOf('twice')).scores).toEqual(scores)
  })

  it('can be cancelled in the middle, and leaves nothing', async () => {
    const id = await importMany('cancelled', longStory)
    const running = await untilRunning(id)
    expect(running).toMatchObject({ status: 'RUNNING' })
    expect(running.progress).toBeLessThan(1)
    expect(Date.parse(running.startedAt)).not.toBeNaN()
    const { cancelEvaluation } = await api.ask(CANCEL, { id })
    expect(cancelEvaluation.evaluation).toMatchObject({
      id,
      status: 'CANCELLED',
      message: 'the work was cancelled',
    })
    expect(await scoresOf('cancelled')).toEqual({ evaluation: { status: 'CANCELLED' }, scores: [] })
    expect((await api.ask(CANCEL, { id })).cancelEvaluation).toMatchObject({
      code: 'NOT_APPLICABLE',
      found: 'CANCELLED',
    })
  })

  it('can be cancelled while it waits', async () => {
    const running = await importMany('before')
    const { startEvaluation } = await api.ask(START, { system: 'cancelled' })
    const [cancelled] = await Promise.all([
      api.ask(CANCEL, { id: startEvaluation.evaluation.id }),
      api.ended(running),
    ])
    expect(cancelled.cancelEvaluation.evaluation.status).toBe('CANCELLED')
    expect((await scoresOf('before')).evaluation.status).toBe('DONE')
  })

  it('of word scores is refused before it starts', async () => {
    const { startEvaluation } = await api.ask(START, { dataset: 'pets', system: 'noise' })
    expect(startEvaluation).toMatchObject({
      __typename: 'MutationError',
      code: 'NOT_APPLICABLE',
      message: expect.stringContaining('a captioning system, found "noise", which gave word scores'),
    })
  })

  it.each<[string, string, Json, string]>([
    ['starting that of an unknown system', START, { system: 'nobody' }, 'UNKNOWN_SYSTEM'],
    ['starting one on an unknown data set', START, { system: 'twice', dataset: 'x' }, 'UNKNOWN_DATASET'],
    ['cancelling one that is not there', CANCEL, { id: 'RXZhbHVhdGlvbjo5OTk5' }, 'UNKNOWN_EVALUATION'],
    ['cancelling something else', CANCEL, { id: 'nonsense' }, 'UNKNOWN_EVALUATION'],
    ['removing an unknown system', REMOVE, { name: 'nobody' }, 'UNKNOWN_SYSTEM'],
    ['removing from an unknown data set', REMOVE, { name: 'twice', dataset: 'x' }, 'UNKNOWN_DATASET'],
  ])('%s is refused', async (_what, mutation, variables, code) => {
    const [answer] = Object.values<Json>(await api.ask(mutation, variables))
    expect(answer).toMatchObject({ __typename: 'MutationError', code })
  })
})

describe('removeSystem', () => {
  it('takes all that belongs to the system', async () => {
    const { removeSystem } = await api.ask(REMOVE, { dataset: 'pets', name: 'copycat' })
    expect(removeSystem.dataset.systems).not.toContainEqual({ name: 'copycat' })
    const { connection } = world.database
    const orphans = [
      'system_caption',
      'system_word',
      'metric_score',
      'metric_statistics',
      'image_set',
      'evaluation',
    ]
    for (const table of orphans) {
      const count = connection
        .prepare(`SELECT COUNT(*) FROM ${table} WHERE system_id NOT IN (SELECT id FROM system)`)
        .pluck()
        .get()
      expect(count, table).toBe(0)
    }
  })

  it('while its evaluation runs, and while one waits behind it', async () => {
    const id = await importMany('doomed', longStory)
    await untilRunning(id)
    const answers = await Promise.all([
      api.ask(REMOVE, { name: 'doomed' }),
      api.ask(REMOVE, { name: 'doomed' }),
    ])
    const names = answers.map(({ removeSystem }) => removeSystem.__typename)
    expect(names.toSorted()).toEqual(['MutationError', 'RemoveSystemSuccess'])
    expect(await scoresOf('doomed')).toBeNull()
  })
})

describe('a server that stops during an evaluation', () => {
  it('leaves it interrupted, without scores, to be started again', async () => {
    const id = await importMany('survivor', longStory)
    await untilRunning(id)
    await api.close()
    api = await world.serve()
    const { evaluation } = await api.ask(
      'query ($id: ID!) { evaluation(id: $id) { status message progress } }',
      { id },
    )
    expect(evaluation).toEqual({
      status: 'INTERRUPTED',
      message: 'The server stopped before it was done; start it again.',
      progress: 0,
    })
    expect((await scoresOf('survivor')).scores).toEqual([])
    const { startEvaluation } = await api.ask(START, { system: 'survivor' })
    expect((await api.ended(startEvaluation.evaluation.id)).status).toBe('DONE')
    expect((await scoresOf('survivor')).scores.length).toBeGreaterThan(10)
  })

  it('by being killed: the next server marks it, unless it cannot listen', async () => {
    const { connection } = world.database
    const { lastInsertRowid } = connection
      .prepare(
        `INSERT INTO evaluation (system_id, status, created_at)
         SELECT id, 'RUNNING', '2026-01-01T00:00:00.000Z' FROM system WHERE name = 'survivor'`,
      )
      .run()
    const status = () =>
      connection.prepare('SELECT status FROM evaluation WHERE id = ?').pluck().get(lastInsertRowid)
    const port = Number(new URL(api.url).port)
    await expect(world.serve({ port })).rejects.toMatchObject({ code: 'NOT_APPLICABLE' })
    expect(status()).toBe('RUNNING')
    await api.close()
    api = await world.serve()
    expect(status()).toBe('INTERRUPTED')
  })
})
