import { beforeAll, expect, it } from 'vitest'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await world.dataset('beach', {
    images: { 1: ['A brown dog on a couch.', 'Two dogs.'], 2: ['Running.', 'A dog.'] },
  })
  api = await world.serve({ workers: 1 })
})

it('shows the scene graphs of captions, and the tuples that SPICE matches', async () => {
  const upload = await api.upload([
    { image_id: 1, caption: 'a white dog on a sofa' },
    { image_id: 2, caption: 'running' },
  ])
  await api.done(`importResults(input: { dataset: "beach", system: "captioner", upload: "${upload}" })`)
  await api.done('startEvaluation(input: { dataset: "beach", system: "captioner" })')
  const graph = `sceneGraph { objects objectAttributes { object attribute } objectRelations { subject relation object } }`
  const { dataset } = await api.ask(
    `{ dataset(name: "beach") { images(first: 2) { nodes {
      captions { ${graph} } systemCaptions { nodes { ${graph} matchedTuples { kind names match } } }
    } } } }`,
  )
  const [first, second] = dataset.images.nodes
  expect(first.captions.map(({ sceneGraph }: { sceneGraph: object }) => sceneGraph)).toEqual([
    {
      objects: ['dog', 'couch'],
      objectAttributes: [{ object: 'dog', attribute: 'brown' }],
      objectRelations: [{ subject: 'dog', relation: 'on', object: 'couch' }],
    },
    { objects: ['dog'], objectAttributes: [{ object: 'dog', attribute: '2' }], objectRelations: [] },
  ])
  expect(first.systemCaptions.nodes[0].matchedTuples).toEqual([
    { kind: 'OBJECT', names: ['dog'], match: ['dog'] },
    { kind: 'OBJECT', names: ['sofa'], match: ['couch'] },
    { kind: 'COLOR', names: ['dog', 'white'], match: null },
    { kind: 'RELATION', names: ['dog', 'on', 'sofa'], match: ['dog', 'on', 'couch'] },
  ])
  expect(second.systemCaptions.nodes).toEqual([
    { sceneGraph: { objects: [], objectAttributes: [], objectRelations: [] }, matchedTuples: [] },
  ])
})

it('evaluates the metrics that are named; an undefined score is left out', async () => {
  const START = `mutation ($metrics: [String!]) {
    startEvaluation(input: { dataset: "beach", system: "captioner", metrics: $metrics }) {
      ... on JobSuccess { job { id } } ... on MutationError { code }
    }
  }`
  const metrics = ['SPICE', 'SPICE-color', 'SPICE-size', 'SPIDEr']
  const { startEvaluation } = await api.ask(START, { metrics })
  expect((await api.ended(startEvaluation.job.id)).status).toBe('DONE')
  const { dataset } = await api.ask(
    `query ($metrics: [String!]) { dataset(name: "beach") {
      system(name: "captioner") {
        scores(metrics: $metrics) { metric { name } value warnings }
        score(metric: "SPICE-color") { imageScores { totalCount nodes { value } } }
      }
      images { nodes { systemCaptions { nodes { scores(metrics: $metrics) { metric { name } value } } } } }
    } }`,
    { metrics },
  )
  const nameOf = ({ metric }: Json) => metric.name
  // No caption has a size, and no caption of the second image has a color.
  const [spice] = dataset.system.scores
  expect(dataset.system.scores.map(nameOf)).toEqual(['SPICE', 'SPICE-color', 'SPIDEr'])
  expect(spice.warnings).toEqual(['SPICE-size has no score: it is undefined for every image.'])
  expect(dataset.system.score.imageScores).toEqual({ totalCount: 1, nodes: [{ value: 0 }] })
  expect(
    dataset.images.nodes.map(({ systemCaptions }: Json) => systemCaptions.nodes[0].scores.map(nameOf)),
  ).toEqual([
    ['SPICE', 'SPICE-color', 'SPIDEr'],
    ['SPICE', 'SPIDEr'],
  ])

  const unknown = await api.ask(START, { metrics: ['SPICE-verb'] })
  expect(unknown.startEvaluation).toEqual({ code: 'UNKNOWN_METRIC' })
})
