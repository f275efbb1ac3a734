import { describe, expect, test } from 'vitest'
import { checkMetric, type OwnMetric, ownFamily } from '../../../src/core/metrics/own-family.js'
import { testProperties } from './properties.js'
import { score } from './trials.js'

const OVERLAP: OwnMetric = {
  name: 'overlap',
  lowest: 0,
  highest: 1,
  text: 'tokens',
  score(candidate, references) {
    const known = new Set(references.flat())
    return candidate.length === 0 ? 0 : candidate.filter((word) => known.has(word)).length / candidate.length
  },
}
const WRITTEN: OwnMetric = {
  name: 'written',
  lowest: 0,
  highest: 1,
  score: (candidate, references) => (references.includes(candidate) ? 1 : 0),
}

const familyOf = (metric: unknown) =>
  ownFamily(metric, { source: 'own.js', hash: '0123456789abcdef' }).create(
    () => {
      throw new Error('no resource')
    },
    () => {
      throw new Error('no other metric')
    },
  )

test('captions are tokens or as they are written, and the corpus score is the mean', () => {
  const images = [
    { candidate: 'a dog  runs', references: ['a dog', 'the cat'] },
    { candidate: 'the cat', references: ['a', 'the cat'] },
  ]
  expect(score(familyOf(OVERLAP), images)).toEqual({
    corpus: { overlap: (2 / 3 + 1) / 2 },
    images: [{ overlap: 2 / 3 }, { overlap: 1 }],
  })
  expect(score(familyOf(WRITTEN), images)).toEqual({
    corpus: { written: 0.5 },
    images: [{ written: 0 }, { written: 1 }],
  })
})

test('what is not said of it is filled in', () => {
  const [metric] = familyOf(WRITTEN).metrics
  expect(metric).toMatchObject({
    higherIsBetter: true,
    citation: 'own.js',
    parameters: { module: '01234567' },
  })
  expect(familyOf({ ...WRITTEN, higherIsBetter: false }).metrics[0].higherIsBetter).toBe(false)
})

describe('properties', () => testProperties(familyOf(OVERLAP)))

describe('the check of a metric', () => {
  test('accepts sound ones', () => {
    expect(() => checkMetric(OVERLAP)).not.toThrow()
    expect(() => checkMetric(WRITTEN)).not.toThrow()
  })

  let calls = 0
  test.each<[string, OwnMetric]>([
    ['the score is outside of its range', { ...WRITTEN, score: (candidate) => candidate.length }],
    [
      'expected a number from 0 to 1, found NaN',
      { ...WRITTEN, score: (words) => words.length / words.length },
    ],
    [
      'written differs for references in another order',
      { ...WRITTEN, score: (own, [first]) => (own === first ? 1 : 0) },
    ],
    ['written differs for the same captions', { ...WRITTEN, score: () => (calls++ % 2) / 2 }],
    ['highest: the default export is no metric', { ...WRITTEN, highest: 0 }],
  ])('says what is wrong: %s', (message, metric) => {
    expect(() => checkMetric(metric)).toThrow(message)
  })
})
