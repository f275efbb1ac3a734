import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Outcome, outcomeOf, query, urlOf, workbench } from '../cli/kit.js'
import { writeVillages } from '../kit/villages.js'

/**
 * Another program that opens the SQLite file beside a server, as Grafana, Metabase and the shell of SQLite do: Python, whose
 * connections read and write, and end many times a second. Where this process had lost its locks, the end of such a
 * connection would remove the log that the server writes to.
 */

const hasPython = spawnSync('python3', ['-c', 'import sqlite3']).status === 0
const { path, run, start } = workbench()

/** Reads or writes with one connection after another until standard input ends; prints a line after the first, and then how many there were. */
const FOREIGN = `
import sqlite3, sys, threading, time
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
connections = 0
while not ended.is_set():
    connection = sqlite3.connect(sys.argv[1], timeout=30)
    connection.execute('SELECT count(*) FROM job').fetchall()
    if sys.argv[2] == 'write':
        connection.execute('CREATE TABLE IF NOT EXISTS note (text)')
        connection.execute('INSERT INTO note VALUES (1)')
        connection.commit()
    connection.close()
    connections += 1
    if connections == 1: print('begun', flush=True)
    time.sleep(.005)
print(connections)
`

function startForeign(access: 'read' | 'write') {
  const child = spawn('python3', ['-c', FOREIGN, path('shared.sqlite'), access])
  const outcome = outcomeOf(child)
  const begun = once(child.stdout, 'data')
  return {
    begun,
    async end(): Promise<number> {
      child.stdin.end()
      const { code, stdout, stderr } = await outcome
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return Number(stdout.replace('begun\n', ''))
    },
  }
}

/** Returns another job each time: each is acknowledged when it is stored. */
const EVALUATE = `mutation {
  startEvaluation(input: { dataset: "villages", system: "captioner" }) { ... on JobSuccess { job { id } } }
}`

beforeAll(() => writeVillages(path('shared.sqlite')))

describe.skipIf(!hasPython)('programs that open the file beside a server', () => {
  it('lose nothing that the server has written, on any path that opens the file', async () => {
    const server = start('serve --port 0 --workers 1 --database shared.sqlite')
    const outcome: Promise<Outcome> = outcomeOf(server)
    const url = await urlOf(server)
    const foreign = [startForeign('read'), startForeign('write')]
    const ids = new Set<string>()
    const add = async () => {
      const { data, errors } = await query(url, EVALUATE)
      expect(errors).toBeUndefined()
      ids.add(data.startEvaluation.job.id)
    }
    const commands = [
      'datasets --database shared.sqlite',
      'words --dataset villages --database shared.sqlite',
      'check --database shared.sqlite',
      'backup backup.sqlite --database shared.sqlite',
      'copy --from shared.sqlite --to copy.sqlite',
      'evaluate --dataset villages --database shared.sqlite',
    ]
    for (const command of commands) {
      for (let count = 0; count < 4; count++) await add()
      expect(await run(command)).toMatchObject({ code: 0 })
      expect(existsSync(path('shared.sqlite-wal'))).toBe(true)
    }
    for (const { end } of foreign) expect(await end()).toBeGreaterThan(1)
    expect(ids.size).toBeGreaterThan(3)
    for (const id of ids) {
      const { data } = await query(url, 'query ($id: ID!) { node(id: $id) { id } }', { id })
      expect(data).toEqual({ node: { id } })
    }
    // The server replaces the content, not the file, and goes on.
    const reader = startForeign('read')
    await reader.begun
    expect(await run('restore backup.sqlite --database shared.sqlite')).toMatchObject({ code: 0 })
    await add()
    expect(await reader.end()).toBeGreaterThan(1)
    server.kill('SIGTERM')
    expect(await outcome).toMatchObject({ code: 0, stderr: '' })
    expect(await run('check --database shared.sqlite')).toMatchObject({ code: 0 })
  })
})
