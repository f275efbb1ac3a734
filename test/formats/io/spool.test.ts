import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { Spool } from '../../../src/formats/io/spool.js'
import { failureOf } from '../kit.js'

afterEach(() => vi.unstubAllEnvs())

it('returns the records of each partition in the order in which they were appended', () => {
  const record = fc.oneof(
    { weight: 8, arbitrary: fc.uint8Array({ maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(32_763, 32_764, 32_765, 40_000).map((length) => new Uint8Array(length)),
    },
  )
  const entries = fc.array(fc.tuple(fc.nat(5), record), { maxLength: 60 })
  fc.assert(
    fc.property(entries, (appended) => {
      const spool = new Spool()
      for (const [partition, bytes] of appended) spool.append(partition, bytes)
      for (const partition of [5, 0, 1, 2, 3, 4, 0]) {
        const expected = appended.flatMap(([of, bytes]) => (of === partition ? [Buffer.from(bytes)] : []))
        const records = [...spool.records(partition)]
        expect(records.length).toBe(expected.length)
        expect(records.every((found, i) => found.equals(expected[i]))).toBe(true)
      }
      spool.close()
    }),
    { numRuns: 50 },
  )
})

it('leaves no file behind, whether it is closed or not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'accord-spool-test-'))
  vi.stubEnv('TMPDIR', folder)
  const spool = new Spool()
  spool.append(0, Buffer.from('a'))
  expect([...spool.records(0)]).toHaveLength(1)
  expect(readdirSync(folder)).toEqual([])
  spool.close()
  rmSync(folder, { recursive: true })
})

it('fails clearly without a folder for temporary files', () => {
  vi.stubEnv('TMPDIR', '/absent/folder')
  const large = new Uint8Array(40_000)
  const spool = new Spool()
  spool.append(0, large)
  expect([...spool.records(0)]).toEqual([Buffer.from(large)])
  expect(failureOf(() => spool.append(0, large))).toBe(
    'RESOURCE_MISSING /absent/folder: the temporary file cannot be written or read: expected a folder for temporary files with free space (set TMPDIR to use another one), found no such file or directory',
  )
})
