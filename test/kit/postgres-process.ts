import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Client } from 'pg'
import { projectFile } from '../../src/project.js'

/** A PostgreSQL server on this machine, in a temporary folder. */
export interface PostgresServer {
  /** URL of the default database. */
  readonly url: string
  /** Sends a signal to all processes of the server. After SIGKILL it is started again on the same folder. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL server, which is stopped at the latest with this process.
 *
 * @param durability `durable`: default settings; `volatile`: does not wait for the disk
 */
export async function startPostgresServer(durability: 'durable' | 'volatile'): Promise<PostgresServer> {
  const owner = fork(projectFile('test/kit/postgres-server.js'), [durability], { detached: true })
  const [answer] = (await Promise.race([once(owner, 'message'), once(owner, 'exit')])) as [unknown]
  const { url, error = 'its process ended' } = Object(answer) as { url?: string; error?: string }
  if (url === undefined) throw new Error(`PostgreSQL did not start: ${error}`)
  return {
    url,
    async signal(signal) {
      const done = once(owner, 'message')
      owner.send(signal)
      await done
    },
    async stop() {
      if (!owner.connected) return
      const ended = once(owner, 'exit')
      owner.disconnect()
      await ended
    },
  }
}

/** Executes one statement on a new connection. */
export async function executeOn<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
