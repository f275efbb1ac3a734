import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { readBoxes } from '../../src/formats/boxes.js'
import { type Baseline, LARGEST_K, orderBoxes } from '../../src/selection/baselines.js'
import { collectReferences, scoreHumans, scoreOrders, summarizeScores } from '../../src/selection/metric.js'
import { learnPriors } from '../../src/selection/priors.js'

const shared = (name: string) => fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url))
const files = [
  'entities/entities_dev.json',
  'entities/entities_test.json',
  'golden/content_selection_entities.csv',
]
const present = files.every((name) => existsSync(shared(name)))
if (!present)
  console.warn('NOT TESTED: content selection against the reference figures; no ../shared/data here')

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
  const [development, test, golden] = present
    ? [
        readBoxes(shared(files[0])),
        readBoxes(shared(files[1])),
        parse<GoldenRow>(readFileSync(shared(files[2])), { columns: true }),
      ]
    : []

  const rowsOf = (name: string) =>
    golden!
      .filter(({ system }) => system === name)
      .map((row) => ({
        precision: expect.closeTo(Number(row.precision), 9),
        recall: expect.closeTo(Number(row.recall), 9),
        f: expect.closeTo(Number(row.f), 9),
        precisionSd: expect.closeTo(Number(row.precision_sd), 9),
        recallSd: expect.closeTo(Number(row.recall_sd), 9),
        fSd: expect.closeTo(Number(row.f_sd), 9),
      }))

  it('reads all images, boxes and descriptions, and leaves none out', () => {
    expect([development!.images.length, test!.images.length]).toEqual([499, 500])
    expect([development!.descriptions.length, test!.descriptions.length]).toEqual([2480, 2489])
    const boxes = [development!, test!].map(({ images }) => images.flatMap((image) => image.boxes).length)
    expect(boxes).toEqual([2883, 3129])
    for (const { counts } of [development!, test!]) {
      expect(Object.values(counts).every((count) => count === 0)).toBe(true)
    }
  })

  it('gives the human bound', () => {
    const references = collectReferences(test!.images, test!.descriptions)
    expect([summarizeScores(scoreHumans(references))]).toMatchObject(rowsOf('human'))
  })

  it.each<Baseline>(['size', 'unigram', 'bigram', 'unigram+size', 'bigram+size'])(
    'gives %s for k = 1..15',
    (baseline) => {
      const priors = learnPriors(development!.images, development!.descriptions)
      const references = collectReferences(test!.images, test!.descriptions)
      const orders = new Map(
        test!.images.map((image) => [
          image.imageId,
          orderBoxes(baseline, image, { seed: 1, priors }).map(({ id }) => id),
        ]),
      )
      const summaries = scoreOrders(references, orders, LARGEST_K).map(summarizeScores)
      expect(rowsOf(baseline)).toHaveLength(LARGEST_K)
      expect(summaries).toMatchObject(rowsOf(baseline))
    },
  )
})
