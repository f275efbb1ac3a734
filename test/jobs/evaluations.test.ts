import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEvaluations } from '../../src/jobs/evaluations.js'
import { createRunner } from '../../src/jobs/runner.js'
import { openDatabase } from '../../src/store/database.js'
import { findEvaluations } from '../../src/store/evaluations.js'
import { requireSystem } from '../../src/store/systems.js'
import { initWorld } from '../kit/seed.js'

const world = await initWorld()
const { database } = world
const runner = createRunner(database.file, new URL('../kit/fragile-worker.js', import.meta.url))
const evaluations = createEvaluations(database, runner, {})
const pets = await world.dataset('pets', {
  images: { 1: ['A dog.', 'The dog.'], 2: ['A cat.', 'A small cat.'] },
})
for (const name of ['parrot', 'deadly', 'broken'])
  await pets.captionSystem(name, { 1: 'A dog.', 2: 'A cat.' })
afterAll(() => runner.close())

const log = vi.spyOn(console, 'error').mockImplementation(() => {})
beforeEach(() => log.mockClear())

async function evaluate(system: string) {
  const { id } = await evaluations.start(pets.row, await requireSystem(database, pets.row.id, system))
  await vi.waitUntil(() => evaluations.progressOf(id) === null, { timeout: 20_000, interval: 10 })
  return (await findEvaluations(database, [id]))[0]
}

const scoreCount = () => database.connection.prepare('SELECT COUNT(*) FROM metric_score').pluck().get()

describe('a worker that dies', () => {
  it.each([
    ['by ending', 'deadly', 'exit code 7'],
    ['by an error', 'broken', 'no such luck'],
  ])('%s fails its evaluation, which says so; the next one works', async (_how, system, cause) => {
    const failed = await evaluate(system)
    expect(failed).toMatchObject({
      status: 'FAILED',
      message: 'The thread that did the work ended before it was done.',
    })
    expect(failed.finishedAt).not.toBeNull()
    expect(String((log.mock.calls[0][0] as Error).cause)).toContain(cause)
    expect(scoreCount()).toBe(0)
    expect(await evaluate('parrot')).toMatchObject({ status: 'DONE', message: null })
    database.connection.exec('DELETE FROM metric_score')
  })

  it('takes down only the task it was at', async () => {
    const results = await Promise.allSettled(
      ['deadly', 'parrot', 'broken'].map(
        (system) => runner.start('evaluate', { dataset: 'pets', system }).result,
      ),
    )
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
    database.connection.exec('DELETE FROM metric_score')
  })
})

describe('a task that fails as it should not', () => {
  it('tells the operator what the client is not told', async () => {
    database.connection.exec('ALTER TABLE metric_score RENAME TO hidden')
    const failed = await evaluate('parrot')
    database.connection.exec('ALTER TABLE hidden RENAME TO metric_score')
    expect(failed).toMatchObject({
      status: 'FAILED',
      message: 'Accord failed in a way it should not; its log says more.',
    })
    expect(String((log.mock.calls[0][0] as Error).cause)).toContain('metric_score')
    expect((await evaluate('parrot')).status).toBe('DONE')
  })
})

describe('a database that another process writes to', () => {
  it('delays an evaluation, not the thread that asked for it', async () => {
    const other = await openDatabase(database.file)
    other.connection.exec('BEGIN IMMEDIATE')
    const evaluation = evaluate('parrot')
    let turns = 0
    for (const start = performance.now(); performance.now() - start < 200; turns++) {
      await new Promise(setImmediate)
    }
    expect(turns).toBeGreaterThan(50)
    other.connection.exec('COMMIT')
    await other.close()
    expect((await evaluation).status).toBe('DONE')
  })
})

describe('a runner that is closed', () => {
  it('ends what is under way as interrupted, and does no more', async () => {
    const { id } = await evaluations.start(pets.row, await requireSystem(database, pets.row.id, 'parrot'))
    const stopped = evaluations.stop()
    await runner.close()
    await stopped
    expect(await findEvaluations(database, [id])).toMatchObject([
      { status: 'INTERRUPTED', message: 'The server stopped before it was done; start it again.' },
    ])
    const late = runner.start('evaluate', { dataset: 'pets', system: 'parrot' })
    await expect(late.result).rejects.toMatchObject({ code: 'CANCELLED' })
    expect((await evaluate('parrot')).status).toBe('INTERRUPTED')
  })
})
