import { describe, expect, it } from 'vitest'
import { decimalsOf } from '../../../src/shared/numbers'
import { commonDecimals } from '../../../web/app/format'
import { type Column, isBest, measured, sortRows, toTextTable } from '../../../web/components/columns'

const around = (half: number) => ({ lower: 0.5 - half, upper: 0.5 + half })

describe('the decimals of a figure', () => {
  it.each([
    [0.3, 1],
    [0.15, 2],
    [0.031, 2],
    [0.019, 3],
    [0.0042, 3],
    [0.00001, 4],
  ])('are those that an interval of ± %d supports', (half, decimals) => {
    expect(decimalsOf(around(half))).toBe(decimals)
  })

  it('in a column are those that most intervals support, and at least 2', () => {
    const [one, two, three, four] = [0.3, 0.03, 0.0042, 0.00042].map(around)
    expect([one, two, three, four].map(decimalsOf)).toEqual([1, 2, 3, 4])
    expect(commonDecimals([four, three, three])).toBe(3)
    expect(commonDecimals([four, four, three])).toBe(4)
    expect(commonDecimals([two, null, three, two, undefined])).toBe(2)
    expect(commonDecimals([one, one, one])).toBe(2)
    expect(commonDecimals([null])).toBe(3)
  })
})

describe('a sorted table', () => {
  const column = (title: string): Column<Record<string, string | number | null>> => ({
    title,
    value: (row) => row[title],
  })
  const rows = [
    { name: 'b', score: 0.2 },
    { name: 'undefined', score: null },
    { name: 'a', score: -1 },
    { name: 'c', score: 10 },
  ]
  const names = (title: string, sign: 1 | -1) => sortRows(rows, column(title), sign).map(({ name }) => name)

  it('has numbers in their order, and what is undefined last in both directions', () => {
    expect(names('score', 1)).toEqual(['a', 'b', 'c', 'undefined'])
    expect(names('score', -1)).toEqual(['c', 'b', 'a', 'undefined'])
  })

  it('has texts in their order', () => {
    expect(names('name', 1)).toEqual(['a', 'b', 'c', 'undefined'])
    expect(names('name', -1)).toEqual(['undefined', 'c', 'b', 'a'])
  })
})

describe('the best of a column', () => {
  interface Row {
    readonly name: string
    readonly score: number | null
  }
  const rows: readonly Row[] = [
    { name: 'good', score: 0.31 },
    { name: 'people', score: 0.4 },
    { name: 'old', score: 0.1 },
    { name: 'new', score: null },
  ]
  const competes = ({ name }: Row) => name !== 'people'
  const bold = (best: Column<Row>['best'], of = rows) => {
    const columns = measured<Row>('score', ({ score }) => ({ value: score }), {
      best,
      marks: ({ name }) => (name === 'old' ? '*' : ''),
    })
    const { groups } = toTextTable(columns, of)
    expect(groups[0].map(([{ isStrong }]) => isStrong)).toEqual(of.map((row) => isBest(columns[0], row, of)))
    return groups[0].flatMap(([{ text, isStrong }]) => (isStrong ? text : []))
  }

  it('is bold, as Markdown and LaTeX have it, among those that compete', () => {
    expect(bold({ competes })).toEqual(['.310'])
    expect(bold({})).toEqual(['.400'])
    expect(bold({ competes, isLowest: true })).toEqual(['.100*'])
  })

  it('is not where nothing is to be compared, or the best is not asked for', () => {
    expect(bold({ competes }, rows.slice(0, 2))).toEqual([])
    expect(bold(undefined)).toEqual([])
  })
})
