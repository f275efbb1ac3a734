import { describe, expect, it } from 'vitest'
import { conceptImportance } from '../../../src/core/selection/importance.js'
import { descriptions, figure2, image } from './kit.js'

describe('conceptImportance', () => {
  it('counts mentions in figure 2 of the paper: woman and car 7 of 7, boot 4, dress 2', () => {
    expect(
      conceptImportance(figure2.images, figure2.descriptions).map(
        ({ concept, named, present, importance }) => [concept, named, present, importance],
      ),
    ).toEqual([
      ['dress', 2, 7, 2 / 7],
      ['woman', 7, 7, 1],
      ['car', 7, 7, 1],
      ['boot', 4, 7, 4 / 7],
    ])
  })

  it('sums over images, counts a description once per concept, and ignores descriptions without mentions', () => {
    const images = [image('a', '1:man', '2:man', '3:dog'), image('b', '1:man')]
    const all = [...descriptions('a', '12', '3', ''), ...descriptions('b', '1'), ...descriptions('c', '1')]
    expect(conceptImportance(images, all)).toEqual([
      { concept: 'man', images: 2, present: 3, named: 2, importance: 2 / 3, undefinedReason: null },
      { concept: 'dog', images: 1, present: 2, named: 1, importance: 1 / 2, undefinedReason: null },
    ])
  })

  it('is null with a reason if no image with the concept has a description', () => {
    expect(conceptImportance([image('a', '1:man')], [])).toEqual([
      {
        concept: 'man',
        images: 1,
        present: 0,
        named: 0,
        importance: null,
        undefinedReason: 'NO_DESCRIPTIONS',
      },
    ])
  })
})
