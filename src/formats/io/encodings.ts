import { AccordError } from '../../errors.js'

/** A sequential reader of the bytes of a file. Gzip files are decompressed, and UTF-16 is read as UTF-8. */
export interface ByteSource {
  /** Size in bytes; 0 if unknown (a pipe, a gzip file). */
  readonly size: number
  /** Reads into `target`, starting at `offset`. Returns the number of bytes read, 0 at the end of the file. */
  read(target: Buffer, offset: number): number
  close(): void
}

/** Bytes of a file by which its encoding is recognized: those to the mark of a tar file. */
export const HEAD_BYTES = 265

/** Those of them by which UTF-16 and UTF-32 are recognized. */
const ENCODING_BYTES = 8

/** How every zip file begins that has an entry. */
export const ZIP_MAGIC = Buffer.from([0x50, 0x4b, 0x03, 0x04])

/** Whether the beginning of a zip file is that of a workbook of Excel, by the name of its first entry. */
export function isWorkbook(head: Buffer): boolean {
  return /^.{30}(?:\[Content_Types\]\.xml|docProps\/|xl\/|_rels\/)/s.test(head.toString('latin1'))
}

/** How files begin that are not read, at an offset. */
const UNREAD: readonly {
  readonly name: string
  readonly hint: string
  readonly bytes: readonly number[]
  readonly offset?: number
}[] = [
  { name: 'UTF-32', hint: 'save it as UTF-8', bytes: [0xff, 0xfe, 0, 0] },
  { name: 'UTF-32', hint: 'save it as UTF-8', bytes: [0, 0, 0xfe, 0xff] },
  { name: 'a bzip2 file', hint: 'decompress it with bunzip2', bytes: [0x42, 0x5a, 0x68] },
  { name: 'an xz file', hint: 'decompress it with unxz', bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0] },
  { name: 'a Zstandard file', hint: 'decompress it with unzstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'a 7z file', hint: 'unpack it', bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { name: 'a RAR file', hint: 'unpack it', bytes: [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07] },
  { name: 'an Excel file', hint: 'save it as CSV', bytes: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1] },
  // Whole, as POSIX and GNU write it: without its end it is a part of "mustard".
  ...['ustar\0', 'ustar  \0'].map((mark) => ({
    name: 'a tar file',
    hint: 'unpack it with tar -xf',
    bytes: [...Buffer.from(mark)],
    offset: 257,
  })),
  ...[2, 3, 4, 5].map((version) => ({
    name: 'a pickle of Python',
    hint: 'save it as JSON: json.dump(pickle.load(open(FILE, "rb")), open(NEW, "w"))',
    bytes: [0x80, version],
  })),
  { name: 'a Parquet file', hint: 'save it as CSV or JSON', bytes: [0x50, 0x41, 0x52, 0x31] },
]

/**
 * The same bytes, or those of the text in UTF-8 if it is in UTF-16, with a byte order mark or with ASCII characters at its
 * beginning.
 *
 * @param head the first {@link HEAD_BYTES} bytes of the source, fewer only at its end
 * @throws AccordError INVALID_VALUE for a compression or an encoding that is not read; while it is read, for invalid UTF-16
 */
export function asUtf8(name: string, head: Buffer, source: ByteSource): ByteSource {
  if (head.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC))
    throw notRead(name, isWorkbook(head) ? EXCEL : 'a zip file (unpack it)')
  const unread = UNREAD.find(({ bytes, offset = 0 }) =>
    head.subarray(offset, offset + bytes.length).equals(Buffer.from(bytes)),
  )
  if (unread) throw notRead(name, `${unread.name} (${unread.hint})`)
  const start = head.subarray(0, ENCODING_BYTES)
  if (isUtf32(start)) throw notRead(name, 'UTF-32 (save it as UTF-8)')
  const encoding = utf16Of(start)
  return encoding === undefined ? source : transcoded(name, source, encoding)
}

/** What a file of text is to be, with the command for one of Windows. */
export const UTF8_TEXT = 'UTF-8 text (if it is cp1252: iconv -f cp1252 -t utf-8 FILE > NEW)'

/** What a workbook is called, with what to do. */
const EXCEL = 'an Excel file (save it as CSV)'

function notRead(source: string, found: string): AccordError {
  const expected = 'UTF-8 or UTF-16, or gzip'
  return new AccordError('INVALID_VALUE', 'this is not read', { source, expected, found })
}

/** Whether the beginning is two ASCII characters in UTF-32, without a byte order mark. */
function isUtf32(head: Buffer): boolean {
  if (head.length < ENCODING_BYTES) return false
  const isCharacter = (byte: number) => byte >= 0x20 && byte < 0x7f
  return [0, 3].some((place) =>
    head.every((byte, index) => (index % 4 === place ? isCharacter(byte) : byte === 0)),
  )
}

function utf16Of(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  if (head.length < ENCODING_BYTES) return undefined
  const isAscii = (index: number) => head[index] >= 0x20 && head[index] < 0x7f
  const isNull = (index: number) => head[index] === 0
  const [even, odd] = [
    [0, 2, 4],
    [1, 3, 5],
  ]
  if (even.every(isAscii) && odd.every(isNull)) return 'utf-16le'
  return odd.every(isAscii) && even.every(isNull) ? 'utf-16be' : undefined
}

const CHUNK_BYTES = 64 * 1024

function transcoded(name: string, source: ByteSource, encoding: 'utf-16le' | 'utf-16be'): ByteSource {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let pending = Buffer.alloc(0)
  let isEnded = false

  function decodeMore(): void {
    const count = source.read(chunk, 0)
    isEnded = count === 0
    try {
      pending = Buffer.from(decoder.decode(chunk.subarray(0, count), { stream: !isEnded }))
    } catch {
      const found = 'other bytes, or a truncated file'
      throw new AccordError('INVALID_VALUE', 'not UTF-16', { source: name, expected: 'UTF-16 text', found })
    }
  }

  return {
    size: 0,
    read(target, offset) {
      while (pending.length === 0 && !isEnded) decodeMore()
      const copied = pending.copy(target, offset)
      pending = pending.subarray(copied)
      return copied
    },
    close: () => source.close(),
  }
}
