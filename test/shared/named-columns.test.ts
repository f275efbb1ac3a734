import { expect, it } from 'vitest'
import { unknownColumns } from '../../src/formats/captions/unknown-columns.js'
import { readNamedColumns, suggestedColumns } from '../../src/shared/named-columns.js'

it('columns are read from a text', () => {
  expect(readNamedColumns('image=a b, caption = c\\,d ,references=e=f')).toEqual([
    ['image', 'a b'],
    ['caption', 'c,d'],
    ['references', 'e=f'],
  ])
  expect(readNamedColumns('image')).toEqual([['', '']])
})

it('columns are found in the error that suggests them', () => {
  const fields = [
    ['pic', '1.jpg'],
    ['words of it', 'a dog runs'],
  ] as const
  const { message, detail } = unknownColumns({ source: 'file' }, 'CSV', fields, {})
  expect(suggestedColumns(message)).toBe('image=pic,caption=words of it')
  expect(suggestedColumns(message)).toBe(detail.columns)
  const withImage = unknownColumns(
    { source: 'file' },
    'CSV',
    [
      ['image', 1],
      ['said', 'a dog'],
    ],
    {},
  )
  expect(suggestedColumns(withImage.message)).toBe('image=image,caption=said')
  expect(suggestedColumns('another failure')).toBeUndefined()
})
