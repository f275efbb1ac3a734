import { once } from 'node:events'
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Option } from 'commander'
import { AccordError } from '../../errors.js'
import { describeSystemError } from '../../system-errors.js'

/** Instead of the path of a file. */
export const STDOUT = '-'

export const forceOption = () => new Option('--force', 'replace files that exist')

/** Kinds of files that nothing is written as: a text with such a name could not be opened. */
const OTHER_KINDS = /\.(xlsx?|ods|docx?|pdf|gz|zip|bz2|xz|parquet)$/i

/**
 * Checks that a file can be written, before the content is computed.
 *
 * @param isReplaced whether a file that exists may be replaced; pipes and devices may be written to in any case
 * @throws AccordError FILE_NOT_FOUND; NAME_TAKEN for a file that exists; OUT_OF_RANGE for the name of a kind of file that is not written
 */
export function checkOutput(file: string | undefined, isReplaced = false): void {
  if (file === undefined || file === STDOUT) return
  const [kind] = OTHER_KINDS.exec(file) ?? []
  if (kind !== undefined)
    throw new AccordError('OUT_OF_RANGE', 'such files are not written', {
      source: file,
      expected: 'another name, such as one ending in .csv or .txt',
      found: kind,
    })
  orUnwritable(file, () => {
    const target = statSync(file, { throwIfNoEntry: false })
    if (target?.isDirectory()) throw unwritable(file, 'a folder')
    if (target?.isFile() && !isReplaced)
      throw new AccordError('NAME_TAKEN', 'the file exists; nothing was written', {
        source: file,
        expected: 'another file, or --force to replace it',
      })
    accessSync(target ? file : `${dirname(file)}/`, constants.W_OK)
  })
}

/** Writes a text to a file, as {@link writeParts}, or to stdout. @throws AccordError FILE_NOT_FOUND */
export async function writeText(file: string | undefined, text: string): Promise<void> {
  await writeParts([text], file)
}

/**
 * Writes parts to stdout as fast as they are read, until its reader closes it; or to a file, or the target of a link, which is
 * replaced when all parts are written. Pipes and devices are written to.
 *
 * @throws AccordError FILE_NOT_FOUND
 */
export async function writeParts(
  parts: AsyncIterable<string> | Iterable<Buffer | string>,
  file = STDOUT,
): Promise<void> {
  if (file === STDOUT) return writeToStdout(parts)
  const target = orUnwritable(file, () => statSync(file, { throwIfNoEntry: false }))
  const isReplaced = !target || target.isFile()
  const path = target?.isFile() ? realpathSync(file) : file
  const written = isReplaced ? `${path}.${process.pid}.partial` : path
  const descriptor = orUnwritable(file, () => openSync(written, 'w'))
  try {
    try {
      for await (const part of parts) orUnwritable(file, () => writeFileSync(descriptor, part))
    } finally {
      closeSync(descriptor)
    }
    if (isReplaced) orUnwritable(file, () => renameSync(written, path))
  } catch (error) {
    if (isReplaced) rmSync(written, { force: true })
    throw error
  }
}

async function writeToStdout(parts: AsyncIterable<string> | Iterable<Buffer | string>): Promise<void> {
  let failure: unknown
  const onError = (error: unknown) => {
    failure = error
  }
  process.stdout.on('error', onError)
  try {
    for await (const part of parts) {
      if (failure !== undefined) return
      if (!process.stdout.write(part)) await once(process.stdout, 'drain')
    }
  } catch (error) {
    // An error of stdout itself is told by its listener in main.ts.
    if (error !== failure) throw error
  } finally {
    process.stdout.off('error', onError)
  }
}

function orUnwritable<Result>(file: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    if (error instanceof AccordError) throw error
    throw unwritable(file, describeSystemError(error))
  }
}

function unwritable(file: string, found: string): AccordError {
  return new AccordError('FILE_NOT_FOUND', 'the file cannot be written', {
    source: file,
    expected: 'a path in an existing, writable folder',
    found,
  })
}
