import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importPark, type Outcome, workbench } from '../cli/kit.js'
import { ALL_ENGINES, createTestDatabase } from '../kit/databases.js'

/** Commands whose output must not depend on the engine. */
const COMMANDS = [
  'datasets --format json',
  'words --dataset park --system captioner detector --format json',
  'evaluate --dataset park --system captioner --format json --per-image scores.csv',
  'agreement --dataset park --format json',
  'evaluate --dataset park --system captioner --metrics BLEU-4 CIDEr-D --format csv',
  'remove system captioner --dataset park',
  'datasets --format csv',
  'words --dataset park --system captioner --sort gap',
  'remove dataset park',
  'datasets',
]

const outputs: Outcome[][] = []

describe.each(ALL_ENGINES)('commands on %s', (engine) => {
  const bench = workbench()
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  beforeAll(async () => {
    database = await createTestDatabase(engine)
    await importPark(bench, 'with systems', { ACCORD_DATABASE: database.location })
  })
  afterAll(() => database.remove())

  it('print the same', async () => {
    const outcomes: Outcome[] = []
    for (const command of COMMANDS) {
      outcomes.push(await bench.run(command, { ACCORD_DATABASE: database.location }))
    }
    outputs.push(outcomes)
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0, 2, 0, 0])
    expect(outcomes).toEqual(outputs[0])
  })
})
