import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CaptionSet,
  createCaptionSet,
  type Diversity,
  measureDiversity,
} from '../../../src/core/diversity/diversity.js'
import { createRandom } from '../../../src/core/stats/random.js'
import { sequencesOf } from '../coverage/kit.js'
import { diversity, type Figures } from './brute-force.js'

type Captions = readonly (readonly string[])[]

const words = (text: string) => text.split(' ')

function measure(
  images: readonly Captions[],
  systems: readonly Captions[],
  seed = 1,
  training: CaptionSet | null = null,
) {
  const {
    people,
    systems: measured,
    tokenCount,
  } = measureDiversity(
    {
      people: sequencesOf(images.flat()),
      captionsPerImage: images[0]?.length ?? 1,
      systems: systems.map(sequencesOf),
      training,
    },
    seed,
  )
  return { tokenCount, sides: [people, ...measured] }
}

function valuesOf({ localRecall, localRecallOfAll: _, unseenShare: __, ...figures }: Diversity) {
  return {
    ...Object.fromEntries(Object.entries(figures).map(([name, { value }]) => [name, value])),
    localRecall: localRecall.map(({ value }) => value),
  }
}

const near = (value: number) => (Number.isNaN(value) ? null : expect.closeTo(value, 9))

function nearAll({ localRecall, ...figures }: Figures) {
  return {
    ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, near(value)])),
    localRecall: localRecall.map(near),
  }
}

/** Figures with these values, as reports have them. */
const value = (number: number) => ({ value: expect.closeTo(number, 12), undefinedReason: null })
const none = (undefinedReason: string) => ({ value: null, undefinedReason })

describe('beside people and training', () => {
  const images = [
    [words('a dog runs'), words('a dog'), words('a cat')],
    [words('a man'), words('a man walks'), words('the man walks')],
  ]
  const system = [words('a dog sleeps'), words('the man runs')]

  it('has local recall at c of all people, of systems alone', () => {
    const { sides } = measure(images, [system])
    // Image 1: a 3, dog 2, runs 1, cat 1. Image 2: man 3, a 2, walks 2, the 1.
    expect(sides[1].localRecallOfAll).toEqual([value(1 / 3), value(1 / 3), value(2 / 2)])
    expect(sides[0].localRecallOfAll).toEqual([])
  })

  it('has the share of captions that are not among those of training, by their words in order', () => {
    const training = createCaptionSet()
    training.add(sequencesOf([words('a dog sleeps'), words('runs man the'), words('a man')]))
    const { sides } = measure(images, [system], 1, training)
    expect(sides.map(({ unseenShare }) => unseenShare)).toEqual([value(5 / 6), value(1 / 2)])
    expect(measure(images, [system]).sides.map(({ unseenShare }) => unseenShare)).toEqual([null, null])
  })
})

describe('a case by hand', () => {
  /** All people say the same of an image, so that samples differ in their order alone. */
  const images = [
    [words('a dog'), words('a dog'), words('a dog')],
    [words('a cat sleeps'), words('a cat sleeps'), words('a cat sleeps')],
  ]

  it('has types in equally many tokens, and the share of the vocabulary', () => {
    const { tokenCount, sides } = measure(images, [[words('a dog'), words('a dog and a bird')]])
    expect(tokenCount).toBe(5)
    const [person, system] = sides
    expect(person).toMatchObject({
      meanLength: value(2.5),
      // Three captions of 2 words, three of 3.
      lengthDeviation: value(Math.sqrt((6 * 0.25) / 5)),
      types: value(4),
      distinctShare: value(1),
      vocabularyShare: value(1),
      localRecall: [none('UNDEFINED_FIGURE'), value(1)],
    })
    expect(system).toMatchObject({
      meanLength: value(3.5),
      lengthDeviation: value(Math.sqrt(4.5)),
      // Both orders: "a dog a dog and", "a dog and a bird"; which of them occur is chance.
      distinctShare: value(1),
      // "a" and "dog" of the four words.
      vocabularyShare: value(0.5),
      // "a" and "dog", then "a".
      localRecall: [none('UNDEFINED_FIGURE'), value(3 / 5)],
    })
    expect(system.types.value).toBeGreaterThanOrEqual(3)
    expect(system.types.value).toBeLessThanOrEqual(4)
  })

  it('has a person beside the others, of whom one is left out', () => {
    const [person, system] = measure([[words('a b'), words('a c'), words('a d')]], [[words('a b')]]).sides
    // Two others use "a" in each fold, one other each of two more words, which the third does not use.
    expect(person.localRecall).toEqual([value(0), value(1)])
    // In two of the three folds one of the others says "b": 2 of 6.
    expect(system.localRecall).toEqual([value(1 / 3), value(1)])
  })

  it('counts equal captions once', () => {
    const people = [words('a dog'), words('a cat'), words('dog a'), words('a dog')].map((caption) => [
      caption,
    ])
    const [person, system] = measure(people, [people.map(() => words('a dog'))]).sides
    expect(person.distinctShare).toEqual(value(3 / 4))
    expect(system.distinctShare).toEqual(value(1 / 4))
  })

  it('has type-token ratios of full segments, without bigrams across captions', () => {
    const long = Array.from({ length: 600 }, (_, i) => `w${i % 300}`)
    // 1,800 words are one full segment; 1,797 bigrams too.
    const [person] = measure([[long], [long], [long]], []).sides
    expect(person.wordTypeTokenRatio).toEqual(value(0.3))
    // "w299 w0" within the captions.
    expect(person.bigramTypeTokenRatio).toEqual(value(0.3))
    const alone = Array.from({ length: 1000 }, (_, i) => [[`w${i % 10}`]])
    const [single] = measure(alone, []).sides
    expect(single.wordTypeTokenRatio).toEqual(value(0.01))
    expect(single.bigramTypeTokenRatio).toEqual(none('TOO_FEW_TOKENS'))
  })
})

