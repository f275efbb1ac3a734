import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Baseline, orderBoxes } from '../../src/core/selection/baselines.js'
import { learnPriors } from '../../src/core/selection/priors.js'
import type { BoxSource } from '../../src/core/selection/scenes.js'
import {
  collectReferences,
  scoreHumans,
  scoreOrders,
  summarizeScores,
} from '../../src/core/selection/selection-metric.js'
import { readBoxes } from '../../src/formats/boxes/boxes.js'
import { MAX_SELECTED_BOXES } from '../../src/shared/choices.js'
import { dataFile, dataPresent } from '../kit/data.js'

const FILES = {
  development: 'entities/entities_dev.json',
  test: 'entities/entities_test.json',
  golden: 'golden/content_selection_entities.csv',
}
const present = dataPresent('content selection compared with the reference figures', Object.values(FILES))

interface GoldenRow {
  system: string
  k: string
  precision: string
  recall: string
  f: string
  precision_sd: string
  recall_sd: string
  f_sd: string
}

describe.skipIf(!present)('content selection on Flickr30k Entities', () => {
  let development: BoxSource
  let test: BoxSource
  let golden: readonly GoldenRow[]

  beforeAll(() => {
    development = readBoxes(dataFile(FILES.development))
    test = readBoxes(dataFile(FILES.test))
    golden = parse<GoldenRow>(readFileSync(dataFile(FILES.golden)), { columns: true })
  })

  const rowsOf = (name: string) =>
    golden
      .filter(({ system }) => system === name)
      .map((row) => ({
        precision: expect.closeTo(Number(row.precision), 9),
        recall: expect.closeTo(Number(row.recall), 9),
        f: expect.closeTo(Number(row.f), 9),
        precisionSd: expect.closeTo(Number(row.precision_sd), 9),
        recallSd: expect.closeTo(Number(row.recall_sd), 9),
        fSd: expect.closeTo(Number(row.f_sd), 9),
      }))

  it('reads all images, boxes and descriptions', () => {
    expect([development.images.length, test.images.length]).toEqual([499, 500])
    expect([development.descriptions.length, test.descriptions.length]).toEqual([2480, 2489])
    const boxes = [development, test].map(({ images }) => images.flatMap((image) => image.boxes).length)
    expect(boxes).toEqual([2883, 3129])
    for (const { counts } of [development, test]) {
      expect(Object.values(counts).every((count) => count === 0)).toBe(true)
    }
  })

  it('computes the human bound', () => {
    const references = collectReferences(test.images, test.descriptions)
    expect([summarizeScores(scoreHumans(references))]).toMatchObject(rowsOf('human'))
  })

  it.each<Baseline>(['size', 'unigram', 'bigram', 'unigram+size', 'bigram+size'])(
    'computes %s for k = 1..15',
    (baseline) => {
      const priors = learnPriors(development.images, development.descriptions)
      const references = collectReferences(test.images, test.descriptions)
      const orders = new Map(
        test.images.map((image) => [
          image.imageId,
          orderBoxes(baseline, image, { seed: 1, priors }).map(({ id }) => id),
        ]),
      )
      const summaries = scoreOrders(references, orders, MAX_SELECTED_BOXES).map(summarizeScores)
      expect(rowsOf(baseline)).toHaveLength(MAX_SELECTED_BOXES)
      expect(summaries).toMatchObject(rowsOf(baseline))
    },
  )
})
