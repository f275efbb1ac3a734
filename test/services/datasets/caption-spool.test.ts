import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ENGLISH } from '../../../src/core/text/tokenization.js'
import type { Annotation } from '../../../src/formats/coco/coco-captions.js'
import { CaptionSpool, type SpooledCaption } from '../../../src/services/datasets/caption-spool.js'

const IMAGE_COUNT = 20_000

/** Keys and ranks of captions; images are numbered in the opposite order of their keys. */
const annotations = fc.array(
  fc.record({
    imageKey: fc.nat(IMAGE_COUNT - 1),
    externalId: fc.string(),
    rank: fc.option(fc.nat(1000)),
    text: fc.stringMatching(/^[a-zé .]{0,30}$/u),
  }),
  { maxLength: 30 },
)

/** What comes out of a spool that moves captions to files beyond a number of characters. */
function pass(captions: readonly Annotation[], maxCharactersInMemory: number) {
  const spool = new CaptionSpool(() => ENGLISH, maxCharactersInMemory)
  const image = { externalId: '1', fileName: null, url: null, width: null, height: null }
  for (let i = 0; i < IMAGE_COUNT; i++) spool.addImage(image)
  for (const caption of captions) spool.addAnnotation(caption)
  const counts = spool.group(Int32Array.from({ length: IMAGE_COUNT }, (_, key) => IMAGE_COUNT - 1 - key))
  const read = () =>
    [...spool.partitions()]
      .flat()
      .map((caption: SpooledCaption) => ({
        ...caption,
        tokens: Array.from(caption.tokens, (token) => spool.texts[token]),
      }))
  const result = { counts: Array.from(counts), first: read(), second: read(), count: spool.captionCount }
  spool.close()
  return result
}

it('returns the same captions by image and rank, whether they stay in memory or not', () => {
  fc.assert(
    fc.property(annotations, fc.nat(300), (captions, limit) => {
      const inMemory = pass(captions, Number.POSITIVE_INFINITY)
      expect(pass(captions, limit)).toEqual(inMemory)
      expect(pass(captions, -1)).toEqual(inMemory)
      expect(inMemory.second).toEqual(inMemory.first)
      expect(inMemory.count).toBe(captions.length)
      expect(inMemory.counts.reduce((sum, count) => sum + count, 0)).toBe(captions.length)
      const images = inMemory.first.map(({ image }) => image)
      expect(images).toEqual(images.toSorted((one, other) => one - other))
      expect(images.toSorted()).toEqual(captions.map(({ imageKey }) => IMAGE_COUNT - 1 - imageKey).toSorted())
    }),
    { numRuns: 20 },
  )
})