describe('undefined figures', () => {
  it('have a reason without images', () => {
    const [person, system] = measure([], [[]]).sides
    for (const side of [person, system]) {
      const { localRecall: _, localRecallOfAll: __, ...figures } = side
      for (const figure of Object.values(figures).filter(Boolean)) expect(figure).toEqual(none('NO_IMAGES'))
    }
  })

  it('have a reason with one caption, of one image', () => {
    const [person] = measure([[words('a dog')]], []).sides
    expect(person).toEqual({
      meanLength: value(2),
      lengthDeviation: none('UNDEFINED_FIGURE'),
      types: value(2),
      wordTypeTokenRatio: none('TOO_FEW_TOKENS'),
      bigramTypeTokenRatio: none('TOO_FEW_TOKENS'),
      distinctShare: value(1),
      vocabularyShare: none('ONE_CAPTION'),
      localRecall: [],
      localRecallOfAll: [],
      unseenShare: null,
    })
  })

  it('have a reason beside a system that says nothing', () => {
    const { tokenCount, sides } = measure([[words('a dog'), words('a cat')]], [[[]]])
    expect(tokenCount).toBe(0)
    for (const side of sides)
      expect(side).toMatchObject({
        types: none('UNDEFINED_FIGURE'),
        vocabularyShare: none('UNDEFINED_FIGURE'),
      })
    expect(sides[1].meanLength).toEqual(value(0))
  })
})

describe('properties', () => {
  const caption = fc.array(fc.constantFrom(...'abcdefg'), { maxLength: 6 })
  const arbitrary = fc
    .record({ people: fc.integer({ min: 1, max: 5 }), count: fc.integer({ min: 1, max: 6 }) })
    .chain(({ people, count }) => {
      const list = (length: number) => fc.array(caption, { minLength: length, maxLength: length })
      return fc.record({
        images: fc.array(list(people), { minLength: count, maxLength: count }),
        systems: fc.array(list(count), { maxLength: 3 }),
        seed: fc.integer(),
      })
    })

  it('are those of sets', () => {
    fc.assert(
      fc.property(arbitrary, ({ images, systems, seed }) => {
        const { tokenCount, sides } = measure(images, systems, seed)
        const expected = diversity(images, systems, seed)
        expect(tokenCount).toBe(expected.tokenCount)
        expect(sides.map(valuesOf)).toEqual(expected.sides.map(nearAll))
      }),
    )
  })

  it('are those of sets over several segments', () => {
    const random = createRandom(5)
    const text = (length: number) => Array.from({ length }, () => `w${Math.floor(40 * random.next() ** 2)}`)
    const images = Array.from({ length: 150 }, () => [text(9 + random.below(9)), text(12), text(20)])
    const system = images.map(() => text(15 + random.below(20)))
    const { sides } = measure(images, [system], 7)
    const expected = diversity(images, [system], 7)
    expect(expected.sides[1].bigramTypeTokenRatio).toBeLessThan(1)
    expect(sides.map(valuesOf)).toEqual(expected.sides.map(nearAll))
  })
})
