import { expect, it } from 'vitest'
import type { Atom } from '../../../src/core/bounds/atoms.js'
import { encodeCaptions, type MaterialCaption } from '../../../src/services/bounds/bound-material.js'

const ATOMS: readonly Atom[] = ['dog', 'cat', 'street'].map((text) => ({ kind: 'entity', text }))

let nextId = 1
const captionOf = (imageId: number, atoms: readonly number[]): MaterialCaption => ({
  id: nextId++,
  imageId,
  words: ['a', 'dog'],
  atoms: atoms.map((index) => ATOMS[index]),
})

it('captions of test images are written from the atoms of the first human caption', () => {
  const test = [captionOf(7, [2, 0]), captionOf(7, [1]), captionOf(9, []), captionOf(9, [0])]
  const vocabulary = { words: ['<begin>', '<end>', '<unknown>', 'dog'], atoms: ATOMS }
  const settings = { replaced: 0, seed: 1 }
  const material = encodeCaptions({ training: [], validation: [], test }, vocabulary, settings)
  expect(material.testImageIds).toEqual([7, 9])
  expect(Array.from(material.testImages.atoms)).toEqual([0, 2])
  expect(Array.from(material.testImages.atomOffsets)).toEqual([0, 2, 2])
  expect(Array.from(material.test.atomOffsets)).toEqual([0, 2, 3, 3, 4])
})
