import { expect, it } from 'vitest'
import { AccordError } from '../src/errors.js'

const message = (source: string, found: string) =>
  new AccordError('INVALID_VALUE', 'wrong', { source, found }).message

it('a message is one line without control characters', () => {
  expect(message('a\u001b[31m.json', 'line\nbreak\u0000\u202e')).toBe(
    'a\\u001b[31m.json: wrong: found line\\u000abreak\\u0000\\u202e',
  )
  expect(message('a.json', 'كلب 🐕')).toBe('a.json: wrong: found كلب 🐕')
})

it('a message has at most 300 characters, and shows the end of a long path', () => {
  const detail = {
    source: `${'folder/'.repeat(600)}a.json`,
    expected: 'one of x, '.repeat(100),
    found: 'y'.repeat(1000),
  }
  const { message } = new AccordError('INVALID_VALUE', 'wrong', detail)
  expect(message.length).toBeLessThanOrEqual(300)
  expect(message).toMatch(/^….*folder\/a\.json: wrong: expected one of x, .*…, found y+…$/)
})
