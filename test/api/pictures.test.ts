import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAccord } from '../../src/services/open-accord.js'
import { type Api, initWorld } from '../kit/seed.js'
import { signInViewers } from '../kit/viewers.js'

const world = await initWorld()
let api: Api
let headers: Awaited<ReturnType<typeof signInViewers>>['headers']

const CAPTIONS = ['A dog.', 'The dog.']

beforeAll(async () => {
  const [own, shared] = ['own', 'shared'].map((name) => join(world.folder, name))
  for (const folder of [own, shared]) mkdirSync(folder)
  writeFileSync(join(own, 'COCO_val2014_000000000007.jpg'), 'own picture')
  writeFileSync(
    join(own, 'COCO_val2014_000000000008.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  )
  writeFileSync(join(shared, 'a b.png'), '0123456789')
  writeFileSync(join(world.folder, 'secret.png'), 'secret')
  const file = join(world.folder, 'secret.json')
  writeFileSync(file, JSON.stringify({ 7: CAPTIONS, 8: CAPTIONS, 9: CAPTIONS }))
  const input = { dataset: 'secret', file: { path: file }, isPrivate: true, imagesFolder: own }
  await world.accord.run('importCaptions', input)
  await world.dataset('pets', { images: { 'a b': CAPTIONS, c: CAPTIONS } })
  const { location } = world
  const accord = await openAccord({ location, threadCount: 1, hasWorkers: true, imagesFolder: shared })
  api = await world.serve({ accord, accounts: 'OPEN', workers: 0 })
  headers = (await signInViewers(world.accord, api)).headers
  return () => accord.close()
})

const get = (path: string, more: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(`/pictures/${path}`, api.url), { method, headers: more })

/** Sends a path as it is: `fetch` resolves dots. */
const statusOf = (path: string) =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(api.url)
    request({ hostname, port, path, headers: headers.host }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).end()
  })

describe('pictures', () => {
  it('are sent with their type, to be kept', async () => {
    const answer = await get('pets/a%20b')
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=3600, no-transform',
      'x-content-type-options': 'nosniff',
    })
    expect(await answer.text()).toBe('0123456789')
    const tag = answer.headers.get('etag') as string
    const again = await get('pets/a%20b', { 'if-none-match': `"other", W/${tag}` })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const head = await get('pets/a%20b', {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
  })

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=-20', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=4-2', 200, '0123456789', null],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['lines=0-1', 200, '0123456789', null],
  ])('are sent in part: %s', async (range, status, text, contentRange) => {
    const answer = await get('pets/a%20b', { range })
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ])
  })

  it('are sent whole where they have changed since the first part', async () => {
    expect((await get('pets/a%20b', { range: 'bytes=2-4', 'if-range': '"other"' })).status).toBe(200)
  })

  it('of private datasets are for hosts alone, and kept by nobody else', async () => {
    for (const viewer of ['anonymous', 'rival', 'member'] as const)
      expect((await get('secret/7', headers[viewer])).status).toBe(404)
    const answer = await get('secret/7', headers.host)
    expect([answer.status, await answer.text()]).toEqual([200, 'own picture'])
    expect(answer.headers.get('cache-control')).toBe('private, max-age=3600, no-transform')
  })

  it('of vector graphics run nothing in a browser', async () => {
    const answer = await get('secret/8', headers.host)
    expect(answer.headers.get('content-type')).toBe('image/svg+xml')
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    )
  })

  it.each([
    '/pictures/pets/c',
    '/pictures/pets/a',
    '/pictures/none/7',
    '/pictures/secret/9',
    '/pictures/secret/..%2fsecret.png',
    '/pictures/secret/../../secret.png',
    '/pictures/secret/%2e%2e/secret.png',
    '/pictures/secret/%ff',
    '/pictures/secret/',
    '/pictures/secret/7/7',
    '/pictures/',
  ])('are found at no other path: %s', async (path) => {
    expect(await statusOf(path)).toBe(404)
  })

  it('are read only', async () => {
    expect((await get('pets/a%20b', headers.host, 'POST')).status).toBe(405)
  })

  it('are named by images', async () => {
    const query = '{ dataset(name: "pets") { images { nodes { picture } } } }'
    const { dataset } = await api.ask(query)
    expect(dataset.images.nodes).toEqual([{ picture: 'pictures/pets/a%20b' }, { picture: null }])
  })
})

it('a file that is named by an id does not hide the pictures whose names end in numbers', async () => {
  const folder = join(world.folder, 'stray')
  mkdirSync(folder)
  writeFileSync(join(folder, '8.svg'), 'stray')
  for (const id of ['7', '8', '9'])
    writeFileSync(join(folder, `COCO_val2014_00000000000${id}.jpg`), `picture ${id}`)
  const file = join(world.folder, 'stray.json')
  writeFileSync(file, JSON.stringify({ 7: CAPTIONS, 8: CAPTIONS, 9: CAPTIONS }))
  await world.accord.run('importCaptions', { dataset: 'stray', file: { path: file }, imagesFolder: folder })
  const textOf = async (id: string) => (await get(`stray/${id}`)).text()
  expect([await textOf('7'), await textOf('8'), await textOf('9')]).toEqual([
    'picture 7',
    'picture 8',
    'picture 9',
  ])
})

it('annotators see the pictures of a collection: of a private dataset, and of new images', async () => {
  const list = join(world.folder, 'fresh.csv')
  writeFileSync(list, 'id,url\na b,https://example.org/1.jpg\nc,https://example.org/2.jpg\n')
  const statuses = async () =>
    Promise.all(
      (['anonymous', 'member', 'rival'] as const).flatMap((viewer) =>
        ['secret/7', 'fresh/a%20b', 'fresh/c'].map(async (path) => (await get(path, headers[viewer])).status),
      ),
    )
  expect(await statuses()).toEqual(Array(9).fill(404))
  await world.accord.run('importCollection', { dataset: 'secret', captionsPerImage: 5 })
  await world.accord.run('importCollection', { dataset: 'fresh', captionsPerImage: 5, file: { path: list } })
  const ofFresh = [404, 200, 404]
  expect(await statuses()).toEqual([...Array(3).fill(404), ...ofFresh, ...ofFresh])
  const take = (collection: string) => `mutation { takeTask(input: { collection: "${collection}" }) {
    ... on TakeTaskSuccess { task { id collectionImage { externalId picture datasetImage { externalId } } } } } }`
  const send = async (query: string) => (await api.post(JSON.stringify({ query }), headers.member)).data
  const taken = async (collection: string) => (await send(take(collection)))?.takeTask.task
  // Those of a private dataset are shown to whom their images were given.
  for (const _ of ['7', '8', '9']) {
    const { id, collectionImage: image } = await taken('secret')
    expect(image).toEqual({
      externalId: expect.stringMatching(/^[789]$/),
      picture: image.externalId === '9' ? null : `pictures/secret/${image.externalId}`,
      datasetImage: null,
    })
    await send(`mutation { skipTask(input: { task: "${id}" }) { __typename } }`)
  }
  expect(await statuses()).toEqual([...Array(3).fill(404), 200, ...ofFresh.slice(1), ...ofFresh])
  const answer = await get('secret/7', headers.member)
  expect([await answer.text(), answer.headers.get('cache-control')]).toEqual([
    'own picture',
    'private, max-age=3600, no-transform',
  ])
  const { collectionImage: ofNew } = await taken('fresh')
  expect(ofNew.picture).toBe(ofNew.externalId === 'c' ? null : 'pictures/fresh/a%20b')
})
