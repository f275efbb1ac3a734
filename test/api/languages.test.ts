import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const JAPANESE = {
  1: ['猫が窓辺に座って鳥を見ている。', '灰色の猫が窓の外を見ている。'],
  2: ['二匹の犬が庭で遊んでいる。', '茶色い犬と白い犬が草の上で遊んでいる。'],
}

describe('captions in another language', async () => {
  const world = await initWorld()
  let api: Api

  async function importCaptions(input: Json): Promise<Json> {
    const { importCaptions: answer } = await api.ask(
      `mutation ($input: ImportCaptionsInput!) { importCaptions(input: $input) {
        ... on JobSuccess { job { id } } ... on MutationError { code message }
      } }`,
      { input: { ...input, upload: await api.upload(JAPANESE) } },
    )
    if (answer.job) await api.ended(answer.job.id)
    return answer
  }

  beforeAll(async () => {
    api = await world.serve({ workers: 1 })
    await importCaptions({ dataset: 'found' })
    await importCaptions({ dataset: 'said', language: 'ja-jp', tokenizer: 'character' })
  })

  it('are imported with the language and tokenizer that are found or said', async () => {
    const { found, said } = await api.ask(`{
      found: dataset(name: "found") { language tokenizer } said: dataset(name: "said") { language tokenizer }
    }`)
    expect(found).toEqual({ language: 'ja', tokenizer: `unicode-icu${process.versions.icu}` })
    expect(said).toEqual({ language: 'ja-JP', tokenizer: 'character' })
  })

  it('are found by words, cut as they are', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "said") {
      captions(filter: { all: ["窓辺"] }) { nodes { text } }
      images(filter: { captionWords: { all: ["白い犬"] } }) { nodes { externalId } }
    } }`)
    expect(dataset.captions.nodes.map(({ text }: Json) => text)).toEqual([JAPANESE[1][0]])
    expect(dataset.images.nodes).toEqual([{ externalId: '2' }])
  })

  it('have no scene graph and no atoms', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "found") { image(externalId: "1") {
      atoms { text } captions { sceneGraph { objects } atoms { text } }
    } } }`)
    const empty = { sceneGraph: null, atoms: [] }
    expect(dataset.image).toEqual({ atoms: [], captions: [empty, empty] })
  })

  it.each([
    [{ language: 'japanese!' }, 'INVALID_VALUE'],
    [{ tokenizer: 'mecab' }, 'INVALID_VALUE'],
  ])('are refused with %j', async (options, code) => {
    const answer = await importCaptions({ dataset: 'wrong', ...options })
    const failure = answer.job
      ? (await api.ask(`query ($id: ID!) { job(id: $id) { failure { code } } }`, { id: answer.job.id })).job
          .failure
      : answer
    expect(failure.code).toBe(code)
  })
})
