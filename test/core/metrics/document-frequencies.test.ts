import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countDocumentFrequencies,
  countPart,
  type DocumentFrequencies,
  findNgrams,
} from '../../../src/core/metrics/document-frequencies.js'
import {
  createTableMerger,
  decodeTables,
  encodeTables,
  joinParts,
} from '../../../src/core/metrics/frequency-tables.js'
import type { ReferenceLists } from '../../../src/core/metrics/reference-lists.js'
import { corpusNgrams, wordKeys } from '../../../src/core/text/ngrams.js'
import type { Corpus } from '../../../src/core/text/sequences.js'
import { toCorpus } from '../../kit/corpus.js'

type Images = readonly (readonly (readonly string[])[])[]

const images: fc.Arbitrary<Images> = fc.array(
  fc.array(fc.array(fc.constantFrom('a', 'b', 'c', '1\u00a0/2', '/2'), { maxLength: 7 }), {
    minLength: 1,
    maxLength: 3,
  }),
  { minLength: 1, maxLength: 7 },
)

/** All captions as one corpus, and the references of images from `start` to `end`. */
function write(written: Images, start = 0, end = written.length): { corpus: Corpus; lists: ReferenceLists } {
  const offsets = [0]
  for (const captions of written) offsets.push(offsets[offsets.length - 1] + captions.length)
  return {
    corpus: toCorpus(written.flat()),
    lists: {
      references: Int32Array.from({ length: offsets[end] - offsets[start] }, (_, i) => offsets[start] + i),
      referenceOffsets: Int32Array.from(offsets.slice(start, end + 1), (offset) => offset - offsets[start]),
    },
  }
}

/** The n-grams of each image, by joining words. */
function ngramsOf(captions: readonly (readonly string[])[], order: number): Set<string> {
  return new Set(
    captions.flatMap((caption) => {
      const words = caption.flatMap((token) => token.split('\u00a0'))
      return words.slice(order - 1).map((_, i) => words.slice(i, i + order).join(' '))
    }),
  )
}

/** The frequency of every n-gram of the corpus in a table, by its text. */
function readTable(written: Images, corpus: Corpus, table: DocumentFrequencies): Map<string, number> {
  const ngrams = corpusNgrams(corpus)
  const numbers = findNgrams(ngrams, table.ngrams)
  const frequencies = new Map<string, number>()
  written.flat().forEach((caption, index) => {
    const words = caption.flatMap((token) => token.split('\u00a0'))
    for (let order = 1; order <= 4; order++) {
      const { ids, offsets } = ngrams.orders[order - 1]
      const distinct = [...new Set(words.slice(order - 1).map((_, i) => words.slice(i, i + order).join(' ')))]
      distinct.forEach((text, position) => {
        const number = numbers[order - 1][ids[offsets[index] + position]]
        frequencies.set(text, number === 0 ? 0 : table.counts[number - 1])
      })
    }
  })
  return frequencies
}

test('count the images whose references have an n-gram; n-grams of one image are omitted', () => {
  fc.assert(
    fc.property(images, (written) => {
      const { corpus, lists } = write(written)
      const [table] = countDocumentFrequencies(corpus, [lists])
      expect(table.imageCount).toBe(written.length)
      for (const [text, frequency] of readTable(written, corpus, table)) {
        const expected = written.filter((captions) => ngramsOf(captions, text.split(' ').length).has(text))
        expect(frequency).toBe(expected.length < 2 ? 0 : expected.length)
      }
    }),
  )
})

test('tables of several lists are those of each list', () => {
  fc.assert(
    fc.property(images, fc.nat(), (written, cut) => {
      const end = 1 + (cut % written.length)
      const { corpus, lists } = write(written)
      const part = write(written, 0, end).lists
      const both = countDocumentFrequencies(corpus, [lists, part])
      ;[lists, part].forEach((list, index) => {
        const [alone] = countDocumentFrequencies(corpus, [list], { partial: true })
        for (const [text, frequency] of readTable(written, corpus, alone)) {
          const shared = readTable(written, corpus, both[index]).get(text)
          expect(shared === 1 ? 0 : shared).toBe(frequency === 1 ? 0 : frequency)
        }
      })
    }),
  )
})

/** Folds: each list has all references of an image but one, or its only one. */
function foldsOf({ references, referenceOffsets }: ReferenceLists): ReferenceLists[] {
  return [0, 1].map((fold) => {
    const offsets = [0]
    const chosen = Array.from(referenceOffsets.subarray(1), (end, image) => {
      const all = Array.from(references.subarray(referenceOffsets[image], end))
      const others = all.length === 1 ? all : all.filter((_, index) => index !== fold % all.length)
      offsets.push(offsets[image] + others.length)
      return others
    })
    return { references: Int32Array.from(chosen.flat()), referenceOffsets: Int32Array.from(offsets) }
  })
}

