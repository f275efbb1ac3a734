import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clippedMatches,
  corpusNgrams,
  type NgramCounts,
  skipBigramCounts,
  spreadCounts,
} from '../../src/text/ngrams.js'
import { corpusOf, longCaption } from '../metrics/trials.js'

const captions = fc.array(
  fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 12 }).map((words) => words.join(' ')),
  { minLength: 1, maxLength: 12 },
)

describe('n-grams', () => {
  test('of a caption, with how often each occurs', () => {
    const { orders } = corpusNgrams(corpusOf(['a b a b a', 'b a', '']))
    expect(orders.map((order) => Array.from(order.offsets))).toEqual([
      [0, 2, 4, 4],
      [0, 2, 3, 3],
      [0, 2, 2, 2],
      [0, 2, 2, 2],
    ])
    expect(orders.map((order) => Array.from(order.counts.subarray(0, order.offsets[1])))).toEqual([
      [3, 2],
      [2, 2],
      [2, 1],
      [1, 1],
    ])
    expect(orders[1].ids[2]).toBe(orders[1].ids[1])
  })

  test('two n-grams have the same id exactly when they read the same', () => {
    fc.assert(
      fc.property(captions, (written) => {
        const corpus = corpusOf(written)
        corpusNgrams(corpus).orders.forEach((order, index) => {
          expectSame(order, written, (words) =>
            words
              .slice(0, Math.max(0, words.length - index))
              .map((_, i) => words.slice(i, i + index + 1).join(' ')),
          )
        })
      }),
    )
  })

  test('ids are dense', () => {
    const { orders } = corpusNgrams(corpusOf([longCaption(3000, 30), longCaption(2000, 30)]))
    for (const { ids, distinct } of orders) {
      expect(new Set(ids)).toEqual(new Set(Array.from({ length: distinct }, (_, id) => id)))
    }
  })

  test('are computed once for a corpus', () => {
    const corpus = corpusOf(['a b'])
    expect(corpusNgrams(corpus)).toBe(corpusNgrams(corpus))
    expect(corpusNgrams({ ...corpus })).not.toBe(corpusNgrams(corpus))
  })

  test('a token with a no-break space inside is split into words', () => {
    const { words, orders } = corpusNgrams(corpusOf(['at 22\u00a03/4 st', '3/4 \u00a0', '22']))
    expect(Array.from(words.offsets)).toEqual([0, 4, 5, 6])
    expect(words.tokens[2]).toBe(words.tokens[4])
    expect(words.tokens[1]).toBe(words.tokens[5])
    expect(orders[1].distinct).toBe(3)
  })
})

describe('skip bigrams', () => {
  test.each([1, 2, 4, 20])('at distance %i read the same exactly when they have the same id', (distance) => {
    fc.assert(
      fc.property(captions, (written) => {
        expectSame(skipBigramCounts(corpusOf(written), distance), written, (words) =>
          words.flatMap((first, i) =>
            words.slice(i + 1, i + 1 + distance).map((second) => `${first} ${second}`),
          ),
        )
      }),
    )
  })
})

test('clipped matches count an n-gram as often as both captions have it', () => {
  const [words] = corpusNgrams(corpusOf(['a a b c', 'a b b d'])).orders
  const table = new Int32Array(words.distinct)
  spreadCounts(words, 0, table)
  expect(clippedMatches(words, 1, table)).toBe(2)
  expect(clippedMatches(words, 0, table)).toBe(4)
})

describe('abuse', () => {
  test('no captions, and captions without words', () => {
    expect(corpusNgrams(corpusOf([])).orders.map(({ distinct }) => distinct)).toEqual([0, 0, 0, 0])
    expect(corpusNgrams(corpusOf(['', ''])).orders.map(({ ids }) => ids.length)).toEqual([0, 0, 0, 0])
    expect(skipBigramCounts(corpusOf(['', 'a']), 4).ids).toHaveLength(0)
  })

  test('token ids far apart', () => {
    const corpus = {
      tokens: Int32Array.of(7, 2_000_000, 7, 2_000_000),
      offsets: Int32Array.of(0, 4),
      texts: [],
    }
    expect(corpusNgrams(corpus).orders.map(({ ids }) => ids.length)).toEqual([2, 2, 2, 1])
  })
})

/** Checks counts against n-grams made by joining words: same multiset per caption under one renaming of ids. */
function expectSame(
  { ids, counts, offsets, distinct }: NgramCounts,
  written: readonly string[],
  ngramsOf: (words: readonly string[]) => readonly string[],
): void {
  const idOf = new Map<string, number>()
  written.forEach((caption, index) => {
    const expected = new Map<string, number>()
    for (const ngram of ngramsOf(caption.split(' ').filter((word) => word !== ''))) {
      expected.set(ngram, (expected.get(ngram) ?? 0) + 1)
    }
    const start = offsets[index]
    expect(offsets[index + 1] - start).toBe(expected.size)
    ;[...expected].forEach(([ngram, count], position) => {
      const id = ids[start + position]
      expect(counts[start + position]).toBe(count)
      expect(idOf.get(ngram) ?? id).toBe(id)
      idOf.set(ngram, id)
      expect(id).toBeLessThan(distinct)
    })
  })
  expect(new Set(idOf.values()).size).toBe(idOf.size)
}
