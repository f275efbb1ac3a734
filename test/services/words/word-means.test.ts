import { beforeAll, describe, expect, it } from 'vitest'
import type { SystemWordEstimates } from '../../../src/core/agreement/system-word-intervals.js'
import { completeRows, gapToPeople } from '../../../src/services/leaderboard/complete-rows.js'
import { type LeaderboardOptions, rankSystems } from '../../../src/services/leaderboard/leaderboard.js'
import { requireSystems, systemWords } from '../../../src/services/systems/systems.js'
import type { WordMean, WordMeanFigure } from '../../../src/services/words/compute-word-means.js'
import { phrSummaries } from '../../../src/services/words/phr.js'
import { systemWordEstimates } from '../../../src/services/words/word-figures.js'
import { reportWords } from '../../../src/services/words/word-report.js'
import {
  listWords,
  meansOverWords,
  summarizeWords,
  type WordMeansOptions,
} from '../../../src/services/words/words.js'
import { startWorkers } from '../../../src/services/workers/workers.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { initWorld, type SeededDataset, type World } from '../../kit/seed.js'
import { first } from '../kit.js'

const ANIMALS = ['dog', 'cat', 'horse', 'bird'] as const
const animalOf = (index: number) => ANIMALS[index % ANIMALS.length]
const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `image ${index}`)

/** People mostly agree on the animal; "outside" is used by one person of each fourth image: human recall is 0. */
const imagesOf = (count: number) =>
  Object.fromEntries(
    idsOf(count).map((id, index) => [
      id,
      [
        `A ${animalOf(index)}${index % 4 === 0 ? ' outside' : ''}.`,
        index % 5 === 0 ? 'Something moves.' : `The ${animalOf(index)} runs.`,
        `One ${animalOf(index)}${index % 3 === 0 ? ' and a dog' : ''}.`,
      ],
    ]),
  )
const VOCABULARY = { dog: 'NN', cat: 'NN', horse: 'NN', bird: 'NN', outside: 'OTHER' } as const

/** Scores of every animal, wrong in every `miss`-th image. */
const scoresOf = (count: number, miss: number) =>
  Object.fromEntries(
    idsOf(count).map((id, index) => [
      id,
      Object.fromEntries(
        ANIMALS.map((animal) => [
          animal,
          ((animal === animalOf(index)) !== (index % miss === 0) ? 0.5 : 0.1) + ((index * 7919) % 100) / 1000,
        ]),
      ),
    ]),
  )

