import { beforeAll, describe, expect, it } from 'vitest'
import { agreementByDataset, reportAgreement } from '../../../src/services/agreement/agreement.js'
import {
  definedScores,
  foldScoresById,
  imageScoresById,
  listImageScores,
  scoreOfHeldOut,
  scoreOfImage,
} from '../../../src/services/evaluations/image-scores.js'
import { pickMetrics, requireMetric, usualMetrics } from '../../../src/services/evaluations/metrics.js'
import { scoresBySystem } from '../../../src/services/evaluations/scores.js'
import { requireSystems } from '../../../src/services/systems/systems.js'
import { readSizes } from '../../../src/store/datasets.js'
import type { MetricScore } from '../../../src/store/schema/score-tables.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { first, initPark } from '../kit.js'

describe.each(ENGINES)('scores on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  beforeAll(async () => {
    park = await initPark(engine)
    await park.park.evaluate('captioner')
    await park.park.evaluate('copier')
    await park.park.captionSystem('unscored', { 1: 'A dog.' })
  })

  const scoresOf = async (name: string) => {
    const [{ id }] = await requireSystems(park.accord, park.park.row, [name])
    return (await scoresBySystem(park.accord, [id])).get(id) ?? []
  }

  it('are in the order of the metrics, one of each', async () => {
    const names = usualMetrics(park.accord)
    expect((await scoresOf('captioner')).map(({ metric }) => metric)).toEqual(names)
    expect(await scoresOf('unscored')).toEqual([])
  })

  it('are of as many metrics as the sizes of the database say', async () => {
    const { metricsPerDataset } = await readSizes(park.accord.database)
    expect(metricsPerDataset).toBe(usualMetrics(park.accord).length)
  })

  it('are the newest of each metric, with any signature', async () => {
    await park.park.captionSystem('again', { 1: 'A dog.' })
    await park.park.evaluate('again')
    const before = await scoresOf('again')
    await park.park.evaluate('again')
    // What is stored would be made in the same way: it is not computed again.
    expect(await scoresOf('again')).toEqual(before)
    const [{ id: systemId, datasetId }] = await requireSystems(park.accord, park.park.row, ['again'])
    await park.accord.run('evaluate', { datasetId, systemId }, {})
    const after = await scoresOf('again')
    expect(after.map(({ value }) => value)).toEqual(before.map(({ value }) => value))
    expect(Math.min(...after.map(({ id }) => id))).toBeGreaterThan(Math.max(...before.map(({ id }) => id)))
  })

  it('are selected by name, in the order of metrics', async () => {
    const scores = await scoresOf('captioner')
    const picked = await pickMetrics(park.accord, scores, ['METEOR', 'BLEU-1', 'METEOR'])
    expect(picked.map(({ metric }) => metric)).toEqual(['BLEU-1', 'METEOR'])
    expect(await pickMetrics(park.accord, scores, null)).toEqual(scores)
    await expect(pickMetrics(park.accord, scores, ['unknown metric'])).rejects.toThrow(/"unknown metric"/)
    expect(() => requireMetric(park.accord, 'unknown metric')).toThrow(/"unknown metric"/)
  })

  it('are listed without images where they are undefined', () => {
    const imageIds = Int32Array.of(1, 2, 3)
    const some = definedScores({ imageIds, scores: Float64Array.of(0.5, Number.NaN, 0) })
    expect([...some.imageIds, ...some.scores]).toEqual([1, 3, 0.5, 0])
    expect(definedScores({ imageIds, scores: Float64Array.of(1, 2, 3) }).imageIds).toBe(imageIds)
  })

  it('have image scores that are listed from either end, equal ones in the order of the dataset', async () => {
    const scores = await scoresOf('captioner')
    const score = scores.find(({ metric }) => metric === 'BLEU-1') as MetricScore
    const stored = (await imageScoresById(park.accord, [score.id])).get(score.id)!
    const worst = listImageScores(stored, { field: 'VALUE' })
    const best = listImageScores(stored, { field: 'VALUE', direction: 'DESC' })
    const rows = (await worst.page(first(10))).rows.map(({ row }) => row)
    const byValue = rows.toSorted((one, other) => one.value - other.value || one.imageId - other.imageId)
    expect(rows).toEqual(byValue)
    expect(rows.map(({ imageId }) => scoreOfImage(stored, imageId))).toEqual(rows.map(({ value }) => value))
    expect(await worst.count()).toBe(4)
    const found: number[] = []
    for (let after = undefined as { value: string | number; id: number } | undefined; ; ) {
      const page = await best.page(first(1, after))
      found.push(...page.rows.map(({ row }) => row.value))
      after = page.rows.at(-1)?.position
      if (!page.hasNextPage) break
    }
    expect(found).toEqual(rows.map(({ value }) => value).sort((one, other) => other - one))
    expect(scoreOfImage(stored, 0)).toBeUndefined()
  })

  describe('of people', () => {
    it('are computed once, and then read', async () => {
      expect((await agreementByDataset(park.accord, [park.park.row.id])).size).toBe(0)
      const computed = await reportAgreement(park.accord, { dataset: 'park' })
      const read = await reportAgreement(
        park.accord,
        { dataset: 'park' },
        {
          progress() {
            throw new Error('This was computed twice.')
          },
        },
      )
      expect(read).toEqual(computed)
      expect((await agreementByDataset(park.accord, [park.park.row.id])).get(park.park.row.id)).toEqual(
        computed.rows,
      )
    })

    it.each([
      [{ dataset: 'moon' }, /^UNKNOWN_DATASET/],
      [{ dataset: 'park', references: 3 }, /^OUT_OF_RANGE references: .* found 3$/],
    ])('are not computed for %o', async (options, message) => {
      expect(await rejectionOf(reportAgreement(park.accord, options))).toMatch(message)
    })

    it('have a score for each caption that a fold holds out', async () => {
      const { rows } = await reportAgreement(park.accord, { dataset: 'park' })
      const row = rows.find(({ metric }) => metric === 'BLEU-1')!
      const scores = (await foldScoresById(park.accord, [row.id])).get(row.id)!
      const [imageId] = scores.imageIds
      expect([0, 1, 2].map((position) => scoreOfHeldOut(row, scores, imageId, position))).toEqual(
        [0, 1, 2].map((fold) => scores.scores[fold * scores.imageIds.length]),
      )
      expect(scoreOfHeldOut(row, scores, imageId, 3)).toBeUndefined()
      expect(scoreOfHeldOut(row, scores, 0, 0)).toBeUndefined()
    })
  })
})
