import { describe, expect, test } from 'vitest'
import { judgeSampleSize } from '../../../src/core/stats/interval.js'

describe('a number of images', () => {
  test.each([
    [0, 'TOO_FEW_IMAGES', false],
    [1, 'TOO_FEW_IMAGES', false],
    [9, 'TOO_FEW_IMAGES', false],
    [10, null, true],
    [29, null, true],
    [30, null, false],
    [5000, null, false],
  ])('of %i: %s, small: %s', (images, undefinedReason, isSmall) => {
    expect(judgeSampleSize(images)).toEqual({ undefinedReason, isSmall })
  })
})
