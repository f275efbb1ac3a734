import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstCharacters } from '../../../src/core/text/first-characters.js'

const PATTERNS = [
  'ab?c',
  'a?b*[cd]{0,2}e',
  '(?:a|b)+|(c)?d',
  'a{2,}|[^a-c]b|\\.c',
  '(?:(?:a?b)?c|[\\]a])',
  '(?![ab])[a-d]',
  '(?=a)[ab]c',
  '\\p{Lu}|\\u0062|\\u{63}d',
  '(?:a*?b){0,1}c',
  '[^]a',
]

describe('the first characters of a pattern', () => {
  it.each(PATTERNS)('include those of each match of %s', (source) => {
    const first = firstCharacters(source)!
    const pattern = new RegExp(source, 'uy')
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abcdeA.]\n'), minLength: 1, maxLength: 6 }),
        (text) => {
          pattern.lastIndex = 0
          expect(!pattern.test(text) || first.test(text[0]), text).toBe(true)
        },
      ),
    )
  })

  it.each([
    ['ab?c', 'a'],
    ['a?b*[cd]{0,2}e', 'abcde'],
    ['(?:a*b){0,1}c', 'abc'],
    ['\\p{Lu}|\\.c', 'A.'],
    ['(a|b+)d', 'ab'],
  ])('of %s are %s alone', (source, expected) => {
    const first = firstCharacters(source)!
    expect([...'abcdeA.]'].filter((character) => first.test(character)).join('')).toBe(expected)
  })

  it.each(['', 'a?', 'a|', '(?:a*)', '(?!a)'])('are any if /%s/ can match nothing', (source) => {
    expect(firstCharacters(source)).toBeNull()
  })

  it('are not guessed for a syntax that is not known', () => {
    expect(() => firstCharacters('(a')).toThrow(/Unexpected syntax/)
  })
})
