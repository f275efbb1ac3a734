import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ProvenanceRecord } from '../../../src/core/metrics/provenance.js'
import { find, findOne, insert, update } from '../../../src/store/engine/rows.js'
import { ConstraintViolation, type Session } from '../../../src/store/engine/session.js'
import { among, type Sql, sql, values } from '../../../src/store/engine/sql.js'
import { DatasetEntity, TokenEntity } from '../../../src/store/schema/dataset-tables.js'
import { ProvenanceEntity } from '../../../src/store/schema/score-tables.js'
import { ALL_ENGINES, openAgain, openTestDatabase } from '../../kit/databases.js'
import { failureOf } from '../kit.js'

/** Texts that a file format, an escape or a collation could change. */
const ODD_TEXTS = [
  '',
  ' ',
  'a\tb',
  'a\nb\r\nc',
  'back\\slash',
  '\\N',
  '\\.',
  '\\\\x41',
  `it's "quoted"`,
  '{a,b}',
  'NULL',
  '$1 ?',
  'zebra',
  'Zebra',
  'éclair',
  'e\u0301clair',
  'Éclair',
  'ärger',
  'straße',
  '犬小屋',
  '\ufffd',
  '\uffff',
  '🐕',
  '🐕‍🦺',
]

describe.each(ALL_ENGINES)('a session on %s', async (engine) => {
  const database = await openTestDatabase(engine)

  const add = (session: Session, text: string) => insert(session, TokenEntity, { text })
  const has = async (session: Session, text: string) =>
    (await findOne(session, TokenEntity, sql`WHERE text = ${text}`)) !== null
  const newDataset = (name: string, vocabulary: string | null = null) => ({
    name,
    captionsPerImage: 5,
    imageCount: 1,
    captionCount: 2,
    excludedImageCount: 3,
    isPrivate: false,
    imagesFolder: null,
    revision: name,
    wordRevision: null,
    vocabulary,
    objects: null,
    language: 'en',
    tokenizer: 'ptb-3.4.1',
    createdAt: 'now',
  })

  describe('rows', () => {
    it('are read as they were inserted, and updated', async () => {
      const id = await insert(database, DatasetEntity, newDataset('rows'))
      const row = { id, ...newDataset('rows') }
      expect(await find(database, DatasetEntity, sql`WHERE id = ${id}`)).toEqual([row])
      expect(await update(database, DatasetEntity, { imageCount: 7 }, sql`id = ${id}`)).toBe(1)
      expect(await findOne(database, DatasetEntity, sql`WHERE id = ${id}`)).toEqual({ ...row, imageCount: 7 })
      expect(await update(database, DatasetEntity, { imageCount: 7 }, sql`id = -1`)).toBe(0)
      expect(await findOne(database, DatasetEntity, sql`WHERE id = -1`)).toBeNull()
    })

    it('have booleans, however they are inserted, which conditions compare', async () => {
      const ids = [
        await insert(database, DatasetEntity, { ...newDataset('flag'), isPrivate: true }),
        await insert(database, DatasetEntity, { ...newDataset('no flag'), isPrivate: false }),
      ]
      const rows = [true, false].map((isPrivate) => ({ ...newDataset(`many ${isPrivate}`), isPrivate }))
      const properties = Object.keys(rows[0]) as (keyof (typeof rows)[number])[]
      await database.insertMany(
        DatasetEntity,
        properties,
        rows.map((row) => properties.map((property) => row[property])),
      )
      await update(database, DatasetEntity, { isPrivate: true }, sql`id = ${ids[1]}`)
      const named = sql`name ${among(['flag', 'no flag', 'many true', 'many false'])}`
      const flagsOf = async (condition: Sql) =>
        (await find(database, DatasetEntity, sql`WHERE ${named} AND ${condition} ORDER BY id`)).map(
          ({ isPrivate }) => isPrivate,
        )
      expect(await flagsOf(sql`TRUE`)).toEqual([true, true, true, false])
      expect(await flagsOf(sql`is_private`)).toEqual([true, true, true])
      expect(await flagsOf(sql`is_private = ${false}`)).toEqual([false])
    })

    it('have JSON values, however they are inserted', async () => {
      const contents: unknown[] = [{ a: [1, null, 'x\t\\"\n'] }, {}, { nested: { '🐕': 1e-300 } }]
      const records = contents as ProvenanceRecord[]
      await insert(database, ProvenanceEntity, { hash: 'one', record: records[0] })
      await database.insertMany(
        ProvenanceEntity,
        ['hash', 'record'],
        records.slice(1).map((record, index) => [`many ${index}`, record]),
      )
      const rows = await find(database, ProvenanceEntity, sql`ORDER BY id`)
      expect(rows.map(({ record }) => record)).toEqual(records)
    })

    it('with unusual text are unchanged, one by one and in bulk, and ordered by bytes', async () => {
      await add(database, ODD_TEXTS[0])
      await database.insertMany(
        TokenEntity,
        ['text'],
        ODD_TEXTS.slice(1).map((text) => [text]),
      )
      const rows = await find(database, TokenEntity, sql`WHERE text ${among(ODD_TEXTS)} ORDER BY text`)
      const sorted = ODD_TEXTS.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
      expect(rows.map(({ text }) => text)).toEqual(sorted)
      const descending = await find(
        database,
        TokenEntity,
        sql`WHERE text ${among(ODD_TEXTS)} ORDER BY text DESC`,
      )
      expect(descending.map(({ text }) => text)).toEqual(sorted.toReversed())
    })

    it('are inserted in bulk from an asynchronous source', async () => {
      async function* rows() {
        for (let index = 0; index < 1000; index++) {
          if (index % 100 === 0) await sleep(0)
          yield [`async ${index}`]
        }
      }
      await database.insertMany(TokenEntity, ['text'], rows())
      const [{ count }] = await database.all<{ count: number }>(
        sql`SELECT count(*) AS count FROM token WHERE text LIKE 'async %'`,
      )
      expect(count).toBe(1000)
    })

    it('retain numbers to the last bit', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
          async (numbers) => {
            const list = numbers.map((number) => number + 0)
            const rows = await database.transaction(async (session) => {
              const datasetId = await insert(session, DatasetEntity, newDataset(`numbers ${Math.random()}`))
              const tokenId = await add(session, `numbers ${datasetId}`)
              for (const [index, number] of list.entries()) {
                await session.run(
                  sql`INSERT INTO word (dataset_id, token_id, text, part_of_speech, image_count, caption_count,
                                        histogram, human_precision)
                      VALUES (${datasetId}, ${tokenId}, ${String(index)}, 'NN', 0, 0, '[]', ${number})`,
                )
              }
              return session.all<{ value: number }>(
                sql`SELECT human_precision AS value FROM word WHERE dataset_id = ${datasetId} ORDER BY id`,
              )
            })
            expect(rows.map(({ value }) => value)).toEqual(list)
          },
        ),
        { numRuns: 5 },
      )
    })
  })

  describe('lists', () => {
    const longList = Array.from({ length: 100_000 }, (_, index) => index + 1)

    it('may have 100,000 values', async () => {
      const id = await add(database, 'in a long list')
      const rows = await find(database, TokenEntity, sql`WHERE id ${among([...longList, id])} AND id = ${id}`)
      expect(rows).toHaveLength(1)
      const texts = longList.map((value) => `x${value}`)
      expect(
        await find(database, TokenEntity, sql`WHERE text ${among([...texts, 'in a long list'])}`),
      ).toHaveLength(1)
    })

    it('may be empty, of numbers and of texts', async () => {
      expect(await find(database, TokenEntity, sql`WHERE id ${among([])}`)).toEqual([])
      expect(await find(database, TokenEntity, sql`WHERE text ${among([])}`)).toEqual([])
      expect(await database.all(sql`SELECT value FROM ${values([], 'wanted')}`)).toEqual([])
    })

    it('may be tables', async () => {
      const query = (list: readonly number[] | readonly string[]) =>
        database.all(sql`SELECT value FROM ${values(list, 'wanted')} ORDER BY value`)
      expect(await query([3, 1, 2])).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }])
      expect(await query(ODD_TEXTS)).toHaveLength(ODD_TEXTS.length)
    })
  })

  describe('transactions', () => {
    it('are rolled back if they throw, and can be repeated', async () => {
      const failure = new Error('no more')
      await expect(
        database.transaction(async (session) => {
          await add(session, 'undone')
          expect(await has(session, 'undone')).toBe(true)
          throw failure
        }),
      ).rejects.toBe(failure)
      expect(await has(database, 'undone')).toBe(false)
      await database.transaction((session) => add(session, 'undone'))
      expect(await has(database, 'undone')).toBe(true)
    })

    it('are invisible outside until they end', async () => {
      await database.transaction(async (session) => {
        await add(session, 'invisible')
        expect(await has(database, 'invisible')).toBe(false)
      })
      expect(await has(database, 'invisible')).toBe(true)
    })

    it('join the surrounding one', async () => {
      const failure = failureOf(
        database.transaction(async (session) => {
          await session.transaction((inner) => inner.transaction((innermost) => add(innermost, 'joined')))
          throw new Error('undone')
        }),
      )
      expect(await failure).toEqual(new Error('undone'))
      expect(await has(database, 'joined')).toBe(false)
    })

    it('that run concurrently do not see or undo each other', async () => {
      const work = (number: number) =>
        database.transaction(async (session) => {
          for (let step = 0; step < 5; step++) {
            await add(session, `at once ${number} ${step}`)
            await sleep(0)
          }
          if (number % 2 === 1) throw new Error('odd')
        })
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, (_, number) => work(number)))
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
        outcomes.map((_, number) => number % 2 === 0),
      )
      const rows = await find(database, TokenEntity, sql`WHERE text LIKE 'at once %'`)
      expect(rows).toHaveLength(30)
    })

    it('of another connection, and writes outside transactions, wait for each other', async () => {
      const other = await openAgain(database)
      try {
        await Promise.all(
          Array.from({ length: 20 }, (_, index) => add(index % 2 ? database : other, `two ${index}`)),
        )
        expect(await find(other, TokenEntity, sql`WHERE text LIKE 'two %'`)).toHaveLength(20)
      } finally {
        await other.close()
      }
    })

    it('do not block writes outside, which wait on SQLite', async () => {
      let inside: Promise<unknown> | undefined
      await database.transaction(async (session) => {
        await add(session, 'first')
        inside = database.run(sql`UPDATE token SET text = 'never' WHERE text = 'no such text'`)
        if (engine === 'postgres') await inside
        await add(session, 'second')
      })
      expect(await inside).toBe(0)
    })

    it('do not commit after a failed statement, even if the error is caught', async () => {
      await add(database, 'taken')
      const result = database.transaction(async (session) => {
        await add(session, 'before the failure')
        await add(session, 'taken').catch(() => {})
      })
      // SQLite undoes the statement alone; both are consistent, and no caller may rely on either.
      const outcome = await failureOf(result)
      expect(outcome === 'no failure').toBe(await has(database, 'before the failure'))
    })

    it('that are independent survive the rollback of the surrounding one, except on SQLite', async () => {
      await failureOf(
        database.transaction(async (session) => {
          await session.independently((inner) => add(inner, 'independent'))
          expect(await has(session, 'independent')).toBe(true)
          throw new Error('undone')
        }),
      )
      expect(await has(database, 'independent')).toBe(engine === 'postgres')
    })

    it('do not deadlock if each of many needs an independent one', async () => {
      // Those that have all connections of the pool wait for each other; on SQLite one runs at a time.
      const atOnce = engine === 'postgres' ? 8 : 1
      let begun = 0
      const work = (number: number) =>
        database.transaction(async (session) => {
          begun++
          await expect.poll(() => begun).toBeGreaterThanOrEqual(atOnce)
          await session.independently((inner) => add(inner, `nested ${number}`))
        })
      await Promise.all(Array.from({ length: 30 }, (_, number) => work(number)))
      expect(await find(database, TokenEntity, sql`WHERE text LIKE 'nested %'`)).toHaveLength(30)
    })
  })

  describe('errors', () => {
    it.each<[string, (session: Session) => Promise<unknown>]>([
      ['insert', (session) => insert(session, TokenEntity, { text: 'twice' })],
      ['insertMany', (session) => session.insertMany(TokenEntity, ['text'], [['new'], ['twice']])],
      ['run', (session) => session.run(sql`INSERT INTO token (text) VALUES ('twice')`)],
    ])('of a repeated key are a violation: %s', async (_, act) => {
      await database.run(sql`INSERT INTO token (text) VALUES ('twice') ON CONFLICT DO NOTHING`)
      for (const attempt of [() => act(database), () => database.transaction(act)]) {
        const error = await failureOf(attempt())
        expect(error).toBeInstanceOf(ConstraintViolation)
        expect((error as ConstraintViolation).kind).toBe('UNIQUE')
      }
      expect(await has(database, 'new')).toBe(false)
    })

    it('of a missing parent are a violation, at the end of the transaction if deferred', async () => {
      const kindOf = async (promise: Promise<unknown>) =>
        ((await failureOf(promise)) as { kind: string }).kind
      const image = sql`INSERT INTO image (dataset_id, external_id, caption_count) VALUES (-1, '', 0)`
      const empty = Buffer.alloc(0)
      const posting = sql`INSERT INTO posting VALUES (-1, 0, ${empty}, ${empty})`
      expect(await kindOf(database.run(image))).toBe('FOREIGN_KEY')
      let ran = false
      const deferred = database.transaction(async (session) => {
        await session.run(posting)
        ran = true
      })
      expect(await kindOf(deferred)).toBe('FOREIGN_KEY')
      expect(ran).toBe(true)
      await add(database, 'after a violation')
    })

    it('of the source of rows are thrown unchanged, and nothing is inserted', async () => {
      const failure = Object.assign(new Error('no such file'), { code: 'ENOENT' })
      function* rows() {
        for (let index = 0; index < 100_000; index++) {
          yield [`lost ${index}`]
          if (index === 50_000) throw failure
        }
      }
      async function* asyncRows() {
        yield ['lost']
        await sleep(0)
        throw failure
      }
      for (const source of [rows, asyncRows]) {
        await expect(database.insertMany(TokenEntity, ['text'], source())).rejects.toBe(failure)
        await expect(
          database.transaction((session) => session.insertMany(TokenEntity, ['text'], source())),
        ).rejects.toBe(failure)
      }
      expect(await find(database, TokenEntity, sql`WHERE text LIKE 'lost%'`)).toEqual([])
      await add(database, `after a failure`)
    })

    it.skipIf(engine === 'sqlite')(
      'of a lost connection are expected failures, and others are made',
      async () => {
        const end = sql`SELECT pg_terminate_backend(pg_backend_pid())`
        const idle = database.transaction(async (session) => {
          const [{ pid }] = await session.all<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
          await database.all(sql`SELECT pg_terminate_backend(${pid}, 100000)`)
          await add(session, 'never')
        })
        const lost = [database.all(end), database.transaction((session) => session.all(end)), idle]
        for (const failure of await Promise.all(lost.map(failureOf))) {
          expect(failure).toMatch(/^DATABASE_UNAVAILABLE .*the database cannot be reached/)
        }
        await add(database, 'after lost connections')
        expect(await has(database, 'never')).toBe(false)
      },
    )

    it('of an invalid statement contain the statement and are not expected failures', async () => {
      const error = await failureOf(database.all(sql`SELECT 1 FROM nowhere`))
      expect(String(error)).toContain('nowhere')
    })
  })

  describe('reserved ids', () => {
    it('are consecutive, ascending and never reused', async () => {
      const counts = [1, 3, 100, 1, 2000]
      const firsts = await Promise.all(counts.map((count) => database.reserveIds(DatasetEntity, count)))
      const all = firsts.flatMap((first, index) =>
        Array.from({ length: counts[index] }, (_, at) => first + at),
      )
      expect(new Set(all).size).toBe(all.length)
      const next = await insert(database, DatasetEntity, newDataset('after reserved ids'))
      expect(next).toBeGreaterThan(Math.max(...all))
      expect(await database.reserveIds(DatasetEntity, 1)).toBeGreaterThan(next)
    })

    it('can be empty', async () => {
      const texts = sql`SELECT text FROM token`
      const before = await database.all(texts)
      await database.reserveIds(TokenEntity, 0)
      await database.insertMany(TokenEntity, ['id', 'text'], [])
      expect(await database.all(texts)).toEqual(before)
    })
  })

  it('notifies listeners of commits, but not of rollbacks', async () => {
    const other = await openAgain(database)
    let calls = 0
    const stop = await other.listen('news', () => calls++)
    const isCalledAfter = async (act: () => Promise<void>) => {
      const before = calls
      await act()
      await expect.poll(() => calls).toBeGreaterThan(before)
    }
    // Several: they would arrive before those that are committed.
    for (let count = 0; count < 10; count++) {
      await failureOf(
        database.transaction(async (session) => {
          await session.notify('news')
          throw new Error('undone')
        }),
      )
    }
    await isCalledAfter(() => database.transaction((session) => session.notify('news')))
    await isCalledAfter(() => database.notify('news'))
    expect(calls).toBe(2)
    await stop()
    await other.close()
  })

  it('reports each statement with parameters in place of values', async () => {
    const statements: string[] = []
    const observed = await openAgain(database, { onStatement: (text) => statements.push(text) })
    statements.length = 0
    await observed.all(sql`SELECT id FROM token WHERE text = ${'secret'}`)
    await observed.insertMany(TokenEntity, ['text'], [['observed 1'], ['observed 2']])
    await observed.close()
    expect(statements).toHaveLength(2)
    expect(statements.join()).not.toContain('secret')
  })
})
