import { executeOn, type PostgresServer, startPostgresServer } from '../test/kit/postgres-process.js'

export { executeOn }

/** A PostgreSQL server with default settings. */
export interface Postgres {
  /** Creates an empty database. Returns its URL. */
  create(name: string): Promise<string>
  drop(name: string): Promise<void>
  stop(): Promise<void>
}

export async function startPostgres(): Promise<Postgres> {
  const server: PostgresServer = await startPostgresServer('durable')
  return {
    async create(name) {
      await executeOn(server.url, `CREATE DATABASE ${name}`)
      const url = new URL(server.url)
      url.pathname = name
      return url.href
    },
    async drop(name) {
      await executeOn(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
    stop: server.stop,
  }
}
