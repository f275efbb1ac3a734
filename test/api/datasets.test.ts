import { beforeAll, describe, expect, it } from 'vitest'
import { requireDataset } from '../../src/store/datasets.js'
import { update } from '../../src/store/engine/rows.js'
import { sql } from '../../src/store/engine/sql.js'
import { WordEntity } from '../../src/store/schema/dataset-tables.js'
import { importScoredPets, PETS } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

describe('datasets', async () => {
  const world = await initWorld()
  let api: Api

  beforeAll(async () => {
    await importScoredPets(world)
    await world.dataset('words', {
      images: { 1: ['a b c', 'b c d'], 2: ['c d e', 'd e f'], 3: ['e f', 'f g'] },
    })
    api = await world.serve({ workers: 1 })
  })

  const textsOf = (connection: Json): string[] => connection.nodes.map(({ text }: Json) => text)

  describe('a dataset', () => {
    it('is found by name, and all are listed by name', async () => {
      expect(
        await api.ask(`{
        datasets { nodes { name } }
        dataset(name: "pets") { name captionsPerImage imageCount captionCount excludedImageCount systems { nodes { name } } }
        unknown: dataset(name: "Pets") { name }
      }`),
      ).toEqual({
        datasets: { nodes: [{ name: 'pets' }, { name: 'words' }] },
        dataset: {
          name: 'pets',
          captionsPerImage: 3,
          imageCount: 7,
          captionCount: 17,
          excludedImageCount: 2,
          systems: {
            nodes: ['copycat', 'detector', 'guesser', 'newcomer', 'noise'].map((name) => ({ name })),
          },
        },
        unknown: null,
      })
    })

    it('has pages of lists that are read as a whole, in both directions', async () => {
      const PAGE = `query ($first: Int, $last: Int, $after: String, $before: String) { dataset(name: "pets") {
        systems(first: $first, last: $last, after: $after, before: $before) {
          totalCount nodes { name } edges { cursor node { name } }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
      } }`
      const pageOf = async (variables: Json) => (await api.ask(PAGE, variables)).dataset.systems
      const namesOf = ({ nodes }: Json) => nodes.map(({ name }: Json) => name)
      const first = await pageOf({ first: 2 })
      expect(first).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true, hasPreviousPage: false } })
      expect(first.edges.map(({ node }: Json) => node)).toEqual(first.nodes)
      expect(first.pageInfo.endCursor).toBe(first.edges[1].cursor)
      const second = await pageOf({ first: 2, after: first.pageInfo.endCursor })
      const third = await pageOf({ first: 2, after: second.pageInfo.endCursor })
      expect([first, second, third].map(namesOf)).toEqual([
        ['copycat', 'detector'],
        ['guesser', 'newcomer'],
        ['noise'],
      ])
      expect(third.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
      expect(namesOf(await pageOf({ last: 3, before: third.pageInfo.startCursor }))).toEqual([
        'detector',
        'guesser',
        'newcomer',
      ])
      const { datasets } = await api.ask('{ datasets { pageInfo { endCursor } } }')
      expect(await api.refusal(PAGE, { after: datasets.pageInfo.endCursor })).toEqual(['INVALID_CURSOR'])
      expect(await api.refusal(PAGE, { first: 1001 })).toEqual(['OUT_OF_RANGE'])
    })

    it('finds images, words and systems by name or external id', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") {
      image(externalId: "20") { externalId } noImage: image(externalId: "21") { externalId }
      word(text: "dog") { text } noWord: word(text: "unicorn") { text }
      system(name: "noise") { name kind } noSystem: system(name: "silence") { name }
    } }`)
      expect(dataset).toEqual({
        image: { externalId: '20' },
        noImage: null,
        word: { text: 'dog' },
        noWord: null,
        system: { name: 'noise', kind: 'WORD_SCORES' },
        noSystem: null,
      })
    })
  })

  describe('node', () => {
    it('finds every type by its opaque id', async () => {
      const { dataset, metric } = await api.ask(`{ dataset(name: "pets") {
      id image(externalId: "10") { id captions { id } systemCaptions { nodes { id } } } word(text: "dog") { id }
      system(name: "copycat") { id }
    } metric(name: "CIDEr-D") { id } }`)
      const { startEvaluation } = await api.ask(`mutation {
      startEvaluation(input: { dataset: "pets", system: "copycat" }) { ... on JobSuccess { job { id } } }
    }`)
      await api.ended(startEvaluation.job.id)
      const ids = {
        Dataset: dataset.id,
        Image: dataset.image.id,
        Caption: dataset.image.captions[0].id,
        SystemCaption: dataset.image.systemCaptions.nodes[0].id,
        Metric: metric.id,
        Word: dataset.word.id,
        System: dataset.system.id,
        Job: startEvaluation.job.id,
      }
      for (const [type, id] of Object.entries(ids)) {
        const { node } = await api.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id })
        expect(node).toEqual({ __typename: type, id })
      }
      const { node } = await api.ask(
        'query ($id: ID!) { node(id: $id) { ... on Word { text agreement(references: 2) { precision } } } }',
        { id: ids.Word },
      )
      expect(node).toEqual({ text: 'dog', agreement: { precision: 1 } })
      const { job } = await api.ask('query ($id: ID!) { job(id: $id) { id } }', { id: ids.Word })
      expect(job).toBeNull()
    })

    it.each([
      ['no id', 'nonsense'],
      ['nothing', ''],
      ...[
        ['another type', '["constructor",1]'],
        ['no list', '"Word"'],
        ['text', '["Word","1"]'],
        ['two numbers', '["Word",1,1]'],
        ['an object that does not exist', '["Word",999999]'],
        ['a number that is too large', `["Word",${'9'.repeat(30)}]`],
        ['half a number', '["Word",1.5]'],
        ['a model of another kind', '["UsageModel",1,"NONE"]'],
        ['a result of no system', '["SystemWordResult",999999,1,1]'],
        ['a score of no system', '["MetricScore",999999,"BLEU-1",null]'],
      ].map(([what, key]) => [what, Buffer.from(key).toString('base64url')]),
    ])('is null for %s', async (_what, id) => {
      expect(await api.ask('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: null })
    })
  })

  describe('an image', () => {
    it('has human captions, system captions, tokens and words', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") { image(externalId: "20") {
      externalId fileName url width height
      captions { externalId text tokens }
      systemCaptions { nodes { text tokens system { name } image { externalId } } }
      some: systemCaptions(systems: ["guesser"]) { nodes { text } }
      words { captionCount word { text } }
    } } }`)
      expect(dataset.image).toMatchObject({
        externalId: '20',
        fileName: '20.jpg',
        url: 'https://images.example/20.jpg',
        width: 640,
        height: 480,
        captions: [
          { externalId: '4', text: 'A dog and a cat.', tokens: ['a', 'dog', 'and', 'a', 'cat'] },
          { externalId: '5', text: 'A cat sits near a dog.' },
          { externalId: '6', text: 'Two animals on a sofa.' },
        ],
        systemCaptions: {
          nodes: [
            { text: 'A dog and a cat.', system: { name: 'copycat' }, image: { externalId: '20' } },
            {
              text: 'A dog on a sofa.',
              tokens: ['a', 'dog', 'on', 'a', 'sofa'],
              system: { name: 'guesser' },
            },
            { text: 'A dog and a cat.', system: { name: 'newcomer' } },
          ],
        },
        some: { nodes: [{ text: 'A dog on a sofa.' }] },
      })
      expect(dataset.image.words.slice(0, 3)).toEqual([
        { captionCount: 3, word: { text: 'a' } },
        { captionCount: 2, word: { text: 'dog' } },
        { captionCount: 2, word: { text: 'cat' } },
      ])
    })

    it('has caption scores: of evaluated systems, and of people after human agreement is computed', async () => {
      const QUERY = `{ dataset(name: "pets") { image(externalId: "40") {
      captions { scores(metrics: ["ROUGE-L"]) { value signature metric { name } } }
      systemCaptions { nodes { system { name } scores(metrics: ["ROUGE-L"]) { value metric { name } signature } all: scores { metric { name } } } }
    } } }`
      const before = (await api.ask(QUERY)).dataset.image
      expect(before.captions.map(({ scores }: Json) => scores)).toEqual([null, null, null, null])
      const [copycat, guesser, newcomer] = before.systemCaptions.nodes
      expect(copycat.scores).toMatchObject([{ value: 1, metric: { name: 'ROUGE-L' } }])
      expect(copycat.all.length).toBeGreaterThan(10)
      expect(guesser.scores[0].value).toBeLessThan(1)
      expect(guesser.scores[0].signature).toBe(copycat.scores[0].signature)
      expect(newcomer.scores).toBeNull()

      await api.done('computeHumanAgreement(input: { dataset: "pets" })')
      const after = (await api.ask(QUERY)).dataset.image
      const scores = after.captions.map((caption: Json) => caption.scores)
      expect(scores.map(({ length }: Json) => length)).toEqual([1, 1, 1, 0])
      for (const [{ value, metric }] of scores.slice(0, 3)) {
        expect(metric.name).toBe('ROUGE-L')
        expect(value).toBeGreaterThan(0)
        expect(value).toBeLessThan(1)
      }
    })

    it('without human captions can be queried', async () => {
      const { dataset } = await api.ask(`{ dataset(name: "pets") { image(externalId: "60") {
      captions { text } words { captionCount } systemCaptions(systems: ["copycat"]) { nodes { text tokens scores { value } } }
    } } }`)
      expect(dataset.image).toEqual({
        captions: [],
        words: [],
        systemCaptions: {
          nodes: [{ text: 'Nothing at all.', tokens: ['nothing', 'at', 'all'], scores: [] }],
        },
      })
    })
  })

  describe('a list of images', () => {
    const LIST = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: ImageFilter) {
    dataset(name: "pets") {
      images(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount nodes { externalId } edges { cursor node { id } }
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      }
    }
  }`
    const list = async (variables: Json) => (await api.ask(LIST, variables)).dataset.images
    const idsOf = ({ nodes }: Json): string[] => nodes.map(({ externalId }: Json) => externalId)

    it('is paged in both directions by cursor', async () => {
      const first = await list({ first: 3 })
      expect(idsOf(first)).toEqual(['10', '20', '30'])
      expect(first.totalCount).toBe(7)
      expect(first.pageInfo).toEqual({
        startCursor: first.edges[0].cursor,
        endCursor: first.edges[2].cursor,
        hasNextPage: true,
        hasPreviousPage: false,
      })
      const second = await list({ first: 3, after: first.pageInfo.endCursor })
      expect(idsOf(second)).toEqual(['40', '50', '60'])
      const third = await list({ first: 3, after: second.pageInfo.endCursor })
      expect(idsOf(third)).toEqual(['70'])
      expect(third.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })

      const last = await list({ last: 2 })
      expect(idsOf(last)).toEqual(['60', '70'])
      expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
      const back = await list({ last: 2, before: last.pageInfo.startCursor })
      expect(idsOf(back)).toEqual(['40', '50'])
      const between = await list({
        first: 10,
        after: first.pageInfo.startCursor,
        before: last.pageInfo.startCursor,
      })
      expect(idsOf(between)).toEqual(['20', '30', '40', '50'])
      expect(idsOf(await list({ first: 0 }))).toEqual([])
      expect((await list({ first: 0 })).pageInfo).toMatchObject({ startCursor: null, hasNextPage: true })
    })

    it.each<[string, Json, readonly string[]]>([
      ['nothing', {}, Object.keys(PETS)],
      ['ids', { externalIds: ['70', '10', '99'] }, ['10', '70']],
      ['no ids', { externalIds: [] }, []],
      ['a word of the first K captions', { word: 'dog' }, ['10', '20']],
      ['a word without captions', { word: 'unicorn' }, []],
      ['captions', { captionCount: { min: 3 } }, ['10', '20', '30', '40', '70']],
      ['captions and a word', { captionCount: { min: 4 }, word: 'tree' }, ['40']],
    ])('is filtered by %s', async (_by, filter, expected) => {
      const images = await list({ filter, first: 100 })
      expect(idsOf(images)).toEqual(expected)
      expect(images.totalCount).toBe(expected.length)
    })
  })

  describe('pages of words', () => {
    const LIST = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: WordOrder) {
    dataset(name: "words") {
      words(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, filter: { vocabulary: ALL }) {
        totalCount nodes { text } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      }
    }
  }`
    const list = async (variables: Json) => (await api.ask(LIST, variables)).dataset.words

    it.each(['RANK', 'TEXT', 'IMAGE_COUNT', 'CAPTION_COUNT', 'HUMAN_PRECISION', 'HUMAN_RECALL'])(
      'in both directions, by %s, are equal to the whole list',
      async (field) => {
        for (const direction of ['ASC', 'DESC']) {
          const orderBy = { field, direction }
          const whole = textsOf(await list({ first: 100, orderBy }))
          expect(whole.length).toBe(7)
          const forwards: string[] = []
          for (let after: string | undefined, more = true; more; ) {
            const page = await list({ first: 2, after, orderBy })
            forwards.push(...textsOf(page))
            after = page.pageInfo.endCursor
            more = page.pageInfo.hasNextPage
          }
          const backwards: string[] = []
          for (let before: string | undefined, more = true; more; ) {
            const page = await list({ last: 2, before, orderBy })
            backwards.unshift(...textsOf(page))
            before = page.pageInfo.startCursor
            more = page.pageInfo.hasPreviousPage
          }
          expect({ forwards, backwards }).toEqual({ forwards: whole, backwards: whole })
        }
      },
    )

    it('are stable while rows are added and removed', async () => {
      const orderBy = { field: 'TEXT' }
      const first = await list({ first: 3, orderBy })
      expect(textsOf(first)).toEqual(['a', 'b', 'c'])
      await world.dataset('more', { images: { 1: ['aa bb cc', 'aa bb'] } })
      // Words of another dataset move here: before, at and after the cursor; and the row of the cursor is removed.
      const { id: datasetId } = await requireDataset(world.database, 'words')
      await update(
        world.database,
        WordEntity,
        { datasetId },
        sql`dataset_id = (SELECT id FROM dataset WHERE name = 'more')`,
      )
      await world.database.run(sql`
        DELETE FROM word WHERE text = 'c' AND dataset_id = (SELECT id FROM dataset WHERE name = 'words')`)
      const second = await list({ first: 3, after: first.pageInfo.endCursor, orderBy })
      expect(textsOf(second)).toEqual(['cc', 'd', 'e'])
      const back = await list({ last: 10, before: first.pageInfo.endCursor, orderBy })
      expect(textsOf(back)).toEqual(['a', 'aa', 'b', 'bb'])
    })
  })
})
