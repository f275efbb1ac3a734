import { beforeAll, describe, expect, it } from 'vitest'
import { compare } from '../../src/services/comparisons/comparisons.js'
import { openAccord } from '../../src/services/open-accord.js'
import { evaluateSystem } from '../../src/services/scoring/evaluate.js'
import { requireSystems } from '../../src/services/systems/systems.js'
import { sql } from '../../src/store/engine/sql.js'
import { ENGINES } from '../kit/databases.js'
import { initPark } from './kit.js'

describe.each(ENGINES)('answers to queries on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  const evaluate = async (system: string) => {
    await evaluateSystem(park.accord, { dataset: 'park', system, metrics: ['BLEU-1', 'ROUGE-L'] })
  }
  beforeAll(async () => {
    park = await initPark(engine)
    await evaluate('captioner')
    await evaluate('copier')
  })

  const options = { systems: ['captioner', 'copier'], figure: { kind: 'METRIC', metric: 'BLEU-1' } } as const
  const ask = (accord = park.accord) => compare(accord, park.park.row, options)
  const answerCount = async () =>
    (await park.database.all(sql`SELECT id FROM job WHERE kind = 'compare'`)).length

  it('are computed once, also for other processes', async () => {
    const first = await ask()
    expect(await answerCount()).toBe(1)
    expect(await ask()).toEqual(first)
    const other = await openAccord({ location: park.location, threadCount: 1 })
    try {
      expect(await ask(other)).toEqual(first)
      // No worker is there to answer.
      expect(await ask(park.remote)).toEqual(first)
    } finally {
      await other.close()
    }
    expect(await answerCount()).toBe(1)
  })

  it('are computed again after what they ask about has changed, and for other questions', async () => {
    await ask()
    const before = await answerCount()
    await compare(park.accord, park.park.row, { ...options, figure: { kind: 'METRIC', metric: 'ROUGE-L' } })
    expect(await answerCount()).toBe(before + 1)
    // A new score of the same value: what is stored already would not be computed again.
    const [{ id: systemId, datasetId }] = await requireSystems(park.accord, park.park.row, ['copier'])
    await park.accord.run('evaluate', { datasetId, systemId }, {})
    await ask()
    expect(await answerCount()).toBe(before + 2)
    await park.database.run(sql`DELETE FROM system WHERE name = 'detector'`)
    await ask()
    expect(await answerCount()).toBe(before + 3)
  })
})
