import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Description } from '../../../src/core/selection/scenes.js'
import {
  collectReferences,
  SCORE_WIDTH,
  scoreHumans,
  scoreOrders,
  scoreSelections,
  summarizeScores,
} from '../../../src/core/selection/selection-metric.js'
import { descriptions, figure2, image } from './kit.js'

/** P, R and F of one selection against the descriptions of one image. */
function score(named: string[], selected: string): number[] {
  const references = collectReferences([image('a')], descriptions('a', ...named))
  return [...scoreSelections(references, new Map([['a', [...selected]]])).values]
}

const close = (expected: readonly number[]) => expected.map((value) => expect.closeTo(value, 12))

describe('scoreSelections', () => {
  const references = collectReferences(figure2.images, figure2.descriptions)

  it.each([
    // All seven descriptions, with 4, 2, 3, 2, 2, 3 and 4 boxes, mention woman and car.
    ['woman, car', '23', [1, 16 / 21, 32 / 37]],
    ['woman, dress', '20', [9 / 14, 19 / 42, 171 / 322]],
    ['woman, car, boot', '235', [6 / 7, 13 / 14, 156 / 175]],
    ['all four', '0235', [5 / 7, 1, 5 / 6]],
    ['boot', '5', [4 / 7, (2 / 4 + 2 / 3) / 7, (2 * 4 * (7 / 6)) / (7 * (4 + 7 / 6))]],
    ['nothing', '', [0, 0, 0]],
    ['something else', '9', [0, 0, 0]],
    ['woman, car, woman (repeated)', '232', [1, 16 / 21, 32 / 37]],
  ])('figure 2 of the paper: %s', (_, selected, expected) => {
    const { values } = scoreSelections(references, new Map([['figure2', [...selected]]]))
    expect([...values]).toEqual(close(expected))
  })

  it('counts a box that a description mentions twice once', () => {
    expect(score(['aab'], 'a')).toEqual([1, 0.5, expect.closeTo(2 / 3, 12)])
  })

  it('excludes and counts descriptions that mention no box', () => {
    expect(score(['ab', '', ''], 'ab')).toEqual([1, 1, 1])
    const { descriptionsWithoutMentions } = collectReferences([image('a')], descriptions('a', 'ab', '', ''))
    expect(descriptionsWithoutMentions).toBe(2)
  })

  it('keys scores by image id, in the order of the images', () => {
    const references = collectReferences(
      [image('b'), image('a'), image('silent')],
      [...descriptions('a', 'x'), ...descriptions('b', 'y'), ...descriptions('elsewhere', 'z')],
    )
    const selections = new Map([
      ['a', ['x']],
      ['b', ['x']],
      ['elsewhere', ['z']],
    ])
    const { imageIds, values } = scoreSelections(references, selections)
    expect(imageIds).toEqual(['b', 'a'])
    expect([...values]).toEqual([0, 0, 0, 1, 1, 1])
    expect(references.imagesWithoutReferences).toBe(1)
  })

  it('excludes and counts images that the system did not describe; an empty description scores 0', () => {
    const references = collectReferences(
      [image('a'), image('b')],
      [...descriptions('a', 'x'), ...descriptions('b', 'x')],
    )
    const scores = scoreSelections(references, new Map([['b', []]]))
    expect(scores).toEqual({ imageIds: ['b'], values: Float64Array.of(0, 0, 0), imagesLeftOut: 1 })
  })
})

describe('scoreHumans', () => {
  it('scores figure 2 of the paper', () => {
    const { imageIds, values } = scoreHumans(collectReferences(figure2.images, figure2.descriptions))
    // Two descriptions mention all four boxes, three mention woman and car, two mention woman, car and boot.
    const f = (2 * (4 / 5) + 3 * (26 / 31) + 2 * (55 / 63)) / 7
    expect(imageIds).toEqual(['figure2'])
    expect([...values]).toEqual(close([6 / 7, 6 / 7, f]))
  })

  it('requires two descriptions that mention a box', () => {
    const images = [image('one'), image('two'), image('apart')]
    const named = [
      ...descriptions('one', 'x', ''),
      ...descriptions('two', 'x', 'x'),
      ...descriptions('apart', 'x', 'y'),
    ]
    expect(scoreHumans(collectReferences(images, named))).toEqual({
      imageIds: ['two', 'apart'],
      values: Float64Array.of(1, 1, 1, 0, 0, 0),
      imagesLeftOut: 1,
    })
  })
})

describe('summarizeScores', () => {
  it('returns mean and population standard deviation', () => {
    const values = Float64Array.of(1, 0.5, 0.2, 0, 0.5, 0.6)
    expect(summarizeScores({ imageIds: ['a', 'b'], values, imagesLeftOut: 0 })).toEqual({
      images: 2,
      precision: 0.5,
      recall: 0.5,
      f: expect.closeTo(0.4, 12),
      precisionSd: 0.5,
      recallSd: 0,
      fSd: expect.closeTo(0.2, 12),
      undefinedReason: null,
    })
  })

  it('returns null and a reason if there are no images', () => {
    const summary = summarizeScores(scoreHumans(collectReferences([], [])))
    expect(summary).toMatchObject({ images: 0, f: null, fSd: null, undefinedReason: 'NO_IMAGES' })
  })
})

