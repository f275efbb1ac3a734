import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { projectFile } from '../../src/project.js'

/**
 * The folder with the COCO files, the Flickr30k Entities files and the reference figures of the parity tests. They are
 * not part of the project: tests that read them call {@link dataPresent} first.
 */
const folder = resolve(process.env.ACCORD_TEST_DATA ?? projectFile('../shared/data'))

/** Path of a file or folder of the data, such as `coco/captions_val2017.json`; it may not exist. */
export function dataFile(name: string): string {
  return resolve(folder, name)
}

/** Whether all these files exist. If not, prints which `tests` are skipped and which files are missing. */
export function dataPresent(tests: string, names: readonly string[]): boolean {
  const missing = (existsSync(folder) ? names.map(dataFile) : [folder]).filter((file) => !existsSync(file))
  if (missing.length > 0) console.warn(`SKIPPED: ${tests}: missing ${missing.join(', ')}`)
  return missing.length === 0
}
