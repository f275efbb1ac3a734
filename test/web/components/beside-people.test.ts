import { describe, expect, it } from 'vitest'
import { besidePeople } from '../../../web/components/beside-people'

type Row = Parameters<typeof besidePeople>[0][number]

/** A difference of a system from people. */
function row(name: string, metric: string, together: Partial<Row['together']>): Row {
  const tested = { interval: null, pValue: 0.5, better: null, tests: 4, level: 0.95, ...together }
  return {
    metric: { name: metric },
    first: { __typename: 'System', name },
    second: { __typename: 'People', name: 'people' },
    difference: 0.1,
    together: tested,
  } as Row
}

describe('the sentence of systems beside people', () => {
  const above = { pValue: 0.001, better: 'FIRST' } as const

  it('tells what is above, below, not significantly different and not tested', () => {
    const rows = [
      row('mine', 'BLEU-4', above),
      row('mine', 'METEOR', { pValue: 0.001, better: 'SECOND' }),
      row('mine', 'SPICE', {}),
      row('mine', 'CIDEr-D', { pValue: null }),
    ]
    expect(besidePeople(rows, ['mine'])).toBe(
      'mine is above people by BLEU-4, below people by METEOR, not significantly different from people by SPICE, not tested against people by CIDEr-D.',
    )
  })

  it('says once what is the same of both', () => {
    const rows = ['mine', 'yours'].map((name) => row(name, 'METEOR', above))
    expect(besidePeople(rows, ['mine', 'yours'])).toBe('Both are above people by METEOR.')
  })
})
