import { existsSync } from 'node:fs'
import { AccordError } from '../../errors.js'
import { projectFile } from '../../project.js'
import { readWhole } from './files.js'

/**
 * The path of a file that the build makes.
 *
 * @param name below `dist/resources`
 * @param what what it is part of, in the plural
 * @throws AccordError RESOURCE_MISSING
 */
export function builtFile(name: string, what: string): string {
  const path = projectFile(`dist/resources/${name}`)
  if (existsSync(path)) return path
  throw new AccordError('RESOURCE_MISSING', `${what} have not been built`, {
    source: path,
    expected: 'a file created by npm run build',
    found: 'none',
  })
}

/** The content of such a file. @throws AccordError INVALID_SHAPE for one that `decode` returns null for */
export function readBuilt<Content>(
  path: string,
  decode: (bytes: Uint8Array) => Content | null,
  what: string,
): Content {
  const content = decode(readWhole(path))
  if (content !== null) return content
  throw new AccordError('INVALID_SHAPE', `invalid ${what}`, {
    source: path,
    expected: 'a file created by npm run build on this kind of machine',
    found: 'other content',
  })
}
