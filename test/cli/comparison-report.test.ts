import { describe, expect, it } from 'vitest'
import { failuresAgainst } from '../../src/cli/gates.js'
import { FRACTIONS } from '../../src/cli/output/formats.js'
import { type Notes, type Table, textOfSentence, toGrid } from '../../src/cli/output/report.js'
import { comparisonReport } from '../../src/cli/reports/comparison-report.js'
import { withoutFigures, withVerdicts } from '../../src/services/comparisons/pair-comparison.js'
import type { System } from '../../src/store/schema/system-tables.js'

const FIGURE = { kind: 'METRIC', metric: 'CIDEr-D' } as const
const system = (name: string) => ({ name }) as System

interface Tested {
  readonly pValue: number
  readonly difference?: number
  /** Null: people. */
  readonly second?: string | null
}

/** The report of `a` compared with others, one test for each. */
function report(tests: readonly Tested[]) {
  const pairs = tests.map(({ pValue, difference = 0.01, second = 'b' }) => ({
    ...withoutFigures(0, 1, 'NO_VARIATION'),
    undefinedReason: null,
    pValue,
    difference,
    first: system('a'),
    second: second === null ? null : system(second),
    figure: FIGURE,
    notes: [],
  }))
  const comparisons = withVerdicts(pairs, () => true)
  const { parts } = comparisonReport({ dataset: 'things' }, [{ figure: FIGURE, comparisons }])
  const [table, { notes }] = parts as [Table, Notes]
  return {
    cells: JSON.stringify(toGrid(table, FRACTIONS)),
    notes: notes.map((note) => textOfSentence(note, FRACTIONS)),
  }
}

describe('the verdict of accord compare', () => {
  it('is “better” and + just below .05, and neither just above', () => {
    const below = report([{ pValue: 0.0499 }])
    expect(below.notes).toContain('CIDEr-D: a is better than b by .010 (p .0499).')
    expect(below.cells).toContain('a +')
    const above = report([{ pValue: 0.0501 }])
    expect(above.notes).toContain('CIDEr-D: a does not differ significantly from b (p .050).')
    expect(above.notes.join()).not.toContain('is better')
    expect(above.cells).not.toContain(' +')
  })

  it('counts the tests of the whole table', () => {
    const rest = [
      { pValue: 0.9, second: 'c' },
      { pValue: 0.8, second: null },
    ]
    expect(report([{ pValue: 0.0166 }, ...rest]).notes).toContain(
      'CIDEr-D: a is better than b by .010 (p .0498).',
    )
    const { notes } = report([{ pValue: 0.0168 }, ...rest])
    expect(notes.slice(0, 3)).toEqual([
      'CIDEr-D: a does not differ significantly from b (p .050).',
      'CIDEr-D: a does not differ significantly from c (p 1.000).',
      'CIDEr-D: a does not differ significantly from people (p 1.000).',
    ])
    expect(notes.join()).toContain('(p below .05, with Holm’s correction for the 3 tests of this table).')
  })

  it('names people in the plural', () => {
    const [verdict] = report([{ pValue: 0.001, difference: -0.2, second: null }]).notes
    expect(verdict).toBe('CIDEr-D: people are better than a by .200 (p .001).')
  })
})

describe('--fail-if-worse', () => {
  it.each([
    [0.0499, ['a is worse than base by .010 on CIDEr-D (p .0499)']],
    [0.0501, []],
  ])('at p %d', (pValue, failures) => {
    const [comparison] = withVerdicts(
      [{ ...withoutFigures(1, 0, 'NO_VARIATION'), difference: -0.01, pValue }],
      () => true,
    )
    const score = { system: 'a', metric: 'CIDEr-D', higherIsBetter: true, value: 0.5, comparison }
    expect(failuresAgainst('base', [score]).map((text) => textOfSentence(text, FRACTIONS))).toEqual(failures)
  })
})
