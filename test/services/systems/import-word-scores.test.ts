import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rankWord, wordScoreResults } from '../../../src/core/agreement/phr.js'
import { tokenize } from '../../../src/core/text/tokenizer.js'
import type { KnownImages } from '../../../src/formats/coco/known-images.js'
import { locateLine } from '../../../src/formats/io/values.js'
import { collectScores, readWordScores as readScoreFile } from '../../../src/formats/words/word-scores.js'
import type { Progress } from '../../../src/progress.js'
import { importWordScores, type SystemScores } from '../../../src/services/systems/import-word-scores.js'
import { withoutJob } from '../../../src/services/uploads/import-job.js'
import { deleteDataset, listDatasets } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { readImageIds } from '../../../src/store/images.js'
import type { Dataset } from '../../../src/store/schema/dataset-tables.js'
import { listSystems, readSystemWords, requireSystem } from '../../../src/store/systems.js'
import { readWordScores } from '../../../src/store/word-scores.js'
import { listWords } from '../../../src/store/words.js'
import { npy, temporaryFolder } from '../../formats/kit.js'
import { rejectionOf } from '../../kit/boxes.js'
import { scoreLines } from '../../kit/coco.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'
import { dumpContent, importImages, importWithVocabulary } from '../jobs-kit.js'

type CaptionsOf = Readonly<Record<string, readonly string[]>>
type ScoresOf = Readonly<Record<string, Readonly<Record<string, number>>>>

const { write } = temporaryFolder()
const silent: Progress = () => {}

const input = (read: SystemScores['read']) => ({ source: 'scores', system: 'detector', read })

/** The results of ranking every counted image at once, those without a score last. */
function bruteForce(
  word: string,
  captions: CaptionsOf,
  captionsPerImage: number,
  scoreOf: (image: string) => number | undefined,
) {
  const counted = Object.keys(captions).filter((image) => captions[image].length >= captionsPerImage)
  const counts = counted.map(
    (image) =>
      captions[image].slice(0, captionsPerImage).filter((caption) => tokenize(caption).includes(word)).length,
  )
  return wordScoreResults(
    rankWord(
      Float64Array.from(counted, (image) => scoreOf(image) ?? -Infinity),
      Uint8Array.from(counts),
      new Uint32Array(captionsPerImage + 1),
    ),
  )
}

const CAPTIONS: CaptionsOf = {
  one: ['a dog', 'the dog', 'a cat'],
  two: ['a cat', 'a dog', 'cats'],
  none: [],
  three: ['a bird', 'birds', 'a dog', 'a zebra past the third'],
  few: ['a dog', 'zebra'],
}

