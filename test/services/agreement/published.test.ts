import { beforeAll, describe, expect, it } from 'vitest'
import { extrapolate, PUBLISHED_AGREEMENT } from '../../../src/core/agreement/leave-one-out.js'
import { reportAgreement } from '../../../src/services/agreement/agreement.js'
import {
  comparePublished,
  type PublishedRow,
  publishedDifferences,
} from '../../../src/services/agreement/published.js'
import { sql } from '../../../src/store/engine/sql.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { initWorld, type SeededDataset, type World } from '../../kit/seed.js'

const CAPTIONS = [
  'A dog runs.',
  'The dog is running.',
  'A brown dog runs.',
  'A dog.',
  'One dog runs outside.',
]
const imagesOf = (captions: number) => ({
  1: CAPTIONS.slice(0, captions),
  2: CAPTIONS.map((caption) => caption.replace('dog', 'cat')).slice(0, captions),
})

/** A row whose scores may have been stored anew. */
const withoutIds = ({ scores, ...row }: PublishedRow) => ({
  ...row,
  scores: scores.map(({ id: _id, statisticsId: _statistics, ...score }) => score),
})

describe.each(ENGINES)('people beside the published table on %s', (engine) => {
  let world: World
  let dogs: SeededDataset
  beforeAll(async () => {
    world = await initWorld({ engine })
    dogs = await world.dataset('dogs', { images: imagesOf(5) })
  })

  it('have a curve over the references that there are, and what makes the figures differ', async () => {
    const rows = await comparePublished(world.accord, dogs.row)
    expect(rows.map(({ metric }) => metric)).toEqual([...PUBLISHED_AGREEMENT.keys()])
    for (const row of rows) {
      expect(row.published).toEqual(PUBLISHED_AGREEMENT.get(row.metric))
      expect(row.curve.map(({ references }) => references)).toEqual([1, 2, 3, 4])
      expect(row.curve[3].mean).toBe(row.mean)
      expect(row.differences).toContain('REFERENCES')
      expect(row.differences.includes('DOCUMENT_FREQUENCIES')).toBe(row.metric === 'CIDEr-D')
      for (const difference of row.differences) expect(publishedDifferences[difference]).toMatch(/\.$/)
    }
    const bleu = rows.find(({ metric }) => metric === 'BLEU-4')!
    expect(bleu.extrapolation).toEqual(extrapolate(bleu.curve, 5))
  })

  it('have another METEOR without paraphrases: it is not continued to the published number', async () => {
    const rows = await comparePublished(world.accord, dogs.row)
    const meteor = rows.find(({ metric }) => metric === 'METEOR')!
    expect(meteor).toMatchObject({ isSameMetric: false, extrapolation: null })
    expect(meteor.differences).toContain('PARAPHRASES')
    for (const row of rows) if (row !== meteor) expect(row.isSameMetric).toBe(true)
  })

  it('use the tables that are stored, and compute the metrics that they lack', async () => {
    // Stores the rows with the built-in document frequencies, too.
    await reportAgreement(world.accord, { dataset: 'dogs', references: 3 })
    const before = await comparePublished(world.accord, dogs.row)
    await world.database.run(sql`DELETE FROM agreement_score WHERE reference_count = 3 AND metric = 'METEOR'`)
    const reports: string[] = []
    const again = await comparePublished(world.accord, dogs.row, {
      progress: (_, message) => reports.push(message),
    })
    expect(again.map(withoutIds)).toEqual(before.map(withoutIds))
    expect(reports).toContain('measuring')
    const { rows } = await reportAgreement(
      world.accord,
      { dataset: 'dogs', references: 3 },
      {
        progress() {
          throw new Error('This was computed twice.')
        },
      },
    )
    expect(rows.find(({ metric }) => metric === 'METEOR')).toBeDefined()
  })

  it('are not continued from fewer than three points', async () => {
    const few = await world.dataset('few', { images: imagesOf(3) })
    const rows = await comparePublished(world.accord, few.row)
    expect(rows.map(({ curve, extrapolation }) => [curve.length, extrapolation])).toEqual(
      rows.map(() => [2, null]),
    )
  })

  it('cannot be shown for single captions', async () => {
    const single = await world.dataset('single', { images: imagesOf(1) })
    expect(await rejectionOf(comparePublished(world.accord, single.row))).toMatch(
      /^OUT_OF_RANGE references: .*at least 2 captions per image, found 1/,
    )
  })
})
