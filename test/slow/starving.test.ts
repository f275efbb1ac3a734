import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { readBody } from '../../src/api/http/request-body.js'
import { createQuota, LIMITS } from '../../src/api/schema/limits.js'
import { importPets } from '../kit/pets.js'
import { openConnection } from '../kit/raw-connection.js'
import { type Api, initWorld } from '../kit/seed.js'

/** What one client can take of a server, and that it gets it back. */

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importPets(world)
  api = await world.serve()
})

const open = () => openConnection(api.url)

const head = (length: number) =>
  `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

const typename = JSON.stringify({ query: '{ __typename }' })

/** The server learns of closed connections a little later. */
const answers = () =>
  expect.poll(async () => (await api.query('{ __typename }')).data).toEqual({ __typename: 'Query' })

describe('one client', () => {
  it('holds at most its share of the memory with bodies that do not end, and nothing afterwards', async () => {
    const connections = await Promise.all(Array.from({ length: 60 }, open))
    const size = LIMITS.body - 1
    for (const { socket } of connections) socket.write(`${head(LIMITS.body)}${' '.repeat(size)}`)
    const most = Math.floor(LIMITS.buffers / 10 / size)
    const refused = () => connections.filter(({ received }) => received().includes('OVERLOADED'))
    // On a busy machine the first ones are at the end of their time before the last ones have sent anything.
    const late = () => connections.filter(({ received }) => received().startsWith('HTTP/1.1 408 '))
    await expect.poll(() => refused().length + late().length).toBeGreaterThanOrEqual(60 - most)
    expect(refused().length).toBeGreaterThan(0)
    for (const { received } of refused()) {
      expect(received()).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/)
      expect(received()).toContain('\r\nRetry-After: 1\r\n'.toLowerCase())
    }
    for (const { socket } of connections) socket.destroy()
    await expect
      .poll(async () => (await api.post(`${typename}${' '.repeat(LIMITS.body / 2)}`)).data)
      .toEqual({ __typename: 'Query' })
  })

  it('sends at most a megabyte, whatever it announces', async () => {
    for (const announced of [`content-length: ${2 ** 40}`, 'transfer-encoding: chunked']) {
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
      const send = async () => {
        const { socket, received } = await open()
        socket.write(head(0).replace('content-length: 0', announced))
        while (!socket.destroyed && !received().includes('BODY_TOO_LARGE')) {
          socket.write(chunk)
          await sleep(0)
        }
        socket.destroy()
        return received()
      }
      // On a busy machine the connection may be reset before the response is read.
      await expect.poll(send).toMatch(/^HTTP\/1.1 413 /)
    }
  })

  it('holds the bytes of a body that it sends one by one, not what they came in', async () => {
    const body = new Readable({ read() {} })
    const request = Object.assign(body, { headers: { 'content-type': 'application/json' } })
    const reading = readBody(request as never, createQuota(10_000).open('anna'))
    for (const byte of `{"a":"${'x'.repeat(500)}"}`) {
      const chunk = Buffer.from(byte)
      body.push(chunk)
      await sleep(0)
      // The first one is the body until there are more.
      if (byte === 'x') chunk.fill('y')
    }
    body.push(null)
    expect(await reading).toEqual({ a: 'x'.repeat(500) })
  })

  it.each(['/favicon.svg', '/health', '/nothing'])(
    'loses a connection on which more requests for %s wait than it may have',
    async (path) => {
      const request = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
      const connections = await Promise.all(Array.from({ length: 5 }, open))
      for (const { socket } of connections) socket.write(request.repeat(1000))
      for (const { socket } of connections) await expect.poll(() => socket.destroyed).toBe(true)
      await answers()
    },
  )

  it('has at most its share of the connections', async () => {
    const connections: Awaited<ReturnType<typeof open>>[] = []
    const most = LIMITS.connections / 10
    const held = () => connections.filter(({ socket }) => !socket.destroyed).length
    let peak = 0
    for (let i = 0; i < most + 10; i++) {
      connections.push(await open())
      peak = Math.max(peak, held())
    }
    await expect.poll(() => connections.length - held()).toBeGreaterThan(8)
    expect(peak).toBeGreaterThan(most / 2)
    for (const { socket } of connections) socket.destroy()
    await answers()
  })

  it('is told on connections beyond its share when to try again; those that it has are answered', async () => {
    const most = LIMITS.connections / 10
    const connections = await Promise.all(Array.from({ length: most }, open))
    const request = `${head(typename.length)}${typename}`
    const beyond = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const connection = await open()
        connection.socket.write(request)
        return connection
      }),
    )
    for (const { socket, received } of beyond) {
      await expect.poll(() => socket.destroyed).toBe(true)
      expect(received()).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/)
      expect(received()).toContain('retry-after: 1\r\n')
      expect(received()).toContain('"code":"OVERLOADED"')
    }
    const [{ socket, received }] = connections
    socket.write(request)
    await expect.poll(received).toContain('{"data":{"__typename":"Query"}}')
    for (const { socket } of connections) socket.destroy()
    await answers()
  })

  it('is told when to try again if as many of its requests are open as it may have; others are answered', async () => {
    const direct = api
    try {
      // A proxy has connections of many clients.
      api = await world.serve({ trustedProxies: ['127.0.0.1'] })
      const most = LIMITS.requests / 10
      const sendAs = async (client: string, text: string) => {
        const connection = await open()
        connection.socket.write(text.replace('\r\n', `\r\nx-forwarded-for: ${client}\r\n`))
        return connection
      }
      const request = `${head(typename.length)}${typename}`
      const waiting = await Promise.all(
        Array.from({ length: most }, () => sendAs('192.0.2.1', `${head(100)}{`)),
      )
      const refused = await sendAs('192.0.2.1', request)
      await expect.poll(refused.received).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/)
      expect(refused.received()).toContain('retry-after: 1\r\n')
      const other = await sendAs('192.0.2.2', request)
      await expect.poll(other.received).toContain('{"data":{"__typename":"Query"}}')
      for (const { socket } of waiting) socket.destroy()
      await expect
        .poll(async () => {
          const again = await sendAs('192.0.2.1', request)
          await expect.poll(again.received).toContain('HTTP/1.1')
          return again.received()
        })
        .toContain('{"data":{"__typename":"Query"}}')
      expect(waiting.map(({ received }) => received()).join('')).toBe('')
    } finally {
      api = direct
    }
  })

  it('gives back the places of requests that wait on its connection when it is closed', async () => {
    // No worker executes the job that the first request watches.
    const { startEvaluation } = await api.ask(
      'mutation { startEvaluation(input: { dataset: "pets", system: "copycat" }) { ... on JobSuccess { job { id } } } }',
    )
    const watching = JSON.stringify({
      query: `subscription { jobProgress(id: "${startEvaluation.job.id}") { status } }`,
    })
    const watchingHead = head(watching.length).replace(
      'content-type',
      'accept: text/event-stream\r\ncontent-type',
    )
    for (let round = 0; round < 10; round++) {
      const { socket, received } = await open()
      const rest = `${head(typename.length)}${typename}`.repeat(LIMITS.requests / 20)
      socket.write(`${watchingHead}${watching}${rest}`)
      await expect.poll(received).toContain('QUEUED')
      socket.destroy()
      await answers()
    }
  })
})

describe('a body that arrives slowly', () => {
  it('is refused after its time, though its bytes keep coming', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const body = new Readable({ read() {} })
      const request = Object.assign(body, { headers: { 'content-type': 'application/json' } })
      const outcome = readBody(request as never, createQuota(1000).open('anna')).catch(
        ({ message, extensions }) => ({ message, status: extensions.http.status }),
      )
      for (let second = 0; second < LIMITS.bodySeconds; second++) {
        body.push(' ')
        await vi.advanceTimersByTimeAsync(1000)
      }
      expect(await outcome).toEqual({
        message: `The request is too slow: expected the body within ${LIMITS.bodySeconds} s.`,
        status: 408,
      })
    } finally {
      vi.useRealTimers()
    }
  })
})
