import { describe, expect, it } from 'vitest'
import { continues, sql } from '../../../src/store/engine/sql.js'
import { ALL_ENGINES, openTestDatabase } from '../../kit/databases.js'

/** A query that does not end by itself. */
const ENDLESS = sql`WITH RECURSIVE number(value) AS (SELECT 1::bigint UNION ALL SELECT value + 1 FROM number)
                    SELECT count(*) AS count FROM number WHERE ${continues('value')}`
const ENDLESS_OF = {
  postgres: ENDLESS,
  sqlite: { ...ENDLESS, texts: ENDLESS.texts.map((text) => text.replace('::bigint', '')) },
}

const LONG = 600_000

describe.each(ALL_ENGINES)('long queries on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  const endless = ENDLESS_OF[engine]

  it('return rows like others', async () => {
    const query = sql`SELECT id, name FROM dataset WHERE name = ${'none'}`
    expect(await database.readLong({ milliseconds: LONG }, (session) => session.all(query))).toEqual([])
    const values = sql`SELECT 1 AS one, 'text' AS text, NULL AS absent`
    expect(await database.readLong({ milliseconds: LONG }, (session) => session.all(values))).toEqual([
      { one: 1, text: 'text', absent: null },
    ])
  })

  it('are interrupted at their time limit', async () => {
    const read = database.readLong({ milliseconds: 30 }, (session) => session.all(endless))
    await expect(read).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  it('are interrupted when their client has gone, and leave this thread free', async () => {
    const gone = new AbortController()
    const limits = { milliseconds: LONG, signal: gone.signal }
    const read = database.readLong(limits, (session) => session.all(endless))
    const waiting = database.readLong(limits, (session) => session.all(endless))
    const both = Promise.allSettled([read, waiting])
    // This thread answers while the query runs.
    for (let turn = 0; turn < 20; turn++) await database.all(sql`SELECT 1 AS one`)
    gone.abort(new Error('gone'))
    expect((await both).map((end) => String((end as PromiseRejectedResult).reason))).toEqual(
      Array(2).fill('Error: gone'),
    )
    // The thread and the connections are free again.
    const one = sql`SELECT 1 AS one`
    for (let turn = 0; turn < 3; turn++) {
      const rows = database.readLong({ milliseconds: LONG }, (session) => session.all(one))
      expect(await rows).toEqual([{ one: 1 }])
    }
  })

  it('report errors of the database', async () => {
    const wrong = database.readLong({ milliseconds: LONG }, (session) =>
      session.all(sql`SELECT absent FROM dataset`),
    )
    await expect(wrong).rejects.toThrow(/absent/)
  })
})
