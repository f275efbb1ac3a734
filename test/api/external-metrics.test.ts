import { beforeAll, describe, expect, it } from 'vitest'
import { ENGINES } from '../kit/databases.js'
import { type Api, initWorld } from '../kit/seed.js'
import { sendFile } from '../kit/uploads.js'

const IMAGES = Array.from({ length: 12 }, (_, index) => String(index))

describe.each(ENGINES)('scores of another program on %s', async (engine) => {
  const world = await initWorld({ engine })
  let api: Api

  beforeAll(async () => {
    const dataset = await world.dataset('dogs', {
      images: Object.fromEntries(IMAGES.map((id) => [id, [`a dog in the park ${id}`, 'the dog is there']])),
    })
    await dataset.captionSystem('good', Object.fromEntries(IMAGES.map((id) => [id, 'a dog in the park'])))
    api = await world.serve({ workers: 1 })
  })

  const upload = (scores: readonly object[]) =>
    sendFile(api.url, scores.map((score) => JSON.stringify(score)).join('\n'), 'scores.jsonl')
  const mutation = async (scores: readonly object[], metric: string) =>
    `importMetricScores(input: { dataset: "dogs", upload: "${await upload(scores)}", ${metric} })`
  const ofSystem = (system: string, count = IMAGES.length) =>
    IMAGES.slice(0, count).map((image_id, index) => ({ image_id, system, score: index / 10 }))

  it('are imported from an upload, and removed with their metric', async () => {
    const stated = 'metric: "Mine", version: "7", lowest: 0, highest: 2'
    const people = IMAGES.flatMap((image_id) => [1, 2].map((fold) => ({ image_id, fold, score: 1 })))
    await api.done(await mutation([...ofSystem('good'), ...people], stated))
    const { dataset, metrics } = await api.ask(
      `{ dataset(name: "dogs") {
           system(name: "good") { scores(metrics: ["mine"]) { value signature metric { highest isHigherBetter } } }
           humanAgreement(references: 1, metrics: ["Mine"]) { scores { mean } } }
         metrics(last: 1) { nodes { id name signature } } }`,
    )
    expect(dataset.system.scores).toEqual([
      {
        value: expect.closeTo(0.55),
        signature: expect.stringMatching(/^external:Mine\|version:7\|range:0 to 2\|refs:2\|images:12\|/),
        metric: { highest: 2, isHigherBetter: true },
      },
    ])
    expect(dataset.humanAgreement.scores).toEqual([{ mean: 1 }])
    expect(metrics.nodes[0]).toMatchObject({
      name: 'Mine',
      signature: expect.stringMatching(/^external:Mine\|/),
    })
    const { removeArtefact } = await api.ask(
      'mutation { removeArtefact(input: { name: "Mine" }) { ... on RemovalSuccess { removedId } } }',
    )
    expect(removeArtefact).toEqual({ removedId: metrics.nodes[0].id })
    const left = await api.ask(
      '{ dataset(name: "dogs") { system(name: "good") { scores { metric { name } } } } metrics(last: 1) { nodes { name } } }',
    )
    expect(left.dataset.system.scores).toBeNull()
    expect(left.metrics.nodes[0].name).not.toBe('Mine')
  })

  it('of a file that names no system are those of the one that is named, or of the only one', async () => {
    const scores = Object.fromEntries(
      IMAGES.map((id, index) => [`${id}.jpg`, { CLIPScore: index / 10, RefCLIPScore: 2 }]),
    )
    const file = await sendFile(api.url, JSON.stringify(scores), 'per_instance')
    const input = `dataset: "dogs", upload: "${file}", metric: "CLIPScore", version: "1", lowest: 0, highest: 2`
    await api.done(`importMetricScores(input: { ${input} })`)
    const query =
      '{ dataset(name: "dogs") { system(name: "good") { scores(metrics: ["CLIPScore"]) { value } } } }'
    const { dataset } = await api.ask(query)
    expect(dataset.system.scores).toEqual([{ value: expect.closeTo(0.55) }])
    const other = await sendFile(api.url, JSON.stringify(scores), 'per_instance')
    const wrong = `dataset: "dogs", upload: "${other}", metric: "CLIPScore", system: "bad"`
    const request = `mutation { importMetricScores(input: { ${wrong} }) { ... on JobSuccess { job { id } } } }`
    const { importMetricScores } = await api.ask(request)
    const { failure } = await api.ended(importMetricScores.job.id)
    expect(failure.message).toContain('unknown system: expected one of good, found "bad"')
    await api.ask('mutation { removeArtefact(input: { name: "CLIPScore" }) { __typename } }')
  })

  it.each([
    ['missing images', ofSystem('good', 5), 'expected a score of good for image "5", found none'],
    ['an unknown system', ofSystem('goood'), 'unknown system: expected one of good, found "goood"'],
    [
      'an unknown image',
      [{ image_id: 'x', system: 'good', score: 1 }],
      'unknown image: expected the id of an image of the dataset, found "x"',
    ],
    [
      'an unknown fold',
      [{ image_id: '1', fold: 3, score: 1 }],
      'there is no such fold: expected 1 to 2, found 3',
    ],
    [
      'a judged caption',
      [{ image_id: '1', caption: 'a dog', score: 1 }],
      'the dataset has no judged captions: expected scores of systems',
    ],
  ])('are refused with %s, and leave no metric', async (_name, scores, message) => {
    // A worker keeps nothing of one that failed, although its id is used again.
    const stated = `metric: "Other${message.length}", version: "7", lowest: 0, highest: 2`
    const request = `mutation { ${await mutation(scores, stated)} { ... on JobSuccess { job { id } } } }`
    const { importMetricScores } = await api.ask(request)
    const { status, failure } = await api.ended(importMetricScores.job.id)
    expect([status, failure.message]).toEqual(['FAILED', expect.stringContaining(message)])
    const { metrics } = await api.ask('{ metrics(last: 1) { nodes { name } } }')
    expect(metrics.nodes[0].name).not.toContain('Other')
  })
})
