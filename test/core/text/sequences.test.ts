import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatenate, renumber, sequence, type TokenSequences } from '../../../src/core/text/sequences.js'
import { toCorpus } from '../../kit/corpus.js'

const captions = fc.array(
  fc.array(fc.constantFrom('a', 'dog', 'Dog', '', '__proto__', '🐕', 'a\0'), { maxLength: 5 }),
  { maxLength: 6 },
)

/** The sequences one by one. */
function lists(sequences: TokenSequences): number[][] {
  return Array.from({ length: sequences.offsets.length - 1 }, (_, index) => [...sequence(sequences, index)])
}

describe('renumber', () => {
  it('replaces each token by its new id and leaves the old sequences as they are', () => {
    const corpus = toCorpus([['a', 'dog'], [], ['a']])
    expect(lists(renumber(corpus, Int32Array.of(70, 7)))).toEqual([[70, 7], [], [70]])
    expect(lists(corpus)).toEqual([[0, 1], [], [0]])
  })
})

describe('sequence', () => {
  it('is a view', () => {
    const corpus = toCorpus([['a'], ['dog', 'a']])
    expect(sequence(corpus, 1).buffer).toBe(corpus.tokens.buffer)
  })
})

describe('concatenate', () => {
  it('puts the sequences of all parts one after the other', () => {
    fc.assert(
      fc.property(fc.array(captions, { maxLength: 4 }), (inputs) => {
        const parts = inputs.map(toCorpus)
        expect(lists(concatenate(parts))).toEqual(parts.flatMap(lists))
      }),
    )
  })
})
