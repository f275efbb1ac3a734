import { describe, expect, it } from 'vitest'
import { learnPriors, splitForPriors } from '../../../src/core/selection/priors.js'
import { failureOf } from '../../formats/kit.js'
import { descriptions, figure2, image } from './kit.js'

describe('learnPriors', () => {
  it('counts concepts in figure 2 of the paper', () => {
    const { named, opening, following, ...rest } = learnPriors(figure2.images, figure2.descriptions)
    expect(rest).toEqual({ descriptions: 7 })
    expect(Object.fromEntries(named)).toEqual({ woman: 7, car: 7, boot: 4, dress: 2 })
    expect(Object.fromEntries(opening)).toEqual({ woman: 7 })
    const table = Object.fromEntries(
      [...following].map(([concept, counts]) => [concept, Object.fromEntries(counts)]),
    )
    expect(table).toEqual({
      woman: { dress: 1, car: 3, boot: 3 },
      dress: { boot: 1, car: 1 },
      boot: { car: 3, dress: 1 },
    })
  })

  it('ignores descriptions of other images and descriptions without mentions', () => {
    const images = [image('a', 'x:man'), image('b', 'x:dog')]
    const all = [...descriptions('a', 'x', ''), ...descriptions('b', 'x')]
    expect(learnPriors(images.slice(0, 1), all)).toMatchObject({
      descriptions: 1,
      named: new Map([['man', 1]]),
    })
  })
})

describe('splitImages', () => {
  const images = Array.from({ length: 2000 }, (_, i) => image(String(i)))

  it('assigns every image to one set, with the expected fraction of development images', () => {
    const { development, test } = splitForPriors(images, 0.25, 3)
    expect([...development, ...test].sort((a, b) => Number(a.imageId) - Number(b.imageId))).toEqual(images)
    expect(Math.abs(development.length - 500)).toBeLessThan(6 * 20)
  })

  it('does not change the assignment of an image when others are added or removed', () => {
    const before = splitForPriors(images, 0.5, 3).development.filter((_, index) => index % 2 === 0)
    expect(splitForPriors(before, 0.5, 3)).toEqual({ development: before, test: [] })
  })
})

describe('abuse', () => {
  it('no development data', () => {
    const message =
      'NOT_APPLICABLE no development data to learn priors from: expected descriptions that mention boxes, found none'
    expect(failureOf(() => learnPriors([], []))).toBe(message)
    expect(failureOf(() => learnPriors([image('a', 'x:man')], descriptions('a', '', '')))).toBe(message)
  })

  it('a description that mentions an unknown box', () => {
    expect(failureOf(() => learnPriors([image('a', 'x:man')], descriptions('a', 'xy')))).toBe(
      'UNKNOWN_BOX description a#0: unknown box: expected the id of a box of image a, found "y"',
    )
  })

  it.each([0, 1, -0.1, 2, Number.NaN])('a share of %s', (share) => {
    expect(failureOf(() => splitForPriors([], share, 1))).toContain('OUT_OF_RANGE share: ')
  })
})
