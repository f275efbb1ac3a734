import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { requireDataset } from '../../src/services/datasets/datasets.js'
import { importBoxes, importDescriptions } from '../../src/services/selection/import-boxes.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import { type Api, initWorld, type Json, SPLIT_BATCHES } from '../kit/seed.js'

describe('content selection', async () => {
  const world = await initWorld()
  const silent = () => {}
  let api: Api

  const box = (id: number, concept: string, side: number) => ({ id, concept, bbox: [0, 0, side, side] })

  async function importJson(dataset: string, content: object) {
    const file = join(world.folder, 'boxes.json')
    writeFileSync(file, JSON.stringify(content))
    await importBoxes(withoutJob(world.accord.database, silent), { file, dataset })
  }

  async function importSystem(dataset: string, system: string, records: readonly object[]) {
    const file = join(world.folder, 'system.json')
    writeFileSync(file, JSON.stringify(records))
    const { id: datasetId } = await requireDataset(world.accord, dataset)
    const input = { datasetId, file, system, isMissingAllowed: true }
    await importDescriptions(withoutJob(world.accord.database, silent), input)
  }

  beforeAll(async () => {
    // Images with captions, two of them with boxes.
    const park = await world.dataset('park', {
      images: { 1: ['A dog with a ball.', 'A dog.'], 2: ['A dog.', 'A tree.'], 3: ['Rain.', 'Rain.'] },
    })
    await park.captionSystem('captioner', { 1: 'one dog', 2: 'a dog by a tree', 3: 'rain' })
    await importJson('park', {
      images: [
        {
          image_id: 1,
          width: 640,
          height: 480,
          boxes: [box(1, 'ball', 5), box(2, 'dog', 20), { ...box(3, 'sky', 9), bbox: [700, 0, 9, 9] }],
        },
        { image_id: 2, width: 640, height: 480, boxes: [box(1, 'dog', 20), box(2, 'tree', 50)] },
        { image_id: 9, boxes: [box(1, 'dog', 5)] },
      ],
      descriptions: [
        { id: 'a', image_id: 1, caption: 'A [dog](2) with a [ball](1).' },
        { id: 'b', image_id: 1, caption: 'A [dog](2).' },
        { id: 'c', image_id: 2, mentions: [1] },
        { id: 'd', image_id: 2, caption: 'Two things: [dog and tree](1, 2)' },
      ],
    })
    await importSystem('park', 'captioner', [
      { image_id: 1, caption: 'one [dog](2)' },
      { image_id: 2, caption: 'a [dog](1) by a [tree](2)' },
    ])
    await importSystem('park', 'pointer', [{ image_id: 2, mentions: [2] }])
    await importJson('development', {
      images: [{ image_id: 7, boxes: [box(1, 'dog', 1), box(2, 'ball', 2), box(3, 'tree', 3)] }],
      descriptions: [
        { id: 'a', image_id: 7, mentions: [1, 2] },
        { id: 'b', image_id: 7, mentions: [1] },
      ],
    })
    await importJson('many', {
      images: Array.from({ length: 30 }, (_, id) => ({
        image_id: id,
        boxes: [box(1, 'dog', 1), box(2, 'sky', 2)],
      })),
      descriptions: Array.from({ length: 30 }, (_, id) => ({ id, image_id: id, mentions: [1] })),
    })
    await importJson('mute', { images: [{ image_id: 1, boxes: [box(1, 'dog', 5)] }] })
    await world.dataset('bare', { images: { 1: ['A dog.'] } })
    api = await world.serve({ workers: 1 })
  })

  async function selectionOf(fields: string, args = '', dataset = 'park', fragment = ''): Promise<Json> {
    const { dataset: found } = await api.ask(
      `{ dataset(name: "${dataset}") { contentSelection${args} { ${fields} } } } ${fragment}`,
    )
    return found.contentSelection
  }

  describe('boxes and mentions', () => {
    const imageOf = async (fields: string, externalId = '1') =>
      (await api.ask(`{ dataset(name: "park") { image(externalId: "${externalId}") { ${fields} } } }`))
        .dataset.image

    it('belong to the image', async () => {
      const { boxes } = await imageOf('boxes { externalId concept x y width height image { externalId } }')
      expect(boxes).toEqual([
        { externalId: '1', concept: 'ball', x: 0, y: 0, width: 5, height: 5, image: { externalId: '1' } },
        { externalId: '2', concept: 'dog', x: 0, y: 0, width: 20, height: 20, image: { externalId: '1' } },
      ])
    })

    it('are in the captions of people and systems', async () => {
      const mentions = 'mentions { start end text box { externalId concept } }'
      const { captions, systemCaptions } = await imageOf(
        `captions { text ${mentions} } systemCaptions { nodes { text ${mentions} } }`,
      )
      const dog = { externalId: '2', concept: 'dog' }
      expect(captions).toEqual([
        {
          text: 'A dog with a ball.',
          mentions: [
            { start: 2, end: 5, text: 'dog', box: dog },
            { start: 13, end: 17, text: 'ball', box: { externalId: '1', concept: 'ball' } },
          ],
        },
        { text: 'A dog.', mentions: [{ start: 2, end: 5, text: 'dog', box: dog }] },
      ])
      expect(systemCaptions.nodes).toEqual([
        { text: 'one dog', mentions: [{ start: 4, end: 7, text: 'dog', box: dog }] },
      ])
    })

    it('are in descriptions, with and without a caption or text', async () => {
      const mentions = 'mentions { text box { externalId } }'
      const { descriptions, systemDescriptions, pointed } = await imageOf(
        `descriptions { externalId text caption { text } ${mentions} }
       systemDescriptions { nodes { system { name kind } text ${mentions} } }
       pointed: systemDescriptions(systems: ["pointer"]) { nodes { system { name } } }`,
        '2',
      )
      expect(descriptions).toEqual([
        { externalId: 'c', text: null, caption: null, mentions: [{ text: null, box: { externalId: '1' } }] },
        {
          externalId: 'd',
          text: 'Two things: dog and tree',
          caption: null,
          mentions: [
            { text: 'dog and tree', box: { externalId: '1' } },
            { text: 'dog and tree', box: { externalId: '2' } },
          ],
        },
      ])
      expect(systemDescriptions.nodes).toEqual([
        {
          system: { name: 'captioner', kind: 'CAPTIONS' },
          text: 'a dog by a tree',
          mentions: [
            { text: 'dog', box: { externalId: '1' } },
            { text: 'tree', box: { externalId: '2' } },
          ],
        },
        {
          system: { name: 'pointer', kind: 'DESCRIPTIONS' },
          text: null,
          mentions: [{ text: null, box: { externalId: '2' } }],
        },
      ])
      expect(pointed.nodes).toEqual([{ system: { name: 'pointer' } }])
      const first = await imageOf('descriptions { text caption { externalId text } }')
      expect(first.descriptions[1]).toEqual({ text: 'A dog.', caption: { externalId: '2', text: 'A dog.' } })
    })

    it('have counts of what imports excluded', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "park") { boxImports {
        nodes {
        imageCount boxCount descriptionCount captionCount unknownImageCount imageWithoutBoxCount boxWithoutAreaCount outsideBoxCount
        clippedBoxCount boxWithoutConceptCount mentionWithoutBoxCount descriptionWithoutMentionCount
        }
      } } }`)
      expect(dataset.boxImports.nodes).toEqual([
        {
          imageCount: 2,
          boxCount: 4,
          descriptionCount: 4,
          captionCount: 2,
          unknownImageCount: 1,
          imageWithoutBoxCount: 0,
          boxWithoutAreaCount: 0,
          outsideBoxCount: 1,
          clippedBoxCount: 0,
          boxWithoutConceptCount: 0,
          mentionWithoutBoxCount: 0,
          descriptionWithoutMentionCount: 0,
        },
      ])
    })

    it('require a number of statements that does not grow with the images', async () => {
      const countOf = async (page: number) => {
        const statements = await world.statementsOf(() =>
          api.ask(`{ dataset(name: "many") { images(first: ${page}) { nodes {
            boxes { image { externalId } } captions { mentions { box { concept } } }
            systemCaptions { nodes { mentions { text } } } descriptions { caption { text } mentions { text } }
            systemDescriptions { nodes { system { name } mentions { text } } }
          } } } }`),
        )
        return statements.length
      }
      expect(await countOf(30)).toBeLessThanOrEqual((await countOf(1)) + SPLIT_BATCHES)
    })
  })

  describe('contentSelection', () => {
    const SCORE = `imageCount excludedImageCount
    precisionMean { value standardDeviation interval { lower upper } undefinedReason isSmall } recallMean { value }
    fMean { value standardDeviation }`

    it('has scores of people and systems', async () => {
      const found = await selectionOf(
        `dataset { name } priors { name } priorsShare imageCount excludedImageCount excludedDescriptionCount
       humanBound { ${SCORE} } systems { nodes { system { name } figures { ${SCORE} } } }`,
      )
      expect(found).toMatchObject({
        dataset: { name: 'park' },
        priors: null,
        priorsShare: null,
        imageCount: 2,
        excludedImageCount: 1,
        excludedDescriptionCount: 0,
      })
      // In both images, one description mentions the dog and another object, and one mentions only the dog.
      expect(found.humanBound).toEqual({
        imageCount: 2,
        excludedImageCount: 0,
        precisionMean: {
          value: 0.75,
          standardDeviation: 0,
          interval: null,
          undefinedReason: 'TOO_FEW_IMAGES',
          isSmall: false,
        },
        recallMean: { value: 0.75 },
        fMean: { value: expect.closeTo(2 / 3, 14), standardDeviation: 0 },
      })
      const [captioner, pointer] = found.systems.nodes
      expect(captioner).toMatchObject({
        system: { name: 'captioner' },
        figures: {
          imageCount: 2,
          excludedImageCount: 0,
          precisionMean: { value: (1 + 0.75) / 2, standardDeviation: 0.125 },
        },
      })
      expect(pointer).toMatchObject({
        system: { name: 'pointer' },
        figures: {
          imageCount: 1,
          excludedImageCount: 1,
          precisionMean: { value: 0.5 },
          recallMean: { value: 0.25 },
        },
      })
    })

    it('has provenance, that of people and baselines and that of each system', async () => {
      const { systems, ...people } = await selectionOf(
        'signature provenance { ...P } systems { nodes { system { name } signature provenance { ...P } } }',
        '',
        'park',
        'fragment P on Provenance { metricName isHuman datasetHash subjectHash measuredImages { imageCount completeImageCount hash } intervalMethod seed }',
      )
      expect(people.signature).toMatch(/^content-selection\|refs:2\|images:2\|/)
      expect(people.provenance).toMatchObject({
        metricName: 'content-selection',
        isHuman: true,
        measuredImages: { imageCount: 2, completeImageCount: 2, hash: null },
        intervalMethod: 'jackknife',
        seed: 1,
      })
      const [captioner, pointer] = systems.nodes
      expect(captioner.signature).toBe(people.signature)
      expect(captioner.provenance).toEqual({
        ...people.provenance,
        isHuman: false,
        subjectHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
      expect(pointer.signature).toContain('|images:1/2-')
      expect(pointer.provenance.subjectHash).not.toBe(captioner.provenance.subjectHash)
    })

    it('has curves of baselines', async () => {
      const { priors, baselines } = await selectionOf(
        'priors { name } baselines { baseline undefinedReason points { boxCount recallMean { value } fMean { value } } }',
        '(priors: { dataset: "development" })',
      )
      expect(priors).toEqual({ name: 'development' })
      expect(baselines.map(({ baseline }: Json) => baseline)).toEqual([
        'RANDOM',
        'SIZE',
        'POSITION',
        'UNIGRAM',
        'BIGRAM',
        'UNIGRAM_SIZE',
        'UNIGRAM_POSITION',
        'BIGRAM_SIZE',
        'BIGRAM_POSITION',
      ])
      for (const { undefinedReason, points } of baselines) {
        expect(undefinedReason).toBeNull()
        expect(points.map(({ boxCount }: Json) => boxCount)).toEqual(
          Array.from({ length: 15 }, (_, index) => index + 1),
        )
        const recalls: number[] = points.map(({ recallMean }: Json) => recallMean.value)
        expect(recalls).toEqual(recalls.toSorted((one, other) => one - other))
        for (const { fMean } of points) expect(fMean.value).toBeGreaterThanOrEqual(0)
        for (const { fMean } of points) expect(fMean.value).toBeLessThanOrEqual(1)
      }
      expect(baselines[3].points[0].recallMean.value).toBe(0.75)
    })

    it('has the reason if a baseline has no points', async () => {
      const { baselines } = await selectionOf(
        'baselines(names: [BIGRAM, SIZE]) { baseline undefinedReason points { boxCount } }',
      )
      expect(baselines[0]).toMatchObject({ baseline: 'SIZE', undefinedReason: null })
      expect(baselines[1]).toEqual({ baseline: 'BIGRAM', undefinedReason: 'NO_PRIORS', points: null })
      const development = await selectionOf(
        'baselines(names: [POSITION]) { undefinedReason points { boxCount } }',
        '',
        'development',
      )
      expect(development.baselines).toEqual([{ undefinedReason: 'NO_IMAGE_SIZE', points: null }])
    })

    it('has the reason if there are no scores', async () => {
      const { humanBound: human } = await selectionOf(`humanBound { ${SCORE} }`, '', 'mute')
      expect(human).toEqual({
        imageCount: 0,
        excludedImageCount: 0,
        precisionMean: {
          value: null,
          standardDeviation: null,
          interval: null,
          undefinedReason: 'NO_IMAGES',
          isSmall: false,
        },
        recallMean: { value: null },
        fMean: { value: null, standardDeviation: null },
      })
    })

    it('is null if no image has a box', async () => {
      expect(await selectionOf('imageCount', '', 'bare')).toBeNull()
    })

    it('lists images, worst first, with selected boxes and sentences', async () => {
      const { imageScores } = await selectionOf(`imageScores(of: { baseline: { name: SIZE, boxCount: 1 } }) {
      totalCount
      nodes { image { externalId } precision recall f selected { concept }
              sentence { text mentions { start end text box { externalId } } } }
    }`)
      expect(imageScores).toEqual({
        totalCount: 2,
        nodes: [
          {
            image: { externalId: '2' },
            precision: 0.5,
            recall: 0.25,
            f: expect.closeTo(1 / 3, 14),
            selected: [{ concept: 'tree' }],
            sentence: {
              text: 'Tree.',
              mentions: [{ start: 0, end: 4, text: 'Tree', box: { externalId: '2' } }],
            },
          },
          {
            image: { externalId: '1' },
            precision: 1,
            recall: 0.75,
            f: expect.closeTo(6 / 7, 14),
            selected: [{ concept: 'dog' }],
            sentence: {
              text: 'Dog.',
              mentions: [{ start: 0, end: 3, text: 'Dog', box: { externalId: '2' } }],
            },
          },
        ],
      })
    })

    it('lists images page by page in both directions', async () => {
      const page = async (args: string) =>
        (
          await selectionOf(`imageScores(of: { system: "captioner" }, orderBy: { field: F, direction: DESC }, ${args}) {
          nodes { image { externalId } sentence { text } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }`)
        ).imageScores
      const first = await page('first: 1')
      expect(first.nodes).toEqual([{ image: { externalId: '1' }, sentence: null }])
      expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
      const second = await page(`first: 1, after: "${first.pageInfo.endCursor}"`)
      expect(second.nodes).toMatchObject([{ image: { externalId: '2' } }])
      expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
      const back = await page(`last: 1, before: "${second.pageInfo.startCursor}"`)
      expect(back.nodes).toEqual(first.nodes)
      const only = await page('externalIds: ["2", "none"]')
      expect(only.nodes).toMatchObject([{ image: { externalId: '2' } }])
    })

    it('lists scores of people', async () => {
      const { imageScores } = await selectionOf(
        'imageScores { nodes { f selected { concept } sentence { text } } }',
      )
      expect(imageScores.nodes).toEqual(
        Array(2).fill({ f: expect.closeTo(2 / 3, 14), selected: null, sentence: null }),
      )
    })

    it('has the importance of concepts, page by page', async () => {
      const { all, often } = await selectionOf(`
      all: concepts { totalCount nodes { concept imageCount descriptionCount namedCount importance undefinedReason } }
      often: concepts(minImageCount: 2) { nodes { concept } }`)
      expect(all).toEqual({
        totalCount: 3,
        nodes: [
          {
            concept: 'dog',
            imageCount: 2,
            descriptionCount: 4,
            namedCount: 4,
            importance: 1,
            undefinedReason: null,
          },
          {
            concept: 'ball',
            imageCount: 1,
            descriptionCount: 2,
            namedCount: 1,
            importance: 0.5,
            undefinedReason: null,
          },
          {
            concept: 'tree',
            imageCount: 1,
            descriptionCount: 2,
            namedCount: 1,
            importance: 0.5,
            undefinedReason: null,
          },
        ],
      })
      expect(often.nodes).toEqual([{ concept: 'dog' }])
      const first = await selectionOf('concepts(first: 2) { pageInfo { endCursor hasNextPage } }')
      expect(first.concepts.pageInfo.hasNextPage).toBe(true)
      const { concepts } = await selectionOf(
        `concepts(first: 2, after: "${first.concepts.pageInfo.endCursor}") { nodes { concept } }`,
      )
      expect(concepts.nodes).toEqual([{ concept: 'tree' }])
      const { concepts: unnamed } = await selectionOf(
        'concepts { nodes { importance undefinedReason } }',
        '',
        'mute',
      )
      expect(unnamed.nodes).toEqual([{ importance: null, undefinedReason: 'NO_DESCRIPTIONS' }])
    })

    it('learns from a share of the images', async () => {
      const found = await selectionOf(
        `priors { name } priorsShare imageCount baselines(names: [UNIGRAM]) { points { imageCount fMean { value } } }`,
        '(priors: { share: 0.5 })',
        'many',
      )
      expect(found).toMatchObject({ priors: null, priorsShare: 0.5 })
      expect(found.imageCount).toBeLessThan(30)
      expect(found.baselines[0].points[0]).toEqual({ imageCount: found.imageCount, fMean: { value: 1 } })
    })

    it('requires a number of statements that does not grow with the images', async () => {
      const countOf = async (page: number) => {
        const fields = `imageScores(of: { baseline: { name: SIZE, boxCount: 2 } }, first: ${page}) {
          nodes { image { externalId } selected { concept } sentence { mentions { box { concept } } } }
        }`
        const statements = await world.statementsOf(() => selectionOf(fields, '', 'many'))
        // The number of polls for the end of the job depends on its duration.
        return statements.filter((text) => !/\bjob\b/.test(text)).length
      }
      expect(await countOf(30)).toBeLessThanOrEqual((await countOf(1)) + SPLIT_BATCHES)
    })
  })

  describe('contentSelection refuses', () => {
    it.each([
      ['unknown priors', '(priors: { dataset: "nothing" })', 'humanBound { imageCount }', 'UNKNOWN_DATASET'],
      [
        'priors without descriptions',
        '(priors: { dataset: "mute" })',
        'humanBound { imageCount }',
        'NOT_APPLICABLE',
      ],
      [
        'its own descriptions as priors',
        '(priors: { dataset: "park" })',
        'humanBound { imageCount }',
        'NOT_APPLICABLE',
      ],
      ['a share of 1', '(priors: { share: 1 })', 'humanBound { imageCount }', 'OUT_OF_RANGE'],
    ])('%s', async (_case, args, field, code) => {
      const query = `{ dataset(name: "park") { name contentSelection${args} { ${field} } } }`
      const { data, errors } = await api.query(query)
      expect(errors.map(({ extensions }) => extensions.code)).toEqual([code])
      expect(data.dataset).toEqual({ name: 'park', contentSelection: null })
    })

    it.each([
      ['k = 16', 'of: { baseline: { name: SIZE, boxCount: 16 } }', 'OUT_OF_RANGE'],
      ['an unknown system', 'of: { system: "nobody" }', 'UNKNOWN_SYSTEM'],
      ['a page of −1', 'first: -1', 'OUT_OF_RANGE'],
      ['a page of both ends', 'first: 1, last: 1', 'OUT_OF_RANGE'],
      ['a cursor of another list', 'after: "WyJ4IiwxLDFd"', 'INVALID_CURSOR'],
    ])('image scores of %s, without the other fields', async (_case, args, code) => {
      const query = `{ dataset(name: "park") { contentSelection { imageCount imageScores(${args}) { totalCount } } } }`
      const { data, errors } = await api.query(query)
      expect(errors.map(({ extensions }) => extensions.code)).toEqual([code])
      expect(data.dataset.contentSelection).toEqual({ imageCount: expect.any(Number), imageScores: null })
    })

    it.each([
      ['priors of two kinds', '(priors: { dataset: "development", share: 0.5 })', 'imageCount'],
      [
        'image scores of two',
        '',
        'imageScores(of: { system: "pointer", baseline: { name: SIZE, boxCount: 2 } }) { totalCount }',
      ],
      ['a baseline without k', '', 'imageScores(of: { baseline: { name: SIZE } }) { totalCount }'],
    ])('%s, by validation', async (_case, args, field) => {
      const query = `{ dataset(name: "park") { contentSelection${args} { ${field} } } }`
      expect(new Set(await api.refusal(query))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']))
    })
  })

  it.each([
    ['position without the size of an image', 'development', 'POSITION', 'NO_IMAGE_SIZE'],
    ['bigram without priors', 'park', 'BIGRAM', 'NO_PRIORS'],
  ])('image scores of %s are null with a reason', async (_case, name, baseline, undefinedReason) => {
    const { dataset } = await api.ask(`{ dataset(name: "${name}") { contentSelection {
      imageScores(of: { baseline: { name: ${baseline}, boxCount: 1 } }) { totalCount }
      baselines(names: [${baseline}]) { undefinedReason }
    } } }`)
    expect(dataset.contentSelection).toEqual({ imageScores: null, baselines: [{ undefinedReason }] })
  })
})
