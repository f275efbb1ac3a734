import { expect, it } from 'vitest'
import { namedNotes } from '../../../src/services/shared/intervals.js'

it('notes name the tables that they are about, unless these are all', () => {
  const tables = [
    { name: 'All references', notes: ['recall only', 'of 100 images'] },
    { name: '4 references', notes: ['of 90 images', 'recall only', 'of 90 images'] },
  ]
  expect(namedNotes(tables)).toEqual([
    'recall only',
    'All references: of 100 images',
    '4 references: of 90 images',
  ])
})
