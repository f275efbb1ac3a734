import { readJsonFile } from '../formats/io/json.js'
import { requireObject } from '../formats/io/values.js'

/** Maximum size of a file of settings in bytes. */
const MAX_BYTES = 1024 * 1024

/**
 * Reads settings of a program: a JSON object.
 *
 * @throws AccordError FILE_NOT_FOUND; OUT_OF_RANGE for more than 1 MiB; INVALID_JSON; INVALID_SHAPE for another value
 */
export function readSettings(path: string): Readonly<Record<string, unknown>> {
  return requireObject(readJsonFile(path, MAX_BYTES), () => ({ source: path }))
}
