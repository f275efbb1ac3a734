import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { Gunzip } from 'minizlib'
import { AccordError } from '../../errors.js'
import { describeSystemError, nearestFile } from '../../system-errors.js'
import { asUtf8, type ByteSource, HEAD_BYTES, isWorkbook, ZIP_MAGIC } from './encodings.js'

/** Receives the share of a file that was read, from 0 to 1; 0 while its size is unknown. */
export type ReadProgress = (share: number) => void

/** A file to read: a path, or an open file with the name by which errors call it. */
export type InputFile = string | OpenFile | BegunFile

/** An open file. Whoever opened it closes it. */
export interface OpenFile {
  /** Ends as the name of a file on disk would, where readers go by the ending. */
  readonly name: string
  readonly descriptor: number
}

/** A file whose beginning was looked at. It can be read once. */
export interface BegunFile {
  readonly name: string
  /** All bytes of the file, decompressed. */
  readonly source: ByteSource
}

/** The name of a file in errors. */
export function nameOf(file: InputFile): string {
  return typeof file === 'string' ? file : file.name
}

/** The path of standard input. */
export const STANDARD_INPUT = '-'

/** Maximum decompressed size of a gzip file in bytes. It limits the time that a small file takes. */
export const MAX_DECOMPRESSED_BYTES = 1024 * 1024 * 1024

/** Maximum size in bytes of a file that is held in memory, unless a reader has its own. */
const MAX_WHOLE_BYTES = 256 * 1024 * 1024

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

/**
 * Opens a file for reading, from its beginning. It is decompressed while it is read if its content or its name (`.gz`) is
 * that of a gzip file. Text in UTF-16 is read as UTF-8.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for a file of another compression or encoding; while it is read, for an
 *   invalid gzip file, and OUT_OF_RANGE for one that is too large
 */
export function openFile(file: InputFile): ByteSource {
  if (typeof file === 'object' && 'source' in file) return file.source
  const source = openRaw(file)
  try {
    return decoded(nameOf(file), source)
  } catch (error) {
    source.close()
    throw error
  }
}

/** A file whose bytes are in memory. Fails as {@link openFile}. */
export function fileInMemory(name: string, bytes: Buffer): BegunFile {
  return { name, source: decoded(name, bytesInMemory(bytes)) }
}

function decoded(name: string, source: ByteSource): ByteSource {
  const { head, whole } = withHead(source, GZIP_MAGIC.length)
  const isGzip = name.endsWith('.gz') || head.equals(GZIP_MAGIC)
  const content = withHead(isGzip ? decompressed(name, whole) : whole, HEAD_BYTES)
  return asUtf8(name, content.head, content.whole)
}

/** Bytes of a file by which its format is recognized. */
const BEGINNING_BYTES = 64 * 1024

/**
 * The text at the beginning of a file, decompressed, without a byte order mark, and the file from there, which is open and is to be
 * read to close it. Fails as {@link openFile}.
 */
export function beginFile(file: InputFile): { readonly text: string; readonly file: BegunFile } {
  const source = openFile(file)
  try {
    const { head, whole } = withHead(source, BEGINNING_BYTES)
    const text = head.toString('utf8').replace(/^\ufeff/, '')
    return { text, file: { name: nameOf(file), source: whole } }
  } catch (error) {
    source.close()
    throw error
  }
}

/** @throws AccordError FILE_NOT_FOUND for a file or folder that cannot be read */
export function requireReadable(path: string): void {
  if (path !== STANDARD_INPUT) attempt(path, () => accessSync(path, constants.R_OK))
}

/** Whether this is a folder. What cannot be found out is not one: opening it fails with the reason. */
export function isFolder(file: InputFile): boolean {
  try {
    return typeof file === 'string' && statSync(file).isDirectory()
  } catch {
    return false
  }
}

/** Whether a file begins with these bytes. A pipe, which can be read only once, is taken not to. */
export function beginsWith(file: InputFile, bytes: Buffer): boolean {
  return rawHead(file, bytes.length).equals(bytes)
}

/** Whether a file is a zip archive, and not a workbook of Excel, which is one as well. A pipe is taken not to be. */
export function isZip(file: InputFile): boolean {
  const head = rawHead(file, HEAD_BYTES)
  return head.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC) && !isWorkbook(head)
}

/** The first bytes of a file as it is; none of a pipe. */
function rawHead(file: InputFile, count: number): Buffer {
  const source = openRaw(file)
  try {
    return source.size > 0 ? withHead(source, count).head : Buffer.alloc(0)
  } finally {
    source.close()
  }
}

