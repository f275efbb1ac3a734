import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { humanWordAgreement } from '../../../src/core/agreement/words.js'
import { tokenize } from '../../../src/core/text/tokenizer.js'
import type { InputFile } from '../../../src/formats/io/files.js'
import type { Progress } from '../../../src/progress.js'
import { type ImportCaptionsInput, importCaptions } from '../../../src/services/datasets/import-captions.js'
import { withoutJob } from '../../../src/services/uploads/import-job.js'
import { deleteDataset, listDatasets, requireDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import {
  pagedImages,
  readCaptions,
  readCaptionTokens,
  readImageIds,
  reserveImageIds,
} from '../../../src/store/images.js'
import { readImageCounts } from '../../../src/store/postings.js'
import type { Word } from '../../../src/store/schema/dataset-tables.js'
import { readTokenTexts } from '../../../src/store/tokens.js'
import { listWords } from '../../../src/store/words.js'
import { histogramOf } from '../../core/agreement/kit.js'
import { temporaryFolder } from '../../formats/kit.js'
import { rejectionOf } from '../../kit/boxes.js'
import { cocoCaptions, vocabulary } from '../../kit/coco.js'
import { ENGINES, openAgain, openTestDatabase } from '../../kit/databases.js'
import { dumpContent } from '../jobs-kit.js'

type Input = ImportCaptionsInput<InputFile>
type CaptionsOf = Readonly<Record<string, readonly string[]>>

const { write, path } = temporaryFolder()
const silent: Progress = () => {}
const times = (count: number, caption = 'a dog') => Array.from({ length: count }, () => caption)

describe.each(ENGINES)('importCaptions on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  beforeEach(async () => {
    for (const { id } of await listDatasets(database)) await deleteDataset(database, id)
  })

  function importFile(content: object | string, input: Partial<Input> = {}, progress = silent) {
    const file = typeof content === 'string' ? content : write('captions.json', content)
    return importCaptions(withoutJob(database, progress), { file, dataset: 'pets', ...input })
  }

  const importAll = (captions: CaptionsOf, input?: Partial<Input>) =>
    importFile(cocoCaptions(captions), input)

  async function wordsByText(): Promise<Map<string, Word>> {
    const { id } = await requireDataset(database, 'pets')
    return new Map((await listWords(database, id, {})).map((word) => [word.text, word]))
  }

  /** The stored captions of each image. */
  async function storedCaptions() {
    const ids = await readImageIds(database, (await requireDataset(database, 'pets')).id)
    const texts = await readCaptions(database, [...ids.values()])
    const tokens = await readCaptionTokens(
      database,
      texts.map(({ id }) => id),
    )
    const tokensById = new Map(tokens.map((row) => [row.id, row.tokens]))
    const rows = texts.map((row) => ({ ...row, tokens: tokensById.get(row.id)! }))
    return Object.fromEntries(
      Array.from(ids, ([externalId, id]) => [externalId, rows.filter(({ imageId }) => imageId === id)]),
    )
  }

  it('reports progress up to 1', async () => {
    const told: number[] = []
    await importFile(cocoCaptions({ 1: ['a dog', 'a cat'] }), {}, (fraction) => told.push(fraction))
    expect(told).toEqual(told.toSorted((one, other) => one - other))
    expect(told.at(-1)).toBe(1)
  })

  describe('captions per image', () => {
    it.each<[string, readonly number[], number | undefined, number, number]>([
      ['the most frequent number', [5, 5, 6, 4], undefined, 5, 1],
      ['the smaller of equally frequent ones', [6, 6, 5, 5, 7], undefined, 5, 0],
      ['images without captions do not count', [0, 0, 0, 2], undefined, 2, 3],
      ['the requested number', [5, 5, 6, 4], 6, 6, 3],
      ['1', [5, 0], 1, 1, 1],
      ['at most 254 by default', [300, 300, 4], undefined, 254, 1],
      ['254 on request', [254, 300, 4], 254, 254, 1],
    ])('are %s', async (_, counts, wanted, captionsPerImage, excludedImageCount) => {
      const captions = Object.fromEntries(counts.map((count, index) => [`image ${index}`, times(count)]))
      const report = await importAll(captions, { captionsPerImage: wanted })
      const imageCount = counts.length
      const captionCount = counts.reduce((sum, count) => sum + count)
      expect(report).toMatchObject({ captionsPerImage, excludedImageCount, imageCount, captionCount })
      expect(await requireDataset(database, 'pets')).toMatchObject({
        captionsPerImage,
        excludedImageCount,
        imageCount,
        captionCount,
      })
      const histogram = new Array(captionsPerImage + 1).fill(0)
      histogram[captionsPerImage] = imageCount - excludedImageCount
      expect((await wordsByText()).get('dog')!.histogram).toEqual(histogram)
    })

    it.each([
      [0, [3, 2], 'expected an integer from 1 to 3, found 0'],
      [4, [3, 2], 'expected an integer from 1 to 3, found 4'],
      [255, [300], 'expected an integer from 1 to 254, found 255'],
      [1.5, [3], 'expected an integer from 1 to 3, found 1.5'],
      [Number.NaN, [3], 'expected an integer from 1 to 3, found NaN'],
    ])('cannot be %d', async (wanted, counts, text) => {
      const before = await dumpContent(database)
      const captions = Object.fromEntries(counts.map((count, index) => [`image ${index}`, times(count)]))
      const failure = await rejectionOf(importAll(captions, { captionsPerImage: wanted }))
      expect(failure).toMatch(/^OUT_OF_RANGE captions per image: /)
      expect(failure).toContain(text)
      expect(await dumpContent(database)).toEqual(before)
    })

    it('of 1 leave human agreement undefined', async () => {
      await importAll({ 1: ['a dog'], 2: ['a cat'] })
      expect((await wordsByText()).get('dog')).toMatchObject({
        histogram: [1, 1],
        humanPrecision: null,
        humanRecall: null,
      })
    })
  })

  describe('what is stored', () => {
    const word = fc.constantFrom('dog', 'dogs', 'Dog', 'a', '.', 'cat-like', "dog's", 'two', 'sits')
    const caption = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
    const images = fc.array(fc.array(caption, { maxLength: 4 }), { minLength: 1, maxLength: 6 })

    it('equals the content of the file, and counts by brute force', async () => {
      await fc.assert(
        fc.asyncProperty(
          images.filter((lists) => lists.some(({ length }) => length > 0)),
          // Most datasets span two blocks of postings: ids below and above a multiple of 65,536.
          fc.constantFrom(0, 65_533, 65_535),
          async (lists, idsBefore) => {
            for (const { id } of await listDatasets(database)) await deleteDataset(database, id)
            const captions = Object.fromEntries(lists.map((list, index) => [`image ${index}`, list]))
            await reserveImageIds(database, idsBefore)
            const {
              captionsPerImage,
              languageNotes: _notes,
              ...report
            } = await importAll(captions, {
              // Captions of a word or two do not show theirs.
              language: 'en',
            })
            await expectStored(captions, captionsPerImage)
            const words = await wordsByText()
            expect(report).toEqual({
              format: null,
              columns: [],
              language: 'en',
              tokenizer: 'ptb-3.4.1',
              datasetId: (await requireDataset(database, 'pets')).id,
              imageCount: lists.length,
              captionCount: lists.flat().length,
              excludedImageCount: lists.filter(({ length }) => length < captionsPerImage).length,
              wordCount: words.size,
              vocabularySize: [...words.values()].filter(({ vocabularyRank }) => vocabularyRank !== null)
                .length,
            })
          },
        ),
        { numRuns: 15 },
      )
    })

    it('has image details, and captions by annotation id', async () => {
      const images = [
        { id: 9, file_name: '9.jpg', width: 640, height: 480, coco_url: 'http://images.example/9' },
        { id: 'x', flickr_url: 'http://flickr.example/x' },
        { id: 10 },
      ]
      const annotations = [
        { id: 30, image_id: 9, caption: 'third' },
        { id: 4, image_id: 9, caption: 'first' },
        { id: 5, image_id: 'x', caption: 'of x' },
        { id: 20, image_id: '9', caption: 'second' },
      ]
      await importFile({ images, annotations })
      const { id } = await requireDataset(database, 'pets')
      const { rows } = await (await pagedImages(database, id, {})).page({ limit: 10, fromEnd: false })
      const none = { fileName: null, url: null, width: null, height: null }
      expect(rows.map(({ row }) => row)).toMatchObject([
        {
          externalId: '9',
          fileName: '9.jpg',
          url: 'http://images.example/9',
          width: 640,
          height: 480,
          captionCount: 3,
        },
        { ...none, externalId: 'x', url: 'http://flickr.example/x', captionCount: 1 },
        { ...none, externalId: '10', captionCount: 0 },
      ])
      const stored = await storedCaptions()
      expect(stored['9'].map(({ externalId, position, text }) => [externalId, position, text])).toEqual([
        ['4', 0, 'first'],
        ['20', 1, 'second'],
        ['30', 2, 'third'],
      ])
    })

    it('includes captions of every kind', async () => {
      const long = Array.from({ length: 550 }, (_, index) => `word${index}`).join(' ')
      const captions = {
        emoji: ['a 🐕 and a 👩‍👩‍👧 and 🇫🇷', 'a 🐕'],
        marks: ['cafe\u0301 zalgo\u0335\u0321\u0322', 'caf\u00e9'],
        rtl: ['כלב רץ בפארק', 'كلب يركض \u202eabc'],
        control: ['tab\there \u0001bell\u0007 \u001b[31mred', 'line\nbreak\r\nand \u2028 another\u0085'],
        start: ['start\u0001of', 'heading'],
        long: [long, `${long} ${long}`],
        punctuation: ['. , ! ? ...', '; : -- -'],
        sql: ["'); DROP TABLE caption; --", '"%_\\"'],
        keys: ['__proto__ constructor hasOwnProperty', 'toString'],
      }
      await importAll(captions, { language: 'en' })
      await expectStored(captions, 2)
      const words = await wordsByText()
      expect(words.get('🐕')!.histogram).toEqual([8, 0, 1])
      expect(words.get('word549')!.histogram).toEqual([8, 0, 1])
      expect((await storedCaptions()).punctuation.map(({ tokens }) => tokens.length)).toEqual([0, 0])
      expect((await storedCaptions()).long[1].tokens.length).toBe(1_100)
    })

    it('is refused for too many different words', async () => {
      const caption = (index: number) =>
        Array.from({ length: 1000 }, (_, word) => `${(index * 1000 + word).toString(36)}w`).join(' ')
      const captions = Object.fromEntries(
        Array.from({ length: 301 }, (_, index) => [index, [caption(index)]]),
      )
      await expect(importAll(captions)).rejects.toThrow(
        /too many different words: expected captions of at most 300000/,
      )
    })

    it('is well-formed text if the file has lone surrogates', async () => {
      const file = write(
        'halves.json',
        String.raw`{"images": [{"id": 1}], "annotations": [
        {"id": 1, "image_id": 1, "caption": "a \ud83d dog"}, {"id": 2, "image_id": 1, "caption": "a \ud83e dog \udc15"},
        {"id": 3, "image_id": 1, "caption": "a \ud83d\udc15 dog"}]}`,
      )
      await importFile(file)
      const texts = ['a \ufffd dog', 'a \ufffd dog \ufffd', 'a 🐕 dog']
      expect((await storedCaptions())['1'].map(({ text }) => text)).toEqual(texts)
      await expectStored({ 1: texts }, 3)
    })

    /** Compares the stored data with brute force. */
    async function expectStored(captions: CaptionsOf, captionsPerImage: number): Promise<void> {
      const stored = await storedCaptions()
      const tokenTexts = await readTokenTexts(database)
      const tokensOf = (tokens: Int32Array) => Array.from(tokens, (token) => tokenTexts[token])
      expect(Object.keys(stored)).toEqual(Object.keys(captions))
      for (const [image, list] of Object.entries(captions)) {
        expect(stored[image].map(({ text }) => text)).toEqual(list)
        expect(stored[image].map(({ tokens }) => tokensOf(tokens))).toEqual(list.map(tokenize))
      }
      const tokens = Object.fromEntries(
        Object.entries(captions).map(([image, list]) => [image, list.map((text) => new Set(tokenize(text)))]),
      )
      const counted = Object.keys(captions).filter((image) => captions[image].length >= captionsPerImage)
      const words = await wordsByText()
      const expected = new Set(Object.values(tokens).flatMap((list) => list.flatMap((set) => [...set])))
      expect(new Set(words.keys())).toEqual(expected)
      const ids = await readImageIds(database, (await requireDataset(database, 'pets')).id)
      const postings = await readImageCounts(
        database,
        Array.from(words.values(), ({ id }) => id),
      )
      for (const [text, row] of sample(words)) {
        const counts = new Map(
          counted.map((image): [number, number] => [
            ids.get(image)!,
            tokens[image].slice(0, captionsPerImage).filter((set) => set.has(text)).length,
          ]),
        )
        const histogram = histogramOf(counts.values(), captionsPerImage)
        const human = captionsPerImage > 1 ? humanWordAgreement(histogram, captionsPerImage - 1) : null
        expect(row).toMatchObject({
          histogram,
          imageCount: [...counts.values()].filter((count) => count > 0).length,
          captionCount: [...counts.values()].reduce((sum, count) => sum + count, 0),
          humanPrecision: human?.precision ?? null,
          humanRecall: human?.recall ?? null,
        })
        const { imageIds, captionCounts } = postings.get(row.id) ?? { imageIds: [], captionCounts: [] }
        expect(Array.from(imageIds, (id, index) => [id, captionCounts[index]])).toEqual(
          [...counts].filter(([, count]) => count > 0),
        )
      }
    }
  })

  describe('the vocabulary', () => {
    it('is the most used words by default, at most 1,000', async () => {
      const rare = Array.from({ length: 1200 }, (_, index) => `rare${index}`)
      const report = await importAll({
        1: [`a dog ${rare.join(' ')}`, 'a cat', 'a dog past the second'],
        2: ['a', 'dog'],
      })
      expect(report).toMatchObject({ captionsPerImage: 2, wordCount: 1206, vocabularySize: 1000 })
      const words = [...(await wordsByText()).values()]
      expect(words.slice(0, 3).map(({ text, vocabularyRank }) => [text, vocabularyRank])).toEqual([
        ['a', 1],
        ['dog', 2],
        ['cat', 3],
      ])
      // Words after the second caption are not in the statistics.
      expect(words.find(({ text }) => text === 'past')).toMatchObject({
        vocabularyRank: null,
        histogram: [2, 0, 0],
      })
      const isInVocabulary = words.filter(({ vocabularyRank }) => vocabularyRank !== null)
      expect(isInVocabulary.map(({ vocabularyRank }) => vocabularyRank)).toEqual(
        isInVocabulary.map((_, index) => index + 1),
      )
    })

    it('is that of a file: its order, its parts of speech, also words that no caption uses', async () => {
      const file = write('vocabulary.csv', vocabulary({ Unicorn: 'NN', dog: 'VB', '"': 'OTHER', a: 'DT' }))
      const captions = { 1: ['a dog sits', 'the dog'], 2: ['a', 'cat'], 3: ['dog'] }
      const report = await importAll(captions, { vocabulary: file })
      expect(report).toMatchObject({
        wordCount: 7,
        vocabularySize: 4,
        captionsPerImage: 2,
        excludedImageCount: 1,
      })
      const words = await wordsByText()
      expect(
        [...words.values()]
          .slice(0, 4)
          .map(({ text, partOfSpeech, vocabularyRank }) => [text, partOfSpeech, vocabularyRank]),
      ).toEqual([
        ['unicorn', 'NN', 1],
        ['dog', 'VB', 2],
        ['"', 'OTHER', 3],
        ['a', 'DT', 4],
      ])
      expect(words.get('unicorn')).toMatchObject({
        histogram: [2, 0, 0],
        imageCount: 0,
        captionCount: 0,
        humanPrecision: null,
        humanRecall: null,
      })
      expect(words.get('sits')).toMatchObject({ partOfSpeech: 'VB', vocabularyRank: null })
    })

    it('must not have duplicate words, ignoring case', async () => {
      const before = await dumpContent(database)
      const file = write('twice.csv', 'word,part_of_speech\ndog,NN\nDog,NN\n')
      expect(await rejectionOf(importAll({ 1: ['a dog'] }, { vocabulary: file }))).toContain(
        'line 3, word: duplicate word: expected unique words, found "dog", first used on line 2',
      )
      expect(await dumpContent(database)).toEqual(before)
    })
  })

  describe('parts of speech', () => {
    it('are the most frequent ones in all captions, also beyond the first K', async () => {
      await importAll({
        1: ['a man rides a red bike', 'they walk on the street'],
        2: ['the walk is long', 'people walk on', 'men walk to a park'],
      })
      const words = await wordsByText()
      const tags = Object.fromEntries(Array.from(words, ([text, { partOfSpeech }]) => [text, partOfSpeech]))
      expect(tags).toMatchObject({
        man: 'NN',
        rides: 'VB',
        red: 'JJ',
        they: 'PRP',
        on: 'IN',
        the: 'DT',
        walk: 'VB',
      })
    })
  })

  describe('a failed import does not change the database', () => {
    it('if the name is taken, before the file is read', async () => {
      await importAll({ 1: ['a dog'] })
      const before = await dumpContent(database)
      const failure = rejectionOf(importFile(path('missing.json')))
      expect(await failure).toBe(
        'NAME_TAKEN dataset: a dataset of this name exists: expected a new name, found "pets"',
      )
      expect(await dumpContent(database)).toEqual(before)
    })

    it('if a caption has a character that PostgreSQL cannot store', async () => {
      const before = await dumpContent(database)
      const failure = await rejectionOf(importAll({ 1: ['a dog', 'a \0'] }))
      expect(failure).toContain('annotations[1].caption: a null character')
      expect(await dumpContent(database)).toEqual(before)
    })

    it('if the name is taken during the import', async () => {
      const other = await openAgain(database)
      // Either import can fail first: the outcome of both is awaited from the start.
      let second: Promise<PromiseSettledResult<unknown>[]> | undefined
      const first = importFile(cocoCaptions({ 1: ['a dog'] }), {}, () => {
        second ??= Promise.allSettled([
          importCaptions(withoutJob(other, silent), { file: path('captions.json'), dataset: 'pets' }),
        ])
      })
      const outcomes = [...(await Promise.allSettled([first])), ...(await second!)]
      await other.close()
      const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      expect(failures).toMatchObject([{ code: 'NAME_TAKEN' }])
      expect(await listDatasets(database)).toHaveLength(1)
    })

    it('if it is cancelled, at any time', async () => {
      const content = cocoCaptions(
        Object.fromEntries(Array.from({ length: 700 }, (_, image) => [image, times(3)])),
      )
      const file = write('many.json', content)
      const before = await dumpContent(database)
      const steps = new Set<string>()
      let last = -1
      const telling = (fraction: number, message: string) => {
        expect(fraction).toBeGreaterThanOrEqual(last)
        last = fraction
        steps.add(message)
      }
      const stopAt = async (call: number) => {
        let calls = 0
        last = -1
        await importFile(file, {}, (fraction, message) => {
          telling(fraction, message)
          if (++calls === call && message !== 'done') throw new Error(`stopped while ${message}`)
        })
      }
      let call = 1
      for (; ; call++) {
        const [outcome] = await Promise.allSettled([stopAt(call)])
        if (outcome.status === 'fulfilled') break
        expect(String(outcome.reason)).toContain('stopped while')
        expect(await dumpContent(database)).toEqual(before)
      }
      expect(call).toBeGreaterThan(7)
      expect(last).toBe(1)
      expect([...steps]).toEqual([
        'reading',
        'grouping captions',
        'tagging parts of speech',
        'writing',
        'done',
      ])
      expect(await listDatasets(database)).toHaveLength(1)
    })
  })

  it('two at once, into one database, both succeed', async () => {
    const other = await openAgain(database)
    const captions = { 1: ['a dog', 'the dog'], 2: ['a cat', 'a dog'] }
    const file = write('pets.json', cocoCaptions(captions))
    await Promise.all([
      importCaptions(withoutJob(database, silent), { file, dataset: 'one' }),
      importCaptions(withoutJob(other, silent), { file, dataset: 'other' }),
    ])
    await other.close()
    const [one, second] = await listDatasets(database)
    const withoutIds = async (id: number) =>
      (await listWords(database, id, {})).map(({ id: _id, datasetId: _datasetId, ...word }) => word)
    expect([one.name, second.name]).toEqual(['one', 'other'])
    expect(await withoutIds(one.id)).toEqual(await withoutIds(second.id))
  })

  /** All stored data, with token ids, but without ids that depend on earlier imports. */
  async function storedContent() {
    const { id } = await requireDataset(database, 'pets')
    const words = await listWords(database, id, {})
    const firstWord = Math.min(...words.map((word) => word.id))
    const imageIds = await readImageIds(database, id)
    const firstImage = Math.min(...imageIds.values())
    const postings = await readImageCounts(
      database,
      words.map((word) => word.id),
    )
    return {
      images: [...imageIds].map(([externalId, imageId]) => [externalId, imageId - firstImage]),
      captions: Object.values(await storedCaptions())
        .flat()
        .map(({ id: _id, imageId, ...caption }) => ({ ...caption, image: imageId - firstImage })),
      words: words.map(({ id: wordId, datasetId: _datasetId, ...word }) => ({
        ...word,
        index: wordId - firstWord,
        images: Array.from(postings.get(wordId)?.imageIds ?? [], (imageId) => imageId - firstImage),
        counts: [...(postings.get(wordId)?.captionCounts ?? [])],
      })),
    }
  }

  it('does not depend on the order of annotations and arrays in the file', async () => {
    const word = fc.constantFrom('dog', 'cat', 'a', 'runs', 'red')
    const caption = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
    const shuffled = fc
      .array(fc.record({ image: fc.nat(3), caption }), { minLength: 1, maxLength: 12 })
      .chain((all) => {
        const annotations = all.map(({ image, caption }, index) => ({
          id: index + 1,
          image_id: image,
          caption,
        }))
        return fc.record({
          annotations: fc.constant(annotations),
          other: fc.shuffledSubarray(annotations, { minLength: annotations.length }),
        })
      })
    const images = [{ id: 2 }, { id: 0 }, { id: 3 }, { id: 1 }]
    await fc.assert(
      fc.asyncProperty(shuffled, fc.boolean(), async ({ annotations, other }, imagesFirst) => {
        await importFile({ images, annotations })
        const expected = await storedContent()
        await deleteDataset(database, (await requireDataset(database, 'pets')).id)
        await importFile(imagesFirst ? { images, annotations: other } : { annotations: other, images })
        expect(await storedContent()).toEqual(expected)
        await deleteDataset(database, (await requireDataset(database, 'pets')).id)
      }),
      { numRuns: 15 },
    )
  })

  it('numbers new tokens by first use, by image and annotation id', async () => {
    const fresh = await openTestDatabase(engine)
    const annotations = [
      { id: 3, image_id: 2, caption: 'a bird' },
      { id: 2, image_id: 1, caption: 'the cat' },
      { id: 1, image_id: 1, caption: 'a dog' },
    ]
    const file = write('order.json', { annotations, images: [{ id: 1 }, { id: 2 }] })
    await importCaptions(withoutJob(fresh, silent), { file, dataset: 'pets' })
    expect(await readTokenTexts(fresh)).toEqual(['', 'a', 'dog', 'the', 'cat', 'bird'])
  })

  it('reads more images than one partition', async () => {
    const ids = Array.from({ length: 17_000 }, (_, index) => index)
    const images = ids.map((id) => ({ id }))
    const annotations = ids.map((id) => ({ id, image_id: (id * 7919) % 17_000, caption: `w${id % 3} dog` }))
    await importFile({ annotations, images })
    const { id } = await requireDataset(database, 'pets')
    const imageIds = await readImageIds(database, id)
    const captions = await readCaptions(database, [...imageIds.values()])
    const imageOf = new Map(Array.from(imageIds, ([externalId, imageId]) => [imageId, externalId]))
    expect(captions).toHaveLength(17_000)
    const misplaced = captions.filter(
      ({ imageId, externalId }) => imageOf.get(imageId) !== String((Number(externalId) * 7919) % 17_000),
    )
    expect(misplaced).toEqual([])
    expect((await wordsByText()).get('dog')).toMatchObject({ histogram: [0, 17_000] })
  })
})

/** All entries of a small map, a sample of a large one. */
function sample<Key, Value>(entries: ReadonlyMap<Key, Value>): [Key, Value][] {
  return [...entries].filter((_, index) => index % Math.ceil(entries.size / 200) === 0)
}
