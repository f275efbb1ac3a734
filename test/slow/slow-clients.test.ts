import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { initWorld } from '../kit/seed.js'

const world = await initWorld()
const api = await world.serve()

const HEAD = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'

it.concurrent.each([
  ['nothing', ''],
  ['half a head', HEAD],
  ['half a body', `${HEAD}content-length: 100\r\n\r\n{`],
])('a client that sends %s and waits is answered 408, and its connection is closed', async (_what, sent) => {
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(sent)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
})
