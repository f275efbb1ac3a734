import { beforeAll, describe, expect, it } from 'vitest'
import type { ComparedFigure } from '../../../src/services/comparisons/compare.js'
import {
  type ComparisonOptions,
  compareOnFigures,
  compare as compareSystems,
} from '../../../src/services/comparisons/comparisons.js'
import { completeRows } from '../../../src/services/leaderboard/complete-rows.js'
import { type LeaderboardOptions, rankSystems } from '../../../src/services/leaderboard/leaderboard.js'
import { requireSystems } from '../../../src/services/systems/systems.js'
import { phrSummaries } from '../../../src/services/words/phr.js'
import { reportWords } from '../../../src/services/words/word-report.js'
import { startWorkers } from '../../../src/services/workers/workers.js'
import { figureName } from '../../../src/shared/verdict.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { initWorld, type SeededDataset, type World } from '../../kit/seed.js'

const ANIMALS = ['dog', 'cat', 'horse', 'bird'] as const
const IDS = Array.from({ length: 40 }, (_, index) => `image ${index}`)
const animalOf = (index: number) => ANIMALS[index % ANIMALS.length]

/** People mostly agree on the animal; every fifth image has one who saw something else. */
const IMAGES = Object.fromEntries(
  IDS.map((id, index) => [
    id,
    [
      `A ${animalOf(index)} outside.`,
      index % 5 === 0 ? 'Something moves.' : `The ${animalOf(index)} runs.`,
      `One ${animalOf(index)}${index % 3 === 0 ? ' and a dog' : ''}.`,
    ],
  ]),
)
const VOCABULARY = { dog: 'NN', cat: 'NN', horse: 'NN', bird: 'NN', runs: 'VB' } as const

const fromIds = <Value>(valueAt: (index: number) => Value, ids = IDS) =>
  Object.fromEntries(ids.map((id) => [id, valueAt(IDS.indexOf(id))]))

/** Scores of every animal: high for the one that is there, except in every `miss`-th image. */
const scores = (miss: number, ids = IDS) =>
  Object.fromEntries(
    ids.map((id) => {
      const index = IDS.indexOf(id)
      const isWrong = index % miss === 0
      return [
        id,
        Object.fromEntries(
          ANIMALS.map((animal) => [
            animal,
            ((animal === animalOf(index)) !== isWrong ? 0.5 : 0.1) + ((index * 7919) % 100) / 1000,
          ]),
        ),
      ]
    }),
  )

const NO_TEST = { interval: null, pValue: null, better: null }
const TOGETHER = { interval: null, pValue: null, better: null }

