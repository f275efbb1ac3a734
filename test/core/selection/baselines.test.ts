import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  BASELINES,
  type Baseline,
  type BaselineInputs,
  baselineNeeds,
  orderBoxes,
} from '../../../src/core/selection/baselines.js'
import { learnPriors } from '../../../src/core/selection/priors.js'
import type { BoxedImage } from '../../../src/core/selection/scenes.js'
import { failureOf } from '../../formats/kit.js'
import { descriptions, figure2, image } from './kit.js'

const priors = learnPriors(figure2.images, figure2.descriptions)
const inputs: BaselineInputs = { seed: 1, priors }

/** The concatenated ids of the ranked boxes. */
function order(baseline: Baseline, boxed: BoxedImage, given = inputs): string {
  return orderBoxes(baseline, boxed, given)
    .map(({ id }) => id)
    .join('')
}

describe('size', () => {
  it('ranks by area, largest first, ties in the order of the source', () => {
    expect(order('size', image('i', 'a:x:2×8', 'b:x:5×5', 'c:x:4×4', 'd:x:1×1', 'e:x:8×2'))).toBe('baced')
  })
})

describe('position', () => {
  it('ranks by the distance of the centers of box and image, smallest first', () => {
    const boxed: BoxedImage = {
      imageId: 'i',
      width: 100,
      height: 50,
      boxes: [
        { id: 'corner', concept: 'x', bbox: [0, 0, 10, 10] },
        { id: 'left', concept: 'x', bbox: [20, 20, 10, 10] },
        { id: 'whole', concept: 'x', bbox: [0, 0, 100, 50] },
        { id: 'right', concept: 'x', bbox: [70, 20, 10, 10] },
      ],
    }
    const ids = orderBoxes('position', boxed, inputs).map(({ id }) => id)
    expect(ids).toEqual(['whole', 'left', 'right', 'corner'])
  })
})

describe('unigram', () => {
  it('ranks by the frequency of concepts in development descriptions', () => {
    // In figure 2: woman 7, car 7, boot 4, dress 2.
    expect(order('unigram', image('i', 'a:tree', 'b:dress', 'c:car', 'd:boot', 'e:woman', 'f:sky'))).toBe(
      'cedbaf',
    )
  })
})

describe('bigram', () => {
  it('appends the most frequent successor, and ends if no remaining box follows', () => {
    // All seven descriptions start with woman. It is followed by car 3 times, boot 3 times, dress once; boot by car or dress.
    expect(order('bigram', image('i', 'a:tree', 'b:boot', 'c:car', 'd:dress', 'e:woman'))).toBe('ebc')
    expect(order('bigram', image('i', 'a:tree', 'c:car', 'd:dress', 'e:woman'))).toBe('ec')
    expect(order('bigram', image('i', 'd:dress', 'e:woman', 'c:boot'))).toBe('ecd')
  })

  it('is empty if no concept of the image starts a description', () => {
    expect(order('bigram', image('i', 'b:boot', 'c:car'))).toBe('')
  })

  it('selects boxes of the same concept in the order of the source', () => {
    const crowd = image('i', '1:man', '2:man', '3:man')
    const twice = learnPriors([crowd], descriptions('i', '123', '12'))
    expect(order('bigram', image('j', 'a:man', 'b:dog', 'c:man'), { seed: 1, priors: twice })).toBe('ac')
  })

  it('counts repeated mentions of a box', () => {
    const pair = image('i', '1:man', '2:dog')
    const repeated = learnPriors([pair], descriptions('i', '112', '112'))
    expect(repeated.following.get('man')).toEqual(
      new Map([
        ['man', 2],
        ['dog', 2],
      ]),
    )
  })
})