describe.each(ENGINES)('means over words on %s', (engine) => {
  let world: World
  let zoo: SeededDataset
  let few: SeededDataset
  beforeAll(async () => {
    world = await initWorld({ engine })
    zoo = await world.dataset('zoo', { images: imagesOf(40), vocabulary: VOCABULARY })
    few = await world.dataset('few', { images: imagesOf(9), vocabulary: VOCABULARY })
    await zoo.captionSystem(
      'captioner',
      Object.fromEntries(
        idsOf(40).map((id, index) => [id, `A ${animalOf(index - (index % 7 === 0 ? 1 : 0) + 1)}.`]),
      ),
    )
    await zoo.scoreSystem('blunt', scoresOf(40, 2))
    await zoo.scoreSystem('sharp', scoresOf(40, 10))
    await zoo.scoreSystem('sparse', scoresOf(20, 10))
    await few.scoreSystem('sharp', scoresOf(9, 10))
  })

  async function meansOf(name: string | null, options: WordMeansOptions = {}, dataset = zoo) {
    const [system = null] = name === null ? [] : await requireSystems(world.accord, dataset.row, [name])
    return { system, means: (await meansOverWords(world.accord, dataset.row, [system ?? null], options))[0] }
  }
  const listVocabulary = async () =>
    (await listWords(world.accord, zoo.row).page(first(10))).rows.map(({ row }) => row)
  const pick = (means: readonly WordMean[], figure: WordMeanFigure) =>
    means.find((mean) => mean.figure === figure) as WordMean

  it('of people are those of the summary, and say which words they are of', async () => {
    const { means } = await meansOf(null)
    const summary = await summarizeWords(world.accord, zoo.row)
    expect(means.map(({ figure, wordCount }) => [figure, wordCount])).toEqual([
      ['HUMAN_PRECISION', 5],
      ['AGREED_HUMAN_PRECISION', 4],
      ['HUMAN_RECALL', 5],
      ['HELD_OUT_PRECISION', 4],
    ])
    expect(pick(means, 'HUMAN_PRECISION').value).toBeCloseTo(summary.meanPrecision as number, 12)
    expect(pick(means, 'HUMAN_RECALL').value).toBeCloseTo(summary.meanRecall as number, 12)
    // Without "outside", whose precision is 0.
    expect(pick(means, 'AGREED_HUMAN_PRECISION').value).toBeCloseTo(
      ((summary.meanPrecision as number) * 5) / 4,
      12,
    )
  })

  it.each(['sharp', 'blunt', 'sparse'])(
    'of %s are those that are stored, with intervals around them',
    async (name) => {
      const { system, means } = await meansOf(name)
      const id = system?.id as number
      const summary = (await phrSummaries(world.accord, zoo.row, [id])).get(id)!
      const phr = pick(means, 'PHR')
      expect(phr.wordCount).toBe(summary.definedWordCount)
      expect(phr.value).toBeCloseTo(summary.meanPrecisionAtHumanRecall as number, 12)
      expect(pick(means, 'AVERAGE_PRECISION').value).toBeCloseTo(summary.meanAveragePrecision as number, 12)
      expect(pick(means, 'HUMAN_PRECISION_OF_SAME_WORDS').value).toBeCloseTo(
        summary.meanHumanPrecision as number,
        12,
      )
      const gap = gapToPeople(means) as WordMean
      expect(gap.value).toBeCloseTo((phr.value as number) - (summary.meanHumanPrecision as number), 12)
      expect(gap.pValue).toBeGreaterThan(0)
      expect(gap.pValue).toBeLessThanOrEqual(1)
      for (const { value, interval, undefinedReason, standardError } of means) {
        expect(undefinedReason).toBeNull()
        expect(standardError).toBeGreaterThan(0)
        expect(interval?.lower).toBeLessThan(value as number)
        expect(interval?.upper).toBeGreaterThan(value as number)
      }
    },
  )

  it('without average precision are the others', async () => {
    const { means } = await meansOf('sharp')
    const { means: others } = await meansOf('sharp', { hasAveragePrecision: false })
    expect(others).toEqual(means.filter(({ figure }) => figure !== 'AVERAGE_PRECISION'))
    expect(others).toHaveLength(means.length - 1)
  })

  it('of a captioning system are those of its words', async () => {
    const { means } = await meansOf('captioner', { partOfSpeech: ['NN'], references: 1 })
    const { words } = await reportWords(world.accord, {
      dataset: 'zoo',
      systems: ['captioner'],
      partOfSpeech: ['NN'],
      references: 1,
    })
    const precisions = words.map(({ systems }) => systems.get('captioner')?.precision as number)
    const mean = precisions.reduce((sum, precision) => sum + precision, 0) / precisions.length
    expect(pick(means, 'WORD_PRECISION')).toMatchObject({ wordCount: 4, undefinedReason: null })
    expect(pick(means, 'WORD_PRECISION').value).toBeCloseTo(mean, 12)
    expect(means.map(({ figure }) => figure)).toContain('WORD_RECALL')
    expect(gapToPeople(means)?.value).toBeLessThan(0)
  })

  it('of one word are those that are stored, with intervals unless it is rare', async () => {
    const words = await listVocabulary()
    const turn = async () => {}
    for (const name of ['sharp', 'captioner']) {
      const [system] = await requireSystems(world.accord, zoo.row, [name])
      const estimates = await systemWordEstimates(world.accord, zoo.row, system, words, {
        references: 2,
        turn,
      })
      expect(estimates.size).toBe(words.length)
      const ids = words.map(({ id }) => id)
      for (const [id, stored] of await systemWords(world.accord, system.id, 2, ids)) {
        const { gapToPeople: _gap, ...figures } = estimates.get(id) as SystemWordEstimates
        for (const [figure, { value }] of Object.entries(figures)) {
          const expected = stored[figure as keyof typeof figures]
          if (expected === null) expect(value).toBeNull()
          else expect(value).toBeCloseTo(expected, 12)
        }
      }
      const [dog, cat] = ids.map((id) => estimates.get(id)?.gapToPeople)
      // "dog" is used in 20 of 40 images, "cat" in 10.
      expect([dog?.undefinedReason, cat?.undefinedReason]).toEqual([
        name === 'sharp' ? null : 'RARELY_PREDICTED',
        'RARE_WORD',
      ])
    }
  })

  it('on words that are listed by the gap come by the upper end of its interval, those without one last', async () => {
    const many = await world.dataset('many', { images: imagesOf(160), vocabulary: VOCABULARY })
    // Three of five horses are cats, every second dog is a bird; of these are few, so that the interval is wide.
    const mistaken = (index: number) =>
      index % 4 === 2 && index % 5 < 3 ? 'cat' : index % 16 > 10 ? 'thing' : animalOf(index)
    await many.captionSystem(
      'uneven',
      Object.fromEntries(
        idsOf(160).map((id, index) => [id, index % 8 === 0 ? 'A bird.' : `A ${mistaken(index)}.`]),
      ),
    )
    const { words } = await reportWords(world.accord, { dataset: 'many', systems: ['uneven'], sort: 'gap' })
    const gaps = words.map(({ estimates }) => estimates.get('uneven')?.gapToPeople)
    const bounds = gaps.map((gap) => gap?.interval?.upper ?? Number.POSITIVE_INFINITY)
    expect(bounds.filter(Number.isFinite).length).toBeGreaterThan(1)
    expect(bounds).toEqual(bounds.toSorted((one, other) => one - other))
    const values = gaps.flatMap((gap) => (gap?.interval ? [gap.value as number] : []))
    expect(values).not.toEqual(values.toSorted((one, other) => one - other))
  })

  it('by a worker are the same', async () => {
    const workers = await startWorkers({ location: world.location, count: 1 })
    try {
      for (const name of [null, 'sharp']) {
        const { system, means } = await meansOf(name, { references: 1 })
        expect(await meansOverWords(world.remote, zoo.row, [system ?? null], { references: 1 })).toEqual([
          means,
        ])
      }
    } finally {
      await workers.close()
    }
  })

  it('give leaderboards by PHR intervals and gaps', async () => {
    const options: LeaderboardOptions = { by: 'PHR' }
    const rows = await rankSystems(world.accord, zoo.row, options)
    const completed = await completeRows(world.accord, zoo.row, rows, options)
    expect(completed.map(({ system, value, rank }) => [system?.name, value, rank])).toEqual(
      rows.map(({ system, value, rank }) => [system?.name, value, rank]),
    )
    for (const { value, interval, isHuman, gapToPeople: gap } of completed) {
      expect(interval?.lower).toBeLessThan(value as number)
      expect(interval?.upper).toBeGreaterThan(value as number)
      expect(gap === null).toBe(isHuman)
    }
  })

  it('do not depend on other systems', async () => {
    const { means } = await meansOf('sharp', { partOfSpeech: ['NN'] })
    await zoo.scoreSystem('another', scoresOf(40, 3))
    const { means: after } = await meansOf('sharp', { partOfSpeech: ['NN'] })
    expect(after).toEqual(means)
  })

  describe('abuse', () => {
    it('of fewer than 10 images have a reason instead of intervals', async () => {
      const { means } = await meansOf('sharp', {}, few)
      for (const mean of means) {
        expect(mean).toMatchObject({ interval: null, pValue: null, undefinedReason: 'TOO_FEW_IMAGES' })
        expect(mean.value).not.toBeNull()
      }
    })

    it('of words without the figure are null with a reason', async () => {
      const { means } = await meansOf(null, { partOfSpeech: ['OTHER'] })
      expect(pick(means, 'AGREED_HUMAN_PRECISION')).toMatchObject({
        wordCount: 0,
        value: null,
        interval: null,
        undefinedReason: 'UNDEFINED_FIGURE',
      })
      expect((await meansOf(null, { partOfSpeech: [] })).means).toEqual([])
    })

    it('reject a number of references that does not exist', async () => {
      expect(await rejectionOf(meansOf('sharp', { references: 3 }))).toMatch(/^OUT_OF_RANGE references/)
    })
  })
})
