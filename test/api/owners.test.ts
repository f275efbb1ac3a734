import { beforeAll, expect, it } from 'vitest'
import { cocoResults } from '../kit/coco.js'
import { dogImages } from '../kit/dogs.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { signInViewers, type ViewerName } from '../kit/viewers.js'

/** What a user sent or created is that user's: others cannot use or remove it, whether they know its id or not. */

const IMAGES = dogImages(3)
const ERROR = '__typename ... on MutationError { code }'

const world = await initWorld()
let api: Api
let headersOf: Readonly<Record<ViewerName, Record<string, string>>>

beforeAll(async () => {
  await world.dataset('dogs', { images: IMAGES })
  api = await world.serve({ accounts: 'OPEN', workers: 1 })
  const { accounts, sessions, headers } = await signInViewers(world.accord, api)
  headersOf = headers
  await accounts.createTeam(sessions.host, 'Hosts')
  await data(
    'host',
    `mutation { createChallenge(input: { name: "dogs", phases: [{ name: "main", dataset: "dogs", metrics: ["BLEU-1"],
      closesAt: "2126-01-01T00:00:00Z" }] }) { ${ERROR} } }`,
  )
})

async function data(viewer: ViewerName, query: string, variables?: Json): Promise<Json> {
  const answer = await api.post(JSON.stringify({ query, variables }), headersOf[viewer])
  expect(answer.errors, `${viewer}: ${query}`).toEqual([])
  return answer.data
}

async function send(viewer: ViewerName, content: object): Promise<string> {
  const response = await fetch(new URL('uploads?filename=mine.json', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headersOf[viewer] },
    body: JSON.stringify(content),
  })
  return ((await response.json()) as { id: string }).id
}

const UNKNOWN = { __typename: 'MutationError', code: 'UNKNOWN_UPLOAD' }

it('an upload is submitted and imported by the user who sent it', async () => {
  const captions = cocoResults(Object.fromEntries(Object.keys(IMAGES).map((image) => [image, 'a dog'])))
  const upload = await send('member', captions)
  const submitted = async (viewer: ViewerName) =>
    (
      await data(
        viewer,
        `mutation { submit(input: { challenge: "dogs", upload: "${upload}" }) { ${ERROR} } }`,
      )
    ).submit
  const imported = async (viewer: ViewerName, id: string) =>
    (
      await data(
        viewer,
        `mutation { importResults(input: { dataset: "dogs", system: "s", upload: "${id}" }) { ${ERROR} } }`,
      )
    ).importResults
  expect(await submitted('rival')).toEqual(UNKNOWN)
  expect(await imported('host', upload)).toEqual(UNKNOWN)
  const recognized = (viewer: ViewerName, id: string) =>
    data(viewer, `{ recognizedFile(upload: "${id}") { fileName } }`)
  expect(await recognized('host', upload)).toEqual({ recognizedFile: null })
  // The attempts of others did not remove it.
  expect(await submitted('member')).toEqual({ __typename: 'SubmitSuccess' })

  const ofHost = await send('host', captions)
  expect(await imported('otherHost', ofHost)).toEqual(UNKNOWN)
  expect(await recognized('host', ofHost)).toEqual({ recognizedFile: { fileName: 'mine.json' } })
  expect(await imported('host', ofHost)).toEqual({ __typename: 'JobSuccess' })

  const counted = await send('host', {})
  const evaluated = await data(
    'otherHost',
    `mutation { startEvaluation(input: { dataset: "dogs", system: "s", documentsUpload: "${counted}" }) { ${ERROR} } }`,
  )
  expect(evaluated.startEvaluation).toEqual(UNKNOWN)
})

it('a collection is removed by the host who created it, and by administrators', async () => {
  const create = async (viewer: ViewerName, name: string) => {
    const upload = await send(viewer, { images: [{ id: 1, coco_url: 'https://example.org/1.jpg' }] })
    const { createCollection } = await data(
      viewer,
      `mutation { createCollection(input: { dataset: "${name}", upload: "${upload}" }) {
        ... on JobSuccess { job { id } } ... on MutationError { code } } }`,
    )
    await expect
      .poll(() => data('host', `{ collection(name: "${name}") { name } }`))
      .toEqual({ collection: { name } })
    expect(createCollection.job).toBeDefined()
  }
  const remove = async (viewer: ViewerName, name: string) =>
    (await data(viewer, `mutation { removeCollection(input: { collection: "${name}" }) { ${ERROR} } }`))
      .removeCollection
  await create('host', 'parks')
  await create('host', 'lakes')
  const refused = { __typename: 'MutationError', code: 'FORBIDDEN' }
  expect(await remove('otherHost', 'parks')).toEqual(refused)
  expect(await remove('member', 'parks')).toEqual(refused)
  expect(await remove('host', 'parks')).toEqual({ __typename: 'RemovalSuccess' })
  expect(await remove('administrator', 'lakes')).toEqual({ __typename: 'RemovalSuccess' })
})
