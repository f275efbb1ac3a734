import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { MetricFamily } from '../../src/core/metrics/metric.js'
import { createWmd } from '../../src/core/metrics/wmd.js'
import { openWordVectors } from '../../src/formats/words/word-vectors.js'
import { score } from '../core/metrics/trials.js'
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
    const family = createWmd(openWordVectors()) as MetricFamily
    const written = golden.map(({ candidate, references }) => ({
      candidate: candidate.join(' '),
      references: references.map((reference) => reference.join(' ')),
    }))
    const { images } = score(family, written)
    for (const [image, { distances, similarity }] of golden.entries()) {
      const { candidate, references } = written[image]
      const pairs = references.map((reference) => ({ candidate, references: [reference] }))
      const found = score(family, pairs).images.map(({ WMD }) => -Math.log(WMD))
      for (const [index, distance] of distances.entries()) {
        expect(Math.abs(found[index] - distance)).toBeLessThan(1e-6)
      }
      expect(Math.abs(images[image].WMD - similarity)).toBeLessThan(1e-6)
    }
    expect(golden).toHaveLength(200)
  })
})
