import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll } from 'vitest'
import { AccordError } from '../../src/errors.js'

/** A folder of its own for a test file, removed afterwards. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'accord-formats-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return {
    folder,
    path: (name: string) => join(folder, name),
    /** Writes a file, packed where its name ends in `.gz`; objects are written as JSON. Returns its path. */
    write(name: string, content: string | Buffer | object): string {
      const path = join(folder, name)
      const raw = typeof content === 'string' || Buffer.isBuffer(content)
      const bytes = Buffer.from(raw ? content : JSON.stringify(content))
      writeFileSync(path, name.endsWith('.gz') ? gzipSync(bytes) : bytes)
      return path
    },
    /** {@link failureOf}, with the folder's path taken out. */
    failure: (action: () => unknown) => failureOf(action).replaceAll(`${folder}/`, ''),
  }
}

/** The code and message of the expected failure of `action`. */
export function failureOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (!(error instanceof AccordError)) throw error
    return `${error.code} ${error.message}`
  }
  throw new Error('expected a failure, but there was none')
}
