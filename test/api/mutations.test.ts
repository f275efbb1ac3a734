import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAccord } from '../../src/services/open-accord.js'
import { raw, sql } from '../../src/store/engine/sql.js'
import { ENTITIES } from '../../src/store/schema/entities.js'
import { rowCounts } from '../kit/boxes.js'
import { ENGINES } from '../kit/databases.js'
import { importPets, PETS } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

describe.each(ENGINES)('mutations on %s', async (engine) => {
  const world = await initWorld({ engine })
  let api: Api

  const MANY = 600

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
    api = await world.serve({ workers: 1 })
  })

  const ERROR = '... on MutationError { code message place expected found }'
  const IMPORT_RESULTS = `mutation ($input: ImportResultsInput!) {
    importResults(input: $input) { __typename ... on JobSuccess { job { id kind status } } ${ERROR} }
  }`

  const IMPORT_SCORES = `mutation ($input: ImportWordScoresInput!) {
    importWordScores(input: $input) { __typename ... on JobSuccess { job { id kind status } } ${ERROR} }
  }`

  const START = `mutation ($dataset: String = "many", $system: String!) { startEvaluation(input: { dataset: $dataset, system: $system }) {
  __typename ... on JobSuccess { job { id status progress message } } ... on MutationError { code message place }
} }`

  const CANCEL = `mutation ($id: ID!) { cancelJob(input: { id: $id }) {
  __typename ... on JobSuccess { job { id status message progress startedAt endedAt } } ... on MutationError { code message found }
} }`

  const REMOVE = `mutation ($dataset: String = "many", $name: String!) { removeSystem(input: { dataset: $dataset, system: $name }) {
  __typename ... on JobSuccess { job { id } } ... on MutationError { code message place expected }
} }`

  /** An import that has ended. */
  async function endedImport({ job }: Json): Promise<Json> {
    await api.ended(job.id)
    const IMPORT = `query ($id: ID!) { job(id: $id) {
      id status summary failure { code message place expected found }
      result { ... on ImportResult {
        system { id name kind imageCount missingImageCount } missingImageCount wordCount unknownWordCount unknownWords
        evaluation { id status progress message subject { ... on System { name } } startedAt endedAt }
      } }
    } }`
    const { result, ...ended } = (await api.ask(IMPORT, { id: job.id })).job
    return { ...ended, result, ...result }
  }

  const captionsOf = (text: (image: number) => string) =>
    Array.from({ length: MANY }, (_, image) => ({ image_id: image, caption: text(image) }))

  /** Sends a file of captions and starts their import. */
  async function importResults(captions: readonly object[], change: Json = {}): Promise<Json> {
    const upload = await api.upload(captions, 'results.json')
    const input = { dataset: 'pets', system: 'new', upload, ...change }
    return (await api.ask(IMPORT_RESULTS, { input })).importResults
  }

  async function importMany(system: string, text = (image: number) => `a w${image % 50} and w${image % 7}.`) {
    const imported = await endedImport(await importResults(captionsOf(text), { dataset: 'many', system }))
    expect(imported).toMatchObject({ status: 'DONE', system: { name: system } })
    return imported.evaluation.id as string
  }

  /** Long captions, whose evaluation takes long enough to be observed while it is running. */
  const longStory = (image: number) => `a w${image % 50} ${'and then the long story of it all '.repeat(8)}`

  /** Captions whose evaluation takes many times longer than a request: it surely runs when it is cancelled. */
  const endlessStory = (image: number) =>
    `a w${image % 50} ${'and then the long story of it all '.repeat(100)}`

  async function untilRunning(id: string): Promise<Json> {
    for (;;) {
      const { job } = await api.ask(
        'query ($id: ID!) { job(id: $id) { status progress message startedAt } }',
        { id },
      )
      if (job.status !== 'QUEUED') return job
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

  const countSystems = async () => (await rowCounts(world.database)).system

  const countEvaluations = async () =>
    (await world.database.all(sql`SELECT id FROM job WHERE kind = 'evaluate'`)).length

  describe('importResults', () => {
    const inPets = (caption: (imageId: string) => string) =>
      Object.keys(PETS).map((imageId) => ({ image_id: Number(imageId), caption: caption(imageId) }))

    it('stores captions and starts an evaluation; the scores are available when it is done', async () => {
      const captions = inPets((imageId) => (imageId === '60' ? '' : 'A dog.'))
      const started = await importResults(captions, { system: 'barker' })
      expect(started).toMatchObject({ __typename: 'JobSuccess', job: { kind: 'IMPORT_RESULTS' } })
      const imported = await endedImport(started)
      expect(imported).toMatchObject({
        status: 'DONE',
        summary: 'Imported the system barker.',
        system: { name: 'barker', kind: 'CAPTIONS', imageCount: 7, missingImageCount: 0 },
        missingImageCount: 0,
        wordCount: null,
        evaluation: { subject: { name: 'barker' } },
      })
      const ended = await api.ended(imported.evaluation.id)
      expect(ended).toMatchObject({ status: 'DONE', progress: 1, message: null })
      expect(Date.parse(ended.startedAt)).toBeLessThanOrEqual(Date.parse(ended.endedAt))
      const { dataset } = await api.ask(`{ dataset(name: "pets") { system(name: "barker") {
      evaluation { id status } scores(metrics: ["BLEU-1"]) { value }
      words(filter: { word: { texts: ["dog"] } }) { nodes { precision recall } }
    } } }`)
      expect(dataset.system.evaluation).toEqual({ id: ended.id, status: 'DONE' })
      expect(dataset.system.scores[0].value).toBeGreaterThan(0)
      expect(dataset.system.words.nodes[0].recall).toBeCloseTo(1, 12)
    })

    it('is one import if the same upload is imported several times at once', async () => {
      const before = await countSystems()
      const upload = await api.upload(inPets(() => 'A cat.'))
      const input = { dataset: 'pets', system: 'twins', upload }
      const answers = await Promise.all([1, 2].map(() => api.ask(IMPORT_RESULTS, { input })))
      const results = answers.map((answer) => answer.importResults)
      const [first, ...others] = results.filter(({ job }) => job)
      for (const { job } of others) expect(job.id).toBe(first.job.id)
      // If the first import ended before the second was started, the name is taken.
      for (const { job, code } of results) if (!job) expect(code).toBe('NAME_TAKEN')
      const { status, evaluation } = await endedImport(first)
      expect(status).toBe('DONE')
      expect(await countSystems()).toBe(before + 1)
      expect((await api.ended(evaluation.id)).status).toBe('DONE')
      const again = await api.ask(IMPORT_RESULTS, { input: { ...input, system: 'triplet' } })
      expect(again.importResults).toMatchObject({ __typename: 'MutationError', code: 'UNKNOWN_UPLOAD' })
    })

    it('is refused if another job imports the upload', async () => {
      const busy = await importMany('busy', endlessStory)
      const upload = await api.upload(inPets(() => 'A cat.'))
      const start = async (system: string) =>
        (await api.ask(IMPORT_RESULTS, { input: { dataset: 'pets', system, upload } })).importResults
      const [one, other] = await Promise.all([start('one of two'), start('other of two')])
      const refused = one.job ? other : one
      expect(['NOT_APPLICABLE', 'UNKNOWN_UPLOAD']).toContain(refused.code)
      expect((await endedImport(one.job ? one : other)).status).toBe('DONE')
      await api.ask(CANCEL, { id: busy })
    })

    it('accepts a system with missing images only if that is allowed; the upload is not sent again', async () => {
      const upload = await api.upload([{ image_id: 10, caption: 'A dog.' }], 'lazy.json')
      const input = { dataset: 'pets', system: 'lazy', upload }
      const { importResults } = await api.ask(IMPORT_RESULTS, { input })
      expect(await endedImport(importResults)).toMatchObject({
        status: 'FAILED',
        result: null,
        failure: {
          code: 'MISSING_IMAGES',
          message:
            'lazy.json: images are missing: expected all 6 images of the dataset with captions, found 1, without 20, 30, 40 and 2 more',
          place: 'lazy.json',
          expected: 'all 6 images of the dataset with captions',
          found: '1, without 20, 30, 40 and 2 more',
        },
      })
      const second = await api.ask(IMPORT_RESULTS, { input: { ...input, isMissingAllowed: true } })
      const { system, missingImageCount, evaluation } = await endedImport(second.importResults)
      expect(system).toMatchObject({ imageCount: 1, missingImageCount: 5 })
      expect(missingImageCount).toBe(5)
      expect((await api.ended(evaluation.id)).status).toBe('DONE')
      const { dataset } = await api.ask(`{ dataset(name: "pets") { system(name: "lazy") {
      score(metric: "CIDEr-D") { value warnings imageScores { totalCount } } } } }`)
      expect(dataset.system.score.warnings.length).toBe(1)
      expect(dataset.system.score.imageScores.totalCount).toBe(1)
    })

    it.each<[string, Json, Json]>([
      [
        'a name that is taken',
        { system: 'copycat' },
        { code: 'NAME_TAKEN', place: 'system', found: '"copycat"' },
      ],
      ['a blank name', { system: ' ' }, { code: 'INVALID_VALUE', place: 'system', found: '" "' }],
      [
        'an unknown dataset',
        { dataset: 'cats' },
        { code: 'UNKNOWN_DATASET', place: 'dataset', expected: 'one of many, pets', found: '"cats"' },
      ],
      ['an unknown upload', { upload: 'none' }, { code: 'UNKNOWN_UPLOAD', place: 'upload' }],
    ])('refuses %s at once, and changes nothing', async (_what, change, error) => {
      const before = await countSystems()
      const refused = await importResults([{ image_id: 10, caption: 'a' }], change)
      expect(refused).toMatchObject(error)
      expect(refused.__typename).toBe('MutationError')
      expect(await countSystems()).toBe(before)
    })

    it.each<[string, readonly object[], Json, Json]>([
      [
        'two captions for an image',
        ['a', 'b'].map((caption) => ({ image_id: 10, caption })),
        {},
        { code: 'DUPLICATE_ID', place: '[1].image_id', found: '"10" again' },
      ],
      [
        'an unknown image',
        [10, 11].map((image_id) => ({ image_id, caption: 'a' })),
        {},
        { code: 'UNKNOWN_IMAGE', place: '[1].image_id', found: '"11"' },
      ],
      ['an empty id', [{ image_id: '', caption: 'a' }], {}, { code: 'INVALID_VALUE', place: '[0].image_id' }],
      [
        'no caption, even where images may be missing',
        [],
        { isMissingAllowed: true },
        { code: 'MISSING_IMAGES', place: 'results.json' },
      ],
      [
        'a caption that is null',
        [{ image_id: 10, caption: null }],
        {},
        { code: 'INVALID_SHAPE', place: '[0].caption', found: 'null' },
      ],
      [
        'an image id that is a fraction',
        [{ image_id: 1.5, caption: 'a' }],
        {},
        { code: 'INVALID_VALUE', place: '[0].image_id' },
      ],
    ])('fails with the place of %s, and changes nothing', async (_what, captions, change, failure) => {
      const before = await countSystems()
      expect(await endedImport(await importResults(captions, change))).toMatchObject({
        status: 'FAILED',
        result: null,
        failure,
      })
      expect(await countSystems()).toBe(before)
    })

    it.each<[string, Json]>([
      ['no upload', { upload: null }],
      ['an upload that is no id', { upload: 1.5 }],
      ['an unknown field', { colour: 'red' }],
    ])('refuses %s by the schema, with the place', async (_what, change) => {
      const input = { dataset: 'pets', system: 'new', upload: 'none', ...change }
      const { status, errors } = await api.query(IMPORT_RESULTS, { input })
      expect({ status, code: errors[0].extensions.code }).toEqual({ status: 400, code: 'BAD_USER_INPUT' })
      expect(errors[0].message).toMatch(/\$input/)
    })

    it('accepts 5 MB; the server handles other requests in the meantime', async () => {
      const filler = 'the very long story of it all '.repeat(285)
      const captions = captionsOf((image) => `w${image} ${filler}`)
      expect(JSON.stringify(captions).length).toBeGreaterThan(5e6)
      const order: string[] = []
      const importing = importResults(captions, { dataset: 'many', system: 'verbose' }).then(
        async (started) => {
          const imported = await endedImport(started)
          order.push('imported')
          return imported
        },
      )
      while (order.length === 0) {
        await api.ask('{ __typename }')
        order.push('answered')
      }
      const { status, evaluation } = await importing
      expect(status).toBe('DONE')
      expect(order[0]).toBe('answered')

      // Its evaluation takes long. The server answers queries in the meantime.
      expect((await untilRunning(evaluation.id)).status).toBe('RUNNING')
      expect((await scoresOf('verbose')).scores).toBeNull()
      const { removeSystem } = await api.ask(REMOVE, { name: 'verbose' })
      expect(await api.ended(removeSystem.job.id)).toMatchObject({ status: 'DONE' })
      expect(await scoresOf('verbose')).toBeNull()
      const QUERY = 'query ($id: ID!) { job(id: $id) { id } }'
      expect((await api.ask(QUERY, { id: evaluation.id })).job).toBeNull()
    })
  })

  describe('importWordScores', () => {
    /** Sends a file of word scores and imports it. */
    async function importScores(lines: readonly object[], change: Json = {}): Promise<Json> {
      const upload = await api.upload(lines.map((line) => JSON.stringify(line)).join('\n'), 'scores.jsonl')
      const input = { dataset: 'pets', system: 'new', upload, ...change }
      return (await api.ask(IMPORT_SCORES, { input })).importWordScores
    }
    const scores = (images: readonly string[], words: Json) =>
      images.map((imageId) => ({ image_id: Number(imageId), words }))

    it('stores scores with PHR and AP, and tells the words that no caption uses', async () => {
      const lines = Object.keys(PETS).flatMap((imageId, index) =>
        scores([imageId], { dog: -index, unicorn: 1e300 }),
      )
      expect(await endedImport(await importScores(lines, { system: 'eye' }))).toMatchObject({
        status: 'DONE',
        system: { name: 'eye', kind: 'WORD_SCORES', imageCount: 7, missingImageCount: 0 },
        wordCount: 1,
        unknownWordCount: 1,
        unknownWords: ['unicorn'],
        evaluation: null,
      })
      const { dataset } = await api.ask(`{ dataset(name: "pets") { word(text: "dog") {
      systemResult(system: "eye") { precisionAtHumanRecall averagePrecision }
    } } }`)
      expect(dataset.word.systemResult).toEqual({ precisionAtHumanRecall: 1, averagePrecision: 1 })
    })

    it.each<[string, readonly object[], Json]>([
      [
        'an unknown image',
        scores(['10', '11'], {}),
        { code: 'UNKNOWN_IMAGE', place: 'line 2, image_id', found: '"11"' },
      ],
      ['a duplicate image', scores(['10', '10'], {}), { code: 'DUPLICATE_ID', place: 'line 2, image_id' }],
      ['missing images', scores(['10'], { dog: 1 }), { code: 'MISSING_IMAGES', place: 'scores.jsonl' }],
      [
        'unknown words only',
        scores(Object.keys(PETS), { Dog: 1, unicorn: 1 }),
        { code: 'UNKNOWN_WORD', found: '2 others, the first "Dog"' },
      ],
      ['no words', scores(Object.keys(PETS), {}), { code: 'UNKNOWN_WORD', found: 'no words' }],
      [
        'a score that is text',
        scores(['10'], { dog: '1' }),
        { code: 'INVALID_SHAPE', place: 'line 1, words["dog"]' },
      ],
    ])('fails with the place of %s, and changes nothing', async (_what, lines, failure) => {
      const before = await countSystems()
      expect(await endedImport(await importScores(lines))).toMatchObject({ status: 'FAILED', failure })
      expect(await countSystems()).toBe(before)
    })

    it.each<[string, Json, Json]>([
      ['a name that is taken', { system: 'noise' }, { code: 'NAME_TAKEN', found: '"noise"' }],
      ['an unknown dataset', { dataset: '' }, { code: 'UNKNOWN_DATASET' }],
    ])('refuses %s at once, and changes nothing', async (_what, change, error) => {
      const before = await countSystems()
      const refused = await importScores([], change)
      expect(refused).toMatchObject(error)
      expect(refused.__typename).toBe('MutationError')
      expect(await countSystems()).toBe(before)
    })

    it('refuses scores that are not finite numbers', async () => {
      const upload = await api.upload('{"image_id": 10, "words": {"dog": 1e999}}')
      const input = { dataset: 'pets', system: 'new', upload }
      const { importWordScores } = await api.ask(IMPORT_SCORES, { input })
      expect((await endedImport(importWordScores)).failure).toMatchObject({
        code: 'INVALID_VALUE',
        place: 'line 1, words["dog"]',
        found: 'Infinity',
      })
      expect((await api.post('{"query":"{ __typename }","variables":{"x":NaN}}')).status).toBe(400)
    })
  })

  describe('an evaluation', () => {
    it('is the same one for requests at the same time', async () => {
      const running = await importMany('same', endlessStory)
      const before = await countEvaluations()
      const answers = await Promise.all([1, 2, 3].map(() => api.ask(START, { system: 'same' })))
      expect(new Set(answers.map(({ startEvaluation }) => startEvaluation.job.id))).toEqual(
        new Set([running]),
      )
      expect(await countEvaluations()).toBe(before)
      await api.ask('mutation ($id: ID!) { cancelJob(input: { id: $id }) { __typename } }', { id: running })
      expect((await api.ended(running)).status).toBe('CANCELLED')
    })

    it('can be started again after its end, once for requests at the same time', async () => {
      const first = await importMany('twice')
      const before = await countEvaluations()
      expect((await api.ended(first)).status).toBe('DONE')
      const scores = (await scoresOf('twice')).scores
      const again = await Promise.all([1, 2, 3].map(() => api.ask(START, { system: 'twice' })))
      const ids = new Set(again.map(({ startEvaluation }) => startEvaluation.job.id))
      expect(ids.size).toBe(1)
      expect(ids).not.toContain(first)
      expect(await countEvaluations()).toBe(before + 1)
      expect((await api.ended([...ids][0])).status).toBe('DONE')
      expect((await scoresOf('twice')).scores).toEqual(scores)
    })

    it('can be cancelled while it is running; no scores are stored', async () => {
      const id = await importMany('cancelled', endlessStory)
      const running = await untilRunning(id)
      expect(running).toMatchObject({ status: 'RUNNING' })
      expect(running.progress).toBeLessThan(1)
      expect(Date.parse(running.startedAt)).not.toBeNaN()
      const { cancelJob } = await api.ask(CANCEL, { id })
      expect(cancelJob.job).toMatchObject({ id, status: 'CANCELLED' })
      expect(await scoresOf('cancelled')).toEqual({ evaluation: { status: 'CANCELLED' }, scores: null })
      expect((await api.ask(CANCEL, { id })).cancelJob).toMatchObject({
        code: 'NOT_APPLICABLE',
        found: 'CANCELLED',
      })
    })

    it('can be cancelled while it is queued', async () => {
      const running = await importMany('before')
      const { startEvaluation } = await api.ask(START, { system: 'cancelled' })
      const [cancelled] = await Promise.all([
        api.ask(CANCEL, { id: startEvaluation.job.id }),
        api.ended(running),
      ])
      expect(cancelled.cancelJob.job.status).toBe('CANCELLED')
      expect((await scoresOf('before')).evaluation.status).toBe('DONE')
    })

    it('of word scores is refused', async () => {
      const { startEvaluation } = await api.ask(START, { dataset: 'pets', system: 'noise' })
      expect(startEvaluation).toMatchObject({
        __typename: 'MutationError',
        code: 'NOT_APPLICABLE',
        message: expect.stringContaining('a captioning system, found "noise"'),
      })
    })

    it.each<[string, string, Json, string]>([
      ['starting one of an unknown system', START, { system: 'nobody' }, 'UNKNOWN_SYSTEM'],
      ['starting one on an unknown dataset', START, { system: 'twice', dataset: 'x' }, 'UNKNOWN_DATASET'],
      ['cancelling one that does not exist', CANCEL, { id: 'RXZhbHVhdGlvbjo5OTk5' }, 'UNKNOWN_JOB'],
      ['cancelling with an invalid id', CANCEL, { id: 'nonsense' }, 'UNKNOWN_JOB'],
      ['removing an unknown system', REMOVE, { name: 'nobody' }, 'UNKNOWN_SYSTEM'],
      ['removing from an unknown dataset', REMOVE, { name: 'twice', dataset: 'x' }, 'UNKNOWN_DATASET'],
    ])('%s is refused', async (_what, mutation, variables, code) => {
      const [answer] = Object.values<Json>(await api.ask(mutation, variables))
      expect(answer).toMatchObject({ __typename: 'MutationError', code })
    })
  })

  describe('removeSystem', () => {
    it('removes everything that belongs to the system', async () => {
      const { dataset } = await api.ask('{ dataset(name: "pets") { system(name: "copycat") { id } } }')
      const { removeSystem } = await api.ask(REMOVE, { dataset: 'pets', name: 'copycat' })
      expect((await api.ended(removeSystem.job.id)).status).toBe('DONE')
      // The job says which object no cache needs any more.
      const { job } = await api.ask(
        'query ($id: ID!) { job(id: $id) { subject { ... on Dataset { name } } result { ... on RemovalSuccess { removedId } } } }',
        { id: removeSystem.job.id },
      )
      expect(job).toEqual({ subject: { name: 'pets' }, result: { removedId: dataset.system.id } })
      const tables = ENTITIES.filter(({ columns }) => 'systemId' in columns)
      expect(tables.length).toBeGreaterThan(5)
      for (const { name } of tables) {
        const orphans = sql`SELECT 1 FROM ${raw(name)} WHERE system_id NOT IN (SELECT id FROM system)`
        expect(await world.database.all(orphans), name).toEqual([])
      }
    })

    it('cancels its evaluation, also if it is requested twice at once', async () => {
      const id = await importMany('doomed', longStory)
      await untilRunning(id)
      const answers = await Promise.all([
        api.ask(REMOVE, { name: 'doomed' }),
        api.ask(REMOVE, { name: 'doomed' }),
      ])
      const names = answers.map(({ removeSystem }) => removeSystem.__typename)
      // The second request joins the first one, or finds the system removed.
      expect(names).toContain('JobSuccess')
      for (const { removeSystem } of answers) if (removeSystem.job) await api.ended(removeSystem.job.id)
      const refusals = answers.flatMap(({ removeSystem }) => removeSystem.code ?? [])
      expect(refusals.filter((code) => code !== 'UNKNOWN_SYSTEM')).toEqual([])
      expect(await scoresOf('doomed')).toBeNull()
    })
  })

  describe('jobs of several servers', () => {
    it('an evaluation is executed by the workers of one server and polled at another', async () => {
      const accord = await openAccord({ location: world.location, threadCount: 1, hasWorkers: true })
      const other = await world.serve({ accord })
      try {
        const upload = await other.upload(captionsOf(longStory))
        const input = { dataset: 'many', system: 'traveller', upload }
        const { importResults } = await other.ask(IMPORT_RESULTS, { input })
        const { evaluation } = await endedImport(importResults)
        expect(await other.ended(evaluation.id)).toMatchObject({ status: 'DONE', progress: 1 })
        expect((await scoresOf('traveller')).scores.length).toBeGreaterThan(10)
      } finally {
        await other.close()
        await accord.close()
      }
    })

    it('a server that stops during an evaluation releases it for the next one', async () => {
      const id = await importMany('survivor', longStory)
      await untilRunning(id)
      await api.close()
      api = await world.serve({ workers: 1 })
      expect(await api.ended(id)).toMatchObject({ id, status: 'DONE' })
      expect((await scoresOf('survivor')).scores.length).toBeGreaterThan(10)
    })

    it('a server that starts, or fails to start, does not affect jobs of other servers', async () => {
      const id = await importMany('undisturbed', longStory)
      await untilRunning(id)
      const port = Number(new URL(api.url).port)
      await expect(world.serve({ port })).rejects.toMatchObject({
        code: 'NOT_APPLICABLE',
        message: `port ${port} is in use; try --port`,
      })
      const other = await world.serve()
      expect(await api.ended(id)).toMatchObject({ status: 'DONE' })
      await other.close()
    })
  })
})
