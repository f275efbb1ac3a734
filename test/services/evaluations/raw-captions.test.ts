/** A metric that reads captions as they are written, on stored captions. */
import { describe, expect, it } from 'vitest'
import { chrf } from '../../../src/core/metrics/chrf.js'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import { planEvaluation } from '../../../src/services/evaluations/evaluate-job.js'
import { readAgreement } from '../../../src/store/scores.js'
import { score } from '../../core/metrics/trials.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'
import {
  computeAgreement,
  computeInParts,
  evaluate,
  importCaptions,
  readReport,
  systemOf,
  threads,
} from './caption-metrics.js'

const HUMAN = {
  a: ['A man, riding a horse.', 'Somebody rides a HORSE!'],
  b: ['Two dogs 🐕🐕 run.', 'Dogs run on “grass”.'],
  c: ["A child's red ball", 'The ball is red; a child plays.'],
}
const OURS = { a: 'a man rides a horse', b: 'Two Dogs run.', c: "The child's ball" }

const family = chrf as unknown as MetricFamily
const direct = (candidates: readonly string[], referencesOf: (image: number) => readonly string[]) =>
  score(
    family,
    candidates.map((candidate, image) => ({ candidate, references: referencesOf(image) })),
  )

describe.each(ENGINES)('captions as they are written on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  const dataset = await importCaptions(database, 'written', HUMAN)
  await dataset.captionSystem('ours', OURS)
  const written = Object.values(HUMAN)

  it('are scored against all captions of the image, at once and in parts', async () => {
    const expected = direct(Object.values(OURS), (image) => written[image])
    const input = { metrics: ['chrF'] }
    const whole = await evaluate(database, dataset, 'ours', input)
    const system = await systemOf(database, dataset, 'ours')
    const { scoreIds } = await computeInParts(
      database,
      await planEvaluation(database, threads, system, input),
      2,
    )
    for (const { scores, imageScores } of [whole, await readReport(database, system, scoreIds)]) {
      expect(scores[0].value).toBe(expected.corpus.chrF)
      expect([...imageScores[0]]).toEqual(expected.images.map(({ chrF }) => chrF))
    }
  })

  it('are scored on folds, those of people and of a system', async () => {
    const folds = [0, 1].map((held) => ({
      people: direct(
        written.map((captions) => captions[held]),
        (image) => [written[image][1 - held]],
      ).corpus.chrF,
      ours: direct(Object.values(OURS), (image) => [written[image][1 - held]]).corpus.chrF,
    }))
    const input = { metrics: ['chrF'], references: 1 }
    const { scores } = await evaluate(database, dataset, 'ours', input)
    expect(scores[0].folds).toEqual(folds.map(({ ours }) => ours))
    await computeAgreement(database, threads, dataset.row, input, () => {})
    const [agreement] = await readAgreement(database, [dataset.row.id])
    expect(agreement.folds).toEqual(folds.map(({ people }) => people))
  })
})
