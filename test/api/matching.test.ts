import { expect, it } from 'vitest'
import { cocoCaptions } from '../kit/coco.js'
import { initWorld, type Json } from '../kit/seed.js'
import { sendFile } from '../kit/uploads.js'

const IDS = ['1', '2', '3']
/** The file of an image has the number of another one’s id. */
const fileOf = (id: string) => `${(Number(id) % IDS.length) + 1}.tif`

const MATCHING =
  'result { ... on ImportResult { matching { rule imageCount pairs { name imageId fileName } } } } failure { __typename code message }'

it('images of results, scores and judgements are matched by one rule, which can be chosen', async () => {
  const world = await initWorld()
  const api = await world.serve({ workers: 1 })
  const send = (content: unknown) => sendFile(api.url, JSON.stringify(content), 'file.json')
  const { images, annotations } = cocoCaptions(
    Object.fromEntries(IDS.map((id) => [id, [`a dog ${id}`, `one dog ${id}`]])),
  )
  const named = images.map((image) => ({ ...image, file_name: fileOf(String(image.id)) }))
  const upload = await send({ images: named, annotations })
  await api.done(`importCaptions(input: { dataset: "dogs", upload: "${upload}" })`)

  const importing = async (content: unknown, mutation: string, rest: string): Promise<Json> => {
    const input = `{ dataset: "dogs", upload: "${await send(content)}", ${rest} }`
    const started = await api.ask(
      `mutation { ${mutation}(input: ${input}) { ... on JobSuccess { job { id } } } }`,
    )
    await api.ended(started[mutation].job.id)
    const { job } = await api.ask(`{ job(id: "${started[mutation].job.id}") { ${MATCHING} } }`)
    return { matching: job.result?.matching ?? null, failure: job.failure }
  }
  const byName = Object.fromEntries(IDS.map((id) => [`${id}.png`, `dog ${id}`]))
  const byNumber = Object.fromEntries(IDS.map((id) => [id, `dog ${id}`]))
  const pairs = (names: readonly string[], ids: readonly string[]) =>
    names.map((name, index) => ({ name, imageId: ids[index], fileName: fileOf(ids[index]) }))

  const stems = { rule: 'STEM', imageCount: 3, pairs: pairs(['1.png', '2.png', '3.png'], ['3', '1', '2']) }
  expect(await importing(byName, 'importResults', 'system: "a"')).toEqual({ matching: stems, failure: null })
  const { matching, failure } = await importing(byNumber, 'importResults', 'system: "b"')
  expect(matching).toBeNull()
  expect(failure).toMatchObject({
    code: 'INVALID_VALUE',
    message: expect.stringContaining('two rules match'),
  })
  const ids = { rule: 'ID', imageCount: 3, pairs: pairs(IDS, IDS) }
  expect((await importing(byNumber, 'importResults', 'system: "b", match: ID')).matching).toEqual(ids)

  const scores = Object.fromEntries(IDS.map((id) => [id, { Mine: 0.5 }]))
  const metric = 'metric: "Mine", version: "1", lowest: 0, highest: 1, system: "a"'
  expect((await importing(scores, 'importMetricScores', metric)).failure).toMatchObject({
    code: 'INVALID_VALUE',
  })
  const numbers = { ...stems, pairs: pairs(IDS, ['3', '1', '2']) }
  expect((await importing(scores, 'importMetricScores', `${metric}, match: STEM`)).matching).toEqual(numbers)

  const rated = IDS.map((id) => ({ image_id: id, captions: [{ caption: `dog ${id}`, ratings: [1] }] }))
  const judgements = (rest: string) =>
    importing(rated[0], 'importJudgements', rest).then((job) => job.matching ?? job.failure)
  expect(await judgements('match: NUMBER')).toEqual({
    rule: 'NUMBER',
    imageCount: 1,
    pairs: pairs(['1'], ['1']),
  })
})

it('columns are named by imports', async () => {
  const world = await initWorld()
  const api = await world.serve({ workers: 1 })
  const rows = IDS.map((id) => ({ pic: id, gold: [`a dog ${id}`, `one dog ${id}`], said: `dog ${id}` }))
  const upload = () => sendFile(api.url, JSON.stringify(rows), 'rows.json')
  const columns = 'columns: { image: "pic", references: "gold", caption: "said" }'
  await api.done(`importCaptions(input: { dataset: "pets", upload: "${await upload()}", ${columns} })`)
  await api.done(
    `importResults(input: { dataset: "pets", system: "s", upload: "${await upload()}", ${columns} })`,
  )
  const { dataset } = await api.ask(
    '{ dataset(name: "pets") { image(externalId: "2") { captions { text } systemCaptions { nodes { text } } } } }',
  )
  expect(dataset.image).toEqual({
    captions: [{ text: 'a dog 2' }, { text: 'one dog 2' }],
    systemCaptions: { nodes: [{ text: 'dog 2' }] },
  })
  const { importResults } = await api.ask(
    `mutation { importResults(input: { dataset: "pets", system: "t", upload: "${await upload()}" }) {
      ... on JobSuccess { job { id } } } }`,
  )
  const { failure } = await api.ended(importResults.job.id)
  expect(failure.message).toContain('expected --columns image=pic,caption=said')
})
