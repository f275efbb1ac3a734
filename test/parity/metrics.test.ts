import { beforeAll, describe, expect, test } from 'vitest'
import { bleu } from '../../src/core/metrics/bleu.js'
import { cider } from '../../src/core/metrics/cider.js'
import { type MetricFamily, scoreCorpus, scoreImages } from '../../src/core/metrics/metric.js'
import { rougeL } from '../../src/core/metrics/rouge-l.js'
import { type LeaveOneOutTable, leaveOneOut } from '../core/agreement/kit.js'
import {
  type GoldenCorpus,
  type GoldenScores,
  goldenPresent,
  readGoldenCorpus,
  readGoldenImageScores,
  readGoldenScores,
  SYSTEMS,
  TOOLKIT_NAMES,
  trialOf,
} from './golden.js'

const TOLERANCE = 1e-9
const families: readonly MetricFamily[] = [bleu, rougeL, cider]

describe.skipIf(!goldenPresent)('the reference toolkit, 5,000 images', () => {
  let golden: GoldenCorpus
  let scores: GoldenScores

  beforeAll(() => {
    golden = readGoldenCorpus(SYSTEMS)
    scores = readGoldenScores()
  })

  describe.each(SYSTEMS)('%s', (system) => {
    let imageScores: ReturnType<typeof readGoldenImageScores>

    beforeAll(() => {
      imageScores = readGoldenImageScores(system)
    })

    test.each(families.map((family) => [family.metrics.map(({ name }) => name).join(', '), family] as const))(
      '%s: the corpus and every image',
      (_, family) => {
        const statistics = family.measure(family.prepare(golden.corpus), trialOf(golden, system))
        const corpus = scoreCorpus(family, statistics)
        const images = scoreImages(family, statistics)
        family.metrics.forEach(({ name }, metric) => {
          const toolkit = TOOLKIT_NAMES[name]
          expect(Math.abs(corpus[metric] - scores[system].corpus[toolkit]), name).toBeLessThan(TOLERANCE)
          const different = golden.imageIds.filter(
            (id, image) => !(Math.abs(images[metric][image] - imageScores.get(id)![toolkit]) < TOLERANCE),
          )
          expect(different, name).toEqual([])
        })
      },
    )
  })

  describe('leave one out, K = 5', () => {
    let table: LeaveOneOutTable

    beforeAll(() => {
      table = leaveOneOut(golden.corpus, golden.human, families, 5)
    })

    test('every image has five captions', () => {
      expect([table.images.length, table.excludedImageCount]).toEqual([5000, 0])
    })

    test.each(Object.keys(TOOLKIT_NAMES))('%s: every fold and the mean', (name) => {
      const { folds, mean, interval } = table.scores.find(({ metric }) => metric.name === name)!
      const toolkit = TOOLKIT_NAMES[name]
      folds.forEach((score, fold) => {
        const expected = scores.leave_one_out.folds[fold][toolkit]
        expect(Math.abs(score - expected), `fold ${fold}`).toBeLessThan(TOLERANCE)
      })
      expect(Math.abs(mean - scores.leave_one_out.mean[toolkit])).toBeLessThan(TOLERANCE)
      expect(interval!.lower).toBeLessThan(mean)
      expect(interval!.upper).toBeGreaterThan(mean)
    })
  })
})
