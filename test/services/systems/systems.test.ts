import { beforeAll, describe, expect, it } from 'vitest'
import {
  curveInputs,
  listSystemWords,
  precisionRecallCurve,
  removeSystem,
  requireSystems,
  systemsByDataset,
  systemsByName,
  systemWords,
} from '../../../src/services/systems/systems.js'
import { phrSummaries } from '../../../src/services/words/phr.js'
import { findWord } from '../../../src/services/words/words.js'
import type { Word } from '../../../src/store/schema/dataset-tables.js'
import type { SystemWord } from '../../../src/store/schema/system-tables.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { first, initPark } from '../kit.js'

describe.each(ENGINES)('systems on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  beforeAll(async () => {
    park = await initPark(engine)
  })
  const require = (...names: string[]) => requireSystems(park.accord, park.park.row, names)
  const word = async (text: string) => (await findWord(park.accord, park.park.row, text)) as Word

  it('are returned in the requested order, or by name', async () => {
    expect((await require('oracle', 'captioner')).map(({ name }) => name)).toEqual(['oracle', 'captioner'])
    expect(await rejectionOf(require('oracle', 'moon'))).toMatch(/^UNKNOWN_SYSTEM .*"moon"$/)
    const { id } = park.park.row
    const byDataset = (await systemsByDataset(park.accord, [id, id + 1])).get(id)
    expect(byDataset?.map(({ name }) => name)).toEqual(['captioner', 'copier', 'detector', 'oracle'])
    expect([...(await systemsByName(park.accord, id)).keys()]).toEqual(byDataset?.map(({ name }) => name))
  })

  it('have mean PHR and average precision over the vocabulary, with the human value on the same words', async () => {
    const [oracle, captioner] = await require('oracle', 'captioner')
    const summaries = await phrSummaries(park.accord, park.park.row, [oracle.id, captioner.id])
    expect(summaries.get(oracle.id)).toMatchObject({
      references: 2,
      wordCount: 3,
      definedWordCount: 3,
      meanPrecisionAtHumanRecall: expect.closeTo(1, 14),
    })
    expect(summaries.get(oracle.id)?.meanHumanPrecision).toBeCloseTo((6 / 7 + 2) / 3, 14)
    expect(summaries.get(captioner.id)).toEqual({
      references: 2,
      wordCount: 3,
      definedWordCount: 0,
      meanPrecisionAtHumanRecall: null,
      meanAveragePrecision: null,
      meanHumanPrecision: null,
      undefinedReason: 'UNDEFINED_FIGURE',
    })
    const verbs = await phrSummaries(park.accord, park.park.row, [oracle.id], { partOfSpeech: ['VB'] })
    expect(verbs.get(oracle.id)?.wordCount).toBe(1)
  })

  it('have the same summaries alone and together, in the same number of statements', async () => {
    const systems = await require('oracle', 'detector', 'captioner', 'copier')
    const ids = systems.map(({ id }) => id)
    let together = new Map()
    const statements = await park.statementsOf(async () => {
      together = await phrSummaries(park.accord, park.park.row, ids)
    })
    for (const id of ids) {
      const alone = await park.statementsOf(async () => {
        expect((await phrSummaries(park.accord, park.park.row, [id])).get(id)).toEqual(together.get(id))
      })
      expect(alone).toHaveLength(statements.length)
    }
  })

  it('have results on words, listed and by word', async () => {
    const [detector] = await require('detector')
    const list = listSystemWords(park.accord, detector, park.park.row)
    const { rows } = await list.page(first(10))
    const [dog, cat, walks] = await Promise.all([word('dog'), word('cat'), word('walks')])
    expect(rows.map(({ row }) => row.wordId)).toEqual([dog.id, cat.id, walks.id])
    expect(await list.count()).toBe(3)
    const results = await systemWords(park.accord, detector.id, 2, [walks.id, dog.id])
    expect(new Set(results.keys())).toEqual(new Set([dog.id, walks.id]))
    expect(results.get(dog.id)).toEqual(rows[0].row)
  })

  it('have curves: word scores with a point per threshold, captions with one', async () => {
    const [detector, captioner] = await require('detector', 'captioner')
    const dog = await word('dog')
    const resultOf = async (systemId: number) =>
      (await systemWords(park.accord, systemId, 2, [dog.id])).get(dog.id) as SystemWord
    const inputs = await curveInputs(park.accord, detector.id, [dog.id])
    // Ranked 1, 3, 2: recall 3/4 at precision 1, then recall 1 at precision 2/3.
    const curve = precisionRecallCurve(await resultOf(detector.id), inputs.get(dog.id), 5)
    const expected = [
      [0.75, 1],
      [1, 2 / 3],
    ]
    expect(curve).toHaveLength(expected.length)
    for (const [index, { recall, precision }] of curve.entries()) {
      expect(recall).toBeCloseTo(expected[index][0], 14)
      expect(precision).toBeCloseTo(expected[index][1], 14)
    }
    expect(await curveInputs(park.accord, captioner.id, [dog.id])).toEqual(new Map())
    const { precision, recall, ...result } = await resultOf(captioner.id)
    expect(precisionRecallCurve({ ...result, precision, recall }, undefined, 5)).toEqual([
      { precision, recall, threshold: null },
    ])
    expect(precisionRecallCurve({ ...result, precision: null, recall }, undefined, 5)).toEqual([])
  })

  it('can be removed once', async () => {
    await park.park.captionSystem('gone', { 1: 'A dog.' })
    await removeSystem(park.accord, 'park', 'gone')
    expect(await rejectionOf(removeSystem(park.accord, 'park', 'gone'))).toMatch(/^UNKNOWN_SYSTEM/)
    expect(await rejectionOf(removeSystem(park.accord, 'moon', 'gone'))).toMatch(/^UNKNOWN_DATASET/)
    expect((await systemsByName(park.accord, park.park.row.id)).has('gone')).toBe(false)
  })
})
