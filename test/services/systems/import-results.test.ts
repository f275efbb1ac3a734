import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sequence } from '../../../src/core/text/sequences.js'
import { tokenize } from '../../../src/core/text/tokenizer.js'
import type { Progress } from '../../../src/progress.js'
import { importResults } from '../../../src/services/systems/import-results.js'
import { withoutJob } from '../../../src/services/uploads/import-job.js'
import { deleteDataset, listDatasets } from '../../../src/store/datasets.js'
import type { Database, Session } from '../../../src/store/engine/session.js'
import { readImageIds, reserveImageIds } from '../../../src/store/images.js'
import type { Dataset } from '../../../src/store/schema/dataset-tables.js'
import type { SystemWord } from '../../../src/store/schema/system-tables.js'
import {
  listSystems,
  readSystemCaptions,
  readSystemSequences,
  readSystemWords,
  requireSystem,
} from '../../../src/store/systems.js'
import { readTokenTexts } from '../../../src/store/tokens.js'
import { listWords } from '../../../src/store/words.js'
import { subsets } from '../../core/agreement/kit.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES, openAgain, openTestDatabase } from '../../kit/databases.js'
import { dumpContent, importImages } from '../jobs-kit.js'

type CaptionsOf = Readonly<Record<string, readonly string[]>>
type CaptionOf = Readonly<Record<string, string>>

const silent: Progress = () => {}

