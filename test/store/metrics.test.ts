import { beforeAll, describe, expect, it } from 'vitest'
import { enqueueJob } from '../../src/queue/queue.js'
import { KINDS } from '../../src/services/workers/kinds.js'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import { deleteCurves, readCurves, saveCurve } from '../../src/store/metrics.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'

const NETWORK = { inputs: 2, hidden: [8], activation: 'tanh', dropout: 0.5 } as const
const EPOCHS = [
  { loss: 0.75, agreement: null },
  { loss: 0.5, agreement: 0.25 },
]

describe.each(ALL_ENGINES)('curves of trainings on %s', (engine) => {
  let database: Database
  let jobs: number[]

  beforeAll(async () => {
    database = await openTestDatabase(engine)
    // Of any kind.
    const enqueue = (dataset: string) => enqueueJob(database, KINDS, 'removeDataset', { dataset })
    jobs = [(await enqueue('a')).id, (await enqueue('b')).id]
  })

  it('are replaced epoch by epoch, read by job and in order, and removed with their job', async () => {
    const [one, other] = jobs
    const curve = { jobId: one, position: 0, seed: 1, network: NETWORK, epochs: EPOCHS.slice(0, 1) }
    await saveCurve(database, { ...curve, position: 1 })
    await saveCurve(database, curve)
    await saveCurve(database, { ...curve, epochs: EPOCHS })
    await saveCurve(database, { ...curve, jobId: other })
    expect(await readCurves(database, [other, one])).toEqual([
      { ...curve, epochs: EPOCHS },
      { ...curve, position: 1 },
      { ...curve, jobId: other },
    ])
    await deleteCurves(database, one)
    expect(await readCurves(database, jobs)).toEqual([{ ...curve, jobId: other }])
    await database.run(sql`DELETE FROM job WHERE id = ${other}`)
    expect(await readCurves(database, jobs)).toEqual([])
  })
})
