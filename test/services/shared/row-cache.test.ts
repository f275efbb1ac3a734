import { describe, expect, it } from 'vitest'
import { createRowCache } from '../../../src/services/shared/cache.js'
import { sql } from '../../../src/store/engine/sql.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'

describe.each(ENGINES)('a cache of rows on %s', (engine) => {
  const readText = async () => {
    const database = await openTestDatabase(engine)
    const cache = createRowCache<{ text: string }>(1000, ({ text }) => text.length)
    const asked: number[][] = []
    const texts = async (keys: readonly number[], during = async () => {}) => {
      const found = await cache(database, keys, async (missing) => {
        asked.push([...missing])
        await during()
        return new Map(missing.filter((key) => key > 0).map((key) => [key, { text: `${key}` }]))
      })
      return keys.map((key) => found.get(key)?.text)
    }
    const change = async () => {
      await database.run(sql`INSERT INTO token (text) VALUES (${`token ${asked.length}`})`)
    }
    return { asked, texts, change }
  }
  const isKept = engine === 'sqlite'

  it('asks again for what it has not, or not kept', async () => {
    const { asked, texts } = await readText()
    expect(await texts([1, 2, 0])).toEqual(['1', '2', undefined])
    expect(await texts([2, 3, 0])).toEqual(['2', '3', undefined])
    expect(asked).toEqual([[1, 2, 0], isKept ? [3, 0] : [2, 3, 0]])
  })

  it('forgets everything after a change, and does not keep what was read during one', async () => {
    const { asked, texts, change } = await readText()
    await texts([1])
    await change()
    await texts([1])
    await texts([2], change)
    expect(await texts([1, 2])).toEqual(['1', '2'])
    expect(asked).toEqual([[1], [1], [2], [1, 2]])
  })

  it('keeps no more than the given number of bytes', async () => {
    const { asked, texts } = await readText()
    const keys = Array.from({ length: 600 }, (_, index) => index + 100)
    await texts(keys)
    await texts(keys)
    expect(asked[1]).toHaveLength(isKept ? 600 - 333 : 600)
  })
})
