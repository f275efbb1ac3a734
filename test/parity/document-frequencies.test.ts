import { describe, expect, test } from 'vitest'
import { cider } from '../../src/core/metrics/cider.js'
import { countDocumentFrequencies } from '../../src/core/metrics/document-frequencies.js'
import { hashFrequencies } from '../../src/core/metrics/hashed-frequencies.js'
import { scoreCorpus, type Trial } from '../../src/core/metrics/metric.js'
import { createRandom } from '../../src/core/stats/random.js'
import { readBuiltInFrequencies } from '../../src/formats/words/frequencies.js'
import { goldenPresent, readGoldenCorpus, readGoldenScores, trialOf } from './golden.js'

describe.skipIf(!goldenPresent)('the built-in document frequencies', () => {
  const SYSTEM = 'vinyals-2017'
  const golden = goldenPresent ? readGoldenCorpus([SYSTEM]) : null
  const prepared = golden && cider.prepare(golden.corpus)
  const builtIn = readBuiltInFrequencies()
  const ciderD = (trial: Trial) => scoreCorpus(cider, cider.measure(prepared!, trial))[1]

  test('are those of COCO val2017 with the tokens of the reference toolkit', () => {
    const { imageCount, ngrams, counts } = builtIn
    const [table] = countDocumentFrequencies(golden!.corpus, [golden!.human])
    expect(hashFrequencies(table, golden!.corpus.texts)).toEqual({ imageCount, ngrams, counts })
  })

  test('on val2017 give the figure of the reference toolkit', () => {
    const trial = trialOf(golden!, SYSTEM)
    expect(ciderD({ ...trial, documentFrequencies: builtIn })).toBe(ciderD(trial))
    expect(ciderD(trial)).toBeCloseTo(readGoldenScores()[SYSTEM].corpus.CIDEr_D, 9)
  })

  /** With own document frequencies, 50 images score higher than all 5,000 do; with the built-in ones they do not. */
  test('remove the excess of small sets of images', () => {
    const all = trialOf(golden!, SYSTEM)
    const random = createRandom(1)
    const own: number[] = []
    const fixed: number[] = []
    for (let sample = 0; sample < 12; sample++) {
      const images = Array.from({ length: 50 }, () => random.below(all.candidates.length))
      const trial = takeImages(all, images)
      own.push(ciderD(trial) / ciderD(all))
      fixed.push(ciderD({ ...trial, documentFrequencies: builtIn }) / ciderD(all))
    }
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    expect(mean(own) - mean(fixed)).toBeGreaterThan(0.1)
    expect(Math.abs(mean(fixed) - 1)).toBeLessThan(0.06)
  })
})

function takeImages({ candidates, references, referenceOffsets }: Trial, images: readonly number[]): Trial {
  const lists = images.map((image) => references.slice(referenceOffsets[image], referenceOffsets[image + 1]))
  const offsets = [0]
  for (const list of lists) offsets.push(offsets[offsets.length - 1] + list.length)
  return {
    candidates: Int32Array.from(images, (image) => candidates[image]),
    references: Int32Array.from(lists.flatMap((list) => [...list])),
    referenceOffsets: Int32Array.from(offsets),
  }
}
