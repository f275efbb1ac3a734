import { beforeAll, describe, expect, it } from 'vitest'
import {
  correlateMetrics,
  externalIdsOf,
  imageScoresById,
  quantilesOf,
} from '../../../src/services/evaluations/image-scores.js'
import { scoresBySystem } from '../../../src/services/evaluations/scores.js'
import { requireSystems } from '../../../src/services/systems/systems.js'
import type { ImageScores } from '../../../src/store/scores.js'
import { ENGINES } from '../../kit/databases.js'
import { initPark } from '../kit.js'

const scoresOf = (entries: readonly (readonly [number, number])[]): ImageScores => ({
  imageIds: Int32Array.from(entries, ([id]) => id),
  scores: Float64Array.from(entries, ([, score]) => score),
})

describe.each(ENGINES)('image scores on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  beforeAll(async () => {
    park = await initPark(engine)
    await park.park.evaluate('copier')
  })

  it('are a vector aligned to external ids, without images that the system lacks', async () => {
    const [{ id, datasetId }] = await requireSystems(park.accord, park.park.row, ['copier'])
    const [score] = (await scoresBySystem(park.accord, [id])).get(id) ?? []
    const stored = (await imageScoresById(park.accord, [score.id])).get(score.id) as ImageScores
    expect(await externalIdsOf(park.accord, datasetId, stored)).toEqual(['1', '2', '3'])
    expect(await externalIdsOf(park.accord, datasetId, scoresOf([]))).toEqual([])
  })
})

describe('quantiles of scores', () => {
  it('are in the order of the probabilities', () => {
    const scores = scoresOf([
      [1, 0],
      [2, 4],
      [3, 2],
    ])
    expect(quantilesOf(scores, [1, 0.25])).toEqual([
      { at: 1, value: 4 },
      { at: 0.25, value: 1 },
    ])
    expect(quantilesOf(scoresOf([]), [0.5])).toEqual([])
  })
})

describe('correlations of metrics', () => {
  it('are over the images that have both scores', async () => {
    const one = scoresOf([
      [1, 5],
      [2, 1],
      [4, 2],
      [5, 3],
      [6, 9],
    ])
    const other = scoresOf([
      [2, 10],
      [3, 0],
      [4, 20],
      [5, 30],
    ])
    expect(
      await correlateMetrics(
        new Map([
          ['A', one],
          ['B', other],
          ['C', scoresOf([])],
        ]),
      ),
    ).toEqual([
      {
        first: 'A',
        second: 'B',
        imageCount: 3,
        pearson: expect.closeTo(1, 12),
        spearman: expect.closeTo(1, 12),
      },
      { first: 'A', second: 'C', imageCount: 0, pearson: null, spearman: null },
      { first: 'B', second: 'C', imageCount: 0, pearson: null, spearman: null },
    ])
  })
})
