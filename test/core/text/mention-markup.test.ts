import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MarkedText, parseMentionMarkup } from '../../../src/core/text/mention-markup.js'
import { failureOf } from '../../formats/kit.js'
import { toMarkup } from './markup.js'

describe('parseMentionMarkup', () => {
  it('returns the plain text and the mentions with character offsets', () => {
    expect(parseMentionMarkup('A [woman](2) leans on a [car](3).')).toEqual({
      text: 'A woman leans on a car.',
      mentions: [
        { start: 2, end: 7, text: 'woman', boxIds: ['2'] },
        { start: 19, end: 22, text: 'car', boxIds: ['3'] },
      ],
    })
  })

  it.each<[string, string, [string, ...string[]][]]>([
    ['', '', []],
    ['no mention', 'no mention', []],
    ['[dogs](3,4)', 'dogs', [['dogs', '3', '4']]],
    ['[dogs]( 3 , 4 )', 'dogs', [['dogs', '3', '4']]],
    [
      '[dog](3)[cat](4)',
      'dogcat',
      [
        ['dog', '3'],
        ['cat', '4'],
      ],
    ],
    ['[two big dogs](a-1,b 2)', 'two big dogs', [['two big dogs', 'a-1', 'b 2']]],
    ['[dog](3)(brown)', 'dog(brown)', [['dog', '3']]],
    ['a [sic] sign', 'a [sic] sign', []],
    ['a sign [sic] (red)', 'a sign [sic] (red)', []],
    ['5] and (6', '5] and (6', []],
    ['[]', '[]', []],
    ['\\[woman](2)', '[woman](2)', []],
    ['[a \\[b\\]](2)', 'a [b]', [['a [b]', '2']]],
    ['C:\\dir \\\\[x](1)', 'C:\\dir \\x', [['x', '1']]],
    ['ends in \\', 'ends in \\', []],
    ['[👩‍🦰 שלום](7)', '👩‍🦰 שלום', [['👩‍🦰 שלום', '7']]],
  ])('parses %j', (markup, text, named) => {
    const marked = parseMentionMarkup(markup)
    expect(marked.text).toBe(text)
    expect(marked.mentions.map((mention) => [mention.text, ...mention.boxIds])).toEqual(named)
    for (const { start, end, text: words } of marked.mentions) expect(text.slice(start, end)).toBe(words)
  })
})

describe('any text with mentions', () => {
  it('can be written as markup', () => {
    const piece = fc.record({
      before: fc.string({ unit: fc.constantFrom('a', ' ', '[', ']', '(', ')', '\\', ',', '😀') }),
      words: fc.string({ unit: fc.constantFrom('b', ' ', '[', ']', '\\', 'é'), minLength: 1 }),
      boxIds: fc.array(fc.stringMatching(/^[\w[(\\#-]{1,5}$/), { minLength: 1, maxLength: 3 }),
    })
    const usable = piece.filter(({ words }) => words.trim() !== '')
    fc.assert(
      fc.property(fc.array(usable), fc.string(), (pieces, after) => {
        const marked = pieces.reduce<MarkedText>(
          ({ text, mentions }, { before, words, boxIds }) => {
            const start = text.length + before.length
            const mention = { start, end: start + words.length, text: words, boxIds }
            return { text: text + before + words, mentions: [...mentions, mention] }
          },
          { text: '', mentions: [] },
        )
        const whole = { ...marked, text: marked.text + after }
        expect(parseMentionMarkup(toMarkup(whole))).toEqual(whole)
      }),
    )
  })
})

describe('abuse', () => {
  it.each([
    ['A [woman leans', 'character 2: incomplete mention markup: expected a closing ], found "[woman leans"'],
    ['A [woman](2 leans', 'character 9: incomplete mention markup: expected a closing ), found "(2 leans"'],
    ['[a [b](1)', 'character 0: incomplete mention markup: expected a closing ], found "[a [b](1)"'],
    ['[x](', 'character 3: incomplete mention markup: expected a closing ), found "("'],
    ['[x]()', 'character 3: incomplete mention markup: expected box ids separated by commas, found "()"'],
    ['[x](1,)', 'character 3: incomplete mention markup: expected box ids separated by commas, found "(1,)"'],
    ['[ ](1)', 'character 0: incomplete mention markup: expected words between [ and ], found "[ ](1)"'],
    ['[x\\](1)', 'character 0: incomplete mention markup: expected a closing ], found "[x\\\\](1)"'],
    ['[', 'character 0: incomplete mention markup: expected a closing ], found "["'],
  ])('rejects %j', (markup, message) => {
    expect(failureOf(() => parseMentionMarkup(markup))).toBe(`INVALID_VALUE ${message}`)
  })

  it('includes the source and the place in errors', () => {
    const within = { source: 'scenes.json', place: '[3].captions[1]' }
    expect(failureOf(() => parseMentionMarkup('a [b', within))).toContain(
      'scenes.json: [3].captions[1], character 2: ',
    )
  })

  it('parses 200,000 brackets in linear time', () => {
    expect(parseMentionMarkup('[a]'.repeat(200_000)).text).toHaveLength(600_000)
    expect(parseMentionMarkup(`[${'a]('.repeat(100_000)})`).mentions).toHaveLength(1)
  })
})
