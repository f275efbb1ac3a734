import { describe, expect, it } from 'vitest'
import { wordRate, wordRates, wordUsage } from '../../../src/core/agreement/word-rates.js'

const K = 5

/** Per image whether the system uses the word, and how many of 5 people do. */
function usageOf(system: readonly number[], people: readonly number[]) {
  const places = (counts: readonly number[]) => counts.flatMap((count, place) => (count > 0 ? [place] : []))
  const images = places(people)
  return wordUsage(
    { images, counts: images.map((image) => people[image]) },
    places(system),
    Math.max(system.length, people.length),
  )
}

const repeat = (counts: readonly number[], times: number) =>
  Array.from({ length: times }, () => counts).flat()

const CASES = {
  more: usageOf([...repeat([1], 18), ...repeat([0], 22)], repeat([1, 0, 2, 0, 0, 1, 0, 0, 3, 0], 4)),
  never: usageOf(repeat([0], 40), repeat([3, 1, 2, 0, 5, 1, 0, 4, 2, 0], 4)),
  alone: usageOf([...repeat([1], 25), ...repeat([0], 15)], repeat([0], 40)),
  equal: usageOf(repeat([1, 0], 20), repeat([2, 3, 1, 2, 4, 0, 5, 1, 3, 4], 4)),
}

describe('the rate of a word', () => {
  // By a program of its own in Python: moments of the lists, the beta distribution by Simpson's rule, limits by bisection.
  it.each([
    ['more', 1.7650468428, 5.8094312692, 'OVERUSED'],
    ['never', 0, 0.2084049664, 'UNDERUSED'],
    ['alone', 40.7018463112, null, 'OVERUSED'],
    ['equal', 0.7112790882, 1.3219120294, null],
  ] as const)('%s: has the interval of an independent calculation', (name, lower, upper, use) => {
    const rate = wordRate(CASES[name], K)
    expect(rate.use).toBe(use)
    expect(rate.interval.lower).toBeCloseTo(lower, 6)
    if (upper === null) expect(rate.interval.upper).toBeNull()
    else expect(rate.interval.upper).toBeCloseTo(upper, 6)
  })

  it('is that of captions, beside the captions of people of the same images', () => {
    expect(wordRate(CASES.more, K)).toMatchObject({
      captionCount: 18,
      humanCaptionCount: 28,
      rate: 0.45,
      humanRate: 0.14,
      ratio: 0.45 / 0.14,
    })
    expect(wordRate(CASES.never, K)).toMatchObject({ captionCount: 0, humanCaptionCount: 72, ratio: 0 })
    expect(wordRate(CASES.alone, K)).toMatchObject({ humanCaptionCount: 0, humanRate: 0, ratio: null })
  })

  it('is overused and underused the other way round', () => {
    const one = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1]
    const other = [0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]
    const there = wordRate(usageOf(one, other), 1)
    const back = wordRate(usageOf(other, one), 1)
    expect(there.ratio).toBe(2)
    expect(back.ratio).toBe(0.5)
    expect(back.interval.lower).toBeCloseTo(1 / (there.interval.upper as number), 9)
    expect(back.interval.upper).toBeCloseTo(1 / there.interval.lower, 9)
  })
})

describe('the rates of the words of a system', () => {
  it('hold for all words together, and words of fewer than 20 images have none', () => {
    const once = usageOf([1, ...repeat([0], 39)], repeat([0], 40))
    const [more, rare, never, alone, equal] = wordRates(
      [CASES.more, once, CASES.never, CASES.alone, CASES.equal],
      K,
    )
    expect(rare).toBeNull()
    // The same program with a quarter of the probability beyond each end.
    expect(more?.interval.lower).toBeCloseTo(1.4926482831, 6)
    expect(more?.interval.upper).toBeCloseTo(6.8867308627, 6)
    expect(never?.interval.upper).toBeCloseTo(0.3068234332, 6)
    expect(alone?.interval.lower).toBeCloseTo(27.3413651802, 6)
    expect(equal?.interval.lower).toBeCloseTo(0.6388713807, 6)
  })
})
