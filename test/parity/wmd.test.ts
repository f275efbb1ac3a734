import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scoreImages } from '../../src/core/metrics/metric.js'
import { createWmd, wordMoversDistances } from '../../src/core/metrics/wmd.js'
import { openWordVectors } from '../../src/formats/words/word-vectors.js'
import { writeTrial } from '../core/metrics/trials.js'
import { dataFile, dataPresent } from '../kit/data.js'

const FILE = 'golden/wmd_glove100.jsonl'
const present = dataPresent('WMD compared with exact distances', [FILE])

interface Golden {
  readonly candidate: readonly string[]
  readonly references: readonly (readonly string[])[]
  readonly distances: readonly number[]
  readonly similarity: number
}

describe.skipIf(!present)('WMD with the built-in vectors', () => {
  it('has the distances of a linear programme, and the similarity', () => {
    const golden = readFileSync(dataFile(FILE), 'utf8')
      .trim()
      .split('\n')
      .map((line): Golden => JSON.parse(line))
    const { corpus, trial } = writeTrial(
      golden.map(({ candidate, references }) => ({
        candidate: candidate.join(' '),
        references: references.map((reference) => reference.join(' ')),
      })),
    )
    const family = createWmd(openWordVectors())
    const bags = family.prepare(corpus)
    const [scores] = scoreImages(family, family.measure(bags, trial))
    for (const [image, { distances, similarity }] of golden.entries()) {
      const found = wordMoversDistances(bags, trial, image)
      for (const [index, distance] of distances.entries()) {
        expect(Math.abs(found[index] - distance)).toBeLessThan(1e-6)
      }
      expect(Math.abs(scores[image] - similarity)).toBeLessThan(1e-6)
    }
    expect(golden).toHaveLength(200)
  })
})
