import { beforeAll, describe, expect, it } from 'vitest'
import { imagesById } from '../../../src/services/images/images.js'
import { listSystemWords, requireSystems } from '../../../src/services/systems/systems.js'
import { listMistakes, type MistakeKind, predictionsByWord } from '../../../src/services/words/mistakes.js'
import { findWord } from '../../../src/services/words/words.js'
import type { Word } from '../../../src/store/schema/dataset-tables.js'
import { ENGINES } from '../../kit/databases.js'
import { first, initPark } from '../kit.js'

describe.each(ENGINES)('results of systems on words on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  beforeAll(async () => {
    park = await initPark(engine)
  })
  const word = async (text: string) => (await findWord(park.accord, park.park.row, text)) as Word

  describe('the images on which a system gets a word wrong', () => {
    // "dog" is used by 3, 1 and 0 captions of the images 1, 2 and 3. Human recall is 3·2 / (2·4) = 3/4: the threshold of
    // the detector is 0.9 of image 1.
    it.each<[string, string, MistakeKind, (string | number | null)[][]]>([
      ['captioner', 'dog', 'FALSE_POSITIVE', []],
      ['captioner', 'walks', 'FALSE_NEGATIVE', [['2', 2, null]]],
      ['copier', 'dog', 'FALSE_NEGATIVE', [['2', 1, null]]],
      ['detector', 'dog', 'FALSE_NEGATIVE', [['2', 1, 0.1]]],
      ['detector', 'dog', 'FALSE_POSITIVE', []],
      ['oracle', 'dog', 'FALSE_NEGATIVE', [['2', 1, 0.5]]],
    ])('%s, %s: %s', async (name, text, kind, expected) => {
      const [system] = await requireSystems(park.accord, park.park.row, [name])
      const { id } = await word(text)
      const predictions = (await predictionsByWord(park.accord, system, [id])).get(id)?.() ?? null
      const list = listMistakes(predictions, kind)
      const rows = (await list.page(first(10))).rows.map(({ row }) => row)
      const images = await imagesById(
        park.accord,
        rows.map(({ imageId }) => imageId),
      )
      expect(
        rows.map(({ imageId, captionCount, score }) => [
          images.get(imageId)?.externalId,
          captionCount,
          score,
        ]),
      ).toEqual(
        expected.map(([id, count, score]) => [
          id,
          count,
          score === null ? null : expect.closeTo(Number(score), 6),
        ]),
      )
      expect(await list.count()).toBe(expected.length)
    })

    it('are predicted everywhere if only unscored images reach human recall', async () => {
      await park.park.scoreSystem('blind', { 3: { dog: 1 } })
      const [system] = await requireSystems(park.accord, park.park.row, ['blind'])
      const { id } = await word('dog')
      const predictions = (await predictionsByWord(park.accord, system, [id])).get(id)?.() ?? null
      expect(await listMistakes(predictions, 'FALSE_NEGATIVE').count()).toBe(0)
      expect(await listMistakes(predictions, 'FALSE_POSITIVE').count()).toBe(1)
    })

    it('are none without a threshold', async () => {
      const list = listMistakes(null, 'FALSE_POSITIVE')
      expect(await list.page(first(5))).toEqual({ rows: [], hasNextPage: false, hasPreviousPage: false })
    })
  })

  const textsOf = async (name: string, options: Parameters<typeof listSystemWords>[3]) => {
    const [system] = await requireSystems(park.accord, park.park.row, [name])
    const list = listSystemWords(park.accord, system, park.park.row, options)
    const { rows } = await list.page(first(100))
    expect(await list.count()).toBe(rows.length)
    const texts = new Map(
      await Promise.all(['dog', 'cat', 'walks'].map(async (text) => [(await word(text)).id, text] as const)),
    )
    return rows.map(({ row }) => texts.get(row.wordId))
  }

  it.each<[string, string, Parameters<typeof listSystemWords>[3], string[]]>([
    ['PHR', 'detector', { orderBy: { field: 'PHR', direction: 'ASC' } }, ['walks', 'dog', 'cat']],
    [
      'average precision, undefined last',
      'oracle',
      { orderBy: { field: 'AVERAGE_PRECISION' } },
      ['dog', 'cat', 'walks'],
    ],
    [
      'the gap to people with one reference',
      'detector',
      { references: 1, orderBy: { field: 'GAP_TO_PEOPLE' } },
      ['dog', 'cat', 'walks'],
    ],
    ['the gap to people', 'oracle', { orderBy: { field: 'GAP_TO_PEOPLE' } }, ['dog', 'cat', 'walks']],
    ['word precision', 'captioner', { orderBy: { field: 'WORD_PRECISION' } }, ['cat', 'dog', 'walks']],
    [
      'word recall',
      'captioner',
      { orderBy: { field: 'WORD_RECALL', direction: 'ASC' } },
      ['walks', 'dog', 'cat'],
    ],
    ['text', 'captioner', { orderBy: { field: 'TEXT' } }, ['cat', 'dog', 'walks']],
  ])('are ordered by %s', async (_what, name, options, texts) => {
    const found = await textsOf(name, options)
    expect([...found].sort()).toEqual(['cat', 'dog', 'walks'])
    if (name !== 'oracle') expect(found).toEqual(texts)
  })

  it.each<[string, string, Parameters<typeof listSystemWords>[3], string[]]>([
    ['a minimum', 'captioner', { filter: { precision: { min: 0.5 } } }, ['dog', 'cat']],
    [
      'a maximum, which excludes undefined values',
      'captioner',
      { filter: { precision: { max: 1 } } },
      ['dog', 'cat'],
    ],
    ['both ends', 'captioner', { filter: { recall: { min: 0, max: 0 } } }, ['walks']],
    ['a range of PHR', 'detector', { filter: { precisionAtHumanRecall: { min: 0.9 } } }, ['dog', 'cat']],
    ['words', 'detector', { filter: { word: { contains: 'a', vocabulary: 'IN' } } }, ['cat', 'walks']],
    ['a pattern, which is text', 'detector', { filter: { word: { contains: '%' } } }, []],
  ])('are filtered by %s', async (_what, name, options, texts) => {
    expect(await textsOf(name, options)).toEqual(texts)
  })
})
