import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cider } from '../../../src/core/metrics/cider.js'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import type { SpiceResources, WordNetTables } from '../../../src/core/metrics/resources.js'
import { createSpice, createSpider } from '../../../src/core/metrics/spice.js'
import { images } from './properties.js'
import { score, type WrittenImage } from './trials.js'

const SYNSETS: Readonly<Record<string, readonly number[]>> = {
  couch: [1, 2],
  sofa: [2],
  bench: [3],
  sit: [4],
  red: [5],
  scarlet: [5],
  // "hound" is a synonym of "puppy", "animal" and "beast", "whelp" of "animal".
  puppy: [6],
  hound: [6, 7],
  animal: [6, 8],
  beast: [7],
  whelp: [8],
}
const wordNet: WordNetTables = {
  name: 'toy',
  synsetsOf: (lemma) => (Object.hasOwn(SYNSETS, lemma) ? SYNSETS[lemma] : undefined),
  baseFormsOf: () => undefined,
}

/** Reads words such as `dog`, `dog:brown` and `dog>on>sofa` as tuples. */
const resources: SpiceResources = {
  parse: (words) => {
    const tuples = words.map((word) => word.split(/[:>]/))
    return {
      objects: [...new Set(tuples.flatMap(([object, _, third]) => (third ? [object, third] : [object])))],
      attributes: tuples.filter(({ length }) => length === 2) as [string, string][],
      relations: tuples.filter(({ length }) => length === 3) as [string, string, string][],
    }
  },
  parserName: 'toy',
  wordNet,
}

const spice = createSpice(resources)
const spider = createSpider(resources)

function scoreOf(family: MetricFamily, metric: string, candidate: string, ...references: string[]): number {
  return score(family, [{ candidate, references }]).images[0][metric]
}

describe('hand-checked cases', () => {
  test.each([
    ['equal', 'SPICE', 'dog:brown dog>on>sofa', ['dog:brown dog>on>sofa'], 1],
    ['one object of two', 'SPICE', 'dog cat', ['dog'], 2 / 3],
    ['synonyms', 'SPICE', 'dog>on>couch', ['dog>on>sofa'], 1],
    ['synonymous attributes', 'SPICE', 'car:scarlet', ['car:red'], 1],
    ['a wrong relation', 'SPICE', 'dog>on>sofa', ['dog>under>sofa'], 4 / 6],
    ['a reversed relation', 'SPICE', 'dog>on>sofa', ['sofa>on>dog'], 4 / 6],
    ['references are merged', 'SPICE', 'dog cat', ['dog', 'cat', 'dog cat'], 1],
    ['synonyms of references are one tuple', 'SPICE', 'dog sofa', ['dog sofa', 'couch'], 1],
    ['synonyms of a candidate are one tuple', 'SPICE', 'sofa couch', ['sofa'], 1],
    ['a chain of synonyms of references is one tuple', 'SPICE', 'puppy', ['puppy', 'beast', 'hound'], 1],
    ['as many tuples as possible are matched', 'SPICE', 'hound whelp', ['animal beast'], 1],
    ['a tuple is matched once', 'SPICE', 'couch', ['sofa bench'], 2 / 3],
    ['no tuple in common', 'SPICE', 'dog', ['cat'], 0],
    ['a candidate without tuples', 'SPICE', '', ['dog'], 0],
    ['references without tuples', 'SPICE', 'dog', [''], 0],
    ['no tuples at all', 'SPICE', '', [''], 0],
    ['objects', 'SPICE-object', 'dog:brown cat', ['dog'], 2 / 3],
    ['attributes', 'SPICE-attribute', 'dog:brown dog:2', ['dog:brown dog:big dog:old'], 2 / 5],
    ['relations', 'SPICE-relation', 'dog>on>sofa dog>near>cat', ['dog>on>sofa'], 2 / 3],
    ['colors', 'SPICE-color', 'dog:brown dog:old cat:red', ['dog:brown'], 2 / 3],
    ['counts', 'SPICE-count', 'dog:2', ['dog:3'], 0],
    ['sizes', 'SPICE-size', 'dog:big dog:old', ['dog:big'], 1],
  ])('%s', (_, metric, candidate, references, expected) => {
    expect(scoreOf(spice, metric, candidate, ...references)).toBeCloseTo(expected, 14)
  })

  test.each([
    ['SPICE-object', 'dog', ''],
    ['SPICE-attribute', 'dog:old', 'dog'],
    ['SPICE-relation', 'dog>on>sofa', 'dog'],
    ['SPICE-color', 'dog:brown', 'dog:big'],
    ['SPICE-count', 'dog:2', 'dog:big'],
    ['SPICE-size', 'dog:big', 'dog:2'],
  ])(
    '%s is undefined where only the candidate has such a tuple, or neither side',
    (metric, candidate, reference) => {
      expect(scoreOf(spice, metric, candidate, reference)).toBeNaN()
      expect(scoreOf(spice, metric, '', reference)).toBeNaN()
    },
  )

  test('a candidate without a tuple of a kind that the references have scores 0', () => {
    expect(scoreOf(spice, 'SPICE-color', 'dog', 'dog:brown')).toBe(0)
  })

  test('the corpus score is the mean over the images where it is defined', () => {
    const { corpus } = score(spice, [
      { candidate: 'dog:brown', references: ['dog:brown'] },
      { candidate: 'dog:brown', references: ['dog:red'] },
      { candidate: 'dog:brown', references: ['cat'] },
    ])
    expect(corpus.SPICE).toBeCloseTo((1 + 0.5 + 0) / 3, 14)
    expect(corpus['SPICE-color']).toBeCloseTo(1 / 2, 14)
    expect(corpus['SPICE-size']).toBeNaN()
  })
})