describe.each(ENGINES)('importWordScores on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  beforeEach(async () => {
    for (const { id } of await listDatasets(database)) await deleteDataset(database, id)
  })

  /** Imports scores by image and word. */
  function importSparse(dataset: Dataset, scoresOf: ScoresOf, progress = silent) {
    const submitted = Object.entries(scoresOf).map(([imageId, words], index) => ({
      imageId,
      words,
      at: locateLine('scores', index + 1),
    }))
    const read = (images: KnownImages) =>
      collectScores(submitted, images, { source: 'scores', isMissingAllowed: true })
    return importWordScores(withoutJob(database, progress), dataset, input(read))
  }

  /** Imports a matrix, images × words. */
  function importDense(
    dataset: Dataset,
    values: Float32Array | Float64Array,
    images: readonly string[],
    words: readonly string[],
  ) {
    const file = write('scores.npy', npy(values, images.length, words.length))
    const labels = { imageIdsFile: write('ids.json', images), words }
    const read: SystemScores['read'] = (known) => readScoreFile(file, labels, known, true)
    return importWordScores(withoutJob(database, silent), dataset, input(read))
  }

  /** The stored data of a word: scores by image, their precision, and results by number of references. */
  async function stored(dataset: Dataset, text: string) {
    const { id } = await requireSystem(database, dataset.id, 'detector')
    const [word] = await listWords(database, dataset.id, { texts: [text] })
    const column = (await readWordScores(database, id, [word.id])).get(word.id) ?? null
    const externalIds = new Map(
      Array.from(await readImageIds(database, dataset.id), ([externalId, image]) => [image, externalId]),
    )
    const results = []
    for (let references = 1; references < dataset.captionsPerImage; references++) {
      results.push(...(await readSystemWords(database, [id], references, [word.id])))
    }
    return {
      scores:
        column &&
        Object.fromEntries(
          Array.from(column.imageIds, (image, i) => [externalIds.get(image), column.scores[i]]),
        ),
      bytesPerScore: column?.scores.BYTES_PER_ELEMENT,
      results: results.map(
        ({
          referenceCount,
          precisionAtHumanRecall,
          averagePrecision,
          undefinedReason,
          precision,
          recall,
        }) => {
          expect([precision, recall]).toEqual([null, null])
          return { references: referenceCount, precisionAtHumanRecall, averagePrecision, undefinedReason }
        },
      ),
    }
  }

  describe('results', () => {
    it('equal hand-computed values', async () => {
      const pets = await importImages(database, 'pets', {
        1: ['a dog', 'a dog'],
        2: ['a dog', 'a cat'],
        3: ['cat', 'a'],
      })
      await importSparse(pets, { 1: { dog: 0.9 }, 3: { dog: 0.5 } })
      // Image 1 alone reaches human recall 2/3; then 3 is wrong, and 2, without a score, is correct half the time.
      const { results } = await stored(pets, 'dog')
      expect(results).toMatchObject([{ references: 1, precisionAtHumanRecall: 1, undefinedReason: null }])
      expect(results[0].averagePrecision).toBeCloseTo(2 / 3 + (1 / 3) * (1.5 / 3), 12)
    })

    const caption = fc
      .array(fc.constantFrom('dog', 'cat', 'a', '.'), { maxLength: 3 })
      .map((words) => words.join(' '))
    const score = fc.constantFrom(-1, 0, 0.5, 0.1, 2)
    const images = fc.array(
      fc.record({
        captions: fc.array(caption, { maxLength: 4 }),
        scores: fc.option(fc.dictionary(fc.constantFrom('dog', 'cat', 'zebra'), score)),
      }),
      { minLength: 1, maxLength: 6 },
    )

    it('equal brute force for every word and number of references', async () => {
      await fc.assert(
        fc.asyncProperty(images, async (all) => {
          for (const { id } of await listDatasets(database)) await deleteDataset(database, id)
          const entries = all.map((image, index) => [`image ${index}`, image] as const)
          const captions: CaptionsOf = {
            first: ['dog', 'a dog'],
            ...Object.fromEntries(entries.map(([id, image]) => [id, image.captions])),
          }
          const scores: ScoresOf = {
            first: { dog: 0.5 },
            ...Object.fromEntries(
              entries.flatMap(([id, image]) => (image.scores === null ? [] : [[id, image.scores]])),
            ),
          }
          const pets = await importImages(database, 'pets', captions)
          await importSparse(pets, scores)
          const scored = new Set(Object.values(scores).flatMap((words) => Object.keys(words)))
          for (const { text, vocabularyRank } of await listWords(database, pets.id, {})) {
            const { results, scores: column } = await stored(pets, text)
            if (vocabularyRank === null && !scored.has(text)) {
              expect([results, column]).toEqual([[], null])
              continue
            }
            expect(results).toEqual(
              bruteForce(text, captions, pets.captionsPerImage, (image) => scores[image]?.[text]),
            )
            const given = Object.entries(scores).flatMap(([image, words]) =>
              words[text] === undefined ? [] : [[image, words[text]]],
            )
            expect(column).toEqual(Object.fromEntries(given))
          }
        }),
        { numRuns: 15 },
      )
    })

    it('of vocabulary words without a score are the base rate; other words without a score have none', async () => {
      const pets = await importWithVocabulary(database, 'pets', CAPTIONS, {
        dog: 'NN',
        cat: 'NN',
        unicorn: 'NN',
      })
      await importSparse(pets, { one: { dog: 1 } })
      const cat = await stored(pets, 'cat')
      expect(cat.results).toEqual(bruteForce('cat', CAPTIONS, 3, () => undefined))
      // One threshold with all three images, of which 1 and 2 have one caption each with "cat".
      expect(cat.results[0].averagePrecision).toBeCloseTo(2 / 9, 12)
      expect(cat).toMatchObject({ scores: {} })
      expect((await stored(pets, 'unicorn')).results).toEqual(
        [1, 2].map((references) => ({
          references,
          precisionAtHumanRecall: null,
          averagePrecision: null,
          undefinedReason: 'NO_CAPTION_USES_WORD',
        })),
      )
      expect(await stored(pets, 'bird')).toMatchObject({ scores: null, results: [] })
    })

    it('exclude images that are excluded from the statistics', async () => {
      const pets = await importImages(database, 'pets', CAPTIONS)
      const scores = {
        none: { dog: 9 },
        one: { dog: 2, zebra: 5 },
        few: { dog: 8, zebra: 4 },
        three: { dog: -1 },
      }
      const report = await importSparse(pets, scores)
      expect(report).toMatchObject({ imageCount: 4, missing: ['two'], wordCount: 2, unknownWords: [] })
      const dog = await stored(pets, 'dog')
      expect(dog.scores).toEqual({ none: 9, one: 2, few: 8, three: -1 })
      expect(dog.results).toEqual(bruteForce('dog', CAPTIONS, 3, (image) => ({ one: 2, three: -1 })[image]))
      expect((await stored(pets, 'zebra')).results).toMatchObject(
        [1, 2].map(() => ({ averagePrecision: null, undefinedReason: 'NO_CAPTION_USES_WORD' })),
      )
    })
  })

  describe('files', () => {
    it.each([
      [4, Float32Array],
      [8, Float64Array],
    ] as const)('of %d bytes per score are read back unchanged', async (bytesPerScore, Scores) => {
      const pets = await importImages(database, 'pets', CAPTIONS)
      const images = ['three', 'one', 'few', 'two', 'none']
      const words = ['cat', 'unknown', 'dog', 'Dog']
      const values = new Scores(Array.from({ length: 20 }, (_, index) => Math.sin(index) / 3))
      const report = await importDense(pets, values, images, words)
      expect(report).toMatchObject({
        imageCount: 5,
        missing: [],
        wordCount: 2,
        unknownWords: ['unknown', 'Dog'],
      })
      for (const [column, word] of [
        [0, 'cat'],
        [2, 'dog'],
      ] as const) {
        const scores = Object.fromEntries(
          images.map((image, row) => [image, values[row * words.length + column]]),
        )
        const { results, ...rest } = await stored(pets, word)
        expect(rest).toEqual({ scores, bytesPerScore })
        expect(results).toEqual(bruteForce(word, CAPTIONS, 3, (image) => scores[image]))
      }
      // Words of a dense file share their list of images; unscored words share another.
      expect((await dumpContent(database)).image_set).toHaveLength(2)
    })

    it('of JSON lines have double precision and the images of each word', async () => {
      const pets = await importImages(database, 'pets', CAPTIONS)
      const scores = { two: { cat: 0.1, dog: 1e-300 }, one: { dog: 0.1 + 0.2, zebra: -0 }, few: {} }
      const file = write('scores.jsonl.gz', scoreLines(scores))
      const read = (images: KnownImages) => readScoreFile(file, undefined, images, true)
      const report = await importWordScores(withoutJob(database, silent), pets, input(read))
      expect(report).toMatchObject({ imageCount: 3, missing: ['none', 'three'], wordCount: 3 })
      expect(await stored(pets, 'dog')).toMatchObject({
        scores: { one: 0.1 + 0.2, two: 1e-300 },
        bytesPerScore: 8,
      })
      expect(await stored(pets, 'cat')).toMatchObject({ scores: { two: 0.1 } })
      expect(await requireSystem(database, pets.id, 'detector')).toMatchObject({
        kind: 'WORD_SCORES',
        imageCount: 3,
        missingImageCount: 2,
      })
    })
  })

  describe('a failed import does not change the database', () => {
    it('if all words are unknown, the name is taken or an image is unknown', async () => {
      const pets = await importImages(database, 'pets', CAPTIONS)
      const before = await dumpContent(database)
      expect(await rejectionOf(importSparse(pets, { one: { unicorn: 1, Dog: 2 } }))).toBe(
        'UNKNOWN_WORD scores: unknown words: expected words that captions of the dataset use, found 2 others, the first "unicorn"',
      )
      expect(await rejectionOf(importSparse(pets, { one: { dog: 1 }, four: { dog: 2 } }))).toMatch(
        /^UNKNOWN_IMAGE /,
      )
      expect(await dumpContent(database)).toEqual(before)
      await importSparse(pets, { one: { dog: 1 } })
      const after = await dumpContent(database)
      expect(await rejectionOf(importSparse(pets, { four: {} }))).toMatch(/^NAME_TAKEN system: /)
      expect(await dumpContent(database)).toEqual(after)
    })

    it('if it is cancelled, at any time', async () => {
      const words = Array.from({ length: 90 }, (_, index) => `w${index}`)
      const pets = await importImages(database, 'pets', { 1: [words.join(' '), 'w1'], 2: ['w1', 'w2'] })
      const scores = { 1: Object.fromEntries(words.map((word) => [word, 1])), 2: { w1: 0.5 } }
      const before = await dumpContent(database)
      const steps = new Set<string>()
      let stop = 1
      for (; ; stop++) {
        let calls = 0
        let last = 0
        const progress: Progress = (fraction, message) => {
          expect(fraction).toBeGreaterThanOrEqual(last)
          last = fraction
          steps.add(message)
          if (++calls === stop && message !== 'done') throw new Error('stopped')
        }
        const [outcome] = await Promise.allSettled([importSparse(pets, scores, progress)])
        if (outcome.status === 'fulfilled') break
        expect(outcome.reason).toMatchObject({ message: 'stopped' })
        expect(await dumpContent(database)).toEqual(before)
      }
      expect(stop).toBeGreaterThan(4)
      expect([...steps]).toEqual(['ranking images', 'done'])
      expect(await listSystems(database, [pets.id])).toHaveLength(1)
    })
  })
})
