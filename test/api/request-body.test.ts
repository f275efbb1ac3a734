import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readBody, within } from '../../src/api/http/request-body.js'
import { createQuota, LIMITS } from '../../src/api/schema/limits.js'

/** A request whose body arrives as it is written, without an announced size. */
function openRequest() {
  const stream = new PassThrough()
  const request = Object.assign(stream, { headers: { 'content-type': 'application/json' } })
  return request as typeof stream & IncomingMessage
}

const allocation = (bytes: number) => createQuota(bytes).open('anna')
const refused = (code: string) => expect.objectContaining({ extensions: expect.objectContaining({ code }) })

afterEach(() => void vi.useRealTimers())

describe('the body of a request', () => {
  it('is read from its pieces', async () => {
    const request = openRequest()
    const body = readBody(request, allocation(1000))
    for (const piece of ['{"que', 'ry":', '"é"}']) request.write(piece)
    request.end()
    expect(await body).toEqual({ query: 'é' })
  })

  it('that is larger than it may be is refused, and not read to its end', async () => {
    const request = openRequest()
    const body = readBody(request, allocation(20 * LIMITS.body))
    request.write(Buffer.alloc(LIMITS.body, ' '))
    request.write(' ')
    await expect(body).rejects.toEqual(refused('BODY_TOO_LARGE'))
    expect(request.isPaused()).toBe(true)
  })

  it('for which there is no memory is refused', async () => {
    const request = openRequest()
    const body = readBody(request, allocation(10))
    request.write('{"query": "{ __typename }"}')
    await expect(body).rejects.toEqual(refused('OVERLOADED'))
    expect(request.isPaused()).toBe(true)
  })

  it.each(['read', 'refused'])('leaves no timer when it is %s', async (outcome) => {
    vi.useFakeTimers()
    const request = openRequest()
    const body = readBody(request, allocation(outcome === 'read' ? 100 : 1)).catch(() => {})
    expect(vi.getTimerCount()).toBe(1)
    request.end('{}')
    await body
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('waiting for a client', () => {
  const never = new Promise<never>(() => {})

  it('ends with the reason of a signal, also of one from before', async () => {
    const reason = new Error('the server closes')
    await expect(within(60, 'a file', never, AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const waiting = within(60, 'a file', never, controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })
})
