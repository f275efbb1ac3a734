import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { apiSchema } from '../../src/api/schema/schema.js'
import { importPark, outcomeOf, query, urlOf, workbench } from '../cli/kit.js'
import { importPets } from '../kit/pets.js'
import { initWorld } from '../kit/seed.js'
import { isSlow } from '../kit/slow.js'
import { abusiveRequests } from './requests.js'

const requests = abusiveRequests(apiSchema(), 525, 13)
const slice = isSlow ? requests : requests.filter((_, index) => index % 5 === 0)

/** Bytes of a response. */
const MAX_BYTES = 1 << 20

/** Megabytes that the built server may use. */
const MAX_MEGABYTES = 512

const bench = isSlow ? workbench() : undefined
let url: string
let peakMegabytes = () => 0

beforeAll(async () => {
  if (!isSlow) {
    const world = await initWorld()
    await importPets(world)
    url = (await world.serve()).url
    return
  }
  await importPark(bench!, 'with systems')
  const server = bench!.start('serve --port 0 --workers 1')
  const outcome = outcomeOf(server)
  url = await urlOf(server)
  peakMegabytes = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024
  return async () => {
    server.kill('SIGTERM')
    expect(await outcome).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/^ +at /m) })
  }
})

it.each(slice.map((request, index) => [request.what, index] as const))('%s (%i)', async (_what, index) => {
  const { body, type } = slice[index]
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
  const text = await response.text()
  expect(response.status === 200 || (response.status >= 400 && response.status < 500), text).toBe(true)
  expect(text.length).toBeLessThan(MAX_BYTES)
  if (response.status === 200) expect(Object.keys(JSON.parse(text)).sort().at(0)).toMatch(/^(data|errors)$/)
  // No internal error, no path, no stack.
  expect(text).not.toMatch(/INTERNAL_SERVER_ERROR|\.ts:\d|\.js:\d|node_modules/)
})

it('the server still answers', async () => {
  expect(await query(url, '{ __typename }')).toEqual({ data: { __typename: 'Query' } })
  expect(peakMegabytes()).toBeLessThan(MAX_MEGABYTES)
})
