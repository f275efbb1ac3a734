import { expect, it } from 'vitest'
import { createTaggingSample } from '../../../src/services/datasets/import-words.js'

it('selects all captions up to the maximum, then those with rare words', () => {
  const isSampled = createTaggingSample(3, 200)
  const common = Int32Array.of(0)
  for (let i = 0; i < 200; i++) expect(isSampled(common)).toBe(true)
  expect(isSampled(common)).toBe(false)
  // The words 1 and 2 are rare until 100 captions with them are tagged.
  const rare = Int32Array.of(0, 1)
  for (let i = 0; i < 100; i++) expect(isSampled(rare)).toBe(true)
  expect(isSampled(rare)).toBe(false)
  expect(isSampled(Int32Array.of(1, 2))).toBe(true)
  expect(isSampled(new Int32Array(0))).toBe(false)
})
