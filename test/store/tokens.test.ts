import { describe, expect, it } from 'vitest'
import { TokenEntity } from '../../src/store/schema/dataset-tables.js'
import { readTexts, readTokenTexts, saveTokens } from '../../src/store/tokens.js'
import { ALL_ENGINES, openAgain, openTestDatabase } from '../kit/databases.js'
import { failureOf } from './kit.js'

const TEXTS = ['dog', 'new', '', 'a', '\ufffd', '🐕', "'; --", 'é', 'e\u0301', 'DOG', 'new'.repeat(9999)]

describe.each(ALL_ENGINES)('tokens on %s', async (engine) => {
  const database = await openTestDatabase(engine)

  it('do not exist in a new database', async () => {
    expect(await readTokenTexts(database)).toEqual([''])
    expect(await saveTokens(database, [])).toEqual(new Int32Array(0))
  })

  it('are the same for equal texts', async () => {
    const ids = await saveTokens(database, TEXTS)
    expect(new Set(ids).size).toBe(TEXTS.length)
    expect(await saveTokens(database, [...TEXTS.toReversed(), 'dog'])).toEqual(
      Int32Array.from([...ids.toReversed(), ids[0]]),
    )
    const stored = await readTokenTexts(database)
    expect(Array.from(ids, (id) => stored[id])).toEqual(TEXTS)
    expect(await readTexts(database, [ids[5], 9999])).toEqual(new Map([[ids[5], '🐕']]))
    expect(await readTexts(database, [])).toEqual(new Map())
  })

  it('get ids in the order of the texts, the same for repetitions', async () => {
    const last = (await readTokenTexts(database)).length - 1
    const ids = await saveTokens(database, ['zebra', 'ape', 'zebra', 'mule', 'ape'])
    expect([...ids]).toEqual([1, 2, 1, 3, 2].map((number) => last + number))
  })

  it('are not added twice by processes that add them at once, in any order, within long transactions', async () => {
    const other = await openAgain(database)
    const texts = Array.from({ length: 200 }, (_, index) => `shared ${index}`)
    try {
      const save = (session: typeof database, order: readonly string[]) =>
        session.transaction(async (inner) => {
          const ids = new Map<string, number>()
          for (let start = 0; start < order.length; start += 20) {
            const part = order.slice(start, start + 20)
            const saved = await saveTokens(inner, part)
            for (const [index, text] of part.entries()) ids.set(text, saved[index])
          }
          return ids
        })
      const [one, two, three] = await Promise.all([
        save(database, texts),
        save(other, texts.toReversed()),
        save(database, texts.toSorted()),
      ])
      for (const text of texts) {
        expect(two.get(text)).toBe(one.get(text))
        expect(three.get(text)).toBe(one.get(text))
      }
    } finally {
      await other.close()
    }
  })

  it('have ids that remain valid after the rollback of their transaction', async () => {
    let undone = 0
    await failureOf(
      database.transaction(async (session) => {
        undone = (await saveTokens(session, ['undone']))[0]
        throw new Error('stopped')
      }),
    )
    const [id] = await saveTokens(database, ['undone'])
    const texts = await readTokenTexts(database)
    expect(texts[id]).toBe('undone')
    expect(['undone', undefined]).toContain(texts[undone])
  })

  it('have no U+0000, which PostgreSQL cannot store', async () => {
    for (const act of [
      () => saveTokens(database, ['a\0b']),
      () => database.insertMany(TokenEntity, ['text'], [['fine'], ['a\0b']]),
    ]) {
      expect(await failureOf(act())).toMatch(/^INVALID_VALUE invalid text/)
    }
    expect(Object.values(await readTokenTexts(database))).not.toContain('fine')
  })
})
