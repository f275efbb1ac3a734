import { beforeAll, describe, expect, it, vi } from 'vitest'
import { AccordError } from '../../src/errors.js'
import type { ErrorCode } from '../../src/shared/error-codes.js'
import { sql } from '../../src/store/engine/sql.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld } from '../kit/seed.js'

/** What clients learn of the server when its database or its files fail. */

const world = await initWorld()

/** An error of the database that the server meets in its next statements. */
let failure: Error | undefined
let api: Api

beforeAll(async () => {
  await importPets(world)
  const fail = <Value>(value: Value): Value =>
    (typeof value === 'function'
      ? (...args: unknown[]) => (failure ? Promise.reject(failure) : value(...args))
      : value) as Value
  const database = new Proxy(world.database, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      return ['all', 'run', 'transaction', 'snapshot'].includes(String(name)) ? fail(value) : value
    },
  })
  api = await world.serve({ accord: { ...world.remote, database } })
})

/** Uploads wait while the database is busy. */
const sendContent = () =>
  fetch(new URL('/uploads', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: 'content',
  })

const URL_TEXT = 'postgres://anna@db.internal:5432/accord'

const failures: [string, ErrorCode, string, { source: string; found?: string }][] = [
  [
    'a lost connection',
    'DATABASE_UNAVAILABLE',
    'the database cannot be reached',
    { source: URL_TEXT, found: 'connect ECONNREFUSED 10.0.0.7:5432' },
  ],
  ['a full disk', 'RESOURCE_MISSING', 'the disk is full', { source: 'accord.sqlite' }],
  ['another process', 'BUSY', 'another process is writing', { source: URL_TEXT }],
  [
    'a permission',
    'NOT_APPLICABLE',
    'the database user lacks a permission',
    { source: URL_TEXT, found: 'anna may not read db.internal' },
  ],
  [
    'a file',
    'INVALID_SHAPE',
    'the file is not a valid Accord database',
    { source: '/home/anna/accord.sqlite' },
  ],
]

describe.each(failures)('a failure of the server: %s', (_what, code, summary, detail) => {
  it('is answered with its summary alone; the log has the rest', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const secrets = /anna|db\.internal|10\.0\.0|5432|postgres:|\.sqlite|\/home/
    failure = new AccordError(code, summary, detail)
    try {
      const answers = await Promise.all([
        api.query('{ dataset(name: "pets") { imageCount } }'),
        api.query(
          'mutation { removeSystem(input: { dataset: "pets", system: "noise" }) { ... on MutationError { message place expected found } } }',
        ),
      ])
      const texts = answers.map((answer) => JSON.stringify(answer))
      if (code !== 'BUSY') texts.push(await (await sendContent()).text())
      for (const text of texts) {
        expect(text).toContain(summary)
        expect(text).not.toMatch(secrets)
      }
      if (code !== 'BUSY') expect(String(log.mock.calls[0])).toMatch(secrets)
    } finally {
      failure = undefined
      log.mockRestore()
    }
  })

  it('is shown so where a job failed', async () => {
    const { startEvaluation } = await api.ask(
      'mutation { startEvaluation(input: { dataset: "pets", system: "copycat" }) { ... on JobSuccess { job { id } } } }',
    )
    const stored = { code, summary, detail, message: new AccordError(code, summary, detail).message }
    await world.database.run(sql`UPDATE job SET status = 'FAILED', failure = ${JSON.stringify(stored)}`)
    const { job } = await api.ask(
      'query ($id: ID!) { job(id: $id) { failure { code message place expected found } } }',
      { id: startEvaluation.job.id },
    )
    expect(job.failure).toEqual({ code, message: summary, place: null, expected: null, found: null })
  })
})
