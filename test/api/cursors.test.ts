import { beforeAll, describe, expect, it } from 'vitest'
import { removeDataset } from '../../src/services/datasets/datasets.js'
import { removeSystem } from '../../src/services/systems/systems.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  for (const name of ['pets', 'others']) {
    const dataset = await importPets(world, name)
    await dataset.evaluate('copycat')
    await dataset.evaluate('guesser')
  }
  api = await world.serve({ accord: world.accord })
})

const PAGE = '{ edges { cursor } pageInfo { startCursor endCursor } }'

/** Lists with at least two rows, as paths of fields; `$page` stands for the arguments of a page. */
const LISTS: readonly string[] = [
  'datasets($page)',
  'metrics($page)',
  ...['pets', 'others'].flatMap((name) =>
    [
      'images($page)',
      'images($page, filter: { captionCount: { min: 1 } })',
      'images($page, filter: { word: "dog" })',
      'captions($page)',
      'captions($page, filter: { any: ["dog"] })',
      'words($page)',
      'words($page, filter: { vocabulary: IN })',
      'words($page, filter: { captionCount: { min: 2 } })',
      'words($page, orderBy: { field: TEXT })',
      'words($page, orderBy: { field: TEXT, direction: DESC })',
      'systems($page)',
      'image(externalId: "10") { systemCaptions($page)',
      'image(externalId: "20") { systemCaptions($page)',
      'image(externalId: "10") { systemCaptions($page, systems: ["copycat", "guesser"])',
      'word(text: "dog") { images($page)',
      'word(text: "cat") { images($page)',
      'word(text: "dog") { systemResults($page)',
      'word(text: "dog") { systemResults($page, references: 1)',
      'word(text: "sofa") { systemResults($page)',
      'system(name: "copycat") { captions($page)',
      'system(name: "guesser") { captions($page)',
      'system(name: "copycat") { words($page)',
      'system(name: "copycat") { words($page, references: 1)',
      'system(name: "copycat") { score(metric: "BLEU-1") { imageScores($page)',
      'system(name: "copycat") { score(metric: "ROUGE-L") { imageScores($page)',
      'system(name: "guesser") { score(metric: "BLEU-1") { imageScores($page)',
      'system(name: "copycat") { score(metric: "BLEU-1") { imageScores($page, orderBy: { field: IMAGE })',
      'wordLeaderboard { rows($page)',
      'wordLeaderboard(references: 1) { rows($page)',
      'wordLeaderboard(partOfSpeech: [NN]) { rows($page)',
      'leaderboards(metrics: ["BLEU-1"]) { rows($page)',
      'leaderboards(metrics: ["ROUGE-L"]) { rows($page)',
    ].map((list) => `dataset(name: "${name}") { ${list}`),
  ),
]

