import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clippedMatches,
  corpusNgrams,
  invertCounts,
  type NgramCounts,
  spreadCounts,
  wordKeys,
} from '../../../src/core/text/ngrams.js'
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

  test('are inverted: of each, the captions among some that have it, and how often', () => {
    fc.assert(
      fc.property(captions, fc.infiniteStream(fc.boolean()), (written, choices) => {
        const chosen = Int32Array.from([...written.keys()].filter(() => choices.next().value))
        for (const { ids, counts, offsets, distinct } of corpusNgrams(corpusOf(written)).orders) {
          const expected = Array.from({ length: distinct }, (_, id) =>
            Array.from(chosen).flatMap((caption, position) => {
              const place = ids.subarray(offsets[caption], offsets[caption + 1]).indexOf(id)
              return place < 0 ? [] : [[position, counts[offsets[caption] + place]]]
            }),
          )
          const found = invertCounts({ ids, counts, offsets, distinct }, chosen)
          expect(found.captions).toHaveLength(expected.flat().length)
          expect(
            expected.map((_, id) =>
              Array.from({ length: found.offsets[id + 1] - found.offsets[id] }, (_, i) => [
                found.captions[found.offsets[id] + i],
                found.counts[found.offsets[id] + i],
              ]),
            ),
          ).toEqual(expected)
        }
      }),
    )
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

describe('keys of words', () => {
  const words = fc.constantFrom(
    'a',
    'b',
    '1',
    '1\u00a0/2',
    '/2',
    '1\u00a0e',
    'e',
    'a\u00a0b\u00a0f',
    '\u00a0',
  )
  const tokenTable = fc.uniqueArray(words, { minLength: 1 })

  test('are equal exactly when the words are, and stay the same when the table of tokens gets longer', () => {
    fc.assert(
      fc.property(tokenTable, fc.nat(9), (texts, size) => {
        const shorter = texts.slice(0, 1 + (size % texts.length))
        const sequences = {
          tokens: Int32Array.from(shorter, (_, token) => token),
          offsets: Int32Array.of(0, shorter.length),
        }
        const keys = wordKeys({ ...sequences, texts: shorter })
        expect(wordKeys({ ...sequences, texts })).toEqual(keys)
        const parts = shorter.flatMap((text) => text.split('\u00a0').filter((part) => part !== ''))
        expect(keys.tokens).toHaveLength(parts.length)
        const keyOf = new Map(parts.map((part, index) => [part, keys.tokens[index]]))
        expect(parts.map((part) => keyOf.get(part))).toEqual(Array.from(keys.tokens))
        expect(new Set(keyOf.values()).size).toBe(keyOf.size)
      }),
    )
  })

  test('of tokens that are not split are the tokens', () => {
    const corpus = corpusOf(['a b', 'b'])
    expect(wordKeys(corpus)).toEqual({ tokens: corpus.tokens, offsets: corpus.offsets })
  })
})

test('an n-gram is the pair of its beginning and its end', () => {
  const { orders, pairs, keys } = corpusNgrams(corpusOf(['a b c d', 'b c']))
  expect(Array.from(keys)).toEqual([0, 1, 2, 3])
  expect(Array.from(pairs[0])).toEqual([0, 1, 1, 2, 2, 3])
  expect(Array.from(pairs[1])).toEqual([0, 1, 1, 2])
  expect(Array.from(pairs[2])).toEqual([0, 1])
  expect(orders.map(({ distinct }) => distinct)).toEqual([4, 3, 2, 1])
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
