import { beforeAll, describe, expect, it } from 'vitest'
import { humanAgreement } from '../../../src/services/agreement/agreement.js'
import {
  externalIdsOf,
  foldScoresById,
  imageScoresById,
  meanOverFolds,
} from '../../../src/services/evaluations/image-scores.js'
import {
  planScoreTable,
  readScoreColumns,
  readScoreTable,
  type ScoreTableOptions,
} from '../../../src/services/exports/score-table.js'
import { sql } from '../../../src/store/engine/sql.js'
import type { Dataset } from '../../../src/store/schema/dataset-tables.js'
import { ENGINES } from '../../kit/databases.js'
import { importScoredPets } from '../../kit/pets.js'
import { initWorld } from '../../kit/seed.js'

describe.each(ENGINES)('a table of scores on %s', async (engine) => {
  const world = await initWorld({ engine })
  const { accord } = world
  let pets: Dataset

  beforeAll(async () => {
    const seeded = await importScoredPets(world)
    await seeded.captionSystem('partial', { 20: 'A dog and a cat.', 70: 'A street.' })
    await seeded.evaluate('partial')
    pets = seeded.row
  })

  const read = (options: ScoreTableOptions) => readScoreTable(accord, pets, options, async () => {})
  const idsOf = ({ imageIds }: { imageIds: Int32Array }) => externalIdsOf(accord, pets.id, { imageIds })

  it('has the stored scores, system by system and metric by metric', async () => {
    const table = await read({ systems: ['guesser', 'copycat'], metrics: ['ROUGE-L', 'CIDEr-D'] })
    expect(table.columns.map(({ system, metric }) => `${system?.name} ${metric}`)).toEqual([
      'guesser ROUGE-L',
      'guesser CIDEr-D',
      'copycat ROUGE-L',
      'copycat CIDEr-D',
    ])
    // Image 60 has no human captions.
    expect(await idsOf(table)).toEqual(['10', '20', '30', '40', '50', '70'])
    for (const { score, values } of table.columns) {
      const id = score?.id as number
      expect([...(values ?? [])]).toEqual([...((await imageScoresById(accord, [id])).get(id)?.scores ?? [])])
      expect(score?.signature).toContain(score?.metric)
    }
  })

  it('is NaN where a system has no score, and has no images that have none', async () => {
    const both = await read({ systems: ['partial', 'copycat'], metrics: ['ROUGE-L'] })
    expect(await idsOf(both)).toEqual(['10', '20', '30', '40', '50', '70'])
    expect(Array.from(both.columns[0].values ?? [], Number.isNaN)).toEqual([
      true,
      false,
      true,
      true,
      true,
      false,
    ])
    expect(both.columns[1].values).not.toContain(Number.NaN)
    const alone = await read({ systems: ['partial'], metrics: ['ROUGE-L'] })
    expect(await idsOf(alone)).toEqual(['20', '70'])
  })

  it('has all systems by all metrics that one has, and says what was not computed', async () => {
    const table = await read({})
    expect(new Set(table.columns.map(({ system }) => system?.name))).toEqual(
      new Set(['copycat', 'guesser', 'newcomer', 'partial']),
    )
    for (const { system, score, values, undefinedReason } of table.columns) {
      const isMissing = system?.name === 'newcomer'
      expect([score === null, values === null, undefinedReason]).toEqual(
        isMissing ? [true, true, 'NOT_COMPUTED'] : [false, false, null],
      )
    }
  })

  it('has people last, on the same folds', async () => {
    expect((await read({ metrics: ['METEOR'], people: true })).columns.at(-1)).toMatchObject({
      system: null,
      score: null,
      undefinedReason: 'NOT_COMPUTED',
    })
    const { rows } = await humanAgreement(accord, pets, { metrics: ['METEOR'] })
    const table = await read({ systems: ['copycat'], metrics: ['METEOR'], people: true })
    expect(table.columns.map(({ system, score }) => [system?.name, score?.id])).toEqual([
      // K - 1 references, on which it has no scores.
      ['copycat', undefined],
      [undefined, rows[0].id],
    ])
    const folds = (await foldScoresById(accord, [rows[0].id])).get(rows[0].id)
    const { imageIds, scores } = meanOverFolds(rows[0], folds as never)
    expect([...table.imageIds]).toEqual([...imageIds])
    expect([...(table.columns[1].values ?? [])]).toEqual([...scores])
    expect(table.columns[1].score?.record.subject.kind).toBe('people')
  })

  it('has no people where images have one caption', async () => {
    const lonely = await world.dataset(`lonely-${engine}`, { images: { 1: ['a dog'], 2: ['a cat'] } })
    await lonely.captionSystem('echo', { 1: 'a dog', 2: 'a cat' })
    await lonely.evaluate('echo')
    const { columns } = await readScoreTable(
      accord,
      lonely.row,
      { metrics: ['ROUGE-L'], people: true },
      async () => {},
    )
    expect(columns.map(({ undefinedReason }) => undefinedReason)).toEqual([null, 'ONE_CAPTION'])
  })

  it.each<[string, ScoreTableOptions, object]>([
    ['an unknown system', { systems: ['nobody'] }, { code: 'UNKNOWN_SYSTEM' }],
    ['a system without captions', { systems: ['detector'] }, { code: 'NOT_APPLICABLE' }],
    ['an unknown metric', { metrics: ['METEORITE'] }, { code: 'UNKNOWN_METRIC' }],
    ['k = K', { references: 3 }, { code: 'OUT_OF_RANGE', detail: { source: 'references' } }],
    ['documents of a dataset, for people', { people: true, documents: 'pets' }, { code: 'NOT_APPLICABLE' }],
  ])('refuses %s', async (_what, options, error) => {
    await expect(read(options)).rejects.toMatchObject(error)
  })

  it('refuses more scores than are in memory at once', async () => {
    const huge = { ...pets, imageCount: 2_000_001 }
    const wanted = { systems: ['copycat'], metrics: ['METEOR'] }
    await expect(readScoreTable(accord, huge, wanted, async () => {})).rejects.toMatchObject({
      code: 'TOO_COSTLY',
      detail: { source: 'systems, metrics', found: '2000001, of 2000001 images' },
    })
    await expect(
      readScoreTable(accord, { ...huge, imageCount: 2_000_000 }, wanted, async () => {}),
    ).resolves.toBeDefined()
  })

  it('says that scores were replaced while they were read', async () => {
    const { columns } = await planScoreTable(accord, pets, { systems: ['guesser'], metrics: ['METEOR'] })
    await accord.database.run(sql`DELETE FROM metric_score WHERE id = ${columns[0].score?.id as number}`)
    await expect(readScoreColumns(accord, columns)).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('takes as many statements for several systems and metrics as for one', async () => {
    const count = async (options: ScoreTableOptions) => (await world.statementsOf(() => read(options))).length
    await read({})
    const one = await count({ systems: ['copycat'], metrics: ['ROUGE-L'] })
    expect(await count({ systems: ['copycat', 'partial'], metrics: ['ROUGE-L', 'BLEU-4', 'CIDEr-D'] })).toBe(
      one,
    )
  })
})
