import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll } from 'vitest'
import { AccordError } from '../../src/errors.js'

/** A temporary folder for one test file, removed after its tests. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'accord-formats-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return {
    folder,
    path: (name: string) => join(folder, name),
    /** Writes a file and returns its path. Compresses it if the name ends in `.gz`; objects are written as JSON. */
    write(name: string, content: string | Buffer | object): string {
      const path = join(folder, name)
      const raw = typeof content === 'string' || Buffer.isBuffer(content)
      const bytes = Buffer.from(raw ? content : JSON.stringify(content))
      writeFileSync(path, name.endsWith('.gz') ? gzipSync(bytes) : bytes)
      return path
    },
    /** {@link failureOf} without the path of the folder. */
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

/** A two-dimensional array in the format written by NumPy. */
export function npy(
  values: Float32Array | Float64Array,
  rows: number,
  columns: number,
  { version = 1 } = {},
): Buffer {
  const type = values instanceof Float32Array ? '<f4' : '<f8'
  return npyBytes(
    values,
    `{'descr': '${type}', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`,
    version,
  )
}

/** An `.npy` file with the given header. The data starts at a multiple of 64 bytes. */
export function npyBytes(values: Float32Array | Float64Array, header: string, version = 1): Buffer {
  const prefix = Buffer.from(`\x93NUMPY${String.fromCharCode(version)}\x00`, 'latin1')
  const lengthBytes = version === 1 ? 2 : 4
  const start = prefix.length + lengthBytes
  const padded = `${header.padEnd(Math.ceil((header.length + 1 + start) / 64) * 64 - start - 1)}\n`
  const length = Buffer.alloc(lengthBytes)
  length.writeUIntLE(padded.length, 0, lengthBytes)
  return Buffer.concat([prefix, length, Buffer.from(padded), Buffer.from(values.buffer)])
}
