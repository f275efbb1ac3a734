import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { AccordError } from '../errors.js'

/** Called as a file is read, with the bytes read so far and the size of the (unpacked) file; 0 if unknown. */
export type ReadProgress = (bytesRead: number, totalBytes: number) => void

/** Bytes of a file from front to back, unpacked where the file's name ends in `.gz`. */
export interface ByteSource {
  /** Size in bytes, after unpacking; 0 where it is not known (a pipe). */
  readonly size: number
  /** Fills `target` from `offset` on and returns how many bytes were written, 0 at the end. */
  read(target: Buffer, offset: number): number
  close(): void
}

/**
 * Most that a `.gz` file may unpack to, in bytes. It is unpacked in memory, because Node unpacks piece by
 * piece only asynchronously and an import runs inside one synchronous transaction.
 */
const MOST_UNPACKED_BYTES = 1024 * 1024 * 1024

/** Opens a file for {@link ByteSource.read}. Throws FILE_NOT_FOUND or, for a broken `.gz`, INVALID_VALUE. */
export function openFile(path: string): ByteSource {
  return path.endsWith('.gz') ? bytesInMemory(unpack(path)) : bytesOnDisk(path)
}

/** A whole file in memory, for formats that need it at once. Same errors as {@link openFile}. */
export function readWhole(path: string): Buffer {
  return path.endsWith('.gz') ? unpack(path) : attempt(path, () => readFileSync(path))
}

function bytesOnDisk(path: string): ByteSource {
  const descriptor = attempt(path, () => openSync(path, 'r'))
  const status = fstatSync(descriptor)
  if (status.isDirectory()) {
    closeSync(descriptor)
    throw notReadable(path, 'EISDIR')
  }
  return {
    size: status.size,
    read: (target, offset) =>
      attempt(path, () => readSync(descriptor, target, offset, target.length - offset, null)),
    close: () => closeSync(descriptor),
  }
}

function bytesInMemory(bytes: Buffer): ByteSource {
  let position = 0
  return {
    size: bytes.length,
    read(target, offset) {
      const copied = bytes.copy(target, offset, position)
      position += copied
      return copied
    },
    close() {},
  }
}

function unpack(path: string): Buffer {
  const packed = attempt(path, () => readFileSync(path))
  try {
    return gunzipSync(packed, { maxOutputLength: MOST_UNPACKED_BYTES })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'Z_BUF_ERROR') {
      const found = `the end of the file after ${packed.length} bytes`
      throw new AccordError('INVALID_VALUE', 'the gzip file is cut off', {
        source: path,
        expected: 'a complete gzip file',
        found,
      })
    }
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new AccordError('OUT_OF_RANGE', 'the file is too large to be read packed', {
        source: path,
        expected: `at most ${MOST_UNPACKED_BYTES} bytes unpacked (unpack it first)`,
        found: 'more',
      })
    }
    throw new AccordError('INVALID_VALUE', 'not a gzip file', {
      source: path,
      expected: 'gzip data in a file named .gz',
      found: (error as Error).message,
    })
  }
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === undefined) throw error
    throw notReadable(path, code)
  }
}

function notReadable(path: string, code: string): AccordError {
  const detail = { source: path, expected: 'a file that can be read' }
  switch (code) {
    case 'ENOENT':
      return new AccordError('FILE_NOT_FOUND', 'there is no such file', { source: path })
    case 'EISDIR':
      return new AccordError('FILE_NOT_FOUND', 'not a file', {
        source: path,
        expected: 'a file',
        found: 'a folder',
      })
    case 'EACCES':
    case 'EPERM':
      return new AccordError('FILE_NOT_FOUND', 'the file may not be read', {
        ...detail,
        found: `no permission (${code})`,
      })
    default:
      return new AccordError('FILE_NOT_FOUND', 'the file cannot be read', { ...detail, found: code })
  }
}
