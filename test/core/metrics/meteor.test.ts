import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMeteor } from '../../../src/core/metrics/meteor.js'
import { scoreCorpus, scoreImages } from '../../../src/core/metrics/metric.js'
import type { MeteorResources } from '../../../src/core/metrics/resources.js'
import { isSlow } from '../../kit/slow.js'
import { type ImageCaptions, paraphrasesOf, TOY, trialOf } from './meteor/kit.js'

function measure(images: readonly ImageCaptions[], resources = TOY) {
  const meteor = createMeteor(resources)
  const { corpus, trial } = trialOf(images)
  const statistics = meteor.measure(meteor.prepare(corpus), trial)
  return { corpus: scoreCorpus(meteor, statistics)[0], images: [...scoreImages(meteor, statistics)[0]] }
}

const scoreOf = (...image: ImageCaptions) => measure([image]).images[0]

/** The formula, from weighted matches and lengths. */
function formula(matches: [number, number], lengths: [number, number], matchedWords: number, chunks: number) {
  const precision = matches[0] / lengths[0]
  const recall = matches[1] / lengths[1]
  return (
    (precision * recall * (1 - 0.6 * (chunks / matchedWords) ** 0.2)) / (0.15 * recall + 0.85 * precision)
  )
}

describe('one image, by hand', () => {
  test.each<[ImageCaptions, number]>([
    // all words in one chunk: no penalty
    [['red dog', 'red dog'], 1],
    [['red', 'red'], 1],
    // content words .75, "a" .25; two matches in one chunk
    [['a dog', 'a dog sleeps'], formula([1, 1], [1, 1.75], 2, 1)],
    // two chunks
    [['dog red', 'red dog'], formula([1.5, 1.5], [1.5, 1.5], 2, 2)],
    // stem .6, synonym .8
    [['dogs', 'dog'], 0.6],
    [['auto red', 'car blue'], formula([0.6, 0.6], [1.5, 1.5], 1, 1)],
    [['blue', 'red'], 0],
    // function words alone
    [['of the', 'the of'], formula([0.5, 0.5], [0.5, 0.5], 2, 2)],
    // the better reference
    [['red dog', 'blue', 'red dog', 'red'], 1],
    // METEOR's normaliser splits one token into two words
    [['t-shirt', 't shirt'], 1],
  ])('%j', (image, expected) => {
    expect(scoreOf(...image)).toBeCloseTo(expected, 12)
  })
})

describe('a corpus', () => {
  test('is the formula of the sums, not the mean; an image that matches completely in one chunk adds none', () => {
    const { corpus } = measure([
      ['red dog', 'red dog'],
      ['red cat', 'blue cat', 'cat blue mat'],
    ])
    expect(corpus).toBeCloseTo(formula([2.25, 2.25], [3, 3], 3, 1), 12)
  })

  test('an image that matches completely in two chunks adds two', () => {
    const { corpus } = measure([
      ['dog red', 'red dog'],
      ['dog', 'dog'],
    ])
    expect(corpus).toBeCloseTo(formula([2.25, 2.25], [2.25, 2.25], 3, 2), 12)
  })

  test('copies of references score 1', () => {
    const images: ImageCaptions[] = [
      ['two red dogs', 'two red dogs', 'dogs'],
      ['a man in a car', 'a cat', 'a man in a car'],
      ['red', 'red'],
    ]
    expect(measure(images)).toEqual({ corpus: 1, images: [1, 1, 1] })
  })

  test('the first of equally good references is used', () => {
    const twice = (first: string, second: string) =>
      measure([
        ['red x', first, second],
        ['dog', 'dog'],
      ]).corpus
    expect(twice('blue', 'green green green')).not.toBe(twice('green green green', 'blue'))
  })

  test('sums are whole numbers, so that the order of images does not matter', () => {
    const images: ImageCaptions[] = [
      ['the dogs run', 'a dog runs', 'dogs'],
      ['a man in a car', 'a person in an auto'],
      ['', 'x'],
      ['two men', 'two men sit'],
    ]
    expect(measure([...images].reverse()).corpus).toBe(measure(images).corpus)
  })
})

describe('paraphrases', () => {
  const resources = { ...TOY, paraphrases: paraphrasesOf([['in front of', 'before']]) }

  test('weigh .6 and cover all their words', () => {
    const { images } = measure([['in front of cars', 'before cars x']], resources)
    const expected = formula([0.75 + 0.6 * 1.25, 0.75 + 0.6 * 0.75], [2, 2.25], 3, 1)
    expect(images[0]).toBeCloseTo(expected, 12)
  })

  test('are in the parameters only if there is a table', () => {
    const parametersOf = (given: typeof TOY) => createMeteor(given).metrics[0].parameters
    expect(parametersOf(resources)).toMatchObject({
      modules: 'exact+stem+synonym+paraphrase',
      weights: '1+0.6+0.8+0.6',
      paraphrases: 'toy',
    })
    expect(parametersOf(TOY)).toMatchObject({ modules: 'exact+stem+synonym', weights: '1+0.6+0.8' })
    expect(parametersOf(TOY)).not.toHaveProperty('paraphrases')
  })
})

