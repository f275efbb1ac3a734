import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/database.js'
import { sql } from '../../src/store/engine/sql.js'
import { importPark, outcomeOf, PARK_RESULTS, query, untilWritten, urlOf, workbench } from '../cli/kit.js'
import { ALL_ENGINES, createTestDatabase } from '../kit/databases.js'
import { sendFile } from '../kit/uploads.js'

const IMPORT = `mutation ($input: ImportResultsInput!) {
  importResults(input: $input) {
    ... on JobSuccess { job { id } }
    ... on MutationError { message }
  }
}`

/** Distinct owners of the jobs that a client requested. */
async function ownersOf(location: string): Promise<string[]> {
  const database = await openDatabase(location)
  const rows = await database.all<{ owner: string }>(
    sql`SELECT DISTINCT owner FROM job WHERE kind IN ('importResults', 'evaluate')`,
  )
  await database.close()
  return rows.map(({ owner }) => owner)
}

describe.each(ALL_ENGINES)('a worker on %s', (engine) => {
  const bench = workbench()
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  let environment: NodeJS.ProcessEnv
  beforeAll(async () => {
    database = await createTestDatabase(engine)
    environment = { ACCORD_DATABASE: database.location }
    await importPark(bench, 'without systems', environment)
  })
  afterAll(() => database.remove())

  it('executes the jobs of a server without workers; both stop on a signal', async () => {
    const server = bench.start('serve --port 0 --workers 0', environment)
    const serverOutcome = outcomeOf(server)
    const url = await urlOf(server)
    const upload = await sendFile(url, PARK_RESULTS)
    const { data, errors } = await query(url, IMPORT, {
      input: { dataset: 'park', system: 'submitted', upload },
    })
    expect(errors).toBeUndefined()
    const worker = bench.start('worker --workers 1', environment)
    const workerOutcome = outcomeOf(worker)
    await untilWritten(worker, 'stdout', 'Executing the jobs of ')
    const { id } = data.importResults.job
    const JOB = `{ job(id: "${id}") { status result { ... on ImportResult { evaluation { status } } } } }`
    while ((await query(url, JOB)).data.job.result?.evaluation?.status !== 'DONE');
    expect(await ownersOf(database.location)).toEqual(['127.0.0.1'])
    worker.kill('SIGTERM')
    expect(await workerOutcome).toMatchObject({ code: 0, stderr: '' })
    expect((await workerOutcome).stdout).toMatch(/^Executing the jobs of \S+ in 1 thread\n$/)
    if (engine === 'postgres') {
      expect((await workerOutcome).stdout).not.toContain(new URL(database.location).password)
    }
    server.kill('SIGINT')
    expect(await serverOutcome).toMatchObject({ code: 0, stderr: '' })
  })

  it('requires an existing database', async () => {
    const { code, stdout, stderr } = await bench.run('worker --database none.sqlite')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^accord: none\.sqlite: no database found; .+\n$/)
  })
})
