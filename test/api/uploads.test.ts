import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request as send } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { receiveUpload, toLimit } from '../../src/api/http/uploads.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import { sql } from '../../src/store/engine/sql.js'
import { removeUploadFiles } from '../../src/store/uploads.js'
import { openConnection } from '../kit/raw-connection.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

const LIMIT = 3 << 20

beforeAll(async () => {
  api = await world.serve({
    allowedOrigins: ['https://dashboard.example'],
    pathPrefix: '/accord',
    uploadLimit: '3mb',
  })
})

const BINARY = { 'content-type': 'application/octet-stream' }

const uploadsUrl = (query = '') => new URL(`/accord/uploads${query}`, api.url)

/** Sends a file and reads the answer. */
async function upload(
  body: Uint8Array<ArrayBuffer> | string,
  headers: Record<string, string> = BINARY,
  query = '',
): Promise<{ readonly status: number; readonly content: Json }> {
  const response = await fetch(uploadsUrl(query), { method: 'POST', headers, body })
  return { status: response.status, content: await response.json() }
}

/** Begins to send a file. */
function begin(headers: Record<string, string>): ClientRequest {
  const { hostname, port, pathname: path } = uploadsUrl()
  const request = send({ hostname, port, path, method: 'POST', headers: { ...BINARY, ...headers } })
  request.on('error', () => {})
  return request
}

async function answerOf(
  request: ClientRequest,
): Promise<{ readonly status?: number; readonly content: Json }> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { status: response.statusCode, content: JSON.parse(await text(response)) }
}

const rows = () =>
  world.accord.database.all<{ id: string; name: string; sha256: string | null }>(
    sql`SELECT id, name, sha256 FROM upload`,
  )
/** Pieces of 1 MiB, in the table or in files. */
const pieceCount = async () => {
  const { database } = world.accord
  const [{ count }] = await database.all<{ count: number }>(sql`SELECT COUNT(*) AS count FROM upload_piece`)
  const { files } = database
  const names = files !== null && existsSync(files) ? readdirSync(files) : []
  return names.reduce((sum, name) => sum + Math.ceil(statSync(`${files}/${name}`).size / (1 << 20)), count)
}

afterEach(async () => {
  await world.accord.database.transaction((session) => session.run(sql`DELETE FROM upload`))
  await removeUploadFiles(world.accord.database)
})

