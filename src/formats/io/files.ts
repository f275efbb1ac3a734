import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { AccordError } from '../../errors.js'

/** Called while a file is read, with the bytes read so far and the (decompressed) size; 0 if the size is unknown. */
export type ReadProgress = (bytesRead: number, totalBytes: number) => void

/** The path of standard input. It is decompressed if it is a gzip file. */
export const STANDARD_INPUT = '-'

/** A sequential reader of the bytes of a file. Files whose names end in `.gz` are decompressed. */
export interface ByteSource {
  /** Size in bytes after decompression; 0 if unknown (a pipe). */
  readonly size: number
  /** Reads into `target`, starting at `offset`. Returns the number of bytes read, 0 at the end of the file. */
  read(target: Buffer, offset: number): number
  close(): void
}

/**
 * Maximum decompressed size of a `.gz` file in bytes. Files are decompressed in memory, because streaming
 * decompression in Node is asynchronous and reading is synchronous.
 */
const MAX_DECOMPRESSED_BYTES = 1024 * 1024 * 1024

/**
 * Opens a file for reading.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for an invalid `.gz` file; OUT_OF_RANGE for one that is too large
 */
export function openFile(path: string): ByteSource {
  if (path === STANDARD_INPUT) return standardInput(path)
  return path.endsWith('.gz') ? bytesInMemory(decompress(path)) : bytesOnDisk(path)
}

/** Reads a whole file into memory. Throws the same errors as {@link openFile}. */
export function readWhole(path: string): Buffer {
  return path.endsWith('.gz') ? decompress(path) : attempt(path, () => readFileSync(path))
}

/** Writes a whole file. @throws AccordError FILE_NOT_FOUND where it cannot be written */
export function writeWhole(path: string, content: Buffer): void {
  try {
    writeFileSync(path, content)
  } catch (error) {
    throw new AccordError('FILE_NOT_FOUND', 'the file cannot be written', {
      source: path,
      found: (error as NodeJS.ErrnoException).code,
    })
  }
}

function standardInput(path: string): ByteSource {
  const descriptor = process.stdin.fd
  const read = (target: Buffer, offset: number) =>
    attempt(path, () => readWhenReady(descriptor, target, offset))
  const head = Buffer.alloc(GZIP_MAGIC.length)
  let length = 0
  for (let count = -1; count !== 0 && length < head.length; length += count) count = read(head, length)
  if (head.equals(GZIP_MAGIC)) {
    return bytesInMemory(gunzip(path, Buffer.concat([head, readAll(read)])))
  }
  const beginning = bytesInMemory(head.subarray(0, length))
  return {
    size: 0,
    read: (target, offset) => beginning.read(target, offset) || read(target, offset),
    close() {},
  }
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

/** Milliseconds between two attempts to read a pipe that another process made non-blocking. */
const RETRY_INTERVAL = 5

function readWhenReady(descriptor: number, target: Buffer, offset: number): number {
  for (;;) {
    try {
      return readSync(descriptor, target, offset, target.length - offset, null)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_INTERVAL)
    }
  }
}

function readAll(read: (target: Buffer, offset: number) => number): Buffer {
  const chunks: Buffer[] = []
  for (;;) {
    const chunk = Buffer.allocUnsafe(1 << 16)
    const count = read(chunk, 0)
    if (count === 0) return Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, count))
  }
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

function decompress(path: string): Buffer {
  return gunzip(
    path,
    attempt(path, () => readFileSync(path)),
  )
}

function gunzip(path: string, compressed: Buffer): Buffer {
  try {
    return gunzipSync(compressed, { maxOutputLength: MAX_DECOMPRESSED_BYTES })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'Z_BUF_ERROR') {
      const found = `the end of the file after ${compressed.length} bytes`
      throw new AccordError('INVALID_VALUE', 'the gzip file is truncated', {
        source: path,
        expected: 'a complete gzip file',
        found,
      })
    }
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new AccordError('OUT_OF_RANGE', 'the gzip file is too large', {
        source: path,
        expected: `at most ${MAX_DECOMPRESSED_BYTES} bytes after decompression (decompress it first)`,
        found: 'more',
      })
    }
    throw new AccordError('INVALID_VALUE', 'not a gzip file', {
      source: path,
      expected: 'gzip data in a file with extension .gz',
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
  const detail = { source: path, expected: 'a readable file' }
  switch (code) {
    case 'ENOENT':
      return new AccordError('FILE_NOT_FOUND', 'file not found', { source: path })
    case 'EISDIR':
      return new AccordError('FILE_NOT_FOUND', 'not a file', {
        source: path,
        expected: 'a file',
        found: 'a folder',
      })
    case 'EACCES':
    case 'EPERM':
      return new AccordError('FILE_NOT_FOUND', 'permission denied', {
        ...detail,
        found: code,
      })
    default:
      return new AccordError('FILE_NOT_FOUND', 'the file cannot be read', { ...detail, found: code })
  }
}
