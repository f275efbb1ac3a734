import { crc32, inflateRawSync } from 'node:zlib'
import { quote } from '../../errors.js'
import { type InputFile, readRaw } from './files.js'
import { invalidValue, wrongValue } from './values.js'

/** Maximum size of the wanted files of a zip file together, in bytes: they are held in memory. */
const MAX_UNZIPPED_BYTES = 256 * 1024 * 1024

/**
 * Maximum size of the wanted files together, as a multiple of that of the zip file, beyond {@link FREE_BYTES}: what is unpacked
 * costs no more than what was sent. Captions and annotations are compressed to a tenth or a twentieth.
 */
const MAX_RATIO = 100
const FREE_BYTES = 1024 * 1024

/** A file in a zip file. */
export interface ZipEntry {
  readonly name: string
  /** Unpacks it. @throws AccordError INVALID_VALUE where it is damaged, or has another size than the zip file says */
  read(): Buffer
}

/**
 * The wanted files of a zip file, by the directory at its end. They are unpacked one by one, by `read`.
 *
 * @param instead what to do with one that is too large
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for a file that is not a complete zip file; OUT_OF_RANGE where the wanted
 *   files are larger than 256 MiB together, or than 100 times the zip file; DUPLICATE_ID for two of one name; errors of `isWanted`
 */
export function readZip(file: InputFile, isWanted: (name: string) => boolean, instead: string): ZipEntry[] {
  const bytes = readRaw(file)
  const wanted: Entry[] = []
  const names = new Set<string>()
  const limit = Math.min(MAX_UNZIPPED_BYTES, MAX_RATIO * bytes.length + FREE_BYTES)
  let size = 0
  for (const entry of complete(file, null, () => readDirectory(bytes))) {
    if (!isWanted(entry.name)) continue
    if (names.has(entry.name)) {
      const at = { source: file, place: entry.name }
      throw wrongValue('DUPLICATE_ID', 'two files of one name', at, 'each name once', quote(entry.name))
    }
    names.add(entry.name)
    size += entry.size
    if (size > limit) {
      const expected = `at most ${limit} bytes after decompression (${instead})`
      throw wrongValue('OUT_OF_RANGE', 'the zip file is too large', { source: file }, expected, 'more')
    }
    wanted.push(entry)
  }
  return wanted.map((entry) => ({
    name: entry.name,
    read: () => complete(file, entry.name, () => unpack(bytes, entry)),
  }))
}

/** What the directory says of a file. Sizes in bytes. */
interface Entry {
  readonly name: string
  readonly method: number
  readonly checksum: number
  readonly packedSize: number
  readonly size: number
  /** Of its header. */
  readonly offset: number
}

// The parts of a zip file: PKWARE's APPNOTE, sections 4.3 and 4.5.
const END = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
const END_64 = 0x06064b50
const LOCATOR_64 = 0x07064b50
const LOCATOR_64_BYTES = 20
const IN_DIRECTORY = 0x02014b50
const HEADER = 0x04034b50
const SIZES_64 = 1

/** Stands for a number that is in the extension for more than 4 GiB. */
const EXTENDED = 0xffffffff

const STORED = 0
const DEFLATED = 8

/** Flags of an entry. */
const ENCRYPTED = 1
const UTF_8 = 0x800

function readDirectory(bytes: Buffer): Entry[] {
  let { offset, count } = findDirectory(bytes)
  const entries: Entry[] = []
  for (; count > 0; count--) {
    if (bytes.readUInt32LE(offset) !== IN_DIRECTORY) throw new Error('a damaged directory')
    const flags = bytes.readUInt16LE(offset + 8)
    const nameEnd = offset + 46 + bytes.readUInt16LE(offset + 28)
    const extraEnd = nameEnd + bytes.readUInt16LE(offset + 30)
    const name = bytes.toString(flags & UTF_8 ? 'utf8' : 'latin1', offset + 46, nameEnd)
    if (flags & ENCRYPTED) throw new Error('encrypted files')
    const [size, packedSize, header] = extended(bytes.subarray(nameEnd, extraEnd), [
      bytes.readUInt32LE(offset + 24),
      bytes.readUInt32LE(offset + 20),
      bytes.readUInt32LE(offset + 42),
    ])
    const method = bytes.readUInt16LE(offset + 10)
    entries.push({
      name,
      method,
      checksum: bytes.readUInt32LE(offset + 16),
      packedSize,
      size,
      offset: header,
    })
    offset = extraEnd + bytes.readUInt16LE(offset + 32)
  }
  return entries
}

/** Where the directory begins, and how many entries it has. */
function findDirectory(bytes: Buffer): { offset: number; count: number } {
  let end = bytes.length - END_BYTES
  const first = Math.max(0, end - MAX_COMMENT_BYTES)
  while (end >= first && bytes.readUInt32LE(end) !== END) end--
  if (end < first) throw new Error('no directory at its end')
  const locator = end - LOCATOR_64_BYTES
  if (locator >= 0 && bytes.readUInt32LE(locator) === LOCATOR_64) {
    const end64 = Number(bytes.readBigUInt64LE(locator + 8))
    if (bytes.readUInt32LE(end64) !== END_64) throw new Error('a damaged directory')
    return {
      count: Number(bytes.readBigUInt64LE(end64 + 32)),
      offset: Number(bytes.readBigUInt64LE(end64 + 48)),
    }
  }
  return { count: bytes.readUInt16LE(end + 10), offset: bytes.readUInt32LE(end + 16) }
}

/** Numbers of an entry, from its extension where they do not have 32 bits. */
function extended(extra: Buffer, numbers: readonly number[]): number[] {
  if (!numbers.includes(EXTENDED)) return [...numbers]
  let at = 0
  while (extra.readUInt16LE(at) !== SIZES_64) at += 4 + extra.readUInt16LE(at + 2)
  at += 4
  return numbers.map((number) => {
    if (number !== EXTENDED) return number
    at += 8
    return Number(extra.readBigUInt64LE(at - 8))
  })
}

function unpack(bytes: Buffer, { method, checksum, packedSize, size, offset }: Entry): Buffer {
  if (bytes.readUInt32LE(offset) !== HEADER) throw new Error('a damaged directory')
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const packed = bytes.subarray(start, start + packedSize)
  // It stops at the size: what is larger than it says costs nothing.
  const content =
    method === DEFLATED ? inflateRawSync(packed, { maxOutputLength: Math.max(1, size) }) : packed
  if (method !== DEFLATED && method !== STORED) throw new Error(`the compression method ${method}`)
  if (content.length !== size || crc32(content) !== checksum) throw new Error('damaged content')
  return content
}

/** What `act` returns. @throws AccordError INVALID_VALUE where it fails, because a part of the file is missing or wrong */
function complete<Result>(file: InputFile, place: string | null, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    const at = { source: file, ...(place !== null && { place }) }
    throw invalidValue('not a zip file', at, 'a complete zip file', (error as Error).message)
  }
}
