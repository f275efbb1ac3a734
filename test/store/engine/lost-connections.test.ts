import { describe, expect, it } from 'vitest'
import { hasCode } from '../../../src/errors.js'
import { translatePostgresError } from '../../../src/store/engine/postgres.js'
import { sql } from '../../../src/store/engine/sql.js'
import { TokenEntity } from '../../../src/store/schema/dataset-tables.js'
import { locationOf, openTestDatabase } from '../../kit/databases.js'
import { postgresMissing } from '../../kit/postgres.js'
import { executeOn } from '../../kit/postgres-process.js'

const LOST = { code: 'DATABASE_UNAVAILABLE', summary: 'the database cannot be reached' }

describe('an error of PostgreSQL', () => {
  const translated = (message: string, code?: string) =>
    translatePostgresError(Object.assign(new Error(message), { code }), 'postgres://u:p@h/d')

  it.each<[string, string?]>([
    ['write EPIPE', 'EPIPE'],
    ['read ECONNRESET', 'ECONNRESET'],
    ['connect ECONNREFUSED', 'ECONNREFUSED'],
    ['connect ECONNABORTED', 'ECONNABORTED'],
    ['connect EHOSTDOWN', 'EHOSTDOWN'],
    ['connect ENETDOWN', 'ENETDOWN'],
    ['read ETIMEDOUT', 'ETIMEDOUT'],
    ['getaddrinfo EAI_AGAIN', 'EAI_AGAIN'],
    ['This socket has been ended by the other party', 'EPIPE'],
    ['Premature close', 'ERR_STREAM_PREMATURE_CLOSE'],
    ['Cannot call write after a stream was destroyed', 'ERR_STREAM_DESTROYED'],
    ['ssl', 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ['Connection terminated'],
    ['Connection terminated unexpectedly'],
    ['Connection terminated due to connection timeout'],
    ['Client has encountered a connection error and is not queryable'],
    ['Client was closed and is not queryable'],
    ['timeout expired'],
    ['timeout exceeded when trying to connect'],
    ['Query read timeout'],
    ['connection failure', '08006'],
    ['protocol violation', '08P01'],
    ['terminating connection due to administrator command', '57P01'],
    ['terminating connection because of crash of another server process', '57P02'],
    ['the database system is starting up', '57P03'],
    ['terminating connection due to idle-session timeout', '57P05'],
    ['terminating connection due to idle-in-transaction timeout', '25P03'],
    ['too many clients', '53300'],
  ])('means that the database cannot be reached: %s', (message, code) => {
    expect(translated(message, code)).toMatchObject({ ...LOST, detail: { source: 'postgres://u@h/d' } })
  })

  it.each<[string, string?]>([
    ['syntax error', '42601'],
    ['Cannot read properties of undefined'],
    ['division by zero', '22012'],
    ['invalid', 'ERR_INVALID_ARG_TYPE'],
  ])('is a bug otherwise: %s', (message, code) => {
    expect(hasCode(translated(message, code), 'DATABASE_UNAVAILABLE')).toBe(false)
  })
})

describe.skipIf(postgresMissing)('a connection that is lost', () => {
  const terminate = (location: string) =>
    executeOn(
      location,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )

  /** Rows among which the connections end. */
  async function* rows(location: string) {
    for (let row = 0; row < 400; row++) {
      if (row === 100) await terminate(location)
      yield [`${row} `.repeat(5000)]
    }
  }

  it.each([false, true])(
    'while rows are copied is that of the database, in a transaction: %s',
    async (isInTransaction) => {
      const database = await openTestDatabase('postgres')
      const copied = rows(locationOf(database))
      await expect(
        isInTransaction
          ? database.transaction((session) => session.insertMany(TokenEntity, ['text'], copied))
          : database.insertMany(TokenEntity, ['text'], copied),
      ).rejects.toMatchObject(LOST)
      // The next statement has another connection.
      expect(await database.all(sql`SELECT COUNT(*) AS count FROM token`)).toEqual([{ count: 0 }])
    },
  )

  it('between statements is that of the database, for each way to read and write', async () => {
    const database = await openTestDatabase('postgres')
    const location = locationOf(database)
    const one = sql`SELECT 1 AS one`
    const act = async (
      session: typeof database | Parameters<Parameters<typeof database.transaction>[0]>[0],
    ) => {
      await session.all(one)
      await terminate(location)
      await session.all(one)
    }
    await expect(database.transaction(act)).rejects.toMatchObject(LOST)
    await expect(database.snapshot(act)).rejects.toMatchObject(LOST)
    await expect(database.readLong({ milliseconds: 60_000 }, act)).rejects.toMatchObject(LOST)
    const independent = database.transaction((session) => session.independently(act))
    await expect(independent).rejects.toMatchObject(LOST)
    expect(await database.all(one)).toEqual([{ one: 1 }])
  })

  it('is not blamed for an error of the rows', async () => {
    const database = await openTestDatabase('postgres')
    const failing = function* () {
      yield ['a']
      throw Object.assign(new Error('a pipe of the file'), { code: 'EPIPE' })
    }
    await expect(database.insertMany(TokenEntity, ['text'], failing())).rejects.toThrow('a pipe of the file')
  })
})