describe('properties', () => {
  const boxes = 'abcdefgh'
  const description = fc
    .uniqueArray(fc.constantFrom(...boxes), { minLength: 1 })
    .map((named) => named.join(''))
  const described = fc.array(description, { minLength: 1, maxLength: 7 })
  const order = fc.shuffledSubarray([...boxes], { minLength: 1 })
  const references = (named: readonly string[]) =>
    collectReferences([image('a')], descriptions('a', ...named))
  const curve = (named: readonly string[], ordered: readonly string[]) =>
    scoreOrders(references(named), new Map([['a', ordered]]), boxes.length).map(({ values }) => values)

  it('all scores are in 0..1, and F is between P and R', () => {
    fc.assert(
      fc.property(described, order, (named, selected) => {
        for (const [precision, recall, f] of [score(named, selected.join('')), ...curve(named, selected)]) {
          for (const value of [precision, recall, f]) expect(value >= 0 && value <= 1).toBe(true)
          expect(f).toBeLessThanOrEqual(Math.max(precision, recall) + 1e-12)
          expect(f).toBeGreaterThanOrEqual(Math.min(precision, recall) - 1e-12)
        }
      }),
    )
  })

  it('the scores of the first k boxes equal those of a selection of these boxes', () => {
    fc.assert(
      fc.property(described, order, (named, ordered) => {
        for (const [index, values] of curve(named, ordered).entries()) {
          expect([...values]).toEqual(score(named, ordered.slice(0, index + 1).join('')))
        }
      }),
    )
  })

  it('R does not decrease with k', () => {
    fc.assert(
      fc.property(described, order, (named, ordered) => {
        const recalls = curve(named, ordered).map((values) => values[1])
        for (let k = 1; k < recalls.length; k++)
          expect(recalls[k]).toBeGreaterThanOrEqual(recalls[k - 1] - 1e-12)
      }),
    )
  })

  it('P does not increase with k if boxes are ranked by the number of descriptions that mention them', () => {
    fc.assert(
      fc.property(described, (named) => {
        const count = (box: string) => named.filter((boxes) => boxes.includes(box)).length
        const precisions = curve(
          named,
          [...boxes].sort((a, b) => count(b) - count(a)),
        ).map((values) => values[0])
        for (let k = 1; k < precisions.length; k++) {
          expect(precisions[k]).toBeLessThanOrEqual(precisions[k - 1] + 1e-12)
        }
      }),
    )
  })

  it('P can increase with k for other rankings', () => {
    expect(
      curve(['b', 'b'], ['a', 'b'])
        .map((values) => values[0])
        .slice(0, 2),
    ).toEqual([0, 0.5])
  })

  it('P and R of the human bound are equal, because every pair of descriptions is counted in both directions', () => {
    fc.assert(
      fc.property(fc.array(description, { minLength: 2, maxLength: 7 }), (named) => {
        const [precision, recall] = scoreHumans(references(named)).values
        expect(precision).toBeCloseTo(recall, 12)
      }),
    )
  })

  it('the human bound does not depend on the order of the descriptions', () => {
    const orders = described
      .filter((named) => named.length >= 2)
      .chain((named) =>
        fc.tuple(
          fc.constant(named),
          fc.shuffledSubarray(named, { minLength: named.length, maxLength: named.length }),
        ),
      )
    fc.assert(
      fc.property(orders, ([named, shuffled]) => {
        const [before, after] = [named, shuffled].map((order) => scoreHumans(references(order)).values)
        for (let s = 0; s < SCORE_WIDTH; s++) expect(after[s]).toBeCloseTo(before[s], 12)
      }),
    )
  })

  it('scores of an image do not depend on the other images', () => {
    fc.assert(
      fc.property(described, described, order, (named, others, selected) => {
        const images = [image('other'), image('a')]
        const all: Description[] = [...descriptions('other', ...others), ...descriptions('a', ...named)]
        const selections = new Map([
          ['a', selected],
          ['other', selected],
        ])
        const { values } = scoreSelections(collectReferences(images, all), selections)
        expect([...values.slice(SCORE_WIDTH)]).toEqual(score(named, selected.join('')))
      }),
    )
  })
})

describe('abuse', () => {
  it('no images, no descriptions, no selections', () => {
    const nothing = collectReferences([], [])
    expect(nothing).toEqual({ images: [], descriptionsWithoutMentions: 0, imagesWithoutReferences: 0 })
    expect(scoreSelections(nothing, new Map()).values).toHaveLength(0)
    expect(scoreOrders(nothing, new Map(), 3).map(({ imageIds }) => imageIds)).toEqual([[], [], []])
  })

  it('an empty ranking scores 0 for every k', () => {
    const references = collectReferences([image('a')], descriptions('a', 'x'))
    const curve = scoreOrders(references, new Map([['a', []]]), 2)
    expect(curve.map(({ values }) => [...values])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
  })
})
