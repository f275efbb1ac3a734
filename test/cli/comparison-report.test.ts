import { describe, expect, it } from 'vitest'
import { failuresAgainst } from '../../src/cli/gates.js'
import { FRACTIONS, PERCENTAGES } from '../../src/cli/output/formats.js'
import { type Notes, type Report, type Table, textOfSentence, toGrid } from '../../src/cli/output/report.js'
import { comparisonReport } from '../../src/cli/reports/comparison-report.js'
import { conclusionOf } from '../../src/services/comparisons/comparisons.js'
import type { PairComparison } from '../../src/services/comparisons/pair-comparison.js'
import type { System } from '../../src/store/schema/system-tables.js'

const system = (name: string) => ({ name }) as System

interface Tested {
  readonly metric?: string
  readonly difference?: number
  readonly pValue: number | null
  readonly adjustedPValue: number | null
  /** Null: people. */
  readonly second?: string | null
}

const TESTS = 3

/** A comparison of which tests say this; its intervals are .02 wide to either side. */
function compared({ difference = 0.05, pValue, adjustedPValue }: Tested): PairComparison {
  const better = (p: number | null) => (p === null || p >= 0.05 ? null : difference > 0 ? 'FIRST' : 'SECOND')
  const interval = pValue === null ? null : { lower: difference - 0.02, upper: difference + 0.02 }
  return {
    first: 0,
    second: 1,
    firstScore: 0.5 + difference,
    secondScore: 0.5,
    difference,
    alone: { interval, pValue, better: better(pValue), tests: pValue === null ? 0 : 1, level: 0.05 },
    together: { interval, pValue: adjustedPValue, better: better(adjustedPValue), tests: TESTS, level: 0.02 },
    imageCount: 200,
    wordCount: null,
    rarefied: null,
    references: null,
    frequencyImageCount: null,
    isSmall: false,
    undefinedReason: pValue === null ? 'NO_VARIATION' : null,
    signature: null,
  }
}

/** The report of `a` compared with others. */
function report(tests: readonly Tested[], named?: string): Report {
  const comparisons = tests.map((test) => {
    const { metric = 'CIDEr-D', second = 'b' } = test
    const comparison = {
      ...compared(test),
      figure: { kind: 'METRIC', metric } as const,
      first: system('a'),
      second: second === null ? null : system(second),
    }
    return { ...comparison, conclusion: conclusionOf(comparison), notes: [] }
  })
  return comparisonReport(
    { dataset: 'things', named },
    comparisons.map((comparison) => ({ figure: comparison.figure, comparisons: [comparison] })),
  )
}

const isNotes = (part: Report['parts'][number]): part is Notes => 'notes' in part
const notesOf = ({ parts }: Report, numbers = FRACTIONS) =>
  parts.filter(isNotes).flatMap(({ notes }) => notes.map((note) => textOfSentence(note, numbers)))
const cellsOf = ({ parts }: Report) =>
  JSON.stringify(toGrid(parts.find((part) => !isNotes(part)) as Table, FRACTIONS))

describe('accord compare', () => {
  const [clear, open] = [
    { metric: 'CIDEr-D', pValue: 0.03, adjustedPValue: 0.08 },
    { metric: 'METEOR', pValue: 0.2, adjustedPValue: 0.4 },
  ]

  it('begins with the answer by the main metric, of that alone; the table is of all', () => {
    const found = report([open, clear])
    const [answer, legend] = notesOf(found)
    expect(answer).toBe('a is better than b by CIDEr-D: +.050 [+.030, +.070], p = .030, 200 images.')
    expect(legend).toContain('by a paired test, corrected for 3 tests (worth 3 independent ones).')
    expect(cellsOf(found)).not.toContain(' +')
    expect(cellsOf(found)).toContain('.080')
  })

  it('begins with the metric that is named first', () => {
    expect(notesOf(report([clear, open], open.metric))[0]).toBe(
      'a and b do not differ significantly by METEOR: +.050 [+.030, +.070], p = .200, 200 images.',
    )
  })

  it('answers the question of two systems with people beside them', () => {
    const besidePeople = { ...clear, second: null }
    expect(notesOf(report([open, clear, besidePeople]))[0]).toMatch(/^a is better than b by CIDEr-D: /)
    expect(notesOf(report([besidePeople]))[0]).toMatch(/^a is better than people by CIDEr-D: /)
  })

  it('answers no question of several pairs', () => {
    const notes = notesOf(report([clear, { ...clear, second: 'c' }]))
    expect(notes[0]).toMatch(/^First minus second/)
    expect(notes.join()).not.toContain('is better than b')
  })

  it('marks the better one of the table', () => {
    expect(cellsOf(report([{ pValue: 0.01, adjustedPValue: 0.0499 }]))).toContain('a +')
    expect(cellsOf(report([{ pValue: 0.01, adjustedPValue: 0.05 }]))).not.toContain(' +')
  })

  it('names people in the plural, and multiplies by 100 if it is asked for', () => {
    const people = report([{ difference: -0.2, pValue: 0.00001, adjustedPValue: 0.001, second: null }])
    expect(notesOf(people)[0]).toBe(
      'people are better than a by CIDEr-D: +.200 [+.180, +.220], p < .0001, 200 images.',
    )
    expect(notesOf(people, PERCENTAGES)[0]).toBe(
      'people are better than a by CIDEr-D: +20.0 [+18.0, +22.0], p < .0001, 200 images.',
    )
  })
})

describe('--fail-if-worse', () => {
  const failures = (tested: Tested, asked: string | null, higherIsBetter = true) => {
    const score = { system: 'a', metric: 'CIDEr-D', higherIsBetter, value: 0.5, comparison: compared(tested) }
    return failuresAgainst('base', [score], asked).map((text) => textOfSentence(text, FRACTIONS))
  }
  const worse = { difference: -0.05, pValue: 0.03, adjustedPValue: 0.08 }

  it('fails by the metric that is asked for alone, and by others as the table has them', () => {
    expect(failures(worse, 'CIDEr-D')).toEqual(['a is worse than base by .050 on CIDEr-D (p = .030)'])
    expect(failures(worse, 'METEOR')).toEqual([])
    expect(failures(worse, null)).toEqual([])
    expect(failures({ ...worse, adjustedPValue: 0.0499 }, null)).toEqual([
      'a is worse than base by .050 on CIDEr-D (p = .0499)',
    ])
  })

  it('fails where the difference is the same whichever images are left out', () => {
    const constant = { difference: -0.05, pValue: null, adjustedPValue: null }
    expect(failures(constant, null)).toEqual([
      'a is worse than base by .050 on CIDEr-D (whichever images are left out)',
    ])
    expect(failures({ ...constant, difference: 0.05 }, null)).toEqual([])
    expect(failures({ ...constant, difference: 0.05 }, null, false)).toHaveLength(1)
    expect(failures({ ...constant, difference: 0 }, null)).toEqual([])
  })
})
