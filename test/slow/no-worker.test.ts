import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { outcomeOf, query, urlOf, workbench } from '../cli/kit.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'

/** A server without workers, on a database for which no other process works. */

const bench = workbench()
async function succeed(command: string): Promise<void> {
  expect(await outcomeOf(bench.start(command)), command).toMatchObject({ code: 0 })
}

const IMAGES = Array.from({ length: 12 }, (_, index) => index + 1)

it('a query that needs a worker says that there is none, and the server answers others', async () => {
  const captions = IMAGES.map((image) => [image, [`a dog and ${image} cats`, `${image} cats and a dog`]])
  bench.write('small.json', cocoCaptions(Object.fromEntries(captions)))
  await succeed('import captions small.json --dataset small')
  for (const name of ['one', 'two']) {
    bench.write(
      `${name}.json`,
      cocoResults(Object.fromEntries(IMAGES.map((image) => [image, `${name} dog, ${image} cats`]))),
    )
    await succeed(`import results ${name}.json --dataset small --system ${name}`)
  }
  await succeed('evaluate --dataset small')
  const server = bench.start('serve --port 0 --workers 0')
  const url = await urlOf(server)
  const { errors } = await query(
    url,
    '{ dataset(name: "small") { comparisons(systems: ["one", "two"], metrics: ["BLEU-4"]) { __typename } } }',
  )
  expect(errors).toMatchObject([
    { message: expect.stringContaining('accord worker'), extensions: { code: 'NO_WORKER' } },
  ])
  expect(await query(url, '{ __typename }')).toEqual({ data: { __typename: 'Query' } })
  server.kill('SIGTERM')
})

it('a job whose worker was killed is queued again when its lease ends', async () => {
  const server = bench.start('serve --port 0 --workers 0')
  const url = await urlOf(server)
  const ask = async (text: string) => (await query(url, text)).data
  const start =
    'startEvaluation(input: { dataset: "small", system: "one" }) { ... on JobSuccess { job { id } } }'
  const { id } = (await ask(`mutation { ${start} }`)).startEvaluation.job
  // A worker has claimed the job and is gone.
  const file = new BetterSqlite3(bench.path('accord.sqlite'))
  file.exec(
    `UPDATE job SET status = 'RUNNING', worker = 'lost', attempts = 1, lease_until = '2120-01-01T00:00:00.000Z'
     WHERE status = 'QUEUED'`,
  )
  const statusOf = async () => (await ask(`{ node(id: "${id}") { ... on Job { status } } }`)).node.status
  expect(await statusOf()).toBe('RUNNING')
  // What the time does that the lease lasts.
  file.exec(`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE status = 'RUNNING'`)
  file.close()
  await expect.poll(statusOf).toBe('QUEUED')
  server.kill('SIGTERM')
})
