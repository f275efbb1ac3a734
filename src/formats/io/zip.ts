import { unzipSync } from 'fflate'
import { AccordError } from '../../errors.js'
import { type InputFile, readWhole } from './files.js'
import { wrongValue } from './values.js'

/** Maximum size of the wanted files of a zip file together, in bytes: they are held in memory. */
const MAX_UNZIPPED_BYTES = 256 * 1024 * 1024

/** The first bytes of a zip file that is not empty. */
export const ZIP_MAGIC = Buffer.from('PK\x03\x04', 'latin1')

/**
 * Reads files of a zip file into memory, by their names in it.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for a file that is not a complete zip file; OUT_OF_RANGE where the wanted
 *   files are larger than 256 MiB together; errors of `isWanted`
 */
export function readZip(file: InputFile, isWanted: (name: string) => boolean): Map<string, Buffer> {
  const bytes = readWhole(file)
  const at = { source: file }
  let size = 0
  try {
    const files = unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!isWanted(name)) return false
        size += originalSize
        return size <= MAX_UNZIPPED_BYTES
      },
    })
    if (size <= MAX_UNZIPPED_BYTES) {
      return new Map(
        Object.entries(files).map(([name, { buffer, byteOffset, length }]) => [
          name,
          Buffer.from(buffer, byteOffset, length),
        ]),
      )
    }
  } catch (error) {
    if (error instanceof AccordError) throw error
    const expected = 'a complete zip file'
    throw wrongValue('INVALID_VALUE', 'not a zip file', at, expected, (error as Error).message)
  }
  const expected = `at most ${MAX_UNZIPPED_BYTES} bytes after decompression (unzip it into a folder)`
  throw wrongValue('OUT_OF_RANGE', 'the zip file is too large', at, expected, 'more')
}
