import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AccordError } from '../../errors.js'

/**
 * Checks that {@link writeOutput} can write the file, before the content is computed.
 *
 * @throws AccordError FILE_NOT_FOUND
 */
export function checkOutput(file: string): void {
  orUnwritable(file, () => {
    const target = statSync(file, { throwIfNoEntry: false })
    if (target?.isDirectory()) throw unwritable(file, 'a folder')
    accessSync(target ? file : `${dirname(file)}/`, constants.W_OK)
  })
}

/**
 * Writes a file, or the target of a link, atomically. Pipes and devices are written to.
 *
 * @throws AccordError FILE_NOT_FOUND
 */
export function writeOutput(file: string, content: string): void {
  orUnwritable(file, () => {
    const target = statSync(file, { throwIfNoEntry: false })
    if (target && !target.isFile()) writeFileSync(file, content)
    else replaceFile(target ? realpathSync(file) : file, content)
  })
}

function replaceFile(file: string, content: string): void {
  const partial = `${file}.${process.pid}.partial`
  try {
    writeFileSync(partial, content)
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

function orUnwritable(file: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (error instanceof AccordError) throw error
    throw unwritable(file, (error as NodeJS.ErrnoException).code ?? String(error))
  }
}

function unwritable(file: string, found: string): AccordError {
  return new AccordError('FILE_NOT_FOUND', 'the file cannot be written', {
    source: file,
    expected: 'a path in an existing, writable folder',
    found,
  })
}