/** Reads a whole file into memory as it is, without decompression. Fails as {@link readWhole}. */
export function readRaw(file: InputFile): Buffer {
  const source = openRaw(file)
  try {
    return readAll(nameOf(file), source, MAX_WHOLE_BYTES)
  } finally {
    source.close()
  }
}

/**
 * Reads a whole file into memory.
 *
 * @throws AccordError as {@link openFile} and its sources; OUT_OF_RANGE for a file of more than `maxBytes`, which is not
 *   read further
 */
export function readWhole(file: InputFile, maxBytes = MAX_WHOLE_BYTES): Buffer {
  const source = openFile(file)
  try {
    return readAll(nameOf(file), source, maxBytes)
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
      found: describeSystemError(error),
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
  if (typeof file === 'string') return openPath(file)
  return 'source' in file ? file.source : bytesOf(file)
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
function readAll(name: string, source: ByteSource, maxBytes: number): Buffer {
  const chunks: Buffer[] = []
  let total = 0
  for (let size = Math.min(source.size, maxBytes) + 1; ; size = 1 << 16) {
    const chunk = Buffer.allocUnsafe(size)
    let length = 0
    for (let read = -1; read !== 0 && length < size; length += read) read = source.read(chunk, length)
    chunks.push(chunk.subarray(0, length))
    total += length
    if (total > maxBytes) throw tooLarge(name, 'the file is too large', `at most ${maxBytes} bytes`)
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

/** Bytes of a gzip file that are decompressed at once, to at most a thousand times as many. */
const COMPRESSED_CHUNK_BYTES = 16 * 1024

/** The content of a gzip file, decompressed while it is read. */
function decompressed(name: string, source: ByteSource): ByteSource {
  const gunzip = new Gunzip({})
  const compressed = Buffer.allocUnsafe(COMPRESSED_CHUNK_BYTES)
  const pending: Buffer[] = []
  let compressedBytes = 0
  let bytes = 0
  let isEnded = false
  let failure: unknown
  gunzip.on('data', (chunk: Buffer) => pending.push(chunk))
  gunzip.on('error', (error) => {
    failure = error
  })

  function decompressMore(): void {
    const count = source.read(compressed, 0)
    compressedBytes += count
    if (count > 0) gunzip.write(compressed.subarray(0, count))
    else gunzip.end()
    isEnded = count === 0
    if (failure) throw invalidGzip(name, failure as NodeJS.ErrnoException, compressedBytes)
  }

  return {
    size: 0,
    read(target, offset) {
      while (pending.length === 0 && !isEnded) decompressMore()
      const [chunk] = pending
      if (chunk === undefined) return 0
      const copied = chunk.copy(target, offset)
      if (copied < chunk.length) pending[0] = chunk.subarray(copied)
      else pending.shift()
      bytes += copied
      if (bytes <= MAX_DECOMPRESSED_BYTES) return copied
      const expected = `at most ${MAX_DECOMPRESSED_BYTES} bytes after decompression (decompress it first)`
      throw tooLarge(name, 'the gzip file is too large', expected)
    },
    close() {
      gunzip.close()
      source.close()
    },
  }
}

function invalidGzip(source: string, error: NodeJS.ErrnoException, compressedBytes: number): AccordError {
  if (error.code === 'Z_BUF_ERROR') {
    const found = `the end of the file after ${compressedBytes} bytes`
    const expected = 'a complete gzip file'
    return new AccordError('INVALID_VALUE', 'the gzip file is truncated', { source, expected, found })
  }
  const expected = 'gzip data in a file with extension .gz'
  const found = error.message.replace(/^zlib: /, '')
  return new AccordError('INVALID_VALUE', 'not a gzip file', { source, expected, found })
}

function tooLarge(source: string, summary: string, expected: string): AccordError {
  return new AccordError('OUT_OF_RANGE', summary, { source, expected, found: 'more' })
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === undefined) throw error
    throw notReadable(path, code, describeSystemError(error))
  }
}

/** @param found what the operating system says */
function notReadable(path: string, code: string, found?: string): AccordError {
  const detail = { source: path, expected: 'a readable file', found }
  switch (code) {
    case 'ENOENT':
      return new AccordError('FILE_NOT_FOUND', 'file not found', {
        source: path,
        suggestion: nearestFile(path),
      })
    case 'EISDIR':
      return new AccordError('FILE_NOT_FOUND', 'not a file', {
        source: path,
        expected: 'a file',
        found: 'a folder',
      })
    case 'EACCES':
    case 'EPERM':
      return new AccordError('FILE_NOT_FOUND', 'permission denied', detail)
    default:
      return new AccordError('FILE_NOT_FOUND', 'the file cannot be read', detail)
  }
}
