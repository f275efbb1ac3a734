import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readImageIds } from '../../src/store/images.js'
import {
  countOfSystemWords,
  findSystem,
  findSystems,
  insertScoreSystem,
  listSystems,
  pageOfSystemWords,
  readSystemCaptions,
  readSystemSequences,
  readSystemWords,
  requireSystem,
} from '../../src/store/systems.js'
import { readTokenTexts, saveTokens } from '../../src/store/tokens.js'
import { readWordScores } from '../../src/store/word-scores.js'
import { readWordIds, wordOrder } from '../../src/store/words.js'
import { sequence } from '../../src/text/sequences.js'
import { rejectionOf } from '../kit/boxes.js'
import { initWorld } from '../kit/seed.js'

const world = await initWorld()
const { database } = world
const pets = await world.dataset('pets', {
  images: { two: ['a dog', 'a cat', 'dog'], one: ['a cat', 'two cats', 'cat'], three: ['dog'] },
})
const ids = readImageIds(database, pets.row.id)
const words = readWordIds(database, pets.row.id)
await pets.captionSystem('parrot', { one: 'A cat, a cat!', two: '', three: 'a zebra' })
await pets.captionSystem('echo', { one: 'dog' })
await pets.scoreSystem('detector', { one: { cat: 0.1 }, two: { cat: -3, dog: 1e-300 } })
const others = await world.dataset('others', { images: { 1: ['a car'] } })
await others.captionSystem('parrot', { 1: 'a bus' })
const systemId = async (name: string) => (await requireSystem(database, pets.row.id, name)).id

describe('systems', () => {
  it('are found by name within a data set and by id, and listed by name', async () => {
    const all = await listSystems(database, pets.row.id)
    expect(
      all.map(({ name, kind, imageCount, missingImageCount }) => [name, kind, imageCount, missingImageCount]),
    ).toEqual([
      ['detector', 'WORD_SCORES', 2, 1],
      ['echo', 'CAPTIONS', 1, 2],
      ['parrot', 'CAPTIONS', 3, 0],
    ])
    expect(await findSystem(database, pets.row.id, 'echo')).toEqual(all[1])
    expect(await findSystem(database, others.row.id, 'echo')).toBeNull()
    expect(await findSystems(database, [all[2].id, 9999])).toEqual([all[2]])
    expect(await rejectionOf(requireSystem(database, others.row.id, 'echo'))).toBe(
      'UNKNOWN_SYSTEM system: the data set has no such system: expected one of parrot, found "echo"',
    )
  })

  it('have captions, by image and name', async () => {
    const imageIds = ['one', 'two'].map((id) => ids.get(id)!)
    const captions = async (names?: string[]) =>
      (await readSystemCaptions(database, imageIds, names)).map(({ imageId, text }) => [imageId, text])
    const [one, two] = imageIds
    expect(await captions()).toEqual([
      [two, ''],
      [one, 'dog'],
      [one, 'A cat, a cat!'],
    ])
    expect(await captions(['echo', 'unknown'])).toEqual([[one, 'dog']])
    expect(await captions([])).toEqual([])
  })

  it('have captions as tokens, an empty one included, by image id', async () => {
    const { imageIds, sequences } = readSystemSequences(database, await systemId('parrot'))
    const texts = readTokenTexts(database)
    const captions = Array.from(imageIds, (id, index) => [
      id,
      Array.from(sequence(sequences, index), (token) => texts[token]).join(' '),
    ])
    expect(captions).toEqual([
      [ids.get('two'), ''],
      [ids.get('one'), 'a cat a cat'],
      [ids.get('three'), 'a zebra'],
    ])
  })

  it('have results on words, of some or all, and by page', async () => {
    const id = await systemId('parrot')
    expect((await readSystemWords(database, id, 1)).length).toBe(words.size)
    expect(await readSystemWords(database, id, 3)).toEqual([])
    const [cat] = await readSystemWords(database, id, 2, [words.get('cat')!, 9999])
    expect(cat).toMatchObject({ systemId: id, referenceCount: 2, wordId: words.get('cat'), recall: 2 / 3 })
    const filter = { texts: ['cat', 'dog', 'cats'] }
    const page = await pageOfSystemWords(database, id, 2, filter, wordOrder('TEXT', 'DESC'), {
      limit: 2,
      fromEnd: false,
    })
    expect(page.rows.map(({ row }) => row.wordId)).toEqual([words.get('dog'), words.get('cats')])
    expect(page.hasNextPage).toBe(true)
    expect(await countOfSystemWords(database, id, 2, filter)).toBe(3)
  })

  it('have the word scores that were handed in', async () => {
    const id = await systemId('detector')
    const read = (word: string) => readWordScores(database, id, [words.get(word)!]).get(words.get(word)!)
    expect(read('cat')).toEqual({
      imageIds: Int32Array.of(ids.get('one')!, ids.get('two')!),
      scores: Float64Array.of(0.1, -3),
    })
    expect(read('dog')).toEqual({ imageIds: Int32Array.of(ids.get('two')!), scores: Float64Array.of(1e-300) })
    // A word of the vocabulary that the system did not score.
    expect(read('two')).toEqual({ imageIds: new Int32Array(0), scores: new Float32Array(0) })
    expect(readWordScores(database, id, [9999])).toEqual(new Map())
  })
})

describe('blobs', () => {
  it('give back single and double precision, also from the middle of an array', () => {
    let run = 0
    const scores = fc.oneof(
      fc.float32Array({ noNaN: true, minLength: 3, maxLength: 3 }),
      fc.float64Array({ noNaN: true, minLength: 3, maxLength: 3 }),
    )
    const wordId = words.get('cat')!
    fc.assert(
      fc.property(scores, fc.integer({ min: 0, max: 3 }), (values, start) => {
        const part = values.subarray(start)
        const imageIds = Int32Array.from(ids.values()).subarray(start)
        const id = insertScoreSystem(database, {
          datasetId: pets.row.id,
          name: `scores ${run++}`,
          imageCount: imageIds.length,
          missingImageCount: 0,
          words: [],
          scores: [{ wordId, imageIds, scores: part }],
        })
        expect(readWordScores(database, id, [wordId]).get(wordId)).toEqual({ imageIds, scores: part })
      }),
      { numRuns: 30 },
    )
  })
})

describe('tokens', () => {
  it('are the same for the same text, whatever it is', () => {
    const texts = [
      'dog',
      'new',
      '',
      'a\0b',
      'a\0c',
      'a',
      '\ufffd',
      '🐕',
      "'; --",
      'é',
      'e\u0301',
      'DOG',
      'new'.repeat(9999),
    ]
    const tokenIds = saveTokens(database, texts)
    expect(new Set(tokenIds).size).toBe(texts.length)
    expect(saveTokens(database, texts.toReversed())).toEqual(tokenIds.toReversed())
    const stored = readTokenTexts(database)
    expect(Array.from(tokenIds, (id) => stored[id])).toEqual(texts)
  })
})
