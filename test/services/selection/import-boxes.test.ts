import { mkdirSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type ImportBoxesReport,
  importBoxes,
  importDescriptions,
} from '../../../src/services/selection/import-boxes.js'
import { withoutJob } from '../../../src/services/uploads/import-job.js'
import {
  readBoxedImages,
  readBoxImports,
  readDescriptions,
  readHumanDescriptions,
  readMentions,
  readSystemSelections,
} from '../../../src/store/boxes.js'
import { findDataset, requireDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { readCaptions, readImageIds } from '../../../src/store/images.js'
import { insertSystem, readSystemCaptions, requireSystem } from '../../../src/store/systems.js'
import { temporaryFolder } from '../../formats/kit.js'
import {
  captionedDataset,
  captioningSystem,
  rejectionOf,
  removeDatasets,
  rowCounts,
} from '../../kit/boxes.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'

const files = temporaryFolder()
const silent = () => {}

const woman = { id: 2, concept: 'woman', bbox: [10, 20, 30, 40] }
const car = { id: 3, concept: 'car', bbox: [0, 0, 100, 50] }
const street = { image_id: 7, width: 640, height: 480, boxes: [woman, car] }
const field = { image_id: 8, boxes: [] }
const good = {
  images: [street, field],
  descriptions: [
    { id: 'a', image_id: 7, caption: 'a [woman](2) in a [car](3)' },
    { id: 'b', image_id: 7, mentions: [3] },
    { id: 'c', image_id: 8, mentions: [] },
  ],
}
const instances = {
  categories: [{ id: 1, name: 'dog' }],
  annotations: [{ id: 5, image_id: 7, category_id: 1, bbox: [1, 2, 3, 4] }],
  images: [{ id: 7, width: 640, height: 480 }],
}

const inOrder = (...keys: (keyof typeof instances)[]) =>
  Object.fromEntries(keys.map((key) => [key, instances[key]]))

/** A folder of Flickr30k Entities with one image. */
function publish(name: string, sentences: string, annotation: string): string {
  for (const part of ['Sentences', 'Annotations'])
    mkdirSync(files.path(`${name}/${part}`), { recursive: true })
  files.write(`${name}/Sentences/7.txt`, sentences)
  files.write(`${name}/Annotations/7.xml`, annotation)
  return files.path(name)
}
const bride =
  '<annotation><size><width>640</width><height>480</height></size><object><name>370</name>' +
  '<bndbox><xmin>11</xmin><ymin>21</ymin><xmax>40</xmax><ymax>60</ymax></bndbox></object></annotation>'

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  afterEach(() => removeDatasets(database))

  const importFrom = (file: string, dataset = 'things') =>
    importBoxes(withoutJob(database, silent), { file, dataset })
  const importJson = (content: object, dataset = 'things') =>
    importFrom(files.write('boxes.json', content), dataset)
  /** The failure of an action, which must not change the database. */
  async function failure(action: () => Promise<unknown>): Promise<string> {
    const before = await rowCounts(database)
    const message = await rejectionOf(action())
    expect(await rowCounts(database)).toEqual(before)
    return message.replaceAll(`${files.folder}/`, '')
  }

  describe('importBoxes into a new dataset', () => {
    it('creates it from the images, without captions', async () => {
      const report = await importJson(good)
      const { id: datasetId } = await requireDataset(database, 'things')
      expect(report).toEqual({
        datasetId,
        importId: expect.any(Number),
        isNew: true,
        images: 2,
        boxes: 2,
        descriptions: 3,
        captions: 0,
        unknownImages: 0,
        imagesWithoutBoxes: 1,
        boxesWithoutArea: 0,
        boxesOutsideImage: 0,
        boxesCut: 0,
        boxesWithoutConcept: 0,
        mentionsWithoutBox: 0,
        descriptionsWithoutMentions: 1,
      })
      const dataset = await requireDataset(database, 'things')
      expect(dataset).toMatchObject({ captionsPerImage: 0, imageCount: 2, captionCount: 0 })
      expect(await readBoxedImages(database, dataset.id)).toEqual([
        {
          imageId: '7',
          width: 640,
          height: 480,
          boxes: [
            { id: '2', concept: 'woman', bbox: [10, 20, 30, 40] },
            { id: '3', concept: 'car', bbox: [0, 0, 100, 50] },
          ],
        },
        { imageId: '8', width: null, height: null, boxes: [] },
      ])
      expect(await readHumanDescriptions(database, dataset.id)).toEqual([
        { id: 'a', imageId: '7', mentions: ['2', '3'], sentence: null },
        { id: 'b', imageId: '7', mentions: ['3'], sentence: null },
        { id: 'c', imageId: '8', mentions: [], sentence: null },
      ])
    })

    it('stores texts and the positions of mentions', async () => {
      await importJson(good)
      const { id } = await requireDataset(database, 'things')
      const descriptions = await readDescriptions(database, [...(await readImageIds(database, id)).values()])
      expect(descriptions.map(({ text }) => text)).toEqual(['a woman in a car', null, null])
      const mentions = await readMentions(
        database,
        'description',
        descriptions.map((description) => description.id),
      )
      expect(mentions.map(({ start, end, text, box }) => [start, end, text, box.externalId])).toEqual([
        [2, 7, 'woman', '2'],
        [13, 16, 'car', '3'],
        [null, null, null, '3'],
      ])
    })

    it('stores the numbers of excluded items', async () => {
      const report = await importJson({
        images: [
          {
            ...street,
            boxes: [
              woman,
              { ...car, bbox: [700, 0, 10, 10] },
              { id: 4, concept: 'kerb', bbox: [1, 1, 0, 5] },
            ],
          },
        ],
        descriptions: [{ id: 'a', image_id: 7, caption: '[woman](2) at a [kerb](4) by a [car](3)' }],
      })
      expect(report).toMatchObject({
        boxes: 1,
        boxesOutsideImage: 1,
        boxesWithoutArea: 1,
        mentionsWithoutBox: 2,
      })
      const { id } = await requireDataset(database, 'things')
      const { datasetId: _datasetId, importId, isNew: _isNew, ...counts } = report
      expect(await readBoxImports(database, [id])).toMatchObject([{ id: importId, datasetId: id, counts }])
    })

    it.each([
      ['categories first', instances],
      ['images first', inOrder('images', 'annotations', 'categories')],
      ['annotations first', inOrder('annotations', 'images', 'categories')],
    ])('reads COCO instances, %s', async (_order, content) => {
      expect(await importJson(content)).toMatchObject({ images: 1, boxes: 1, descriptions: 0 })
      const { id } = await requireDataset(database, 'things')
      expect((await readBoxedImages(database, id))[0].boxes).toEqual([
        { id: '5', concept: 'dog', bbox: [1, 2, 3, 4] },
      ])
    })

    it('reads a folder of Flickr30k Entities', async () => {
      const folder = publish(
        'flickr',
        '[/EN#370/people A bride] smiles .\n[/EN#370/people She] sits .\n',
        bride,
      )
      expect(await importFrom(folder)).toMatchObject({ images: 1, boxes: 1, descriptions: 2 })
      const { id } = await requireDataset(database, 'things')
      expect((await readHumanDescriptions(database, id)).map(({ mentions }) => mentions)).toEqual([
        ['370'],
        ['370'],
      ])
    })

    it('reports progress up to 1', async () => {
      const told: number[] = []
      const file = files.write('boxes.json', good)
      const telling = withoutJob<ImportBoxesReport>(database, (fraction) => told.push(fraction))
      await importBoxes(telling, { file, dataset: 'things' })
      expect(told).toEqual(told.toSorted((one, other) => one - other))
      expect(told.at(-1)).toBe(1)
    })
  })

  describe('importBoxes into a dataset that exists', () => {
    it('links captions by text or id, and counts unknown images', async () => {
      const id = await captionedDataset(database, 'things', {
        '7': ['a dog', 'a woman in a car', 'a woman in a car', 'rain'],
      })
      const report = await importJson({
        images: [street, field],
        descriptions: [
          { id: 'x', image_id: 7, caption: 'a [woman](2) in a [car](3)' },
          { id: 'caption 2', image_id: 7, caption: 'a woman in a [car](3)' },
          { id: 'caption 3', image_id: 7, mentions: [2] },
          { id: 'caption 0', image_id: 7, caption: 'another [car](3)' },
          { id: 'y', image_id: 8, mentions: [] },
        ],
      })
      expect(report).toMatchObject({
        isNew: false,
        images: 1,
        unknownImages: 1,
        descriptions: 4,
        captions: 3,
      })
      const captions = await readCaptions(database, [...(await readImageIds(database, id)).values()])
      const ids = captions.map((caption) => caption.id)
      const mentioned = (await readMentions(database, 'caption', ids)).map(
        ({ ownerId, text, box }) => `${captions[ids.indexOf(ownerId)].externalId}: ${text} ${box.externalId}`,
      )
      expect(mentioned).toEqual([
        'caption 1: woman 2',
        'caption 1: car 3',
        'caption 2: car 3',
        'caption 3: null 2',
      ])
    })

    it('stores the sizes of images', async () => {
      const id = await captionedDataset(database, 'things', { '7': ['a dog'] })
      await importJson(good)
      expect(await readBoxedImages(database, id)).toMatchObject([{ width: 640, height: 480 }])
    })

    it('clips boxes to image sizes of the dataset', async () => {
      const id = await captionedDataset(database, 'things', { '7': ['a dog'] }, { width: 50, height: 50 })
      const report = await importJson({
        images: [{ image_id: 7, boxes: [woman, car, { id: 4, concept: 'sky', bbox: [60, 0, 5, 5] }] }],
        descriptions: [{ id: 'a', image_id: 7, mentions: [4, 3] }],
      })
      expect(report).toMatchObject({ boxes: 2, boxesCut: 2, boxesOutsideImage: 1, mentionsWithoutBox: 1 })
      expect((await readBoxedImages(database, id))[0].boxes.map(({ bbox }) => bbox)).toEqual([
        [10, 20, 30, 30],
        [0, 0, 50, 50],
      ])
    })

    it('accepts a second source with other boxes', async () => {
      await importJson(good)
      await importJson(instances)
      const { id } = await requireDataset(database, 'things')
      expect((await readBoxedImages(database, id))[0].boxes.map(({ concept }) => concept)).toEqual([
        'woman',
        'car',
        'dog',
      ])
    })
  })

  it('are as private as their dataset', async () => {
    const file = files.write('boxes.json', good)
    const importPrivate = (dataset: string) =>
      importBoxes(withoutJob(database, silent), { file, dataset, isPrivate: true })
    await importPrivate('things')
    expect(await requireDataset(database, 'things')).toMatchObject({ isPrivate: true })
    await importJson(good, 'public')
    expect(await requireDataset(database, 'public')).toMatchObject({ isPrivate: false })
    expect(await failure(() => importPrivate('public'))).toMatch(/^NOT_APPLICABLE .*is not private/)
  })

  describe('importBoxes refuses', () => {
    const [first] = good.descriptions

    it.each([
      [
        'mentions of unknown boxes',
        { images: [street], descriptions: [{ ...first, caption: 'a [cat](9)' }] },
        'UNKNOWN_BOX boxes.json: descriptions[0].caption: unknown box: expected the id of a box of image 7, found "9"',
      ],
      [
        'duplicate ids',
        { images: [{ ...street, boxes: [woman, woman] }] },
        'DUPLICATE_ID boxes.json: images[0].boxes[1].id: duplicate id: expected a unique id, found "2"',
      ],
      [
        'markup that does not close',
        { images: [street], descriptions: [{ ...first, caption: 'a [woman](2' }] },
        'INVALID_VALUE boxes.json: descriptions[0].caption, character 9: incomplete mention markup: expected a closing ), found "(2"',
      ],
      [
        'a source without images',
        { images: [] },
        'INVALID_SHAPE boxes.json: a new dataset requires images: expected images, found none',
      ],
      [
        'an empty object',
        {},
        'INVALID_SHAPE boxes.json: wrong shape: expected an object with "images", found an empty object',
      ],
      [
        'captions in COCO format',
        { images: [{ id: 7 }], annotations: [] },
        'INVALID_SHAPE boxes.json: wrong shape: expected an object with "images", "annotations" and "categories", found only "images" and "annotations"',
      ],
    ])('%s', async (_case, content, message) => {
      expect(await failure(() => importJson(content))).toBe(message)
      expect(await findDataset(database, 'things')).toBeNull()
    })

    it('a missing file', async () => {
      expect(await failure(() => importFrom(files.path('nothing.json')))).toBe(
        'FILE_NOT_FOUND nothing.json: file not found',
      )
    })

    it('XML in another format', async () => {
      const folder = publish('other', '[/EN#370/people A bride] smiles .\n', '<html></html>')
      expect(await failure(() => importFrom(folder))).toBe(
        'INVALID_SHAPE other/Annotations/7.xml: line 1: invalid Flickr30k Entities annotation: expected the element <annotation>, found <html>',
      )
    })

    it('sentences whose markup does not close', async () => {
      const folder = publish('open', '[/EN#370/people A bride smiles .\n', bride)
      expect(await failure(() => importFrom(folder))).toBe(
        'INVALID_VALUE open/Sentences/7.txt: line 1, character 0: invalid Flickr30k Entities phrase: expected [/EN#chain/type words], found "[/EN#370/people A bride smiles ."',
      )
    })

    it('unknown images only', async () => {
      await captionedDataset(database, 'things', { '1': ['a dog'] })
      expect(await failure(() => importJson(good))).toBe(
        'UNKNOWN_IMAGE boxes.json: images: no image is in the dataset: expected image ids such as "1", found "7"',
      )
    })

    it('boxes that the dataset already has', async () => {
      await importJson(good)
      expect(await failure(() => importJson(good))).toBe(
        'DUPLICATE_ID boxes.json: image 7: the dataset already has a box with this id: expected a new id, found "2"',
      )
    })

    it('descriptions that the dataset already has', async () => {
      await importJson(good)
      const other = {
        images: [{ image_id: 7, boxes: [] }],
        descriptions: [{ id: 'a', image_id: 7, mentions: [] }],
      }
      expect(await failure(() => importJson(other))).toBe(
        'DUPLICATE_ID boxes.json: image 7: the dataset already has a description with this id: expected a new id, found "a"',
      )
    })

    it('another size of an image', async () => {
      await captionedDataset(database, 'things', { '7': ['a dog'] }, { width: 320, height: 240 })
      expect(await failure(() => importJson(good))).toBe(
        'INVALID_VALUE boxes.json: image 7: the image has another size in the dataset: expected 320 × 240 pixels, found 640 × 480',
      )
    })
  })

  describe('importDescriptions', () => {
    const importSystem = async (records: unknown[], { system = 'ours', isMissingAllowed = false } = {}) =>
      importDescriptions(withoutJob(database, silent), {
        datasetId: (await requireDataset(database, 'things')).id,
        file: files.write('system.json', records),
        system,
        isMissingAllowed,
      })

    beforeEach(async () => {
      const id = await captionedDataset(database, 'things', { '7': ['a woman in a car'], '8': ['grass'] })
      const imageId = (await readImageIds(database, id)).get('7')!
      await captioningSystem(database, id, 'captioner', [{ imageId, text: 'a red car' }])
      await importJson(good)
    })

    it('reports progress up to 1', async () => {
      const told: number[] = []
      await importDescriptions(
        withoutJob(database, (fraction) => told.push(fraction)),
        {
          datasetId: (await requireDataset(database, 'things')).id,
          file: files.write('system.json', [{ image_id: 7, caption: 'a [car](3)' }]),
          system: 'ours',
          isMissingAllowed: true,
        },
      )
      expect(told).toEqual(told.toSorted((one, other) => one - other))
      expect(told.at(-1)).toBe(1)
    })

    it('creates a system with descriptions only', async () => {
      const report = await importSystem([{ image_id: 7, caption: 'a [car](3) and a [car](3)' }])
      expect(report).toMatchObject({ imageCount: 1, missing: [], isNew: true })
      const { id } = await requireDataset(database, 'things')
      expect(await requireSystem(database, id, 'ours')).toMatchObject({
        id: report.systemId,
        kind: 'DESCRIPTIONS',
        imageCount: 1,
        missingImageCount: 1,
      })
      expect(await readSystemSelections(database, id)).toEqual(
        new Map([['ours', new Map([['7', ['3', '3']]])]]),
      )
    })

    it('links the captions of a captioning system', async () => {
      const report = await importSystem([{ image_id: 7, caption: 'a red [car](3)' }], { system: 'captioner' })
      expect(report.isNew).toBe(false)
      const { id } = await requireDataset(database, 'things')
      const imageIds = [...(await readImageIds(database, id)).values()]
      const [caption] = await readSystemCaptions(database, imageIds)
      expect(await readMentions(database, 'systemCaption', [caption.id])).toMatchObject([
        { ownerId: caption.id, start: 6, end: 9, text: 'car', box: { externalId: '3' } },
      ])
    })

    it('stores a description without mentions', async () => {
      await importSystem([{ image_id: 7, mentions: [] }])
      const { id } = await requireDataset(database, 'things')
      expect(await readSystemSelections(database, id, ['ours'])).toEqual(
        new Map([['ours', new Map([['7', []]])]]),
      )
    })

    it.each([
      [
        'a text that is not the caption',
        [{ image_id: 7, caption: 'a blue [car](3)' }],
        { system: 'captioner' },
        'INVALID_VALUE system.json: image 7: the description differs from the system\'s caption of the image: expected "a red car", found "a blue car"',
      ],
      [
        'an unknown box',
        [{ image_id: 7, mentions: [9] }],
        {},
        'UNKNOWN_BOX system.json: [0].mentions[0]: unknown box: expected the id of a box of image 7, found "9"',
      ],
      [
        'markup that does not close',
        [{ image_id: 7, caption: 'a [car' }],
        {},
        'INVALID_VALUE system.json: [0].caption, character 2: incomplete mention markup: expected a closing ], found "[car"',
      ],
      [
        'missing images with boxes',
        [{ image_id: 8, mentions: [] }],
        {},
        'MISSING_IMAGES system.json: images are missing: expected all 1 images of the dataset, found 0, without 7',
      ],
      [
        'the name that stands for people',
        [],
        { system: 'People' },
        'INVALID_VALUE system: reserved name: expected another name: this one stands for those who wrote the references, found "People"',
      ],
      [
        'the name of a baseline',
        [],
        { system: 'bigram+size' },
        'NAME_TAKEN system: reserved name: expected a name other than random, size, position, unigram, bigram, unigram+size, unigram+position, bigram+size, bigram+position, found "bigram+size"',
      ],
    ])('refuses %s', async (_case, records, options, message) => {
      expect(await failure(() => importSystem(records, options))).toBe(message)
    })

    it('refuses a second import', async () => {
      await importSystem([{ image_id: 7, mentions: [2] }])
      expect(await failure(() => importSystem([{ image_id: 7, mentions: [3] }]))).toBe(
        'NAME_TAKEN system: the system already has descriptions; remove it first: expected a captioning system without them, or a new name, found "ours"',
      )
    })

    it('refuses a system of word scores', async () => {
      const { id: datasetId } = await requireDataset(database, 'things')
      const counts = { imageCount: 1, missingImageCount: 1 }
      await insertSystem(database, { datasetId, name: 'detector', ...counts }, 'WORD_SCORES')
      expect(
        await failure(() => importSystem([{ image_id: 7, mentions: [2] }], { system: 'detector' })),
      ).toBe(
        'NOT_APPLICABLE system: a word-score system cannot have descriptions: expected a captioning system, or a new name, found "detector"',
      )
    })

    it('refuses a dataset without boxes', async () => {
      await captionedDataset(database, 'bare', { '7': ['a dog'] })
      const file = files.write('system.json', [{ image_id: 7, mentions: [] }])
      const { id: datasetId } = await requireDataset(database, 'bare')
      const input = { datasetId, file, system: 'ours', isMissingAllowed: false }
      expect(await failure(() => importDescriptions(withoutJob(database, silent), input))).toBe(
        'NOT_APPLICABLE dataset: the dataset has no boxes; `accord import boxes` adds them: expected a dataset with boxes, found "bare"',
      )
    })
  })
})