/** A page of a list: the connection. */
async function pageOf(list: string, page: string): Promise<Json> {
  const depth = (list.replace(/\([^()]*(\([^()]*\)[^()]*)*\)/g, '').match(/{/g) ?? []).length
  const query = `{ ${list.replace('$page', page)} ${PAGE}${' }'.repeat(depth)} }`
  const { data, errors } = await api.query(query)
  if (errors.length > 0) return { code: errors[0].extensions.code }
  let found = data
  while (!('edges' in found)) {
    const [inner] = Object.values<Json>(found)
    found = Array.isArray(inner) ? inner[0] : inner
  }
  return found
}

describe('a cursor', () => {
  it('belongs to one list: the same field of the same object with the same arguments', async () => {
    const cursors: string[] = []
    for (const list of LISTS) {
      const { edges, code } = await pageOf(list, 'first: 2')
      expect(code, list).toBeUndefined()
      expect(edges, list).toHaveLength(2)
      cursors.push(edges[0].cursor)
      const { edges: rest } = await pageOf(list, `first: 1, after: "${edges[0].cursor}"`)
      expect(rest, list).toEqual([edges[1]])
      const { edges: before } = await pageOf(list, `last: 1, before: "${edges[1].cursor}"`)
      expect(before, list).toEqual([edges[0]])
    }
    expect(new Set(cursors)).toHaveLength(LISTS.length)
    const ofOneDataset = (LISTS.length - 2) / 2
    for (const [index, list] of LISTS.slice(0, 2 + ofOneDataset).entries()) {
      // Those of the next list, and of the same one of the other dataset.
      for (const other of [index + 1, index + ofOneDataset]) {
        const what = `${list} with a cursor of ${LISTS[other]}`
        expect(await pageOf(list, `first: 1, after: "${cursors[other]}"`), what).toEqual({
          code: 'INVALID_CURSOR',
        })
        expect(await pageOf(list, `last: 1, before: "${cursors[other]}"`), what).toEqual({
          code: 'INVALID_CURSOR',
        })
      }
    }
  })

  it('is the same however the object is reached, and whatever the size of the page', async () => {
    const { dataset } = await api.ask(
      '{ dataset(name: "pets") { id words(first: 3, orderBy: { field: TEXT }) { edges { cursor } } } }',
    )
    const { node } = await api.ask(
      `query ($id: ID!, $after: String, $first: Int) { node(id: $id) { ... on Dataset {
        words(first: $first, after: $after, last: null, orderBy: { field: TEXT }) { edges { cursor } } } } }`,
      { id: dataset.id, after: dataset.words.edges[0].cursor, first: 2 },
    )
    expect(node.words.edges).toEqual(dataset.words.edges.slice(1))
  })
})

describe('a cursor of a list by name survives removals', () => {
  const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
  const page = async (fields: string) => {
    let [found] = Object.values<Json>(await api.ask(`{ ${fields} }`))
    while (!('edges' in found)) found = Object.values<Json>(found)[0]
    return found
  }
  const END = '{ edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage } }'

  it('of datasets: of its own row and those before it', async () => {
    for (const name of NAMES) await world.dataset(`z-${name}`, { images: { 1: ['a dog'] } })
    const { edges } = await page(`datasets(last: 6) ${END}`)
    expect(edges.map(({ node }: Json) => node.name)).toEqual(NAMES.map((name) => `z-${name}`))
    const cursor = edges[2].cursor
    for (const name of ['z-a', 'z-c']) await removeDataset(world.accord, name)
    const after = await page(`datasets(first: 9, after: "${cursor}") ${END}`)
    expect(after.edges.map(({ node }: Json) => node.name)).toEqual(['z-d', 'z-e', 'z-f'])
    expect(after.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true })
    const before = await page(`datasets(last: 2, before: "${cursor}") ${END}`)
    expect(before.edges.map(({ node }: Json) => node.name)).toEqual(['pets', 'z-b'])
  })

  it('of systems, and of what an image and a word have of them', async () => {
    const systems = await world.dataset('systems', {
      images: { 1: ['a dog', 'the dog'], 2: ['a dog', 'a cat'] },
    })
    for (const name of NAMES) await systems.captionSystem(name, { 1: 'a dog', 2: 'a cat' })
    const lists = [
      `systems($page) { edges { cursor node { name } } }`,
      `image(externalId: "1") { systemCaptions($page) { edges { cursor node { system { name } } } } }`,
      `word(text: "dog") { systemResults($page) { edges { cursor node { system { name } } } } }`,
    ]
    const ask = (list: string, args: string) =>
      page(`dataset(name: "systems") { ${list.replace('$page', args)} }`)
    const cursors: string[] = []
    for (const list of lists) cursors.push((await ask(list, 'first: 3')).edges[2].cursor)
    for (const name of ['a', 'c']) await removeSystem(world.accord, 'systems', name)
    for (const [index, list] of lists.entries()) {
      const names = (connection: Json) =>
        connection.edges.map(({ node }: Json) => node.name ?? node.system.name)
      expect(names(await ask(list, `first: 9, after: "${cursors[index]}"`)), list).toEqual(['d', 'e', 'f'])
      expect(names(await ask(list, `last: 9, before: "${cursors[index]}"`)), list).toEqual(['b'])
    }
  })
})
