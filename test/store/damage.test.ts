import { describe, expect, it } from 'vitest'
import type { BoundOutcome, BoundSettings } from '../../src/core/bounds/settings.js'
import { readAtoms, readVotes, saveAtoms, saveVotes } from '../../src/store/atoms.js'
import {
  findBounds,
  findRetrieval,
  finishBound,
  insertBound,
  insertRetrieval,
  insertSplit,
  readLikelihoods,
  readLosses,
  readModel,
  readSplit,
  saveLoss,
} from '../../src/store/bounds.js'
import type { Session } from '../../src/store/engine/session.js'
import { raw, sql } from '../../src/store/engine/sql.js'
import {
  readCaptions,
  readImageIds,
  readReferenceCaptions,
  readTokensOfImages,
} from '../../src/store/images.js'
import { readImageCounts } from '../../src/store/postings.js'
import { readSystemCaptions, readSystemSequences } from '../../src/store/systems.js'
import { readTokenTexts } from '../../src/store/tokens.js'
import { insertWordScores, readWordScores } from '../../src/store/word-scores.js'
import { listWords, readWordIds } from '../../src/store/words.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'
import { addCaptionSystem, addDataset, addSystem, failureOf } from './kit.js'

describe.each(ALL_ENGINES)('content that a disk has changed, on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  const { id } = await addDataset(database, 'pets', {
    images: { 1: ['a dog', 'a cat', 'dog'], 2: ['a cat', 'two cats', 'cat'], 3: ['dog'] },
    captionsPerImage: 3,
  })
  const imageIds = [...(await readImageIds(database, id)).values()]
  const [image] = imageIds
  const texts = new Map(imageIds.map((imageId) => [imageId, 'a dog']))
  const system = await addCaptionSystem(database, id, 'parrot', texts)
  const detector = await addSystem(database, id, 'detector', 'WORD_SCORES')
  const word = (await readWordIds(database, id)).get('dog')!
  await insertWordScores(database, detector, [
    { wordId: word, imageIds: Int32Array.from(imageIds), scores: Float64Array.of(0.5, 0.25, 1) },
  ])

  await saveAtoms(database, id, [{ kind: 'entity', rank: 1, text: 'dog', count: 4, imageCount: 2 }])
  await saveVotes(database, [
    { datasetId: id, kind: 'entity', text: 'dog', voter: 'a', isVisual: 1, people: 1 },
  ])
  const ids = Int32Array.from(imageIds)
  const split = await insertSplit(database, id, 'one', { training: ids, validation: ids, test: ids })
  const settings = { kind: 'entity', atoms: 1 } as BoundSettings
  const bound = await insertBound(database, { datasetId: id, splitId: split, key: 'one', settings })
  await finishBound(database, bound, {
    systemId: await addCaptionSystem(database, id, 'point', texts),
    outcome: { steps: 1 } as BoundOutcome,
    model: Buffer.from('model'),
    captionIds: ids,
    logLikelihoods: new Float64Array(3),
    wordCounts: ids,
  })
  await saveLoss(database, { boundId: bound, step: 1, training: 2, validation: null }, null)
  const best = { value: 0.5, lower: null, upper: null, imageScores: new Float64Array(3) }
  await insertRetrieval(database, split, 'BLEU-1', best)
  await insertRetrieval(database, split, 'BLEU-1', best)

  /** Bytes with another first one. */
  const blob = (name: string) =>
    engine === 'sqlite'
      ? `CAST(x'ff' || substr(${name}, 2) AS BLOB)`
      : `set_byte(${name}, 0, get_byte(${name}, 0) # 1)`

  it.each<[string, string, (session: Session) => Promise<unknown>]>([
    [
      'caption',
      `tokens = ${blob('tokens')} WHERE position = 1`,
      (session) => readReferenceCaptions(session, id),
    ],
    ['caption', `tokens = ${blob('tokens')}`, (session) => readTokensOfImages(session, [image])],
    [
      'caption',
      `image_id = ${image + 1}, position = 9 WHERE image_id = ${image} AND position = 0`,
      (session) => readReferenceCaptions(session, id),
    ],
    ['caption', `text = 'a fox' WHERE position = 2`, (session) => readCaptions(session, imageIds)],
    ['caption', `text = 'a fox'`, (session) => readCaptions(session, imageIds, ['id', 'imageId', 'text'])],
    ['system_caption', `tokens = ${blob('tokens')}`, (session) => readSystemSequences(session, system)],
    ['system_caption', `text = 'a fox'`, (session) => readSystemCaptions(session, imageIds)],
    ['posting', `caption_counts = ${blob('caption_counts')}`, (session) => readImageCounts(session, [word])],
    ['posting', `image_ids = ${blob('image_ids')}`, (session) => readImageCounts(session, [word])],
    ['word', `histogram = '[1,2,3,4]'`, (session) => listWords(session, id, {})],
    ['token', `text = text || 'x'`, readTokenTexts],
    ['word_scores', `scores = ${blob('scores')}`, (session) => readWordScores(session, detector, [word])],
    ['image_set', `image_ids = ${blob('image_ids')}`, (session) => readWordScores(session, detector, [word])],
    ['image', 'caption_count = caption_count + 1', (session) => readReferenceCaptions(session, id)],
    ['atom', 'count = count + 1', (session) => readAtoms(session, id, { kind: 'entity' })],
    ['atom_vote', 'is_visual = 0', (session) => readVotes(session, id)],
    ['bound_split', `test_ids = ${blob('test_ids')}`, (session) => readSplit(session, split)],
    ['bound', `outcome = '{}'`, (session) => findBounds(session, [bound])],
    ['bound', `model = ${blob('model')}`, (session) => readModel(session, bound)],
    ['bound', `log_likelihoods = ${blob('log_likelihoods')}`, (session) => readLikelihoods(session, bound)],
    ['bound_loss', 'training = 3', (session) => readLosses(session, [bound])],
    ['retrieval_bound', 'value = 0.75', (session) => findRetrieval(session, split, 'BLEU-1')],
  ])('is one error: %s, %s', async (table, change, read) => {
    await read(database)
    const failure = database.transaction(async (session) => {
      expect(await session.run(raw(`UPDATE ${table} SET ${change}`))).toBeGreaterThan(0)
      // Whatever is read, the transaction is rolled back.
      await read(session)
      throw new Error('nothing was noticed')
    })
    const named = table === 'image' ? 'caption' : table
    expect(await failureOf(failure)).toMatch(
      new RegExp(`^RESOURCE_MISSING .*the database is damaged in table ${named}; run accord check: expected`),
    )
  })

  it('is noticed where rows are missing', async () => {
    for (const statement of [
      sql`DELETE FROM caption WHERE image_id = ${image} AND position = 1`,
      sql`DELETE FROM image WHERE id = ${image}`,
    ]) {
      const failure = database.transaction(async (session) => {
        await session.run(statement)
        await readReferenceCaptions(session, id)
      })
      expect(await failureOf(failure)).toMatch(
        /^RESOURCE_MISSING the database is damaged in table (caption|image);/,
      )
    }
  })
})
