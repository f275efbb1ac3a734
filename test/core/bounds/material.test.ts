import { describe, expect, it } from 'vitest'
import type { Atom, CountedAtom } from '../../../src/core/bounds/atoms.js'
import {
  chooseAtoms,
  chooseWords,
  createEncoder,
  replaceAtoms,
  selectExamples,
  splitForTraining,
  toExamples,
} from '../../../src/core/bounds/material.js'
import { createRandom } from '../../../src/core/stats/random.js'

const entity = (text: string): Atom => ({ kind: 'entity', text })
const DOG = { words: ['a', 'dog', 'runs'], atoms: [entity('dog'), { kind: 'action' as const, text: 'run' }] }
const CAT = { words: ['a', 'cat'], atoms: [entity('cat')] }
const PLAIN = { words: ['a', 'a'], atoms: [] }

const ranked: CountedAtom[] = ['dog', 'cat', 'side'].map((text, index) => ({
  kind: 'entity',
  text,
  count: 9 - index,
  imageCount: 1,
  rank: index + 1,
}))
const all = () => true

describe('the vocabulary', () => {
  it('has the frequent words after the begin, the end and the unknown word', () => {
    expect(chooseWords([DOG, CAT, PLAIN], 1)).toEqual([
      '<begin>',
      '<end>',
      '<unknown>',
      'a',
      'cat',
      'dog',
      'runs',
    ])
    expect(chooseWords([DOG, CAT, PLAIN], 2)).toHaveLength(4)
  })

  it('has the first k atoms of each kind, or the first visual ones', () => {
    const settings = { kind: 'all', atoms: 2, visualOnly: false } as const
    expect(chooseAtoms(ranked, settings, all)).toEqual([entity('dog'), entity('cat')])
    const isVisual = ({ text }: Atom) => text !== 'cat'
    expect(chooseAtoms(ranked, { ...settings, visualOnly: true }, isVisual)).toEqual([
      entity('dog'),
      entity('side'),
    ])
    expect(() => chooseAtoms(ranked, { ...settings, atoms: 4 }, all)).toThrow(
      /at most 3, the number of atoms of the training captions, found 4/,
    )
  })
})

describe('captions as numbers', () => {
  const words = chooseWords([DOG, PLAIN], 1)
  const encoder = createEncoder({ words, atoms: [entity('dog'), entity('cat')] }, 0)

  it('have unknown words and an end', () => {
    expect(encoder.words(DOG)).toEqual([3, 4, 5, 1])
    expect(encoder.words({ words: ['a', '<begin>', 'unicorn'], atoms: [] })).toEqual([3, 2, 2, 1])
  })

  it('have each atom of the model once', () => {
    const both = { words: [], atoms: [...CAT.atoms, ...DOG.atoms, ...CAT.atoms] }
    expect(encoder.bag(both, createRandom(1))).toEqual([0, 1])
    expect(encoder.bag(PLAIN, createRandom(1))).toEqual([])
  })

  it('can be selected', () => {
    const examples = toExamples([
      { words: [3, 1], bag: [] },
      { words: [4, 5, 1], bag: [0, 2] },
    ])
    expect(selectExamples(examples, Int32Array.of(1, 0))).toEqual(
      toExamples([
        { words: [4, 5, 1], bag: [0, 2] },
        { words: [3, 1], bag: [] },
      ]),
    )
  })
})

describe('replaced atoms', () => {
  it.each([0.25, 0.5, 1])('of a share %d are never among the originals', (share) => {
    const bag = [1, 4, 6, 9]
    for (let seed = 0; seed < 50; seed++) {
      const replaced = replaceAtoms(bag, 20, share, createRandom(seed))
      expect(new Set(replaced).size).toBe(4)
      expect(replaced.filter((atom) => bag.includes(atom))).toHaveLength(4 - share * 4)
      expect(replaceAtoms(bag, 20, share, createRandom(seed))).toEqual(replaced)
    }
  })

  it('are fewer where too few others exist', () => {
    expect(replaceAtoms([0, 1, 2], 4, 1, createRandom(1))).toEqual([3])
  })
})

describe('a split', () => {
  it('has each image once, and is always the same', () => {
    const ids = Int32Array.from({ length: 20 }, (_, index) => 100 + index)
    const settings = { validationImages: 4, testImages: 5 }
    const { training, validation, test } = splitForTraining(ids, settings)
    expect([training.length, validation.length, test.length]).toEqual([11, 4, 5])
    expect([...training, ...validation, ...test].sort()).toEqual([...ids])
    expect(splitForTraining(ids, settings).test).toEqual(test)
    expect([...test, ...validation]).not.toEqual([...ids].slice(0, 9))
  })
})
