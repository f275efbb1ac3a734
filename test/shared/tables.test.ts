import { describe, expect, it } from 'vitest'
import { nearNames } from '../../src/shared/near-names.js'
import { toField, toLatex, toMarkdown } from '../../src/shared/tables.js'

const tableOf = (text: string) => ({
  columns: [{ title: 'a', align: 'left' as const }],
  groups: [[[{ text }]]],
})

describe('tables', () => {
  it.each([
    ['τ-b, R² ≥ .5 ± .1', '$\\tau$-b, R$^2$ $\\geq$ .5 $\\pm$ .1'],
    ['-.5 → −1 × 2', '$-$.5 $\\to$ $-$1 $\\times$ 2'],
    ['a_b & {c} 100 % \\ ~', 'a\\_b \\& \\{c\\} 100 \\% \\textbackslash{} \\textasciitilde{}'],
  ])('write %s as LaTeX', (text, expected) => {
    expect(toLatex(tableOf(text))).toContain(`  ${expected} \\\\\n`)
  })

  it('are Markdown of one line for each row, without links and marks of the text', () => {
    expect(toMarkdown(tableOf('[a](b) *c*|\r\nd'))).toBe('| a |\n| :-- |\n| \\[a\\](b) \\*c\\*\\| d |\n')
  })

  it('have fields that are no formulas', () => {
    expect(['=1', '-a', -1, null, Number.NaN, true].map(toField)).toEqual([
      "'=1",
      "'-a",
      '-1',
      '',
      '',
      'true',
    ])
  })
})

describe('nearNames', () => {
  it('finds names of the same letters, then those with the fewest changes, and nothing that is far', () => {
    expect(nearNames('CIDER', ['BLEU', 'CIDEr-D', 'CIDEr', 'dice'])).toEqual(['CIDEr', 'CIDEr-D'])
    expect(nearNames('langaueg', ['luggage', 'language'])).toEqual(['language'])
    expect(nearNames('cat', ['a table', 'window'])).toEqual([])
  })
})
