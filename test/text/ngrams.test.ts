import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clippedMatches,
  corpusNgrams,
  type NgramCounts,
  skipBigramCounts,
  spreadCounts,
} from '../../src/text/ngrams.js'
import { concatenate, extendCorpus, sequence, toCorpus } from '../../src/text/sequences.js'
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
          expectSame(order, written, (words) => joinRuns(words, index + 1))
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

describe('n-grams of an extended corpus', () => {
  const words = fc.constantFrom('a', 'b', 'c', 'd', '1\u00a0/2', '/2', '1\u00a0e')
  const tokenLists = fc.array(fc.array(words, { maxLength: 9 }), { maxLength: 8 })

  test('are those of all its captions, whatever extended its base before', () => {
    fc.assert(
      fc.property(tokenLists, fc.array(tokenLists, { minLength: 1, maxLength: 3 }), (first, extensions) => {
        const captions = [first, ...extensions].flat()
        const { texts, ...all } = toCorpus(captions)
        const range = (start: number, end: number) =>
          concatenate(
            Array.from({ length: end - start }, (_, i) => {
              const tokens = sequence(all, start + i)
              return { tokens, offsets: Int32Array.of(0, tokens.length) }
            }),
          )
        const base = { ...range(0, first.length), texts }
        let start = first.length
        for (const extension of extensions) {
          const added = range(start, start + extension.length)
          start += extension.length
          const extended = extendCorpus(base, [added])
          const { tokens, offsets } = extended
          expect(corpusNgrams(extended).words).toEqual(corpusNgrams({ tokens, offsets, texts }).words)
          const split = [...first, ...extension].map((caption) =>
            caption.flatMap((t) => t.split('\u00a0')).join(' '),
          )
          corpusNgrams(extended).orders.forEach((order, index) => {
            expectSame(order, split, (parts) => joinRuns(parts, index + 1))
            expect(order.distinct).toBeGreaterThan(Math.max(-1, ...order.ids))
          })
        }
      }),
    )
  })

  test('do not grow with what extended the base before', () => {
    const base = corpusOf(['a b c d'])
    const extend = (tokens: readonly number[]) =>
      corpusNgrams(
        extendCorpus(base, [{ tokens: Int32Array.from(tokens), offsets: Int32Array.of(0, tokens.length) }]),
      ).orders.map(({ distinct }) => distinct)
    const alone = extend([3, 2])
    extend([0, 2, 0, 1, 3, 3])
    expect(extend([3, 2])).toEqual(alone)
    expect(alone).toEqual([4, 4, 2, 1])
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

/** Every run of `length` words, joined. */
function joinRuns(words: readonly string[], length: number): string[] {
  return words
    .slice(0, Math.max(0, words.length - length + 1))
    .map((_, i) => words.slice(i, i + length).join(' '))
}

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