/** The statistics of each image's best reference, every reference measured alone. */
function measureEveryReference(images: readonly ImageCaptions[], resources: MeteorResources): number[] {
  const meteor = createMeteor(resources)
  const score = new Float64Array(1)
  return images.flatMap(([candidate, ...references]) => {
    let best: Float64Array | undefined
    let bestScore = -1
    for (const reference of references) {
      const { corpus, trial } = trialOf([[candidate, reference]])
      const row = meteor.measure(meteor.prepare(corpus), trial)
      meteor.imageScores(row, 0, score)
      if (score[0] <= bestScore) continue
      best = row
      bestScore = score[0]
    }
    return [...best!]
  })
}

describe('the statistics are those of the best of all measured references', () => {
  const captionOf = (words: readonly string[], maxLength: number) =>
    fc.array(fc.constantFrom(...words), { maxLength, size: 'max' }).map((chosen) => chosen.join(' '))
  const imageOf = (words: readonly string[], maxLength: number) =>
    fc
      .tuple(
        captionOf(words, maxLength),
        fc.array(captionOf(words, maxLength), { minLength: 1, maxLength: 6 }),
      )
      .map(([candidate, references]): ImageCaptions => [candidate, ...references])
  const related = ['a', 'the', 'man', 'men', 'person', 'car', 'auto', 'cars', 'run', 'runs']
  const paraphrases = paraphrasesOf([
    ['a man', 'person'],
    ['the', 'a car'],
    ['run', 'b a'],
  ])
  /** Function words that are related to content words, whose matches weigh more. */
  const mixed = { ...TOY, functionWords: new Set(['a', 'men', 'auto', 'runs']) }

  test.each<[string, readonly string[], number, MeteorResources]>([
    ['two words', ['a', 'b'], 9, TOY],
    ['function and content words', ['a', 'the', 'b', 'c'], 9, TOY],
    ['stems and synonyms', related, 9, TOY],
    ['function words related to content words', related, 9, mixed],
    ['about as many words as are bounded', ['a', 'b', 'c', 'd', ...related], 40, TOY],
    ['paraphrases', ['b', ...related], 9, { ...TOY, paraphrases }],
  ])('%s', (_, words, maxLength, resources) => {
    const meteor = createMeteor(resources)
    fc.assert(
      fc.property(fc.array(imageOf(words, maxLength), { minLength: 1, maxLength: 3 }), (images) => {
        const { corpus, trial } = trialOf(images)
        const statistics = meteor.measure(meteor.prepare(corpus), trial)
        expect([...statistics]).toEqual(measureEveryReference(images, resources))
      }),
      { numRuns: 100 },
    )
  })

  test('if an omitted match saves a chunk, which is worth more', () => {
    const resources = { ...TOY, functionWords: new Set(['a', 'the', 'of', 'runs']) }
    const words = 'b c d e f g h i j k l m'
    const image: ImageCaptions = [`running x ${words}`, `${words} runs runs`, `${words} the a of`]
    const meteor = createMeteor(resources)
    const { corpus, trial } = trialOf([image])
    const statistics = [...meteor.measure(meteor.prepare(corpus), trial)]
    expect(statistics).toEqual(measureEveryReference([image], resources))
    expect(statistics).toEqual(measureEveryReference([[image[0], image[1]]], resources))
  })
})

describe('properties', () => {
  const caption = fc
    .array(fc.constantFrom('a', 'the', 'man', 'men', 'car', 'auto', 'run', 'runs', "'s", 't-x'), {
      maxLength: 8,
    })
    .map((words) => words.join(' '))
  const image = fc
    .tuple(caption, fc.array(caption, { minLength: 1, maxLength: 4 }))
    .map(([candidate, references]): ImageCaptions => [candidate, ...references])

  test('0 to 1; 1 for a candidate that is one of its references', () => {
    fc.assert(
      fc.property(image, ([candidate, ...references]) => {
        const score = scoreOf(candidate, ...references)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        if (candidate !== '') expect(scoreOf(candidate, ...references, candidate)).toBe(1)
      }),
    )
  })

  test('the order of references does not matter to an image', () => {
    fc.assert(
      fc.property(image, ([candidate, ...references]) => {
        expect(scoreOf(candidate, ...references.reverse())).toBe(scoreOf(candidate, ...references.reverse()))
      }),
    )
  })

  test('an image scores the same alone and among others', () => {
    fc.assert(
      fc.property(fc.array(image, { minLength: 1, maxLength: 5 }), (images) => {
        expect(measure(images).images).toEqual(images.map((one) => scoreOf(...one)))
      }),
    )
  })
})

describe('abuse', () => {
  test.each([
    ['', 'a dog'],
    ['a dog', ''],
    ['', ''],
    ['$', '%'],
  ])('%j against %j scores 0', (candidate, reference) => {
    expect(scoreOf(candidate, reference)).toBe(0)
  })

  test('captions without words make a corpus of 0', () => {
    expect(measure([['', '']]).corpus).toBe(0)
  })

  test('an image without references is refused', () => {
    expect(() => measure([['a dog']])).toThrow(/at least one reference/)
  })

  test.skipIf(!isSlow)('captions of ten thousand words', () => {
    const words = [
      'a',
      'dog',
      'the',
      'cat',
      'runs',
      'men',
      'car',
      ...Array.from({ length: 400 }, (_, i) => `w${i}`),
    ]
    const text = (step: number) =>
      Array.from({ length: 10_000 }, (_, i) => words[(i * step * (i % 3)) % words.length]).join(' ')
    const score = scoreOf(text(7), text(11), text(13))
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThan(1)
  })
})
