import { expect, it } from 'vitest'
import { createSchema } from '../../src/api/execution/schema.js'
import { importPets } from '../kit/pets.js'
import { initWorld } from '../kit/seed.js'
import { isSlow } from '../kit/slow.js'
import { abusiveRequests } from './requests.js'

const world = await initWorld()
await importPets(world)
const api = await world.serve()

const requests = abusiveRequests(createSchema(), 525, 13)
const slice = isSlow ? requests : requests.filter((_, index) => index % 5 === 0)

/** Bytes of a response. */
const MAX_BYTES = 1 << 20

it.each(slice.map((request, index) => [request.what, index] as const))('%s (%i)', async (_what, index) => {
  const { body, type } = slice[index]
  const response = await fetch(api.url, { method: 'POST', headers: { 'content-type': type }, body })
  const text = await response.text()
  expect(response.status === 200 || (response.status >= 400 && response.status < 500), text).toBe(true)
  expect(text.length).toBeLessThan(MAX_BYTES)
  if (response.status === 200) expect(Object.keys(JSON.parse(text)).sort().at(0)).toMatch(/^(data|errors)$/)
  // No internal error, no path, no stack.
  expect(text).not.toMatch(/INTERNAL_SERVER_ERROR|\.ts:\d|\.js:\d|node_modules/)
})

it('the server still answers', async () => {
  expect(await api.ask('{ __typename }')).toEqual({ __typename: 'Query' })
})
