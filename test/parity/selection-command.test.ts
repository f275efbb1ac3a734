import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'
import { dataFile, dataPresent } from '../kit/data.js'

const FILES = {
  development: 'entities/entities_dev.json',
  test: 'entities/entities_test.json',
  golden: 'golden/content_selection_entities.csv',
}
const present = dataPresent('accord selection compared with the reference figures', Object.values(FILES))

const COLUMNS = {
  precision: 'precision',
  recall: 'recall',
  f: 'f',
  precisionSd: 'precision_sd',
  recallSd: 'recall_sd',
  fSd: 'f_sd',
} as const

type GoldenRow = Record<'system' | 'k' | (typeof COLUMNS)[keyof typeof COLUMNS], string>
type Row = { system: string; k: number | null } & Record<keyof typeof COLUMNS, number>

describe.skipIf(!present)('accord selection on Flickr30k Entities', () => {
  const { run } = workbench()
  let rows: Row[]

  beforeAll(async () => {
    await run(['import', 'boxes', dataFile(FILES.development), '--dataset', 'development'])
    await run(['import', 'boxes', dataFile(FILES.test), '--dataset', 'test'])
    const { stdout } = await run('selection --dataset test --priors development --format json')
    rows = JSON.parse(stdout).rows
  })

  it('has every figure of the reference', () => {
    const golden = parse<GoldenRow>(readFileSync(dataFile(FILES.golden)), { columns: true })
    expect(golden).toHaveLength(76)
    for (const expected of golden) {
      const row = rows.find(({ system, k }) => system === expected.system && String(k ?? '') === expected.k)
      const difference = Object.entries(COLUMNS).map(([field, column]) =>
        Math.abs(row![field as keyof typeof COLUMNS] - Number(expected[column])),
      )
      expect(Math.max(...difference), `${expected.system}, k = ${expected.k}`).toBeLessThan(1e-9)
    }
  })

  it('has random figures in addition, and no others', () => {
    const golden = new Set(
      parse<GoldenRow>(readFileSync(dataFile(FILES.golden)), { columns: true }).map(({ system }) => system),
    )
    const others = rows.map(({ system }) => system).filter((system) => !golden.has(system))
    expect(new Set(others)).toEqual(new Set(['random']))
  })
})
