import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { requireDataset } from '../../src/services/datasets/datasets.js'
import { importBoxes } from '../../src/services/selection/import-boxes.js'
import { importObjects } from '../../src/services/selection/import-objects.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import { sql } from '../../src/store/engine/sql.js'
import { ENGINES } from '../kit/databases.js'
import { importPets, PETS } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

/** Lists of images in the order of scores, and by what a table of images and systems is filtered by. */
describe.each(ENGINES)('images on %s', async (engine) => {
  const world = await initWorld({ engine })
  let api: Api
  /** Scores of the images against as many references as people have, by side. */
  const scores: Record<string, Map<string, number>> = {}

  const LIST = `query ($filter: ImageFilter, $orderBy: ImageOrder, $first: Int, $after: String, $last: Int, $before: String) {
    dataset(name: "pets") { images(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { externalId fileName } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } }
  }`
  const list = async (variables: Json) => (await api.ask(LIST, variables)).dataset.images
  const idsOf = ({ nodes }: Json): string[] => nodes.map(({ externalId }: Json) => externalId)
  const all = Object.keys(PETS)

  /** Objects of images, without boxes. */
  const importNames = async (rows: string) => {
    const file = join(world.folder, 'objects.csv')
    writeFileSync(file, `image_id,objects\n${rows}`)
    const { id: datasetId } = await requireDataset(world.accord, 'pets')
    await importObjects(
      withoutJob(world.accord.database, () => {}),
      { file, datasetId },
    )
  }

  beforeAll(async () => {
    await importPets(world)
    // Another dataset with the same words and objects.
    await world.dataset('others', { images: { 10: ['A dog runs on grass.', 'A dog.', 'A cat.'] } })
    for (const dataset of ['others', 'pets']) {
      const file = join(world.folder, `${dataset}.json`)
      const box = (id: number, concept: string) => ({ id, concept, bbox: [0, 0, 5, 5] })
      writeFileSync(
        file,
        JSON.stringify({
          images: [
            { image_id: 10, boxes: [box(1, 'dog'), box(2, 'grass')] },
            ...(dataset === 'pets'
              ? [
                  { image_id: 20, boxes: [box(1, 'dog.n.01'), box(2, 'cat')] },
                  { image_id: 40, boxes: [box(1, 'dog house')] },
                ]
              : []),
          ],
        }),
      )
      await importBoxes(
        withoutJob(world.accord.database, () => {}),
        { file, dataset },
      )
    }
    await importNames('20,kite\n30,"kite, toy kite|tree"\n50,\n')
    for (const [image, domain] of [
      ['10', 'near'],
      ['30', 'near'],
      ['40', 'far'],
    ])
      await world.database.run(
        sql`UPDATE image SET fields = ${JSON.stringify({ domain })} WHERE external_id = ${image}`,
      )
    api = await world.serve({ workers: 1 })
    for (const system of ['copycat', 'guesser'])
      await api.done(`startEvaluation(input: { dataset: "pets", system: "${system}", references: 2 })`)
    await api.done('computeHumanAgreement(input: { dataset: "pets", references: 2 })')
    const vector = 'vector { externalIds values }'
    const { dataset } = await api.ask(`{ dataset(name: "pets") {
      copycat: system(name: "copycat") { score(metric: "CIDEr-D", against: AS_PEOPLE) { ${vector} } }
      guesser: system(name: "guesser") { score(metric: "CIDEr-D", against: AS_PEOPLE) { ${vector} } }
      people: humanAgreement { score(metric: "CIDEr-D") { ${vector} } }
    } }`)
    for (const [name, { score }] of Object.entries<Json>(dataset))
      scores[name] = new Map(
        score.vector.externalIds.map((id: string, index: number) => [id, score.vector.values[index]]),
      )
  })

  /** The images by a value, those without one last, ties in the order of the file. */
  const sorted = (valueAt: (id: string) => number | undefined, sign: 1 | -1) =>
    all
      .map((id, place) => ({ id, place, value: valueAt(id) ?? Number.NaN }))
      .sort(
        (a, b) =>
          Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value)) ||
          sign * (a.value - b.value) ||
          a.place - b.place,
      )
      .map(({ id }) => id)

  const PEOPLE = { human: 'LEAVE_ONE_OUT' }
  const ORDERS: readonly (readonly [string, Json, (id: string) => number | undefined])[] = [
    ['a system', { side: { system: 'guesser' }, against: 'AS_PEOPLE' }, (id) => scores.guesser.get(id)],
    ['people', { side: PEOPLE }, (id) => scores.people.get(id)],
    [
      'the gap of two systems',
      { side: { system: 'copycat' }, minus: { system: 'guesser' }, against: 'AS_PEOPLE' },
      (id) => (scores.copycat.get(id) ?? Number.NaN) - (scores.guesser.get(id) ?? Number.NaN),
    ],
    [
      'the gap to people',
      { side: { system: 'guesser' }, minus: PEOPLE },
      (id) => (scores.guesser.get(id) ?? Number.NaN) - (scores.people.get(id) ?? Number.NaN),
    ],
  ]

  it.each(ORDERS)('are ordered by the scores of %s, page by page', async (_side, order, valueAt) => {
    for (const direction of ['ASC', 'DESC']) {
      const orderBy = { field: { metric: 'CIDEr-D', ...order }, direction }
      const whole = await list({ orderBy, first: 100 })
      expect(idsOf(whole)).toEqual(sorted(valueAt, direction === 'ASC' ? 1 : -1))
      expect(whole.totalCount).toBe(7)
      const pages: string[] = []
      let page: Json
      for (let after = null; page?.pageInfo.hasNextPage !== false; after = page.pageInfo.endCursor) {
        page = await list({ orderBy, first: 3, after })
        pages.push(...idsOf(page))
      }
      expect(pages).toEqual(idsOf(whole))
      expect(page.pageInfo.hasPreviousPage).toBe(true)
      const back = await list({ orderBy, last: 3, before: page.pageInfo.startCursor })
      expect(idsOf(back)).toEqual(pages.slice(3, 6))
    }
  })

  it('have scores that differ, and images without any', () => {
    expect(new Set(scores.guesser.values()).size).toBeGreaterThan(2)
    expect(scores.people.has('60')).toBe(false)
  })

  it('are ordered by scores against all captions by default', async () => {
    const orderBy = { field: { metric: 'CIDEr-D', side: { system: 'guesser' } } }
    expect(await api.refusal(LIST, { orderBy })).toEqual(['NOT_APPLICABLE'])
    await api.done('startEvaluation(input: { dataset: "pets", system: "guesser" })')
    const { score } = (
      await api.ask(
        '{ dataset(name: "pets") { system(name: "guesser") { score(metric: "CIDEr-D") { vector { externalIds values } } } } }',
      )
    ).dataset.system
    const own = new Map<string, number>(
      score.vector.externalIds.map((id: string, index: number) => [id, score.vector.values[index]]),
    )
    expect(idsOf(await list({ orderBy, first: 100 }))).toEqual(sorted((id) => own.get(id), 1))
  })

  it.each<[Json, string]>([
    [{ metric: 'CIDEr-D', side: { system: 'nobody' } }, 'UNKNOWN_SYSTEM'],
    [{ metric: 'nothing', side: { system: 'guesser' } }, 'UNKNOWN_METRIC'],
    [{ metric: 'CIDEr-D', side: { system: 'newcomer' } }, 'NOT_APPLICABLE'],
    [{ metric: 'CIDEr-D', side: PEOPLE, against: 'ALL' }, 'NOT_APPLICABLE'],
    [{ metric: 'CIDEr-D', side: { system: 'guesser' }, minus: PEOPLE, against: 'ALL' }, 'NOT_APPLICABLE'],
  ])('have no order %j', async (field, code) => {
    expect(await api.refusal(LIST, { orderBy: { field } })).toEqual([code])
  })

  const CASES: readonly (readonly [Json, readonly string[]])[] = [
    [{ captionWords: { tokenCount: { max: 1 } } }, []],
    [{ captionWords: { tokenCount: { max: 2 } } }, ['70']],
    [{ captionWords: { tokenCount: { min: 6 } } }, ['20', '30']],
    [{ captionWords: { all: ['cat'], tokenCount: { min: 6, max: 6 } } }, ['20', '30']],
    [{ captionWords: { all: ['dog'], tokenCount: { min: 5, max: 5 } } }, ['10', '20']],
    [{ systemCaption: { system: 'guesser', captionWords: { all: ['dog'] } } }, ['10', '20', '30']],
    [{ systemCaption: { system: 'copycat', captionWords: { all: ['dog'], none: ['cat'] } } }, ['10']],
    [
      { systemCaption: { system: 'guesser', captionWords: { tokenCount: { max: 2 } } } },
      ['10', '40', '50', '60', '70'],
    ],
    [{ systemCaption: { system: 'guesser', captionWords: { tokenCount: { min: 5 } } } }, ['20']],
    [{ systemCaption: { system: 'detector', captionWords: {} } }, []],
    [
      {
        captionWords: { all: ['cat'] },
        systemCaption: { system: 'guesser', captionWords: { all: ['sofa'] } },
      },
      ['20'],
    ],
    [{ objects: ['dog'] }, ['10', '20']],
    [{ objects: ['dog', 'cat'] }, ['20']],
    [{ objects: ['dog house'] }, ['40']],
    [{ objects: ['unicorn'] }, []],
    // Without boxes.
    [{ objects: ['kite'] }, ['20', '30']],
    [{ objects: ['dog', 'kite'] }, ['20']],
    [{ objects: ['tree'], captionWords: { all: ['cat'] } }, ['30']],
    [{ objects: [] }, all],
    [{ subset: { field: 'domain', value: 'near' } }, ['10', '30']],
    [{ subset: { field: 'domain', value: 'elsewhere' } }, []],
    [{ subset: { field: 'objects', value: '0–2' }, objects: ['cat'] }, ['20']],
  ]

  it.each(CASES)('are those of the filter %j, in each order', async (filter, expected) => {
    const images = await list({ filter, first: 100 })
    expect(idsOf(images)).toEqual(expected)
    expect(images.totalCount).toBe(expected.length)
    const orderBy = { field: { metric: 'CIDEr-D', side: PEOPLE }, direction: 'DESC' }
    const ordered = await list({ filter, orderBy, first: 100 })
    expect(idsOf(ordered)).toEqual(
      sorted((id) => scores.people.get(id), -1).filter((id) => expected.includes(id)),
    )
    expect(ordered.totalCount).toBe(expected.length)
  })

  it('are those of the objects that are imported last', async () => {
    const kites = async () => idsOf(await list({ filter: { objects: ['kite'] }, first: 100 }))
    expect(await kites()).toEqual(['20', '30'])
    await importNames('20,dog\n70,kite\n')
    expect(await kites()).toEqual(['30', '70'])
  })

  it('are not filtered by what is not there', async () => {
    const unknown = { subset: { field: 'weather', value: 'rain' } }
    expect(await api.refusal(LIST, { filter: unknown })).toEqual(['NOT_APPLICABLE'])
    const nobody = { systemCaption: { system: 'nobody', captionWords: { all: ['dog'] } } }
    expect(await api.refusal(LIST, { filter: nobody })).toEqual(['UNKNOWN_SYSTEM'])
  })

  it('have the values of their fields', async () => {
    const { dataset } = await api.ask(
      '{ dataset(name: "pets") { domain: imageSubsets(by: "domain") { subset imageCount } objects: imageSubsets(by: "objects") { subset imageCount } } }',
    )
    expect(dataset.domain).toEqual([
      { subset: 'far', imageCount: 1 },
      { subset: 'near', imageCount: 2 },
    ])
    expect(dataset.objects).toEqual([{ subset: '0–2', imageCount: 7 }])
  })
  it('are refused the fields of another dataset, which answers itself', async () => {
    await world.dataset('bare', { images: { 90: ['A dog.', 'A dog runs.', 'A cat.'] } })
    const { data, errors } = await api.query(
      '{ datasets { nodes { name imageSubsets(by: "domain") { imageCount } } } }',
    )
    const nodes = Object.fromEntries(data.datasets.nodes.map((node: Json) => [node.name, node.imageSubsets]))
    expect(nodes).toMatchObject({ bare: null, pets: [{ imageCount: 1 }, { imageCount: 2 }] })
    expect(errors.map(({ extensions }: Json) => extensions.place)).toEqual(['bare'])
  })
})
