import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { executeOn } from './postgres-process.js'
import './postgres-setup.js'

/** Why PostgreSQL cannot run here, null where it can. Tests on it are `describe.skipIf(postgresMissing)`. */
export const postgresMissing = inject('postgresMissing')

export interface PostgresDatabase {
  readonly name: string
  /** `postgres://user:password@127.0.0.1:port/name` */
  readonly url: string
  /** Removes it, and ends the connections to it. */
  drop(): Promise<void>
}

/**
 * A new database on the PostgreSQL server of this test run; the first call of a run starts the server.
 *
 *     const database = await createPostgresDatabase()
 *     const copy = await createPostgresDatabase(database)
 *     await copy.drop()
 *
 * @param template what the database is a copy of, without connections to it; by default it is empty
 */
export async function createPostgresDatabase(template?: PostgresDatabase): Promise<PostgresDatabase> {
  const server = await startServer()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Copying files is twice as fast as the default, which writes a log of every page.
  await executeOn(
    server,
    `CREATE DATABASE ${name} TEMPLATE ${template?.name ?? 'template0'} STRATEGY FILE_COPY`,
  )
  const url = new URL(server)
  url.pathname = name
  return {
    name,
    url: url.href,
    async drop() {
      await executeOn(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** The URL of the server's own database. */
async function startServer(): Promise<string> {
  const response = await fetch(inject('postgresStarter'))
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return answer
}
