import { expect, it } from 'vitest'
import { annotatedObjects } from '../../../src/services/evaluations/annotated-objects.js'

it('have the same hash in any order of images and names, and another one for other objects', () => {
  const dogs = { image: 1, externalId: 'a', names: ['dog', 'person'] }
  const none = { image: 2, externalId: 'b', names: [] }
  const { hash, ofImages } = annotatedObjects([dogs, none])
  expect(ofImages).toEqual(
    new Map([
      [1, ['dog', 'person']],
      [2, []],
    ]),
  )
  const twice = { image: 8, externalId: 'a', names: ['person', 'dog', 'person'] }
  expect(annotatedObjects([{ ...none, image: 9 }, twice])).toMatchObject({ hash })
  for (const others of [
    [dogs],
    [none],
    [dogs, { ...none, names: ['cat'] }],
    [dogs, { ...none, externalId: 'c' }],
  ])
    expect(annotatedObjects(others).hash).not.toBe(hash)
})
