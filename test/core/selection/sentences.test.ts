import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstTerm, writeSentence } from '../../../src/core/selection/importance.js'
import { parseMentionMarkup } from '../../../src/core/text/mention-markup.js'
import { toMarkup } from '../text/markup.js'
import { image } from './kit.js'

const { boxes } = image('i', '3:wall', '1:necktie', '2:floor')

describe('writeSentence', () => {
  it('links the terms, joins them with a connective and sometimes "the"', () => {
    for (let seed = 0; seed < 50; seed++) {
      const markup = toMarkup(writeSentence(boxes, seed, 'i'))
      expect(markup).toMatch(/^\[Wall\]\(3\) [a-z]+ (the )?\[necktie\]\(1\) [a-z]+ (the )?\[floor\]\(2\)\.$/)
    }
  })

  it('uses "the" with probability 1/2', () => {
    const written = Array.from(
      { length: 1000 },
      (_, seed) => writeSentence(boxes.slice(0, 2), seed, 'i').text,
    )
    const withThe = written.filter((text) => text.includes(' the ')).length
    // 500 ± 16 are expected; six standard deviations.
    expect(Math.abs(withThe - 500)).toBeLessThan(96)
  })

  it('depends only on the seed and the key', () => {
    expect(writeSentence(boxes, 7, 'i')).toEqual(writeSentence(boxes, 7, 'i'))
    const written = Array.from({ length: 20 }, (_, index) => writeSentence(boxes, 7, `image ${index}`).text)
    expect(new Set(written).size).toBeGreaterThan(10)
  })

  it('generates a sentence for one box and an empty text for none', () => {
    expect(writeSentence(boxes.slice(0, 1), 7, 'i')).toEqual({
      text: 'Wall.',
      mentions: [{ start: 0, end: 4, text: 'Wall', boxIds: ['3'] }],
    })
    expect(writeSentence([], 7, 'i')).toEqual({ text: '', mentions: [] })
  })

  it('can be formatted as markup and parsed for any concepts', () => {
    const concept = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => firstTerm(text).trim() !== '')
    fc.assert(
      fc.property(fc.array(concept), fc.integer(), (concepts, seed) => {
        const listed = concepts.map((concept, id) => ({
          id: String(id),
          concept,
          bbox: [0, 0, 1, 1] as const,
        }))
        const sentence = writeSentence(listed, seed, 'i')
        expect(parseMentionMarkup(toMarkup(sentence))).toEqual(sentence)
        expect(sentence.mentions.map(({ start, end }) => sentence.text.slice(start, end))).toEqual(
          sentence.mentions.map(({ text }) => text),
        )
      }),
    )
  })
})

describe('firstTerm', () => {
  it.each([
    ['car', 'car'],
    ['car, auto, automobile', 'car'],
    ['boot.n.01', 'boot'],
    ['traffic_light.n.01', 'traffic light'],
    ['bow_tie, bow-tie, bowtie', 'bow tie'],
    ['St. Bernard', 'St. Bernard'],
    [', car', 'car'],
    [',', ','],
  ])('of %j is %j', (concept, term) => {
    expect(firstTerm(concept)).toBe(term)
  })
})
