import { once } from 'node:events'
import { statfsSync } from 'node:fs'
import { request as begin, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'
import type { Accounts } from '../../src/services/accounts/accounts.js'
import { sql } from '../../src/store/engine/sql.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { signInViewers, type ViewerName } from '../kit/viewers.js'

/** Users who are no hosts share a part of the disk, so that what they send leaves room for hosts. */

const KILOBYTE = 1 << 10
const LIMIT = 64 * KILOBYTE
const PASSWORD = 'correct horse 1'

const world = await initWorld()
let api: Api
let accounts: Accounts
let headersOf: Readonly<Record<ViewerName, Record<string, string>>>

beforeAll(async () => {
  api = await world.serve({ accounts: 'OPEN', uploadLimit: '1mb', submissionLimit: '64kb' })
  const signedIn = await signInViewers(world.accord, api)
  accounts = signedIn.accounts
  headersOf = signedIn.headers
})

interface Sent {
  readonly id?: string
  readonly status: number
  readonly text: string
}

async function send(headers: Record<string, string>, bytes: number): Promise<Sent> {
  const response = await fetch(new URL('uploads?filename=mine.json', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: Buffer.alloc(bytes, ' '),
  })
  const text = await response.text()
  return { id: response.ok ? JSON.parse(text).id : undefined, status: response.status, text }
}

async function ask(headers: Record<string, string>, query: string): Promise<Json> {
  const answer = await api.post(JSON.stringify({ query }), headers)
  expect(answer.errors, query).toEqual([])
  return answer.data
}

/** A new user, with the cookie of a session. */
async function participant(name: string) {
  const session = await accounts.signUp({ name, password: PASSWORD }, name)
  const { secret } = await accounts.createToken(session, { name: 'all', scope: 'submit', days: 1 })
  return { session, headers: { authorization: `Bearer ${secret}` } }
}

const removeOf = async (headers: Record<string, string>, id: string) =>
  (
    await ask(
      headers,
      `mutation { removeUpload(input: { upload: "${id}" }) { __typename ... on RemovalSuccess { removedId } ... on MutationError { code } } }`,
    )
  ).removeUpload
const removed = (id: unknown) => ({ __typename: 'RemovalSuccess', removedId: id })
const UNKNOWN = { __typename: 'MutationError', code: 'UNKNOWN_UPLOAD' }
const storedBytes = async () =>
  (await world.database.all<{ bytes: number }>(sql`SELECT COALESCE(SUM(bytes), 0) AS bytes FROM upload`))[0]
    .bytes

it('a file of a participant has the size of a submission, one of a host that of a dataset', async () => {
  const { headers } = await participant('small')
  const maximum = async (of: Record<string, string>) =>
    (
      await ask(
        of,
        `mutation { createUpload(input: { fileName: "mine.json" }) {
          ... on CreateUploadSuccess { maximumBytes } ... on MutationError { code } } }`,
      )
    ).createUpload
  expect(await maximum(headers)).toEqual({ maximumBytes: LIMIT })
  expect(await maximum(headersOf.host)).toEqual({ maximumBytes: 1 << 20 })
  expect(await maximum({})).toEqual({ code: 'UNAUTHENTICATED' })
  const refused = await send(headers, LIMIT + 1)
  expect(refused.status).toBe(413)
  expect(refused.text).toContain('expected at most 64kb. The option --submission-limit of the server')
  const sent = [await send(headers, LIMIT), await send(headersOf.host, 4 * LIMIT)]
  expect(sent.map(({ status }) => status)).toEqual([201, 201])
  expect(await removeOf(headers, sent[0].id as string)).toEqual(removed(sent[0].id))
  expect(await removeOf(headersOf.host, sent[1].id as string)).toEqual(removed(sent[1].id))
})

it('participants share a total, which hosts do not use; ban, deletion and removal free it', async () => {
  const users = []
  for (let index = 0; index < 10; index++) {
    const user = await participant(`stranger${index}`)
    const files = [await send(user.headers, LIMIT), await send(user.headers, LIMIT)]
    expect(files.map(({ status }) => status)).toEqual([201, 201])
    users.push({ ...user, files })
  }
  expect(await storedBytes()).toBe(20 * LIMIT)
  const late = await participant('late')
  const sendLate = () => send(late.headers, KILOBYTE)
  const refused = await sendLate()
  expect({ status: refused.status, text: refused.text }).toEqual({
    status: 429,
    text: expect.stringContaining('the files that all participants have sent'),
  })
  expect((await send(headersOf.host, 8 * LIMIT)).status).toBe(201)

  const [removing, banned, deleted] = users
  const [file] = removing.files
  expect(await removeOf(late.headers, file.id as string)).toEqual(UNKNOWN)
  expect(await removeOf(headersOf.host, file.id as string)).toEqual(UNKNOWN)
  expect(await removeOf(removing.headers, file.id as string)).toEqual(removed(file.id))
  expect(await storedBytes()).toBe(27 * LIMIT)
  const first = await sendLate()
  expect(first.status).toBe(201)
  expect(await removeOf(headersOf.administrator, first.id as string)).toEqual(removed(first.id))

  await ask(headersOf.administrator, 'mutation { banUser(input: { name: "stranger1" }) { __typename } }')
  expect((await send(banned.headers, KILOBYTE)).status).toBe(401)
  expect(await storedBytes()).toBe(25 * LIMIT)
  await accounts.deleteAccount(deleted.session, PASSWORD)
  expect(await storedBytes()).toBe(23 * LIMIT)
})

it('are listed for who has sent them, and all of them for administrators', async () => {
  const { headers } = await participant('lister')
  const { id } = await send(headers, 2 * KILOBYTE)
  const query =
    '{ uploads(first: 1000) { totalCount nodes { id fileName bytes isComplete isImporting user { name } } } }'
  const own = {
    id,
    fileName: 'mine.json',
    bytes: 2 * KILOBYTE,
    isComplete: true,
    isImporting: false,
    user: { name: 'lister' },
  }
  expect((await ask(headers, query)).uploads).toEqual({ totalCount: 1, nodes: [own] })
  const { nodes } = (await ask(headersOf.administrator, query)).uploads
  expect(nodes).toContainEqual(own)
  const sizes = nodes.map(({ bytes }: Json) => bytes)
  expect(sizes).toEqual(sizes.toSorted((one: number, other: number) => other - one))
  expect(new Set(nodes.map(({ user }: Json) => user.name)).size).toBeGreaterThan(3)
  const anonymous = await api.post(JSON.stringify({ query }), {})
  expect(anonymous.errors[0].extensions.code).toBe('UNAUTHENTICATED')
})

it('are not removed while a job imports them', async () => {
  const { id } = await send(headersOf.host, KILOBYTE)
  const start = `mutation { importCaptions(input: { dataset: "queued", upload: "${id}" }) { __typename } }`
  expect((await ask(headersOf.host, start)).importCaptions).toEqual({ __typename: 'JobSuccess' })
  const { uploads } = await ask(headersOf.host, '{ uploads(first: 1000) { nodes { id isImporting } } }')
  expect(uploads.nodes).toContainEqual({ id, isImporting: true })
  expect(await removeOf(headersOf.host, id as string)).toEqual({
    __typename: 'MutationError',
    code: 'NOT_APPLICABLE',
  })
})

const { bavail, blocks, bsize } = statfsSync(world.folder)
/** The reserve of the disk, and half of what is left to hosts. */
const KEPT_BYTES = Math.min(64 << 20, 0.1 * blocks * bsize) + 0.05 * blocks * bsize
const FREE_BYTES = bavail * bsize

it.runIf(FREE_BYTES > 2 * KEPT_BYTES)('leave room on the disk for the file of a host', async () => {
  const large = await world.serve({ accounts: 'OPEN', uploadLimit: '100000gb', submissionLimit: '100000gb' })
  const announce = (headers: Record<string, string>) => {
    const request = begin(new URL('uploads', large.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': Math.floor(FREE_BYTES - KEPT_BYTES),
        ...headers,
      },
    })
    request.on('error', () => {})
    request.flushHeaders()
    return request
  }
  const countOf = async () =>
    (await world.database.all<{ count: number }>(sql`SELECT COUNT(*) AS count FROM upload`))[0].count
  const before = await countOf()
  const ofHost = announce({ ...headersOf.host, origin: new URL(large.url).origin })
  await expect.poll(countOf).toBe(before + 1)
  ofHost.destroy()
  await expect.poll(countOf).toBe(before)
  const { headers } = await participant('greedy')
  const [response] = (await once(announce(headers), 'response')) as [IncomingMessage]
  expect(response.statusCode).toBeGreaterThanOrEqual(500)
  expect(await text(response)).toContain('the disk is full')
})
