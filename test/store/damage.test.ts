import { describe, expect, it } from 'vitest'
import { checkEngine } from '../../src/store/check.js'
import type { Session } from '../../src/store/engine/session.js'
import { perEngine, type Sql, sql } from '../../src/store/engine/sql.js'
import { readImageIds, readReferenceCaptions } from '../../src/store/images.js'
import { findAnswer, insertAnswer } from '../../src/store/jobs.js'
import { readSystemSequences } from '../../src/store/systems.js'
import { listWords } from '../../src/store/words.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'
import { addCaptionSystem, addDataset, failureOf } from './kit.js'

describe.each(ALL_ENGINES)('content that Accord has not written so, on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  const { id } = await addDataset(database, 'pets', {
    images: { 1: ['a dog', 'a cat', 'dog'], 2: ['a cat', 'two cats', 'cat'], 3: ['dog'] },
    captionsPerImage: 3,
  })
  const imageIds = [...(await readImageIds(database, id)).values()]
  const [image] = imageIds
  const texts = new Map(imageIds.map((imageId) => [imageId, 'a dog']))
  const system = await addCaptionSystem(database, id, 'parrot', texts)

  await insertAnswer(database, {
    kind: 'words',
    owner: 'a',
    input: '{}',
    datasetId: id,
    cacheKey: 'key',
    result: { rows: [] },
  })

  it.each<[string, Sql, (session: Session) => Promise<unknown>]>([
    [
      'caption',
      sql`DELETE FROM caption WHERE image_id = ${image} AND position = 1`,
      (session) => readReferenceCaptions(session, id),
    ],
    ['image', sql`DELETE FROM image WHERE id = ${image}`, (session) => readReferenceCaptions(session, id)],
    [
      'caption',
      sql`UPDATE image SET caption_count = 9 WHERE id = ${image}`,
      (session) => readReferenceCaptions(session, id),
    ],
    [
      'caption',
      sql`UPDATE caption SET tokens = ${Buffer.alloc(3)} WHERE image_id = ${image}`,
      (session) => readReferenceCaptions(session, id),
    ],
    [
      'system_caption',
      sql`DELETE FROM system_caption WHERE image_id = ${image}`,
      (session) => readSystemSequences(session, system),
    ],
    [
      'word',
      sql`UPDATE word SET histogram = '[1,2' WHERE dataset_id = ${id}`,
      (session) => listWords(session, id, {}),
    ],
    ['job', sql`UPDATE job SET result = '{'`, (session) => findAnswer(session, 'key')],
  ])('is one error that names the table: %s, %o', async (table, change, read) => {
    await read(database)
    const failure = database.transaction(async (session) => {
      expect(await session.run(change)).toBeGreaterThan(0)
      // Whatever is read, the transaction is rolled back.
      await read(session)
      throw new Error('nothing was noticed')
    })
    expect(await failureOf(failure)).toMatch(
      new RegExp(`^RESOURCE_MISSING .*the database is damaged in table ${table}; run accord check`),
    )
  })

  it('is found by the check of references', async () => {
    expect(await checkEngine(database)).toEqual([])
    const inserted = database.transaction(async (session) => {
      await session.run(
        perEngine({
          sqlite: 'PRAGMA defer_foreign_keys = ON',
          postgres: 'SET LOCAL session_replication_role = replica',
        }),
      )
      await session.run(
        sql`INSERT INTO caption (image_id, position, external_id, text, tokens) VALUES (-1, 0, 'a', 'a', ${Buffer.alloc(4)})`,
      )
      throw new Error((await checkEngine(session)).join())
    })
    await expect(inserted).rejects.toThrow(/^caption: rows without a row of image$/)
  })
})
