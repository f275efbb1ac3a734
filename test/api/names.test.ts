import { beforeAll, expect, it } from 'vitest'
import { importScoredPets } from '../kit/pets.js'
import { type Api, initWorld } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importScoredPets(world)
  api = await world.serve({ accord: world.accord })
})

it.each([
  ['dataset(name: "pets") { word(text: "%") { text imageCount } }', 'dog', 'Dog'],
  ['dataset(name: "pets") { words(filter: { texts: ["%"] }) { totalCount } }', 'dog', 'DOG'],
  ['dataset(name: "pets") { words(filter: { startsWith: "%" }) { totalCount nodes { text } } }', 'do', 'Do'],
  ['dataset(name: "pets") { words(filter: { contains: "%" }) { totalCount nodes { text } } }', 'og', 'OG'],
  ['dataset(name: "pets") { images(filter: { word: "%" }) { totalCount } }', 'dog', 'DoG'],
  ['dataset(name: "pets") { captions(filter: { any: ["%"] }) { totalCount } }', 'dog', 'Dog'],
  [
    'dataset(name: "pets") { system(name: "detector") { words(filter: { word: { texts: ["%"] } }) { totalCount } } }',
    'dog',
    'Dog',
  ],
  ['metric(name: "%") { name range: highest }', 'CIDEr-D', 'cider-d'],
  ['dataset(name: "pets") { system(name: "copycat") { score(metric: "%") { value } } }', 'BLEU-1', 'bleu-1'],
  [
    'dataset(name: "pets") { leaderboards(metrics: ["%"]) { metric { name } rows(first: 2) { nodes { value } } } }',
    'BLEU-1',
    'bleu-1',
  ],
])('%s is the same with %s and %s', async (query, lower, upper) => {
  const expected = await api.ask(`{ ${query.replace('%', lower)} }`)
  expect(JSON.stringify(expected)).not.toMatch(/null|:0[,}]/)
  expect(await api.ask(`{ ${query.replace('%', upper)} }`)).toEqual(expected)
})
