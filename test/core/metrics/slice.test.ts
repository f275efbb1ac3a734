import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureShard } from '../../../src/compute/works.js'
import { countDocumentFrequencies } from '../../../src/core/metrics/document-frequencies.js'
import { createTableMerger, decodeTables, encodeTables } from '../../../src/core/metrics/frequency-tables.js'
import { scoreCorpus, sliceTrials } from '../../../src/core/metrics/metric.js'
import { paraphrasesOf, TOY } from './meteor/kit.js'
import { toyRegistry } from './registry-kit.js'
import { type WrittenImage, writeTrial } from './trials.js'

const WORDS = [
  'a',
  'the',
  'man',
  'men',
  'person',
  'car',
  'cars',
  'auto',
  'k.',
  "'s",
  '1\u00a0/2',
  '/2',
  't-shirt',
]
const caption = fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' '))
const image: fc.Arbitrary<WrittenImage> = fc.record({
  candidate: caption,
  references: fc.array(caption, { minLength: 1, maxLength: 4 }),
})

const paraphrases = paraphrasesOf([
  ['a man', 'person'],
  ['the', 'a car'],
  ['cars', 'the auto'],
])

describe.each([
  ['all families', TOY],
  ['METEOR with paraphrases', { ...TOY, paraphrases }],
])('%s', (_, resources) => {
  const registry = toyRegistry({ meteor: { read: () => resources, hash: () => '' } })
  const { families } = registry.choose([
    ...registry.metrics.flatMap(({ name, isDefault }) => (isDefault ? name : [])),
    'chrF',
  ])

  test('rows of slices are those of all images measured at once, to the last bit', () => {
    fc.assert(
      fc.property(
        fc.array(image, { minLength: 1, maxLength: 9 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        (images, cuts) => {
          const { corpus, trial } = writeTrial(images)
          const whole = measureShard(families, corpus, [trial])
          const starts = [...new Set([0, ...cuts.map((cut) => cut % images.length)])].sort((a, b) => a - b)
          const slices = starts.map((start, index) =>
            sliceTrials(corpus, [trial], start, starts[index + 1] ?? images.length),
          )
          const merger = createTableMerger()
          for (const slice of slices) {
            const tables = countDocumentFrequencies(slice.corpus, slice.trials, { partial: true })
            merger.add(decodeTables(encodeTables(tables)))
          }
          const [documentFrequencies] = merger.merged()
          const rows = slices.map((slice) =>
            measureShard(families, slice.corpus, [{ ...slice.trials[0], documentFrequencies }]),
          )
          families.forEach((family, index) => {
            const joined = Float64Array.from(rows.flatMap((shard) => Array.from(shard[index][0])))
            expect(joined, family.name).toEqual(whole[index][0])
            expect(scoreCorpus(family, joined)).toEqual(scoreCorpus(family, whole[index][0]))
          })
        },
      ),
    )
  })
})

test('a slice has the captions of its images alone', () => {
  const { corpus, trial } = writeTrial([
    { candidate: 'a b', references: ['c'] },
    { candidate: 'd', references: ['e f', 'g'] },
  ])
  const slice = sliceTrials(corpus, [trial, { ...trial, candidates: trial.references.subarray(1) }], 1, 2)
  const texts = Array.from(slice.corpus.tokens, (token) => corpus.texts[token])
  expect(texts).toEqual(['d', 'e', 'f', 'g'])
  expect(slice.trials).toEqual([
    {
      candidates: Int32Array.of(0),
      references: Int32Array.of(1, 2),
      referenceOffsets: Int32Array.of(0, 2),
      documentFrequencies: undefined,
    },
    {
      candidates: Int32Array.of(2),
      references: Int32Array.of(1, 2),
      referenceOffsets: Int32Array.of(0, 2),
      documentFrequencies: undefined,
    },
  ])
})

test('progress rises to 1, and an error that it throws ends the measurement', () => {
  const { families } = toyRegistry().choose()
  const { corpus, trial } = writeTrial(
    Array.from({ length: 600 }, (_, index) => ({ candidate: `a b ${index}`, references: ['a b'] })),
  )
  const shares: number[] = []
  measureShard(families, corpus, [trial, trial], (share) => shares.push(share))
  expect(shares.at(-1)).toBe(1)
  expect(shares.length).toBeGreaterThan(2 * 3 * families.length)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  for (const stopAt of shares.keys()) {
    let reports = 0
    const stop = () => {
      if (reports++ === stopAt) throw new Error('stopped')
    }
    expect(() => measureShard(families, corpus, [trial, trial], stop)).toThrow('stopped')
    expect(reports).toBe(stopAt + 1)
  }
})

test('a slice has its captions as they are written, where the corpus has them', () => {
  const { corpus, trial } = writeTrial([
    { candidate: 'a man', references: ['the man'] },
    { candidate: 'a car', references: ['the car', 'cars'] },
  ])
  const written = Array.from({ length: corpus.offsets.length - 1 }, (_, caption) => `caption ${caption}`)
  const { corpus: own, trials } = sliceTrials({ ...corpus, written }, [trial], 1, 2)
  const captionsOf = (texts: readonly string[] | undefined, candidate: number, references: Int32Array) =>
    [candidate, ...references].map((caption) => texts?.[caption])
  expect(captionsOf(own.written, trials[0].candidates[0], trials[0].references)).toEqual(
    captionsOf(written, trial.candidates[1], trial.references.subarray(1)),
  )
  const { written: _, ...tokens } = corpus
  expect(sliceTrials(tokens, [trial], 1, 2).corpus).not.toHaveProperty('written')
})