describe('POST /uploads', () => {
  it('stores a file as it is', async () => {
    const bytes = new Uint8Array(Buffer.alloc(2_500_000, 'bytes of any kind \0\xff', 'latin1'))
    const { status, content } = await upload(bytes)
    expect({ status, content }).toEqual({
      status: 201,
      content: {
        id: expect.stringMatching(/^[\w-]{32}$/),
        bytes: 2_500_000,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
    })
    expect(await rows()).toEqual([{ id: content.id, name: 'upload', sha256: content.sha256 }])
    expect(await pieceCount()).toBe(3)
  })

  it.each([
    ['?filename=scores.npy', '', 'scores.npy'],
    ['?filename=%2Fetc%2Fpasswd', '', 'passwd'],
    ['?filename=C:%5Cdata%5Ca%0Ab.json.gz', '', 'ab.json.gz'],
    ['?filename=', '', 'upload'],
    [`?filename=${'x'.repeat(500)}.npy`, '', `${'x'.repeat(196)}.npy`],
    ['', 'attachment; filename="a b.jsonl"', 'a b.jsonl'],
    ['', 'attachment; filename=plain.csv', 'plain.csv'],
    ['', `attachment; filename="x"; filename*=UTF-8''%C3%A9t%C3%A9.txt`, 'été.txt'],
    ['', `attachment; filename*=UTF-8''%E9`, 'upload'],
    ['?filename=a.npy', 'attachment; filename="b.npy"', 'a.npy'],
  ])('names it by %j and %j: %s', async (query, disposition, name) => {
    const headers = { ...BINARY, ...(disposition && { 'content-disposition': disposition }) }
    expect((await upload('content', headers, query)).status).toBe(201)
    expect(await rows()).toMatchObject([{ name }])
  })

  it.each([
    ['no content-type', {}, 415],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text', { 'content-type': 'text/plain; charset=utf-8' }, 415],
    ['parts', { 'content-type': 'Multipart/Form-Data; boundary=x' }, 415],
    ['an encoding', { ...BINARY, 'content-encoding': 'gzip' }, 415],
  ])('refuses %s before it reads the file', async (_what, headers, status) => {
    const body = new Blob(['content'])
    const response = await fetch(uploadsUrl(), { method: 'POST', headers, body })
    expect(response.status).toBe(status)
    expect(((await response.json()) as Json).errors[0].extensions.code).toBe('BAD_REQUEST')
    expect(await rows()).toEqual([])
  })

  describe('as createUpload describes it', () => {
    const CREATE = `mutation ($name: String!) { createUpload(input: { fileName: $name }) {
      ... on CreateUploadSuccess { upload url method contentType maximumBytes timeoutSeconds } } }`

    /** Sends a file by nothing but what the mutation answered. */
    async function sendAs({ url, method, contentType }: Json, body: string) {
      const headers = { 'content-type': contentType }
      const response = await fetch(new URL(url, api.url), { method, headers, body })
      return { status: response.status, content: (await response.json()) as Json }
    }

    it('has the id and the name that it was given', async () => {
      const { createUpload } = await api.ask(CREATE, { name: 'été & 1.json' })
      expect(createUpload).toMatchObject({ maximumBytes: LIMIT, timeoutSeconds: 3600 })
      expect(await rows()).toEqual([])
      const { status, content } = await sendAs(createUpload, 'content')
      expect({ status, id: content.id }).toEqual({ status: 201, id: createUpload.upload })
      expect(await rows()).toMatchObject([{ id: createUpload.upload, name: 'été & 1.json' }])
    })

    it('accepts one file', async () => {
      const { createUpload } = await api.ask(CREATE, { name: 'a.json' })
      const sent = await Promise.all([sendAs(createUpload, 'first'), sendAs(createUpload, 'second')])
      expect(sent.map(({ status }) => status).sort()).toEqual([201, 409])
      expect(sent.find(({ status }) => status === 409)?.content.errors[0]).toEqual({
        message: 'id: a file with this id was sent already: expected a new id of createUpload.',
        extensions: { code: 'NAME_TAKEN' },
      })
      const stored = sent.find(({ status }) => status === 201)?.content
      expect(await rows()).toEqual([{ id: createUpload.upload, name: 'a.json', sha256: stored?.sha256 }])
    })

    it.each(['x', '../../../../../../../../etc/passwd', 'x'.repeat(33)])('refuses the id %s', async (id) => {
      const { status, content } = await upload('content', BINARY, `?${new URLSearchParams({ id })}`)
      expect({ status, message: content.errors[0].message }).toEqual({
        status: 400,
        message: `The parameter id: expected an upload of createUpload, found ${JSON.stringify(id)}.`,
      })
      expect(await rows()).toEqual([])
    })
  })

  it.each(['GET', 'PUT', 'DELETE'])('refuses %s', async (method) => {
    expect((await fetch(uploadsUrl(), { method, headers: BINARY })).status).toBe(405)
  })

  it('refuses files that are too large, by their length and while it reads them', async () => {
    const message = 'The file is too large: expected at most 3mb.'
    const refusal = {
      status: 413,
      content: {
        errors: [{ message: expect.stringContaining(message), extensions: { code: 'BODY_TOO_LARGE' } }],
      },
    }
    const announced = begin({ 'content-length': String(LIMIT + 1) })
    announced.flushHeaders()
    expect(await answerOf(announced)).toEqual(refusal)
    announced.destroy()

    const streamed = begin({ 'transfer-encoding': 'chunked' })
    const answer = answerOf(streamed)
    streamed.write(Buffer.alloc(LIMIT))
    await expect.poll(pieceCount).toBe(3)
    streamed.write(Buffer.alloc(1))
    expect(await answer).toEqual(refusal)
    streamed.destroy()
    await expect.poll(rows).toEqual([])
    expect((await upload(new Uint8Array(LIMIT))).status).toBe(201)
  })

  it('refuses files that are sent byte by byte, but for their beginning', async () => {
    const { socket, received } = await openConnection(api.url)
    const headers = 'host: localhost\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked'
    socket.write(`POST ${uploadsUrl().pathname} HTTP/1.1\r\n${headers}\r\n\r\n${'1\r\nx\r\n'.repeat(10_001)}`)
    await expect.poll(received).toContain('too short: expected at least 16 bytes')
    expect(received()).toMatch(/^HTTP\/1.1 400 /)
    socket.destroy()
    await expect.poll(rows).toEqual([])
  })

  it('limits the size of all files of a client that are not imported', async () => {
    for (let i = 0; i < 2; i++) expect((await upload(new Uint8Array(LIMIT))).status).toBe(201)
    expect(await upload('content')).toMatchObject({
      status: 429,
      content: { errors: [{ extensions: { code: 'TOO_MANY_UPLOADS' } }] },
    })
  })

  it('forgets a file whose client disconnects', async () => {
    const interrupted = begin({ 'content-length': '2500000' })
    interrupted.write(Buffer.alloc(2_000_000))
    await expect.poll(pieceCount).toBe(1)
    expect(await rows()).toMatchObject([{ sha256: null }])
    interrupted.destroy()
    await expect.poll(rows).toEqual([])
    expect(await pieceCount()).toBe(0)
  })

  it('refuses files while the server stops', async () => {
    const stopping = await world.serve({ uploadLimit: '3mb' })
    const { hostname, port } = new URL(stopping.url)
    const unfinished = send({ hostname, port, path: '/uploads', method: 'POST', headers: BINARY })
    unfinished.write(Buffer.alloc(2_000_000))
    await expect.poll(pieceCount).toBe(1)
    const answer = answerOf(unfinished)
    const closed = stopping.close()
    expect((await answer).status).toBe(503)
    await closed
    expect(await rows()).toEqual([])
  })

  it('lets browsers send files only from allowed origins', async () => {
    const asked = (origin: string) =>
      fetch(uploadsUrl(), {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      })
    const allowed = (response: Response) => response.headers.get('access-control-allow-origin')
    expect(allowed(await asked('https://dashboard.example'))).toBe('https://dashboard.example')
    expect(allowed(await asked('https://evil.example'))).toBeNull()
    const { hostname, port, pathname: path } = uploadsUrl()
    const rebound = send({
      hostname,
      port,
      path,
      method: 'POST',
      headers: { ...BINARY, host: 'evil.example' },
    })
    rebound.end('content')
    expect((await answerOf(rebound)).status).toBe(421)
  })
})

describe('time limits', () => {
  it.each([
    ['between bytes', 10_000, 16_000, 'more bytes within 15 s'],
    ['for the whole file', 10_000, 3_700_000, 'the file within 3600 s'],
  ])('%s', async (_what, interval, end, expected) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const body = new Readable({ read() {} })
      const request = Object.assign(body, { method: 'POST', headers: BINARY, url: '/uploads' })
      const sender = {
        owner: 'anna',
        signal: new AbortController().signal,
        isConnected: () => true,
        viewer: OPEN_VIEWER,
        account: null,
        mayChange: true,
        isReadOnly: false,
      }
      const limit = toLimit('--upload-limit', '3mb')
      const limits = { ofHosts: limit, ofParticipants: limit }
      const outcome = receiveUpload(world.accord, request as never, sender, limits).then(
        () => 'stored',
        ({ message, extensions }) => ({ message, status: extensions.http.status }),
      )
      const isIdle = end < 2 * interval
      for (let time = 0; time < end; time += interval) {
        if (!isIdle || time === 0) body.push(Buffer.from('bytes'))
        // The bytes are read in other turns of the event loop.
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
        await vi.advanceTimersByTimeAsync(interval)
      }
      expect(await outcome).toEqual({
        message: `The request is too slow: expected ${expected}.`,
        status: 408,
      })
    } finally {
      vi.useRealTimers()
    }
    expect(await rows()).toEqual([])
  })
})
