import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { basename, resolve } from 'node:path'
import type { FamilyDefinition } from '../core/metrics/metric.js'
import { ownFamily } from '../core/metrics/own-family.js'
import { AccordError } from '../errors.js'
import { readWhole } from '../formats/io/files.js'

const require = createRequire(import.meta.url)

/**
 * A metric of the user's own, from an ES module or a CommonJS module. The module is executed.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for a module that fails, and for what is wrong with its default export
 */
export function readMetricModule(file: string): FamilyDefinition {
  const path = resolve(file)
  const source = basename(file)
  const hash = createHash('sha256').update(readWhole(path)).digest('hex')
  let loaded: { readonly default?: unknown }
  try {
    loaded = require(path)
  } catch (error) {
    throw new AccordError('INVALID_VALUE', 'the module cannot be loaded', {
      source: file,
      found: error instanceof Error ? error.message : String(error),
    })
  }
  return ownFamily(loaded.default ?? loaded, { source, hash })
}
