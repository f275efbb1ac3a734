import { expect, it } from 'vitest'
import { serveMetrics } from '../../src/api/http/serve-metrics.js'
import { atEnd } from '../kit/cleanup.js'
import { dogImages } from '../kit/dogs.js'
import { initWorld } from '../kit/seed.js'

const LOCAL = { host: '127.0.0.1', port: 0 }

const world = await initWorld()
const metrics = await serveMetrics(world.accord, LOCAL)
atEnd(metrics.close)
const { url } = await world.serve()
const read = async () => (await fetch(metrics.url)).text()

it('counts requests and jobs that have ended', async () => {
  metrics.log({
    event: 'request',
    id: 'a',
    method: 'POST',
    path: '/graphql',
    operation: 'Secret',
    status: 200,
    ms: 30,
  })
  metrics.log({ event: 'request', id: 'b', method: 'POST', path: '/graphql', status: 200, ms: 700 })
  metrics.log({ event: 'job', id: 1, kind: 'evaluate', ms: 3000 })
  metrics.log({ event: 'job', id: 2, kind: 'evaluate', code: 'CANCELLED', ms: 10 })
  const response = await fetch(metrics.url)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const text = await response.text()
  for (const line of [
    'accord_request_seconds_count{method="POST",status="200"} 2',
    'accord_request_seconds_bucket{le="0.1",method="POST",status="200"} 1',
    'accord_request_seconds_sum{method="POST",status="200"} 0.73',
    'accord_job_seconds_count{kind="evaluate",code=""} 1',
    'accord_job_seconds_count{kind="evaluate",code="CANCELLED"} 1',
  ])
    expect(text.split('\n')).toContain(line)
  expect(text).toContain('nodejs_eventloop_lag_seconds')
  expect(text).not.toContain('Secret')
})

it('counts jobs that wait', async () => {
  expect(await read()).toContain('accord_jobs{status="QUEUED"} 0\n')
  const dogs = await world.dataset('dogs', { images: dogImages(8) })
  const { accord, database } = world
  await accord.queue.enqueue(database, 'agreement', { datasetId: dogs.row.id, references: 1 })
  expect(await read()).toContain('accord_jobs{status="QUEUED"} 1\n')
})

it('is at /metrics alone, and not on the port of the server', async () => {
  const other = await fetch(new URL('/', metrics.url))
  const posted = await fetch(metrics.url, { method: 'POST' })
  expect([other.status, posted.status]).toEqual([404, 404])
  expect(await (await fetch(new URL('/metrics', url))).text()).not.toContain('accord_jobs')
})

it('says which option helps where the port is in use', async () => {
  const port = Number(new URL(metrics.url).port)
  await expect(serveMetrics(world.accord, { ...LOCAL, port })).rejects.toThrow(
    `port ${port} is in use; try --metrics-port`,
  )
})
