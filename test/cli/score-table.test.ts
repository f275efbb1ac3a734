import { expect, it } from 'vitest'
import { markBest } from '../../src/cli/reports/score-table.js'

const row = (metric: string, value: number | null, isApart = false) => ({
  metric,
  value,
  isApart,
  higherIsBetter: metric !== 'CHAIR-i',
})

const bestOf = (...rows: ReturnType<typeof row>[]) =>
  markBest(rows, ({ metric }) => metric).map(({ isBest }) => isBest)

it('marks the best score of each metric, which is the lowest where lower is better', () => {
  expect(bestOf(row('METEOR', 0.2), row('CHAIR-i', 0.2), row('METEOR', 0.3), row('CHAIR-i', 0.1))).toEqual([
    false,
    false,
    true,
    true,
  ])
})

it('marks all that are the best, none where all are the same, and no single one', () => {
  expect(bestOf(row('METEOR', 0.3), row('METEOR', 0.2), row('METEOR', 0.3))).toEqual([true, false, true])
  expect(bestOf(row('METEOR', 0.3), row('METEOR', 0.3))).toEqual([false, false])
  expect(bestOf(row('METEOR', 0.3), row('METEOR', null))).toEqual([false, false])
})

it('leaves out scores that were made in another way', () => {
  expect(bestOf(row('METEOR', 0.9, true), row('METEOR', 0.3), row('METEOR', 0.2))).toEqual([
    false,
    true,
    false,
  ])
})