describe('combined', () => {
  it('orders by the mean of two ranks', () => {
    // Ranks by unigram: woman 1, car 2, boot 3; by size: boot 1, car 2, woman 3. All means are 2.
    expect(order('unigram+size', image('i', 'a:boot:9×9', 'b:woman:1×1', 'c:car:5×5'))).toBe('abc')
    // Ranks by size: car 1, boot 2, woman 3. The means are car 1.5, woman 2, boot 2.5.
    expect(order('unigram+size', image('i', 'a:boot:5×5', 'b:woman:1×1', 'c:car:9×9'))).toBe('cba')
  })

  it('ranks boxes outside the bigram chain with the mean of the remaining ranks', () => {
    // Example in the paper: the chain is woman, boot, car; the other six of nine boxes have rank 6.5.
    const boxes = ['woman:1×1', 'boot:2×2', 'car:3×3', 'p:9×9', 'q:8×8', 'r:7×7', 's:6×6', 't:5×5', 'u:4×4']
    const nine = image('i', ...boxes.map((box, index) => `${index + 1}:${box}`))
    // Means: woman (1+9)/2, boot (2+8)/2, car (3+7)/2 = 5; p (6.5+1)/2 = 3.75, q 4.25, r 4.75, s 5.25 …
    expect(order('bigram', nine)).toBe('123')
    expect(order('bigram+size', nine)).toBe('456123789')
  })

  it('combines with position', () => {
    const boxed: BoxedImage = {
      imageId: 'i',
      width: 100,
      height: 100,
      boxes: [
        { id: 'a', concept: 'tree', bbox: [45, 45, 10, 10] },
        { id: 'b', concept: 'car', bbox: [30, 45, 10, 10] },
        { id: 'c', concept: 'woman', bbox: [20, 45, 10, 10] },
        { id: 'd', concept: 'tree', bbox: [0, 0, 10, 10] },
      ],
    }
    // Ranks by position: a 1, b 2, c 3, d 4; by unigram: b 1, c 2, a 3, d 4.
    expect(order('unigram+position', boxed)).toBe('bacd')
    // The chain is c 1, b 2; a and d have rank 3.5. Means: a 2.25, b 2, c 2, d 3.75.
    expect(order('bigram+position', boxed)).toBe('bcad')
  })
})

describe('random', () => {
  const boxed = image('i', 'a:x', 'b:x', 'c:x', 'd:x', 'e:x', 'f:x')

  it('depends on the seed', () => {
    const orders = Array.from({ length: 20 }, (_, seed) => order('random', boxed, { seed, priors: null }))
    expect(orders).toEqual(orders.map((_, seed) => order('random', boxed, { seed, priors: null })))
    expect(new Set(orders).size).toBeGreaterThan(10)
  })

  it('ranks each box first with equal frequency', () => {
    const first = new Map<string, number>()
    for (let i = 0; i < 6000; i++) {
      const id = order('random', { ...boxed, imageId: `image ${i}` })[0]
      first.set(id, (first.get(id) ?? 0) + 1)
    }
    // 1,000 ± 29 are expected; six standard deviations.
    for (const id of 'abcdef') expect(Math.abs(first.get(id)! - 1000)).toBeLessThan(175)
  })
})

describe('properties', () => {
  const concept = fc.constantFrom('woman', 'car', 'boot', 'dress', 'tree')
  const side = fc.integer({ min: 1, max: 50 })
  const boxes = fc
    .array(fc.record({ concept, bbox: fc.tuple(side, side, side, side) }), { maxLength: 12 })
    .map((list) => list.map((box, index) => ({ id: String(index), ...box })))

  it.each(BASELINES)(
    '%s returns every box at most once, and all boxes unless it is the bigram chain',
    (baseline) => {
      fc.assert(
        fc.property(boxes, fc.integer(), (list, seed) => {
          const boxed: BoxedImage = { imageId: 'i', width: 100, height: 100, boxes: list }
          const ordered = orderBoxes(baseline, boxed, { seed, priors })
          expect(new Set(ordered).size).toBe(ordered.length)
          if (baseline !== 'bigram') expect(ordered).toHaveLength(list.length)
          expect(orderBoxes(baseline, boxed, { seed, priors })).toEqual(ordered)
        }),
      )
    },
  )
})

describe('abuse', () => {
  it.each(BASELINES)('%s reports missing inputs', (baseline) => {
    const needs = baselineNeeds(baseline)
    const given = { seed: 1, priors: needs.priors ? null : priors }
    const boxed = image('42', 'a:woman')
    if (needs.priors) {
      expect(failureOf(() => orderBoxes(baseline, boxed, given))).toBe(
        `NOT_APPLICABLE ${baseline} requires priors learned from development data: expected descriptions that mention boxes, found none`,
      )
    }
    if (needs.imageSize) {
      expect(failureOf(() => orderBoxes(baseline, boxed, inputs))).toBe(
        'NOT_APPLICABLE image 42: position baselines require the size of every image: expected width and height, found none',
      )
    }
    if (!needs.priors && !needs.imageSize) expect(orderBoxes(baseline, boxed, given)).toHaveLength(1)
  })

  it('an image without boxes has an empty ranking', () => {
    const empty: BoxedImage = { imageId: 'i', width: 10, height: 10, boxes: [] }
    for (const baseline of BASELINES) expect(orderBoxes(baseline, empty, inputs)).toEqual([])
  })

  it('a seed that is not a safe integer', () => {
    const boxed = image('i', 'a:x')
    expect(failureOf(() => orderBoxes('random', boxed, { seed: 0.5, priors: null }))).toContain(
      'OUT_OF_RANGE',
    )
  })

  it('a concept with the name of an Object property', () => {
    const odd = image('i', 'a:constructor', 'b:woman', 'c:__proto__')
    expect(order('unigram', odd)).toBe('bac')
    expect(order('bigram', odd)).toBe('b')
  })
})