describe.each(ENGINES)('importResults on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  beforeEach(async () => {
    for (const { id } of await listDatasets(database)) await deleteDataset(database, id)
  })

  function importSystem(
    dataset: Dataset,
    captionOf: CaptionOf,
    { isMissingAllowed = false, progress = silent, into = database as Session, system = 'parrot' } = {},
  ) {
    const captions = Object.entries(captionOf).map(([imageId, text], index) => {
      const at = () => ({ source: 'results.json', place: `[${index}].image_id` })
      return { imageId, text, at }
    })
    const input = { source: 'results.json', captions, system, isMissingAllowed }
    return importResults(withoutJob(into, progress), dataset, input)
  }

  /** The system's results by number of references and word. */
  async function results(
    dataset: Dataset,
  ): Promise<(references: number, text: string) => SystemWord | undefined> {
    const { id } = await requireSystem(database, dataset.id, 'parrot')
    const words = new Map((await listWords(database, dataset.id, {})).map((word) => [word.text, word.id]))
    const byReferences = new Map<number, Map<number, SystemWord>>()
    for (let references = 1; references <= dataset.captionsPerImage; references++) {
      const rows = await readSystemWords(database, [id], references)
      byReferences.set(references, new Map(rows.map((result) => [result.wordId, result])))
    }
    return (references, text) => byReferences.get(references)!.get(words.get(text)!)
  }

  describe('precision and recall of a captioning system', () => {
    it('equal hand-computed values', async () => {
      // With one of two references: "dog" is correct half the time in 1 and always in 2, and 3 has it, too.
      const pets = await importImages(database, 'pets', {
        1: ['a dog', 'a cat'],
        2: ['dog', 'dog'],
        3: ['dog', 'a cat'],
        few: ['zebra'],
      })
      await importSystem(pets, { 1: 'dog, dog!', 2: 'the dog', 3: 'unknown zebra', few: 'dog' })
      const result = await results(pets)
      expect(result(1, 'dog')).toMatchObject({ precision: 1.5 / 2, recall: 1.5 / 2, undefinedReason: null })
      expect(result(1, 'cat')).toMatchObject({
        precision: null,
        recall: 0,
        undefinedReason: 'NEVER_PREDICTED',
      })
      // Only an image that is excluded from the statistics uses it.
      expect(result(1, 'zebra')).toMatchObject({
        precision: 0,
        recall: null,
        undefinedReason: 'NO_CAPTION_USES_WORD',
      })
      expect(result(1, 'unknown')).toBeUndefined()
      expect(result(1, 'dog')).toMatchObject({ precisionAtHumanRecall: null, averagePrecision: null })
      expect(result(2, 'dog')).toBeUndefined()
    })

    const caption = fc
      .array(fc.constantFrom('dog', 'Dog', 'cat', 'a', 'other', '.'), { maxLength: 5 })
      .map((words) => words.join(' '))
    const images = fc.array(
      fc.record({ human: fc.array(caption, { maxLength: 4 }), system: fc.option(caption) }),
      { minLength: 1, maxLength: 5 },
    )

    it('equal brute force over every choice of references', async () => {
      await fc.assert(
        fc.asyncProperty(
          images.filter(
            (all) => all.some(({ system }) => system !== null) && all.some(({ human }) => human.length > 0),
          ),
          // Most datasets span two blocks of postings: ids below and above a multiple of 65,536.
          fc.constantFrom(0, 65_533, 65_535),
          async (all, idsBefore) => {
            for (const { id } of await listDatasets(database)) await deleteDataset(database, id)
            const entries = all.map((image, index) => [`image ${index}`, image] as const)
            const human: CaptionsOf = Object.fromEntries(entries.map(([id, image]) => [id, image.human]))
            const system: CaptionOf = Object.fromEntries(
              entries.flatMap(([id, image]) => (image.system === null ? [] : [[id, image.system]])),
            )
            await reserveImageIds(database, idsBefore)
            const pets = await importImages(database, 'pets', human)
            const report = await importSystem(pets, system, { isMissingAllowed: true })
            expect(report).toMatchObject({
              imageCount: Object.keys(system).length,
              missing: Object.keys(human).filter((id) => human[id].length > 0 && system[id] === undefined),
            })
            const result = await results(pets)
            const { captionsPerImage } = pets
            for (const { text } of await listWords(database, pets.id, {})) {
              for (let references = 1; references < captionsPerImage; references++) {
                const expected = bruteForce(text, human, system, captionsPerImage, references)
                const { precision, recall } = result(references, text)!
                expectClose(precision, expected.precision)
                expectClose(recall, expected.recall)
              }
            }
          },
        ),
        { numRuns: 15 },
      )
    })
  })

  describe('what is stored', () => {
    it('has every caption unchanged, including empty ones, by image', async () => {
      const pets = await importImages(database, 'pets', {
        none: [],
        second: ['a dog', 'a cat'],
        first: ['dog', 'dog'],
        odd: ['dog'],
      })
      const captions = { first: '', odd: '🐕 one\u0001byte', second: ' A zebra, a dog. ', none: '...' }
      await importSystem(pets, captions)
      const { id, ...system } = await requireSystem(database, pets.id, 'parrot')
      expect(system).toMatchObject({ kind: 'CAPTIONS', imageCount: 4, missingImageCount: 0 })
      const ids = await readImageIds(database, pets.id)
      const rows = await readSystemCaptions(database, [...ids.values()])
      expect(rows.map(({ imageId, text }) => [imageId, text])).toEqual(
        (['none', 'second', 'first', 'odd'] as const).map((image) => [ids.get(image), captions[image]]),
      )
      const { imageIds, sequences } = await readSystemSequences(database, id)
      const texts = await readTokenTexts(database)
      expect(
        Array.from(imageIds, (_, index) => Array.from(sequence(sequences, index), (token) => texts[token])),
      ).toEqual([[], ['a', 'zebra', 'a', 'dog'], [], tokenize(captions.odd)])
    })

    it('has no results on words with one caption per image', async () => {
      const pets = await importImages(database, 'pets', { 1: ['a dog'], 2: ['a cat'] })
      await importSystem(pets, { 1: 'a dog', 2: 'a dog' })
      expect((await results(pets))(1, 'dog')).toBeUndefined()
    })
  })

  describe('a failed import does not change the database', () => {
    let pets: Dataset
    beforeEach(async () => {
      const images = Object.fromEntries(
        Array.from({ length: 2100 }, (_, image) => [image, ['a dog', 'a cat']]),
      )
      pets = await importImages(database, 'pets', images)
    })
    const complete = Object.fromEntries(Array.from({ length: 2100 }, (_, image) => [image, 'a dog']))

    it.each<[string, CaptionOf, boolean, string]>([
      [
        'of missing images',
        { 1: 'a dog' },
        false,
        'MISSING_IMAGES results.json: images are missing: expected all 2100 images of the dataset, found 1, without 0, 2, 3 and 2096 more',
      ],
      ['of no images', {}, true, 'MISSING_IMAGES results.json: '],
      [
        'of an unknown image',
        { ...complete, 2100: 'a dog' },
        true,
        'UNKNOWN_IMAGE results.json: [2100].image_id: unknown image',
      ],
    ])('because %s', async (_, captions, isMissingAllowed, expected) => {
      const before = await dumpContent(database)
      expect(await rejectionOf(importSystem(pets, captions, { isMissingAllowed }))).toContain(expected)
      expect(await dumpContent(database)).toEqual(before)
    })

    it('if the name is taken, also during the import', async () => {
      const other = await openAgain(database)
      // Either import can fail first: the outcome of both is awaited from the start.
      let second: Promise<PromiseSettledResult<unknown>[]> | undefined
      const progress = () => {
        second ??= Promise.allSettled([importSystem(pets, complete, { into: other })])
      }
      const first = importSystem(pets, complete, { progress })
      const outcomes = [...(await Promise.allSettled([first])), ...(await second!)]
      await other.close()
      expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
        { reason: { code: 'NAME_TAKEN' } },
      ])
      const before = await dumpContent(database)
      expect(await rejectionOf(importSystem(pets, { unread: '' }))).toBe(
        'NAME_TAKEN system: the dataset has a system of this name; remove it first: expected a new name, found "parrot"',
      )
      expect(await dumpContent(database)).toEqual(before)
    })

    it('if the dataset is removed during the import', async () => {
      await deleteDataset(database, pets.id)
      await importImages(database, 'another one', { 1: ['a dog'] })
      const before = await dumpContent(database)
      expect(await rejectionOf(importSystem(pets, complete))).toMatch(/^(UNKNOWN_DATASET|UNKNOWN_IMAGE) /)
      const removing = await importImages(database, 'removed', { 1: ['a dog'] })
      let removed: Promise<void> | undefined
      const progress = () => {
        removed ??= deleteDataset(database, removing.id)
      }
      // On PostgreSQL the import may finish before the removal, which then also removes the system.
      const [outcome] = await Promise.allSettled([importSystem(removing, { 1: 'a dog' }, { progress })])
      if (engine === 'sqlite') expect(outcome.status).toBe('rejected')
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'UNKNOWN_DATASET' })
      await removed
      expect(await dumpContent(database)).toEqual(before)
    })

    it('if it is cancelled, at any time', async () => {
      const before = await dumpContent(database)
      const steps = new Set<string>()
      for (let stop = 1; ; stop += 3) {
        let calls = 0
        const progress: Progress = (_fraction, message) => {
          steps.add(message)
          if (++calls === stop && message !== 'done') throw new Error('stopped')
        }
        const [outcome] = await Promise.allSettled([importSystem(pets, complete, { progress })])
        if (outcome.status === 'fulfilled') break
        expect(outcome.reason).toMatchObject({ message: 'stopped' })
        expect(await dumpContent(database)).toEqual(before)
      }
      expect([...steps]).toEqual(['reading', 'writing', 'comparing words', 'done'])
      expect(await listSystems(database, [pets.id])).toHaveLength(1)
    })
  })
})

/** A word's precision and recall over every image and every choice of its references. */
function bruteForce(
  word: string,
  human: CaptionsOf,
  system: CaptionOf,
  captionsPerImage: number,
  references: number,
) {
  const uses = (caption: string | undefined) => caption !== undefined && tokenize(caption).includes(word)
  let [truePositives, falsePositives, positives] = [0, 0, 0]
  for (const [id, captions] of Object.entries(human)) {
    if (captions.length < captionsPerImage) continue
    const choices = subsets(captions.slice(0, captionsPerImage), references)
    for (const choice of choices) {
      const agreeing = choice.filter(uses).length
      positives += agreeing / choices.length
      if (!uses(system[id])) continue
      if (agreeing > 0) truePositives += agreeing / choices.length
      else falsePositives += 1 / choices.length
    }
  }
  const predicted = truePositives + falsePositives
  return {
    precision: predicted === 0 ? null : truePositives / predicted,
    recall: positives === 0 ? null : truePositives / positives,
  }
}

function expectClose(found: number | null, expected: number | null): void {
  if (found === null || expected === null) expect(found).toBe(expected)
  else expect(found).toBeCloseTo(expected, 12)
}
