import { request as begin } from 'node:http'
import { beforeAll, expect, it, vi } from 'vitest'
import { type LogEntry, logAsJson } from '../../src/log.js'
import { startWorkers } from '../../src/services/workers/workers.js'
import { atEnd } from '../kit/cleanup.js'
import { dogImages } from '../kit/dogs.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
const entries: LogEntry[] = []
let api: Api

beforeAll(async () => {
  const dogs = await world.dataset('dogs', { images: dogImages(8) })
  await dogs.captionSystem('echo', Object.fromEntries(Object.keys(dogImages(8)).map((id) => [id, 'a dog'])))
  const log = (entry: LogEntry) => void entries.push(entry)
  api = await world.serve({ log })
  const workers = await startWorkers({ location: world.location, count: 1, log })
  atEnd(() => workers.close())
})

const post = (body: Json) =>
  fetch(api.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The entry of a request, after the response has arrived. */
async function entryOf(response: Response): Promise<LogEntry | undefined> {
  await response.text()
  const id = response.headers.get('accord-request-id')
  await expect.poll(() => entries.some((entry) => entry.id === id)).toBe(true)
  return entries.find((entry) => entry.id === id)
}

const ms = expect.any(Number)
const id = expect.stringMatching(/^[\da-f-]{36}$/)

it('each request is logged with its id, operation, status and code', async () => {
  expect(await entryOf(await post({ query: 'query Name { __typename }', operationName: 'Name' }))).toEqual({
    event: 'request',
    id,
    method: 'POST',
    path: '/graphql',
    operation: 'Name',
    status: 200,
    ms,
  })
  const address = new URL('graphql?query=query+Other{__typename}&operationName=Other', api.url)
  expect(await entryOf(await fetch(address, { headers: { 'apollo-require-preflight': '1' } }))).toMatchObject(
    { method: 'GET', path: '/graphql', operation: 'Other', status: 200 },
  )
  const unknown = { query: '{ dataset(name: "dogs") { images(first: -1) { totalCount } } }' }
  expect(await entryOf(await post(unknown))).toMatchObject({ status: 200, code: 'OUT_OF_RANGE' })
  expect(await entryOf(await post({ query: '{ nothing }' }))).toMatchObject({
    code: 'GRAPHQL_VALIDATION_FAILED',
  })
  expect(await entryOf(await fetch(new URL('nothing?name=secret', api.url)))).toEqual({
    event: 'request',
    id,
    method: 'GET',
    path: '/nothing',
    status: 404,
    code: 'NOT_FOUND',
    ms,
  })
})

it('a client that goes before the end of its response has the status 499, a long name of an operation its begin', async () => {
  const before = entries.length
  const headers = { 'content-type': 'application/json', 'content-length': 100 }
  const request = begin(new URL(api.url), { method: 'POST', headers })
  request.on('error', () => {})
  request.write('{', () => setTimeout(() => request.destroy(), 50))
  await expect
    .poll(() => entries.slice(before))
    .toContainEqual(expect.objectContaining({ path: '/graphql', status: 499 }))
  const operationName = 'Long'.repeat(100)
  const entry = await entryOf(await post({ query: `query ${operationName} { __typename }`, operationName }))
  expect(entry).toMatchObject({ operation: 'Long'.repeat(25), status: 200 })
})

it('each job is logged with its kind, and the code of its error', async () => {
  const start = async (input: string) => {
    const query = `mutation { startEvaluation(input: { ${input} }) { ... on JobSuccess { job { id } } } }`
    const { startEvaluation } = await api.ask(query)
    await api.ended(startEvaluation.job.id)
  }
  await start('dataset: "dogs", system: "echo", metrics: ["BLEU-1"]')
  await expect
    .poll(() => entries.filter(({ event }) => event === 'job'))
    .toContainEqual({ event: 'job', id: expect.any(Number), kind: 'evaluate', code: undefined, ms })
})

it('lines are JSON with a time and a level', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  logAsJson({ event: 'request', id: '1', method: 'GET', path: '/ready', status: 503, code: 'X', ms: 1.26 })
  logAsJson({ event: 'request', id: '2', method: 'GET', path: '/x', status: 404, code: 'NOT_FOUND', ms: 1 })
  logAsJson({ event: 'job', id: 3, kind: 'evaluate', ms: 1 })
  logAsJson({ event: 'job', id: 4, kind: 'evaluate', code: 'INTERNAL', ms: 1 })
  logAsJson({ event: 'request', id: '5', method: 'GET', path: '/x', status: 500, code: 'X', ms: 1 })
  logAsJson({ event: 'job', id: 6, kind: 'evaluate', code: 'CANCELLED', ms: 1 })
  const lines = write.mock.calls.map(([line]) => String(line))
  write.mockRestore()
  expect(lines.every((line) => line.endsWith('}\n'))).toBe(true)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { time: expect.stringMatching(/^\d{4}-.*Z$/), level: 'error', event: 'request', ms: 1.3 },
    { level: 'warn', code: 'NOT_FOUND' },
    { level: 'info', event: 'job', kind: 'evaluate' },
    { level: 'error', code: 'INTERNAL' },
    { level: 'error', status: 500 },
    { level: 'warn', code: 'CANCELLED' },
  ])
})