test('the merge of partial tables has the bytes of the tables of all images', () => {
  fc.assert(
    fc.property(images, fc.array(fc.nat()), (written, cuts) => {
      const { corpus, lists } = write(written)
      const starts = [...new Set([0, ...cuts.map((cut) => cut % written.length)])].sort((a, b) => a - b)
      const merger = createTableMerger()
      starts.forEach((start, index) => {
        const shard = write(written, start, starts[index + 1] ?? written.length)
        const tables = countDocumentFrequencies(corpus, foldsOf(shard.lists), { partial: true })
        merger.add(decodeTables(encodeTables(tables)))
      })
      const whole = countDocumentFrequencies(corpus, foldsOf(lists))
      expect(encodeTables(merger.merged())).toEqual(encodeTables(whole))
    }),
  )
})

test.each([false, true])('parts by first words are the whole table; partial: %s', (partial) => {
  fc.assert(
    fc.property(images, fc.integer({ min: 1, max: 4 }), (written, parts) => {
      const { corpus, lists } = write(written)
      const words = wordKeys(corpus)
      const counted = Array.from({ length: parts }, (_, part) =>
        countPart(words, [lists], { part, parts, partial }),
      )
      const whole = countDocumentFrequencies(corpus, [lists], { partial })
      expect(encodeTables(joinParts(counted))).toEqual(encodeTables(whole))
    }),
  )
})

test('an image that is listed twice counts twice', () => {
  const { corpus } = write([[['a', 'b']]])
  const twice = { references: Int32Array.of(0, 0), referenceOffsets: Int32Array.of(0, 1, 2) }
  const [{ imageCount, counts }] = countDocumentFrequencies(corpus, [twice])
  expect([imageCount, ...counts]).toEqual([2, 2, 2, 2])
})

test('n-grams of many occurrences and of many lists', () => {
  const words = ['a', 'b', 'c', 'd', 'e']
  const written = Array.from({ length: 200 }, (_, image) => [
    Array.from({ length: 6 }, (_, place) => words[(image * (place + 1) * 7 + place) % 5]),
  ])
  const { corpus, lists } = write(written)
  const many = Array.from({ length: 40 }, () => lists)
  const tables = countDocumentFrequencies(corpus, many)
  expect(tables).toHaveLength(40)
  for (const table of tables) expect(table.counts).toEqual(tables[0].counts)
  for (const [text, frequency] of readTable(written, corpus, tables[39])) {
    const expected = written.filter((captions) => ngramsOf(captions, text.split(' ').length).has(text))
    expect(frequency).toBe(expected.length < 2 ? 0 : expected.length)
  }
})

test('bytes are decoded to the same tables', () => {
  const { corpus, lists } = write([[['a', 'b', 'a']], [['a', 'b'], ['c']]])
  const tables = countDocumentFrequencies(corpus, [lists])
  const bytes = encodeTables(tables)
  const unaligned = new Uint8Array(bytes.length + 1).subarray(1)
  unaligned.set(bytes)
  expect(decodeTables(unaligned)).toEqual(tables)
  expect(tables).toMatchObject([{ imageCount: 2, counts: Int32Array.of(2, 2, 2) }])
})

describe('abuse', () => {
  const { corpus, lists } = write([[['a', 'b']], [['a', 'b']]])
  const bytes = encodeTables(countDocumentFrequencies(corpus, [lists]))

  test.each([
    ['no bytes', new Uint8Array(0)],
    ['truncated bytes', bytes.subarray(0, -1)],
    ['more bytes', Uint8Array.of(...bytes, 0)],
    ['other bytes', new Uint8Array(16)],
  ])('%s are not tables', (_, given) => {
    expect(() => decodeTables(given)).toThrow('not tables of document frequencies')
  })

  test('an image without references is refused', () => {
    const empty = { references: Int32Array.of(0), referenceOffsets: Int32Array.of(0, 1, 1) }
    expect(() => countDocumentFrequencies(corpus, [empty])).toThrow('image 1 of the trial')
  })

  test('captions without words', () => {
    const nothing = write([[[]], [[]]])
    const [table] = countDocumentFrequencies(nothing.corpus, [nothing.lists])
    expect(table).toMatchObject({ imageCount: 2, counts: new Int32Array(0) })
  })
})
