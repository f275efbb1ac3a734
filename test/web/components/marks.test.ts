import { describe, expect, it } from 'vitest'
import { nearestOf } from '../../../web/charts/tip'
import { linesOf } from '../../../web/components/save'

describe('the mark at a place', () => {
  const marks = [
    { name: 'left', x: 10, y: 10 },
    { name: 'right', x: 40, y: 10 },
    { name: 'below', x: 10, y: 100 },
  ]
  const at = (offsetX: number, offsetY: number, reach?: number) =>
    nearestOf(marks, { offsetX, offsetY }, reach)?.name

  it('is the nearest one', () => {
    expect([at(12, 12), at(24, 10), at(26, 10), at(12, 90)]).toEqual(['left', 'left', 'right', 'below'])
  })

  it('is none beyond reach', () => {
    expect([at(10, 33), at(10, 35), at(10, 55), at(10, 60, 46)]).toEqual([
      'left',
      undefined,
      undefined,
      'below',
    ])
  })
})

it('the text below a saved picture is in lines that end at spaces, commas and bars', () => {
  const text = 'CIDEr-D|n:4|df:own and more'
  expect(linesOf(text, 12)).toEqual(['CIDEr-D|n:4|', 'df:own and ', 'more'])
  expect(linesOf(text, 11)).toEqual(['CIDEr-D|', 'n:4|df:own ', 'and more'])
  expect(linesOf('indivisible word', 4)).toEqual(['indivisible ', 'word'])
  expect(linesOf('', 4)).toEqual([''])
})
