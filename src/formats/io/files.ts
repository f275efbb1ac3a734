import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { AccordError } from '../../errors.js'

/** Called while a file is read, with the bytes read so far and the (decompressed) size; 0 if the size is unknown. */
export type ReadProgress = (bytesRead: number, totalBytes: number) => void

/** A file to read: a path, or an open file with the name by which errors call it. */
export type InputFile = string | OpenFile

/** An open file. Whoever opened it closes it. */
export interface OpenFile {
  /** Ends as the name of a file on disk would, where readers go by the ending. */
  readonly name: string
  readonly descriptor: number
}

/** The name of a file in errors. */
export function nameOf(file: InputFile): string {
  return typeof file === 'string' ? file : file.name
}

/** The path of standard input. */
export const STANDARD_INPUT = '-'

/** A sequential reader of the bytes of a file. Gzip files are decompressed. */
export interface ByteSource {
  /** Size in bytes after decompression; 0 if unknown (a pipe). */
  readonly size: number
  /** Reads into `target`, starting at `offset`. Returns the number of bytes read, 0 at the end of the file. */
  read(target: Buffer, offset: number): number
  close(): void
}

/**
 * Maximum decompressed size of a gzip or zip file in bytes. Files are decompressed in memory, because streaming decompression
 * in Node is asynchronous and reading is synchronous.
 */
export const MAX_DECOMPRESSED_BYTES = 1024 * 1024 * 1024

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

/**
 * Opens a file for reading, from its beginning. It is decompressed if its content or its name (`.gz`) is that of a gzip
 * file.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for an invalid gzip file; OUT_OF_RANGE for one that is too large
 */
export function openFile(file: InputFile): ByteSource {
  const name = nameOf(file)
  const source = openRaw(file)
  try {
    const { head, whole } = withHead(source, GZIP_MAGIC.length)
    if (!name.endsWith('.gz') && !head.equals(GZIP_MAGIC)) return whole
    const decompressed = bytesInMemory(gunzip(name, readAll(whole)))
    source.close()
    return decompressed
  } catch (error) {
    source.close()
    throw error
  }
}

/** Whether a file begins with these bytes. A pipe, which can be read only once, is taken not to. */
export function beginsWith(file: InputFile, bytes: Buffer): boolean {
  const source = openRaw(file)
  try {
    return source.size > 0 && withHead(source, bytes.length).head.equals(bytes)
  } finally {
    source.close()
  }
}

/** Reads a whole file into memory. Throws the same errors as {@link openFile}. */
export function readWhole(file: InputFile): Buffer {
  const source = openFile(file)
  try {
    return readAll(source)
  } finally {
    source.close()
  }
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

/** The first bytes of a source, fewer at its end, and the source from its beginning. */
function withHead(source: ByteSource, count: number): { readonly head: Buffer; readonly whole: ByteSource } {
  const bytes = Buffer.alloc(count)
  let length = 0
  for (let read = -1; read !== 0 && length < count; length += read) read = source.read(bytes, length)
  const head = bytes.subarray(0, length)
  const beginning = bytesInMemory(head)
  const read: ByteSource['read'] = (target, offset) => {
    const copied = beginning.read(target, offset)
    return offset + copied === target.length ? copied : copied + source.read(target, offset + copied)
  }
  return { head, whole: { ...source, read } }
}

/** A file without decompression. */
function openRaw(file: InputFile): ByteSource {
  return typeof file === 'string' ? openPath(file) : bytesOf(file)
}

function openPath(path: string): ByteSource {
  if (path === STANDARD_INPUT) {
    const descriptor = process.stdin.fd
    const read: ByteSource['read'] = (target, offset) =>
      attempt(path, () => readWhenReady(descriptor, target, offset))
    return { size: 0, read, close() {} }
  }
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

function bytesOf({ name, descriptor }: OpenFile): ByteSource {
  let position = 0
  return {
    size: fstatSync(descriptor).size,
    read(target, offset) {
      const length = target.length - offset
      const count = attempt(name, () => readSync(descriptor, target, offset, length, position))
      position += count
      return count
    },
    close() {},
  }
}

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

/** All bytes of a source, of which one more than its size can be read to see its end. */
function readAll(source: ByteSource): Buffer {
  const chunks: Buffer[] = []
  for (let size = source.size + 1; ; size = 1 << 16) {
    const chunk = Buffer.allocUnsafe(size)
    let length = 0
    for (let read = -1; read !== 0 && length < size; length += read) read = source.read(chunk, length)
    chunks.push(chunk.subarray(0, length))
    if (length < size) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
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
      return new AccordError('FILE_NOT_FOUND', 'permission denied', { ...detail, found: code })
    default:
      return new AccordError('FILE_NOT_FOUND', 'the file cannot be read', { ...detail, found: code })
  }
}
