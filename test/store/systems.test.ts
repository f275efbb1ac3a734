import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sequence } from '../../src/core/text/sequences.js'
import { deleteDataset } from '../../src/store/datasets.js'
import { readImageIds } from '../../src/store/images.js'
import type { SystemWord } from '../../src/store/schema/system-tables.js'
import {
  assertSystemNameFree,
  findSystem,
  findSystems,
  finishSystem,
  insertSystemWords,
  listSystems,
  pagedSystemWords,
  readSystemCaptions,
  readSystemCaptionTokens,
  readSystemSequences,
  readSystemWords,
  requireSystem,
} from '../../src/store/systems.js'
import { readTokenTexts } from '../../src/store/tokens.js'
import { insertWordScores, type NewWordScores, readWordScores } from '../../src/store/word-scores.js'
import { readWordIds, wordOrder } from '../../src/store/words.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'
import { addCaptionSystem, addDataset, addSystem, failureOf } from './kit.js'

describe.each(ALL_ENGINES)('systems on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  const pets = await addDataset(database, 'pets', {
    images: { two: ['a dog', 'a cat', 'dog'], one: ['a cat', 'two cats', 'cat'], three: ['dog'] },
    captionsPerImage: 3,
  })
  const ids = await readImageIds(database, pets.id)
  const idOf = (image: string) => ids.get(image) as number
  const words = await readWordIds(database, pets.id)
  const wordIdOf = (word: string) => words.get(word) as number
  const captions = (of: Readonly<Record<string, string>>) =>
    new Map(Object.entries(of).map(([image, text]) => [idOf(image), text]))
  const parrot = await addCaptionSystem(
    database,
    pets.id,
    'parrot',
    captions({ one: 'a cat a cat', two: '', three: 'a zebra' }),
  )
  const echo = await addCaptionSystem(database, pets.id, 'echo', captions({ one: 'dog' }))
  const others = await addDataset(database, 'others', { images: { 1: ['a car'] }, captionsPerImage: 1 })
  const otherParrot = await addSystem(database, others.id, 'parrot', 'WORD_SCORES')

  it('are found by name within a dataset and by id, and listed by dataset and name', async () => {
    const all = await listSystems(database, [others.id, pets.id])
    expect(all.map(({ id, datasetId, name, kind }) => [id, datasetId, name, kind])).toEqual([
      [echo, pets.id, 'echo', 'CAPTIONS'],
      [parrot, pets.id, 'parrot', 'CAPTIONS'],
      [otherParrot, others.id, 'parrot', 'WORD_SCORES'],
    ])
    expect(await listSystems(database, [])).toEqual([])
    expect(await findSystem(database, pets.id, 'echo')).toEqual(all[0])
    expect(await findSystem(database, others.id, 'echo')).toBeNull()
    expect(await findSystems(database, [parrot, 9999])).toEqual([all[1]])
    expect(await failureOf(requireSystem(database, others.id, 'echo'))).toBe(
      'UNKNOWN_SYSTEM system: unknown system: expected one of parrot, found "echo"',
    )
  })

  it('have unique names within a dataset', async () => {
    const taken =
      'NAME_TAKEN system: the dataset has a system of this name; remove it first: expected a new name, found "echo"'
    await assertSystemNameFree(database, others.id, 'echo')
    expect(await failureOf(assertSystemNameFree(database, pets.id, 'echo'))).toBe(taken)
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() =>
        database.transaction((session) => addSystem(session, pets.id, 'at once', 'CAPTIONS')),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('NAME_TAKEN')
    }
  })

  it('cannot belong to a removed dataset', async () => {
    const { id } = await addDataset(database, 'gone', { images: {}, captionsPerImage: 1 })
    await deleteDataset(database, id)
    expect(await failureOf(addSystem(database, id, 'late', 'CAPTIONS'))).toBe(
      'UNKNOWN_DATASET dataset: the dataset was removed',
    )
  })

  it('have what was counted and hashed after they are finished', async () => {
    const known = { content: 'hash', wordRevision: 1, missingCountedCount: 1 }
    await finishSystem(database, echo, known)
    expect(await requireSystem(database, pets.id, 'echo')).toMatchObject(known)
  })

  it('have captions, by image and name', async () => {
    const read = async (names?: string[]) =>
      (await readSystemCaptions(database, ['one', 'two'].map(idOf), { names })).map(
        ({ systemId, imageId, text }) => [systemId, imageId, text],
      )
    expect(await read()).toEqual([
      [parrot, idOf('two'), ''],
      [echo, idOf('one'), 'dog'],
      [parrot, idOf('one'), 'a cat a cat'],
    ])
    expect(await read(['echo', 'unknown'])).toEqual([[echo, idOf('one'), 'dog']])
    const [{ id }] = await readSystemCaptions(database, [idOf('one')], { names: ['parrot'] })
    const [{ tokens }] = await readSystemCaptionTokens(database, [id])
    expect(tokens).toHaveLength(4)
    expect(await read([])).toEqual([])
  })

  it('have captions as tokens, including empty ones, by image id', async () => {
    const texts = await readTokenTexts(database)
    const read = async (range?: { first: number; last: number }) => {
      const { imageIds, sequences } = await readSystemSequences(database, parrot, range)
      return Array.from(imageIds, (id, index) => [
        id,
        Array.from(sequence(sequences, index), (token) => texts[token]).join(' '),
      ])
    }
    const all = [
      [idOf('two'), ''],
      [idOf('one'), 'a cat a cat'],
      [idOf('three'), 'a zebra'],
    ]
    expect(await read()).toEqual(all)
    expect(await read({ first: idOf('one'), last: idOf('one') })).toEqual(all.slice(1, 2))
    expect(await read({ first: idOf('three') + 1, last: 1e9 })).toEqual([])
  })

  describe('have results on words', () => {
    const result = (wordId: number, referenceCount: number, recall: number | null) => ({
      wordId,
      referenceCount,
      precisionAtHumanRecall: null,
      averagePrecision: 1 / 3,
      precision: null,
      recall,
      undefinedReason: recall === null ? ('NO_IMAGES_WITH_WORD' as const) : null,
    })
    const all = [...words.values()].flatMap((id) => [result(id, 1, 0.5), result(id, 2, null)])
    const inserted = insertSystemWords(database, parrot, all as Omit<SystemWord, 'systemId'>[])

    it('of some or all, of some systems', async () => {
      await inserted
      const read = await readSystemWords(database, [parrot], 1)
      expect(read.toSorted((one, other) => one.wordId - other.wordId)).toEqual(
        [...words.values()]
          .sort((one, other) => one - other)
          .map((id) => ({ systemId: parrot, ...result(id, 1, 0.5) })),
      )
      expect(await readSystemWords(database, [parrot, echo], 3)).toEqual([])
      expect(await readSystemWords(database, [], 1)).toEqual([])
      const some = await readSystemWords(database, [echo, parrot], 2, [wordIdOf('cat'), 9999])
      expect(some).toEqual([{ systemId: parrot, ...result(wordIdOf('cat'), 2, null) }])
    })

    it('that are read page by page', async () => {
      const subject = { systemId: parrot, captionsPerImage: 3, references: 2 }
      const filter = { word: { texts: ['cat', 'dog', 'cats'] } }
      const words = pagedSystemWords(database, subject, filter, wordOrder('TEXT', 'DESC'))
      const read = (request: { after?: { value: string; id: number } }) =>
        words.page({ limit: 2, fromEnd: false, ...request })
      const first = await read({})
      expect(first.rows.map(({ row }) => row.wordId)).toEqual(['dog', 'cats'].map(wordIdOf))
      expect([first.hasPreviousPage, first.hasNextPage]).toEqual([false, true])
      const second = await read({ after: { value: 'cats', id: wordIdOf('cats') } })
      expect(second.rows).toEqual([
        {
          row: { systemId: parrot, ...result(wordIdOf('cat'), 2, null) },
          position: { value: 'cat', id: wordIdOf('cat') },
        },
      ])
      expect([second.hasPreviousPage, second.hasNextPage]).toEqual([true, false])
      expect(await words.count()).toBe(3)
    })
  })

  describe('have word scores', () => {
    const cat = wordIdOf('cat')
    let runs = 0
    const write = (scores: Parameters<typeof insertWordScores>[2]) =>
      database.transaction(async (session) => {
        const systemId = await addSystem(session, pets.id, `scores ${runs++}`, 'WORD_SCORES')
        await insertWordScores(session, systemId, scores)
        return systemId
      })

    it('in single and double precision, also from the middle of an array', async () => {
      const numbers = fc.oneof(
        fc.float32Array({ noNaN: true, minLength: 3, maxLength: 3 }),
        fc.float64Array({ noNaN: true, minLength: 3, maxLength: 3 }),
      )
      await fc.assert(
        fc.asyncProperty(numbers, fc.integer({ min: 0, max: 3 }), async (values, start) => {
          const scores = values.subarray(start)
          const imageIds = Int32Array.from(ids.values()).subarray(start)
          const systemId = await write([{ wordId: cat, imageIds, scores }])
          expect((await readWordScores(database, systemId, [cat])).get(cat)).toEqual({ imageIds, scores })
        }),
        { numRuns: 15 },
      )
    })

    it('of many words, which share sets of images, from an asynchronous source of more than one batch', async () => {
      const imageCount = 100_000
      const dense = Int32Array.from({ length: imageCount }, (_, index) => index + 1)
      const rowOf = (word: number): NewWordScores => ({
        wordId: word,
        imageIds: word % 8 === 7 ? Int32Array.of(word) : dense,
        scores: word % 8 === 7 ? Float32Array.of(word) : new Float32Array(imageCount).fill(word),
      })
      async function* rows() {
        for (let word = 1; word <= 30; word++) yield rowOf(word)
      }
      const systemId = await write(rows())
      const read = await readWordScores(database, systemId, [1, 7, 30, 31])
      expect([...read.keys()].sort((one, other) => one - other)).toEqual([1, 7, 30])
      for (const word of [1, 7, 30]) {
        const { wordId, ...expected } = rowOf(word)
        const found = read.get(wordId)
        expect(found?.imageIds.length).toBe(expected.imageIds.length)
        expect(
          Buffer.compare(Buffer.from(found!.imageIds.buffer), Buffer.from(expected.imageIds.buffer)),
        ).toBe(0)
        expect(Buffer.compare(Buffer.from(found!.scores.buffer), Buffer.from(expected.scores.buffer))).toBe(0)
      }
      const [{ count }] = await database.all<{ count: number }>({
        texts: ['SELECT count(*) AS count FROM image_set WHERE system_id = ', ''],
        parameters: [systemId],
      })
      expect(count).toBe(7)
    })

    it('that may be none', async () => {
      expect(await readWordScores(database, await write([]), [cat])).toEqual(new Map())
      const empty = { imageIds: new Int32Array(0), scores: new Float32Array(0) }
      const systemId = await write([{ wordId: cat, ...empty }])
      expect((await readWordScores(database, systemId, [cat])).get(cat)).toEqual(empty)
    })
  })
})
