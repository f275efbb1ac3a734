import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addToHistograms, countWords, emptyHistograms } from '../../../src/core/text/word-counts.js'
import { toCorpus } from '../../kit/corpus.js'

type Captions = readonly (readonly string[])[]

const WORDS = ['a', 'dog', 'cat', 'the'] as const

/** Images with 0 to 4 captions of 0 to 6 words from a small vocabulary. */
const images = fc.array(fc.array(fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }), { maxLength: 4 }), {
  minLength: 1,
  maxLength: 8,
})

describe('countWords and addToHistograms', () => {
  it('equal a manual count', () => {
    const { triples, histogramOf, counted } = count(
      [
        [['a', 'dog', 'dog'], ['dog'], ['cat', 'past', 'K']],
        [['too', 'few']],
        [],
        [['cat'], []],
        [['dog'], ['a', 'cat']],
      ],
      2,
    )
    expect(triples).toEqual([
      ['a', 1, 0],
      ['a', 1, 4],
      ['dog', 2, 0],
      ['dog', 1, 4],
      ['cat', 1, 3],
      ['cat', 1, 4],
    ])
    expect(counted).toBe(3)
    expect(histogramOf('dog')).toEqual([1, 1, 1])
    expect(histogramOf('cat')).toEqual([1, 2, 0])
    expect(histogramOf('past')).toEqual([3, 0, 0])
    expect(histogramOf('few')).toEqual([3, 0, 0])
  })

  it('equal a brute-force count', () => {
    fc.assert(
      fc.property(images, fc.integer({ min: 1, max: 4 }), (input, captionsPerImage) => {
        const { texts, triples, histogramOf, counted } = count(input, captionsPerImage)
        const expected = texts.flatMap((word, id) =>
          input
            .map((captions, image) => ({
              id,
              word,
              image,
              captions: captionsWith(word, captions, captionsPerImage),
            }))
            .filter(({ captions }) => captions !== null && captions > 0),
        )
        const sorted = expected.sort((x, y) => x.id - y.id || x.image - y.image)
        expect(triples).toEqual(sorted.map(({ word, captions, image }) => [word, captions, image]))
        for (const word of texts) {
          const counts = input.map((captions) => captionsWith(word, captions, captionsPerImage))
          const histogram = Array.from(
            { length: captionsPerImage + 1 },
            (_, c) => counts.filter((captions) => captions === c).length,
          )
          expect(histogramOf(word)).toEqual(histogram)
          expect(histogram.reduce((sum, cell) => sum + cell)).toBe(counted)
        }
      }),
    )
  })

  it('are empty if all images have too few captions', () => {
    const { triples, histogramOf } = count([[['a']], []], 2)
    expect(triples).toEqual([])
    expect(histogramOf('a')).toEqual([0, 0, 0])
  })

  it('support words that no caption uses, and counts near the maximum', () => {
    const corpus = toCorpus(Array.from({ length: 254 * 2 }, () => ['a']))
    const counts = countWords(corpus, Int32Array.of(0, 254, 508), 254, 3)
    expect(counts).toEqual({
      words: Int32Array.of(0, 0),
      captionCounts: Int32Array.of(254, 254),
      images: Int32Array.of(0, 1),
    })
    const all = emptyHistograms(254, 2, 3)
    addToHistograms(all, counts, 254)
    expect([all[0], all[254], all[255], all[510]]).toEqual([0, 2, 2, 2])
  })
})

/** Counts with words as strings. */
function count(input: readonly Captions[], captionsPerImage: number) {
  const corpus = toCorpus(input.flat())
  const firstCaption = new Int32Array(input.length + 1)
  for (const [image, { length }] of input.entries()) firstCaption[image + 1] = firstCaption[image] + length
  const counts = countWords(corpus, firstCaption, captionsPerImage, corpus.texts.length)
  const counted = input.filter(({ length }) => length >= captionsPerImage).length
  const all = emptyHistograms(captionsPerImage, counted, corpus.texts.length)
  addToHistograms(all, counts, captionsPerImage)
  return {
    texts: corpus.texts,
    counted,
    triples: Array.from(counts.words, (word, i) => [
      corpus.texts[word],
      counts.captionCounts[i],
      counts.images[i],
    ]),
    histogramOf(text: string): number[] {
      const start = corpus.texts.indexOf(text) * (captionsPerImage + 1)
      return [...all.subarray(start, start + captionsPerImage + 1)]
    },
  }
}

/** Number of the first K captions that use a word. Null if there are fewer than K captions. */
function captionsWith(word: string, captions: Captions, captionsPerImage: number): number | null {
  if (captions.length < captionsPerImage) return null
  return captions.slice(0, captionsPerImage).filter((caption) => caption.includes(word)).length
}
