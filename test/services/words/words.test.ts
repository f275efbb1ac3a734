import { beforeAll, describe, expect, it } from 'vitest'
import { reportWords } from '../../../src/services/words/word-report.js'
import {
  countImagesOfWord,
  findWord,
  imagesOfWords,
  listWords,
  summarizeFit,
  summarizeWords,
} from '../../../src/services/words/words.js'
import type { Word } from '../../../src/store/schema/dataset-tables.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { first, initPark } from '../kit.js'

describe.each(ENGINES)('words on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  beforeAll(async () => {
    park = await initPark(engine)
  })
  const word = async (text: string) => (await findWord(park.accord, park.park.row, text)) as Word

  it('are listed in vocabulary order by default, page by page', async () => {
    const list = listWords(park.accord, park.park.row)
    const { rows, hasNextPage } = await list.page(first(2))
    expect([rows.map(({ row }) => row.text), hasNextPage]).toEqual([['dog', 'cat'], true])
    const rest = await list.page(first(2, rows[1].position))
    expect([rest.rows.map(({ row }) => row.text), rest.hasNextPage]).toEqual([['walks'], false])
    expect(await list.count()).toBe(3)
  })

  it('have images, those of several words in one query', async () => {
    const words = await Promise.all([word('dog'), word('cat'), word('walks')])
    const pages = await imagesOfWords(park.accord, words, undefined, first(1))
    const externalIds = words.map(({ id }) => pages.get(id)?.rows.map(({ row }) => row.externalId))
    expect(externalIds).toEqual([['1'], ['3'], ['2']])
    expect(words.map(({ id }) => pages.get(id)?.hasNextPage)).toEqual([true, false, false])
    const { position } = pages.get(words[0].id)!.rows[0]
    const next = (await imagesOfWords(park.accord, [words[0]], undefined, first(1, position))).get(
      words[0].id,
    )!
    expect(next.rows.map(({ row }) => row.externalId)).toEqual(['2'])
    expect([next.hasNextPage, next.hasPreviousPage]).toEqual([false, true])
  })

  it.each([
    [0, ['3'], 1],
    [1, ['2'], 1],
    [2, [], 0],
    [3, ['1'], 1],
    [undefined, ['1', '2'], 2],
  ])('have images in which %s of the captions use them', async (captionCount, expected, count) => {
    const dog = await word('dog')
    const page = (await imagesOfWords(park.accord, [dog], captionCount, first(10))).get(dog.id)
    expect(page?.rows.map(({ row }) => row.externalId)).toEqual(expected)
    expect(countImagesOfWord(dog, captionCount)).toBe(count)
  })

  it.each([-1, 4, 0.5])('have no number of images for %s captions', async (captionCount) => {
    const dog = await word('dog')
    expect(() => countImagesOfWord(dog, captionCount)).toThrow(/expected an integer from 0 to 3/)
  })

  it('have means of human precision and recall', async () => {
    // Hand-computed, k = 2: dog P 6/7, R 3/4; cat 1, 1; walks 1, 1/2.
    const { byPartOfSpeech, ...all } = await summarizeWords(park.accord, park.park.row)
    expect(all).toMatchObject({ references: 2, wordCount: 3, definedWordCount: 3 })
    expect(all.meanPrecision).toBeCloseTo((6 / 7 + 2) / 3, 14)
    expect(all.meanRecall).toBeCloseTo(0.75, 14)
    expect(byPartOfSpeech.map(({ partOfSpeech, wordCount }) => [partOfSpeech, wordCount])).toEqual([
      ['NN', 2],
      ['VB', 1],
    ])
    expect(byPartOfSpeech[0].meanRecall).toBeCloseTo(0.875, 14)
    const verbs = await summarizeWords(park.accord, park.park.row, { references: 1, partOfSpeech: ['VB'] })
    expect(verbs).toMatchObject({ references: 1, meanPrecision: 0.5, meanRecall: 0.5 })
    expect(verbs.byPartOfSpeech).toHaveLength(1)
  })

  it('have means over the reported words', async () => {
    const summary = await summarizeWords(park.accord, park.park.row)
    const { words } = await reportWords(park.accord, { dataset: 'park' })
    const sum = words.reduce((total, { human }) => total + (human.precision as number), 0)
    expect(summary.meanPrecision).toBe(sum / words.length)
  })

  it('have the fit of a model, null with a reason if undefined', async () => {
    const { park: dataset, accord } = park
    expect(await summarizeFit(accord, dataset.row, {})).toMatchObject({
      model: 'MOMENT',
      references: 2,
      // Without "cat", which all or none of the people use: BETA_BINOMIAL has no fit for it.
      wordCount: 2,
      undefinedReason: null,
    })
    const tautology = await summarizeFit(accord, dataset.row, { references: 1 })
    expect(tautology).toMatchObject({ wordCount: 2, rSquared: null, undefinedReason: 'TAUTOLOGY' })
    const none = await summarizeFit(accord, dataset.row, { partOfSpeech: ['PRP'] })
    expect(none).toMatchObject({ wordCount: 0, rootMeanSquaredError: null, undefinedReason: 'TOO_FEW_WORDS' })
  })

  it('are reported with all models and systems', async () => {
    const { words, systems, references } = await reportWords(park.accord, {
      dataset: 'park',
      systems: ['detector', 'captioner'],
      top: 1,
    })
    expect([references, systems.map(({ name }) => name), words.length]).toEqual([
      2,
      ['detector', 'captioner'],
      1,
    ])
    const [{ word: row, human, models, systems: results }] = words
    expect([row.text, row.histogram]).toEqual(['dog', [1, 1, 0, 1]])
    expect(human.precision).toBeCloseTo(6 / 7, 14)
    // p = human recall, q = (4/9) / p, precision = 2p / (2p + (1 − p)²).
    expect(models.MOMENT.objectProbability).toBeCloseTo(16 / 27, 14)
    expect(models.MOMENT.precision).toBeCloseTo(0.96, 14)
    expect(models.MOMENT.residual).toBeCloseTo(6 / 7 - 0.96, 14)
    expect(words[0]).toMatchObject({ isRare: true, models: { MOMENT: { isWeaklyIdentified: false } } })
    expect(results.get('captioner')?.precision).toBeCloseTo(8 / 9, 14)
    expect(results.get('detector')?.averagePrecision).toBeCloseTo(3 / 4 + 1 / 6, 14)
  })

  it.each([
    [{ dataset: 'moon' }, /^UNKNOWN_DATASET/],
    [{ dataset: 'park', systems: ['detector', 'moon'] }, /^UNKNOWN_SYSTEM .* found "moon"$/],
    [{ dataset: 'park', references: 3 }, /^OUT_OF_RANGE references: .* found 3$/],
  ])('are not reported for %o', async (options, message) => {
    expect(await rejectionOf(reportWords(park.accord, options))).toMatch(message)
  })
})
