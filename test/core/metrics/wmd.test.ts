import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import { createWmd } from '../../../src/core/metrics/wmd.js'
import { openWordVectors } from '../../../src/formats/words/word-vectors.js'
import { testProperties } from './properties.js'
import { score } from './trials.js'

const wmd = createWmd(openWordVectors()) as MetricFamily

testProperties(wmd)

function distance(candidate: string, ...references: string[]): number[] {
  return references.map((reference) => 0 - Math.log(similarity(candidate, reference)))
}

const similarity = (candidate: string, ...references: string[]) =>
  score(wmd, [{ candidate, references }]).images[0].WMD

const words = fc
  .array(fc.constantFrom('dog', 'cat', 'runs', 'park', 'red', 'sofa', 'the'), { maxLength: 8 })
  .map((drawn) => drawn.join(' '))

describe("Word Mover's Distance", () => {
  test('of equal texts is 0, also in another order, without stop words', () => {
    expect(distance('the dog runs in a park', 'a park runs dog')).toEqual([0])
    expect(similarity('dog dog cat', 'cat dog dog')).toBe(1)
  })

  test('the distance of two captions is that of the other direction', () => {
    fc.assert(
      fc.property(words, words, (one, other) => {
        const [forward] = distance(one, other)
        const [backward] = distance(other, one)
        if (forward === Number.POSITIVE_INFINITY) expect(backward).toBe(forward)
        else expect(backward).toBeCloseTo(forward, 10)
      }),
    )
  })

  test('of the nearest reference decides, whatever the bounds exclude', () => {
    fc.assert(
      fc.property(words, fc.array(words, { minLength: 1, maxLength: 5 }), (candidate, references) => {
        const least = Math.min(...distance(candidate, ...references))
        expect(similarity(candidate, ...references)).toBeCloseTo(Math.exp(-least), 12)
      }),
    )
  })

  test('is larger for less related words', () => {
    const [near, far] = distance('a dog runs', 'a puppy walks', 'a telephone rings')
    expect(near).toBeLessThan(far)
  })

  test.each([
    { what: 'a candidate of stop words', candidate: 'it is the', references: ['a dog'] },
    { what: 'words without a vector', candidate: 'xqzwv', references: ['a dog'] },
    { what: 'an empty candidate', candidate: '', references: ['a dog'] },
    { what: 'references without words', candidate: 'a dog', references: ['', 'the'] },
  ])('$what: 0', ({ candidate, references }) => {
    expect(similarity(candidate, ...references)).toBe(0)
  })
})
