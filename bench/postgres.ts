import { executeOn, type PostgresServer, startPostgresServer } from '../test/kit/postgres-process.js'

export { executeOn }

/** A PostgreSQL server with default settings. It starts with its first database: most groups need none. */
export interface Postgres {
  /** Creates an empty database. Returns its URL. */
  create(name: string): Promise<string>
  drop(name: string): Promise<void>
  stop(): Promise<void>
}

export function preparePostgres(): Postgres {
  let server: Promise<PostgresServer> | undefined
  const start = () => {
    server ??= startPostgresServer('durable')
    return server
  }
  return {
    async create(name) {
      const url = new URL((await start()).url)
      await executeOn(url.href, `CREATE DATABASE ${name}`)
      url.pathname = name
      return url.href
    },
    async drop(name) {
      await executeOn((await start()).url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
    async stop() {
      await (await server)?.stop()
    },
  }
}
