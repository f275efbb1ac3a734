import { describe, expect, it } from 'vitest'
import { spiceResources } from '../../../src/compute/resources.js'
import { createChair, chair as definition } from '../../../src/core/metrics/chair.js'
import { type MetricFamily, scoreCorpus, scoreImages } from '../../../src/core/metrics/metric.js'
import { createWordVocabulary } from '../../../src/core/objects/object-mentions.js'
import { toyRegistry } from './registry-kit.js'
import { corpusOf } from './trials.js'

const chair = createChair(definition, createWordVocabulary()) as MetricFamily
/** With the parser and WordNet. */
const openChair = toyRegistry({ spice: { read: spiceResources, hash: () => '11ee' } }).family('open-CHAIR')

type Written = readonly [caption: string, ...references: string[]]

/** Scores of images and of the corpus: a caption and its references. */
const scoresOf = (...images: readonly Written[]) => scoresWith(chair, undefined, ...images)

/** @param annotated names of the objects of each image */
function scoresWith(
  chair: MetricFamily,
  annotated: readonly (readonly string[])[] | undefined,
  ...images: readonly Written[]
) {
  const corpus = corpusOf(images.flat())
  let next = 0
  const references: number[] = []
  const offsets = [0]
  const candidates = images.map(([, ...others]) => {
    const candidate = next++
    for (const _ of others) references.push(next++)
    offsets.push(references.length)
    return candidate
  })
  const rows = chair.measure(chair.prepare(corpus), {
    candidates: Int32Array.from(candidates),
    references: Int32Array.from(references),
    referenceOffsets: Int32Array.from(offsets),
    objects: annotated && {
      texts: annotated.flat(),
      tokens: Int32Array.from(annotated.flat().keys()),
      offsets: Int32Array.from([
        0,
        ...annotated.map((_, image) => annotated.slice(0, image + 1).flat().length),
      ]),
    },
  })
  return {
    images: scoreImages(chair, rows).map((scores) => [...scores]),
    corpus: [...scoreCorpus(chair, rows)],
  }
}

describe('CHAIR and object recall', () => {
  it('count mentions each, objects once', () => {
    const { images, corpus } = scoresOf(
      // Mentions: dog, dog, cat, cat; cat is unconfirmed. Objects: dog, person.
      ['a dog a dog a cat a cat', 'a man with a dog', 'the dog'],
      // Mentions: car; objects: car, person, tree is none.
      ['a car under a tree', 'a car', 'a person'],
      // No mention.
      ['something red', 'a bus'],
    )
    const [chairI, chairS, recall] = images
    expect(chairI).toEqual([2 / 4, 0, Number.NaN])
    expect(chairS).toEqual([1, 0, 0])
    expect(recall).toEqual([1 / 2, 1 / 2, 0])
    expect(corpus).toEqual([2 / 5, 1 / 3, 2 / 5])
  })

  it('count annotated objects as confirmed', () => {
    const { images, corpus } = scoresWith(
      chair,
      [['cat', 'dog'], [], ['woman', 'bus', 'sky']],
      ['a dog and a cat and a car', 'a dog'],
      ['a dog', 'a cat'],
      ['people', 'a bus'],
    )
    expect(images[0]).toEqual([1 / 3, 1, 0])
    expect(corpus).toEqual([2 / 5, 2 / 3, 3 / 5])
  })

  it('are undefined without mentions and without objects', () => {
    const { corpus } = scoresOf(['something', 'nothing much'])
    expect(corpus).toEqual([Number.NaN, 0, Number.NaN])
  })

  it('say in which direction they are better', () => {
    expect(chair.metrics.map(({ name, higherIsBetter }) => [name, higherIsBetter])).toEqual([
      ['CHAIR-i', false],
      ['CHAIR-s', false],
      ['object-recall', true],
    ])
  })
})

describe('CHAIR of open objects', () => {
  it('counts the objects of scene graphs, synonyms being the same', () => {
    const { images, corpus } = scoresWith(
      openChair,
      undefined,
      // Objects of the image: bicycle and bike, which share a synset; tree; man. Mentioned: bike, sofa.
      ['a red bike beside a sofa', 'a man with a bicycle', 'a bike under a tree'],
      // Once in a caption, however often it is said.
      ['a cloud and a cloud and a kite', 'a kite'],
    )
    expect(images[0]).toEqual([1 / 2, 1 / 2])
    expect(images[1]).toEqual([1, 1])
    expect(images[2]).toEqual([1 / 3, 1])
    expect(corpus).toEqual([2 / 4, 1, 2 / 4])
  })

  it('counts synonyms in a caption as one object that is recalled', () => {
    const { images } = scoresWith(openChair, undefined, ['a bike beside a bicycle', 'a bike under a tree'])
    expect(images[0]).toEqual([0])
    expect(images[2]).toEqual([1 / 2])
  })

  it('confirms by annotated objects of any name, and by their synonyms', () => {
    const { images } = scoresWith(
      openChair,
      [['Couch', 'traffic light', 'unicorn']],
      ['a sofa under a traffic light and a dragon', 'a room'],
    )
    expect(images[0]).toEqual([1 / 3])
    expect(images[2]).toEqual([2 / 4])
  })

  it('says how it was made', () => {
    expect(openChair.metrics.map(({ name }) => name)).toEqual([
      'open-CHAIR-i',
      'open-CHAIR-s',
      'open-object-recall',
    ])
    expect(openChair.metrics[0].parameters).toMatchObject({ objects: 'open', synonyms: 'WordNet-3.0' })
  })
})