describe.each(ENGINES)('comparisons on %s', (engine) => {
  let world: World
  let zoo: SeededDataset
  beforeAll(async () => {
    world = await initWorld({ engine })
    zoo = await world.dataset('zoo', { images: IMAGES, vocabulary: VOCABULARY })
    await zoo.captionSystem(
      'good',
      fromIds((index) => `A ${animalOf(index)} runs.`),
    )
    await zoo.captionSystem(
      'copy',
      fromIds((index) => `A ${animalOf(index)} runs.`),
    )
    await zoo.captionSystem(
      'poor',
      fromIds((index) => (index % 2 ? `A ${animalOf(index)}.` : 'A dog runs.')),
    )
    await zoo.captionSystem(
      'part',
      fromIds((index) => `A ${animalOf(index)}.`, IDS.slice(0, 12)),
    )
    await zoo.scoreSystem('sharp', scores(10))
    await zoo.scoreSystem('twin', scores(10))
    await zoo.scoreSystem('blunt', scores(2))
    await zoo.scoreSystem('sparse', scores(2, IDS.slice(0, 20)))
  })

  const compare = (figure: ComparedFigure, systems: readonly string[], options = {}) =>
    compareSystems(world.accord, zoo.row, { figure, systems, ...options })

  const named = (pairs: Awaited<ReturnType<typeof compare>>) =>
    pairs.map(({ first, second, undefinedReason }) => [
      first?.name ?? 'people',
      second?.name ?? 'people',
      undefinedReason,
    ])

  describe('of systems with word scores', () => {
    it('by mean PHR and average precision are of the figures that are stored', async () => {
      const systems = await requireSystems(world.accord, zoo.row, ['sharp', 'blunt'])
      const summaries = await phrSummaries(
        world.accord,
        zoo.row,
        systems.map(({ id }) => id),
      )
      const [sharp, blunt] = systems.map(({ id }) => summaries.get(id)!)
      const [phr] = await compare({ kind: 'PHR' }, ['blunt', 'sharp'])
      expect(named([phr])).toEqual([['blunt', 'sharp', null]])
      expect(phr.firstScore).toBeCloseTo(blunt.meanPrecisionAtHumanRecall!, 12)
      expect(phr.secondScore).toBeCloseTo(sharp.meanPrecisionAtHumanRecall!, 12)
      expect(phr.difference).toBeCloseTo(phr.firstScore! - phr.secondScore!, 12)
      expect(phr.alone.interval!.lower).toBeLessThan(phr.difference!)
      expect(phr.alone.interval!.upper).toBeGreaterThan(phr.difference!)
      expect(phr.alone.pValue).toBeGreaterThan(0)
      expect(phr.alone.pValue).toBeLessThan(0.05)
      expect(phr).toMatchObject({
        imageCount: 40,
        wordCount: sharp.definedWordCount,
        references: { least: 2, most: 2, folds: null },
        signature: expect.stringMatching(/^PHR\|words:5\|refs:2\|images:40\|/),
      })
      const [ap] = await compare({ kind: 'AVERAGE_PRECISION' }, ['blunt', 'sharp'])
      expect(ap.firstScore).toBeCloseTo(blunt.meanAveragePrecision!, 12)
      expect(ap.secondScore).toBeCloseTo(sharp.meanAveragePrecision!, 12)
    })

    it.each(['cat', 'a'])(
      'on the word "%s" without scores are as if all images had the same',
      async (word) => {
        const name = `silent ${word}`
        const silent = await world.dataset(name, { images: IMAGES, vocabulary: { dog: 'NN', cat: 'NN' } })
        const dogs = (index: number) => ({ dog: index / 40 })
        await silent.scoreSystem('mute', fromIds(dogs))
        await silent.scoreSystem(
          'tied',
          fromIds((index) => ({ ...dogs(index), [word]: 0.5 })),
        )
        const options = { figure: { kind: 'PHR', word }, systems: ['mute', 'tied'], people: true } as const
        const [pair, withPeople] = await compareSystems(world.accord, silent.row, options)
        expect(pair.firstScore).toBeGreaterThan(0)
        expect(pair.firstScore).toBe(pair.secondScore)
        expect(withPeople.difference).not.toBe(0)
      },
    )

    it('by PHR have people beside them, by human precision over the same words', async () => {
      const pairs = await compare({ kind: 'PHR' }, ['sharp'], { people: true })
      const [system] = await requireSystems(world.accord, zoo.row, ['sharp'])
      const summary = (await phrSummaries(world.accord, zoo.row, [system.id])).get(system.id)!
      const human = pairs[0].first === null ? pairs[0].firstScore : pairs[0].secondScore
      expect(human).toBeCloseTo(summary.meanHumanPrecision!, 12)
    })

    it('that are equal do not differ', async () => {
      const [pair] = await compare({ kind: 'PHR' }, ['sharp', 'twin'])
      expect(pair).toMatchObject({
        difference: 0,
        alone: { pValue: 1, interval: null },
        undefinedReason: 'NO_VARIATION',
      })
    })

    it('are each on their own shared images', async () => {
      const pairs = await compare({ kind: 'AVERAGE_PRECISION' }, ['sharp', 'blunt', 'sparse'])
      const images = new Map(
        pairs.map(({ first, second, imageCount }) => [
          [first, second]
            .map((side) => side?.name)
            .sort()
            .join(' '),
          imageCount,
        ]),
      )
      expect(images).toEqual(
        new Map([
          ['blunt sharp', 40],
          ['sharp sparse', 20],
          ['blunt sparse', 20],
        ]),
      )
      const equal = pairs.find(({ first, second }) => ![first?.name, second?.name].includes('sharp'))!
      expect(equal.difference).toBe(0)
    })

    it('by a single word, and by its part of speech', async () => {
      const [dog] = await compare({ kind: 'PHR', word: 'dog' }, ['sharp', 'blunt'])
      expect(dog).toMatchObject({ wordCount: 1, undefinedReason: null })
      const [nouns] = await compare({ kind: 'PHR', partOfSpeech: ['NN'] }, ['sharp', 'blunt'])
      expect(nouns.wordCount).toBe(4)
      const [outside] = await compare({ kind: 'PHR', word: 'outside' }, ['sharp', 'blunt'])
      expect(outside).toMatchObject({
        undefinedReason: 'UNDEFINED_FIGURE',
        difference: null,
        alone: NO_TEST,
        together: { ...TOGETHER, tests: 0, level: null },
      })
    })
  })

  it('on a word of few images, or that few images lack, have figures but no interval and no test', async () => {
    const [cat] = await compare({ kind: 'PHR', word: 'cat' }, ['sharp', 'blunt'])
    expect(cat).toMatchObject({ undefinedReason: 'RARE_WORD', alone: NO_TEST })
    expect(cat.difference).toBeCloseTo(cat.firstScore! - cat.secondScore!, 12)
    const [runs] = await compare({ kind: 'WORD_PRECISION', word: 'runs' }, ['good'], { people: true })
    expect(runs).toMatchObject({ undefinedReason: 'COMMON_WORD', alone: NO_TEST })
    const [dog] = await compare({ kind: 'WORD_PRECISION', word: 'dog' }, ['good'], { people: true })
    expect(dog).toMatchObject({ undefinedReason: 'RARELY_PREDICTED', alone: NO_TEST })
  })

  describe('of captioning systems by word precision', () => {
    it('are of the precision of each word, beside people', async () => {
      const pairs = await compare({ kind: 'WORD_PRECISION', word: 'dog' }, ['poor', 'good'], { people: true })
      const { words } = await reportWords(world.accord, { dataset: 'zoo', systems: ['poor', 'good'] })
      const dog = words.find(({ word }) => word.text === 'dog')!
      const precisions = new Map([
        [undefined, dog.human.precision],
        ...[...dog.systems].map(([name, { precision }]) => [name, precision] as const),
      ])
      expect(pairs).toHaveLength(3)
      for (const { first, second, firstScore, secondScore, difference } of pairs) {
        expect(firstScore).toBeCloseTo(precisions.get(first?.name)!, 12)
        expect(secondScore).toBeCloseTo(precisions.get(second?.name)!, 12)
        expect(difference).toBeCloseTo(firstScore! - secondScore!, 12)
      }
    })

    it('are of the values and gaps that the leaderboard has, people among them', async () => {
      const options: LeaderboardOptions = { by: 'WORD_PRECISION' }
      const ranked = await rankSystems(world.accord, zoo.row, options)
      const rows = await completeRows(world.accord, zoo.row, ranked, options)
      const names = ['good', 'poor', 'copy']
      const pairs = await compare({ kind: 'WORD_PRECISION' }, names, { people: true })
      const ofSystem = (name: string | undefined) => rows.find(({ system }) => system?.name === name)
      for (const { first, second, firstScore, secondScore, imageCount } of pairs) {
        expect(imageCount).toBe(IDS.length)
        expect(firstScore).toBe(ofSystem(first?.name)?.value)
        expect(secondScore).toBe(ofSystem(second?.name)?.value)
      }
      const besidePeople = pairs.filter(({ second }) => second === null)
      expect(besidePeople).toHaveLength(names.length)
      for (const { first, difference, alone } of besidePeople) {
        const gap = ofSystem(first?.name)?.gapToPeople
        expect([difference, alone.interval, alone.pValue]).toEqual([gap?.value, gap?.interval, gap?.pValue])
      }
    })

    it('are corrected for all pairs of the request', async () => {
      const pairs = await compare({ kind: 'WORD_PRECISION' }, ['poor', 'good', 'copy'])
      const [one, equal, other] = pairs
      expect(equal.alone.pValue).toBeLessThan(1)
      for (const { alone, together } of [one, other]) {
        expect(together).toMatchObject({ tests: 2 })
        expect(together.pValue).toBeGreaterThanOrEqual(alone.pValue!)
        expect(together.pValue).toBeLessThanOrEqual(2 * alone.pValue! + 1e-12)
      }
    })
  })

  describe('by a metric', () => {
    beforeAll(async () => {
      for (const system of ['good', 'copy', 'poor', 'part']) await zoo.evaluate(system)
    })

    it('say the same of a table in whatever order figures and systems are asked for', async () => {
      const ask = async (metrics: readonly string[], systems: readonly string[]) => {
        const words = [{ kind: 'WORD_PRECISION' }, { kind: 'WORD_PRECISION', word: 'dog' }] as const
        const rows = await compareOnFigures(world.accord, zoo.row, { metrics, words, systems })
        return new Map(
          rows.map(({ figure, first, second, together }) => [
            [figureName(figure), ...[first, second].map((side) => side?.name ?? 'people').sort()].join(),
            { adjusted: together.pValue, tests: together.tests, level: together.level },
          ]),
        )
      }
      const table = await ask(['ROUGE-L', 'BLEU-1', 'METEOR'], ['good', 'poor', 'part'])
      expect(table.size).toBe(5 * 3)
      expect([...table.values()][0].tests).toBeGreaterThan(8)
      expect(await ask(['METEOR', 'ROUGE-L', 'BLEU-1'], ['part', 'good', 'poor'])).toEqual(table)
    })

    it('are the same in this process and by a worker', async () => {
      const options: ComparisonOptions = {
        systems: ['poor', 'good', 'copy', 'part'],
        figure: { kind: 'METRIC', metric: 'ROUGE-L' },
        people: true,
      }
      const inline = await compareSystems(world.accord, zoo.row, options)
      expect(inline).toHaveLength(10)
      const workers = await startWorkers({ location: world.location, count: 1 })
      try {
        expect(await compareSystems(world.remote, zoo.row, options)).toEqual(inline)
      } finally {
        await workers.close()
      }
    })

    it.each<[Partial<ComparisonOptions>, RegExp]>([
      [{ systems: ['good'] }, /^OUT_OF_RANGE systems: .*expected 2 to 20 different names, found 1$/],
      [{ systems: ['good', 'good'] }, /^OUT_OF_RANGE systems/],
      [{ systems: [], people: true }, /^OUT_OF_RANGE systems: .*expected 1 to 20/],
      [
        { systems: Array.from({ length: 21 }, (_, index) => `s${index}`) },
        /^OUT_OF_RANGE systems: .*found 21$/,
      ],
      [{ systems: ['good', 'moon'] }, /^UNKNOWN_SYSTEM/],
      [{ figure: { kind: 'METRIC', metric: 'unknown metric' } }, /^UNKNOWN_METRIC/],
      [{ figure: { kind: 'METRIC', metric: 'BLEU-1', references: 3 } }, /^OUT_OF_RANGE references/],
      [{ figure: { kind: 'PHR' } }, /^NOT_APPLICABLE systems: the system does not have this figure/],
      [{ systems: ['sharp', 'blunt'], figure: { kind: 'WORD_PRECISION' } }, /^NOT_APPLICABLE systems/],
      [
        { systems: ['sharp', 'blunt'], figure: { kind: 'PHR', word: 'zebra' } },
        /^UNKNOWN_WORD word: .*"zebra"$/,
      ],
      [{ systems: ['sharp', 'blunt'], figure: { kind: 'PHR', references: 0 } }, /^OUT_OF_RANGE references/],
      [{ systems: ['sharp'], people: true, figure: { kind: 'AVERAGE_PRECISION' } }, /^NOT_APPLICABLE people/],
      [
        { systems: ['sharp', 'good'], figure: { kind: 'METRIC', metric: 'BLEU-1', references: 2 } },
        /^NOT_APPLICABLE/,
      ],
    ])('are refused for %o', async (changes, message) => {
      const options = {
        systems: ['good', 'poor'],
        figure: { kind: 'METRIC', metric: 'BLEU-1' },
        ...changes,
      } as const
      expect(await rejectionOf(compareSystems(world.accord, zoo.row, options))).toMatch(message)
    })
  })
})
