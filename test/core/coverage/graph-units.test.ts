import { expect, it } from 'vitest'
import { createGraphUnits } from '../../../src/core/coverage/graph-units.js'
import { openSceneGraphParser } from '../../../src/formats/english/english.js'
import { corpusOf } from '../metrics/trials.js'

it('numbers the tuples of captions, equal ones alike in all corpora', () => {
  const graphs = createGraphUnits(openSceneGraphParser())
  const unitsOf = (...captions: string[]) => {
    const corpus = corpusOf(captions)
    return captions.map((_, caption) => graphs.unitsOf(corpus, caption))
  }
  // dog, brown dog; dog, grass, dog on grass.
  const [[dog, brown], onGrass] = unitsOf('a brown dog', 'the dogs on grass')
  expect(new Set([dog, brown, ...onGrass]).size).toBe(4)
  expect(onGrass).toHaveLength(3)
  expect(onGrass).toContain(dog)
  expect(unitsOf('grass', 'a brown dog', 'the')).toEqual([[expect.any(Number)], [dog, brown], []])
})