test('SPIDEr is the mean of SPICE and CIDEr-D', () => {
  fc.assert(
    fc.property(images, (written) => {
      const [both, one, other] = [spider, spice, cider].map((family) =>
        score(family as MetricFamily, written),
      )
      expect(both.corpus.SPIDEr).toBeCloseTo((one.corpus.SPICE + other.corpus['CIDEr-D']) / 2, 12)
      both.images.forEach(({ SPIDEr }, image) => {
        expect(SPIDEr).toBeCloseTo((one.images[image].SPICE + other.images[image]['CIDEr-D']) / 2, 12)
      })
    }),
  )
})

test('the order of references and of images does not matter', () => {
  fc.assert(
    fc.property(images, (written: readonly WrittenImage[]) => {
      const reversed = written
        .map(({ candidate, references }) => ({ candidate, references: references.toReversed() }))
        .toReversed()
      const scores = score(spice, written).images.map(({ SPICE }) => SPICE)
      expect(score(spice, reversed).images.map(({ SPICE }) => SPICE)).toEqual(scores.toReversed())
      for (const value of scores) expect(value >= 0 && value <= 1).toBe(true)
    }),
  )
})

/** Tuples with chains of synonyms, and several kinds of them. */
const tupleTexts = fc.array(
  fc.constantFrom(
    ...[
      'puppy',
      'hound',
      'beast',
      'animal',
      'whelp',
      'couch',
      'sofa',
      'bench',
      'puppy:red',
      'hound:scarlet',
      'beast:2',
      'beast:red',
    ],
    ...['puppy>on>couch', 'hound>on>sofa', 'beast>on>sofa', 'beast>on>bench'],
  ),
  { maxLength: 10 },
)
const shuffled = <Item>(items: readonly Item[]) =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length })

test('the order of references, and that of the tuples of a caption, changes no figure', () => {
  const ordersOf = (captions: readonly string[][]) =>
    fc
      .tuple(...captions.map(shuffled))
      .chain(([candidate, ...references]) => fc.tuple(fc.constant(candidate), shuffled(references)))
  const image = fc
    .array(tupleTexts, { minLength: 2, maxLength: 5 })
    .chain((captions) => fc.tuple(fc.constant(captions), ordersOf(captions)))
  const scoresOf = (candidate: readonly string[], references: readonly (readonly string[])[]) =>
    score(spice, [{ candidate: candidate.join(' '), references: references.map((texts) => texts.join(' ')) }])
      .images
  fc.assert(
    fc.property(image, ([[candidate, ...references], [other, others]]) => {
      expect(scoresOf(other, others)).toEqual(scoresOf(candidate, references))
    }),
    { numRuns: 100 },
  )
})

test('the signature names the parser and the synonyms', () => {
  expect(spice.metrics[0].parameters).toEqual({ parser: 'toy', synonyms: 'toy' })
  expect(spider.metrics[0].parameters).toMatchObject({ n: '4', sigma: '6', parser: 'toy' })
})
