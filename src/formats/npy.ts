import { quote } from '../errors.js'
import { type ByteSource, openFile, type ReadProgress } from './files.js'
import { wrongShape, wrongValue } from './values.js'

/** A table of numbers, column by column: row `r` of column `c` is `values[c * rows + r]`. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  /** In the precision of the file. */
  readonly values: Float32Array | Float64Array
}

/**
 * Reads a two-dimensional array from a NumPy `.npy` file (format versions 1 to 3; little-endian float32 or
 * float64; rows one after the other), turned so that its columns lie side by side. Memory: the matrix and 1 MiB.
 *
 * Throws FILE_NOT_FOUND; INVALID_SHAPE for a file that is none, is cut off or too long, or holds an array of
 * another type, byte order, order or number of dimensions.
 */
export function readNpy(file: string, onProgress?: ReadProgress): Matrix {
  const source = openFile(file)
  try {
    const header = readHeader(file, source)
    const size = header.dataOffset + header.rows * header.columns * header.bytesPerValue
    if (source.size !== size) {
      const summary = source.size < size ? 'the file is cut off' : 'the file is too long'
      const expected = `${size} bytes for ${header.rows} × ${header.columns} values of ${header.bytesPerValue} bytes`
      throw wrongValue('INVALID_SHAPE', summary, { source: file }, expected, `${source.size} bytes`)
    }
    return readTransposed(file, source, header, onProgress)
  } finally {
    source.close()
  }
}

interface Header {
  readonly dataOffset: number
  readonly rows: number
  readonly columns: number
  readonly bytesPerValue: 4 | 8
}

const MAGIC = Buffer.from('\x93NUMPY', 'latin1')
/** NumPy refuses longer headers, too: an array of two dimensions needs 128 bytes. */
const MOST_HEADER_BYTES = 10_000

function readHeader(file: string, source: ByteSource): Header {
  const at = { source: file, place: 'header' }
  const prefix = Buffer.alloc(10)
  if (!fill(source, prefix) || !prefix.subarray(0, MAGIC.length).equals(MAGIC)) {
    const start = quote(prefix.toString('latin1', 0, MAGIC.length))
    const found = source.size < prefix.length ? `${source.size} bytes` : start
    const expected = 'a file that begins with \\x93NUMPY'
    throw wrongValue('INVALID_SHAPE', 'not an .npy file', { source: file }, expected, found)
  }
  const version = prefix[6]
  if (version < 1 || version > 3) throw wrongShape(at, 'format version 1, 2 or 3', `version ${version}`)

  // Version 1 counts the header's bytes in two bytes, later versions in four.
  const rest = Buffer.alloc(version === 1 ? 0 : 2)
  const complete = fill(source, rest)
  const length =
    version === 1 ? prefix.readUInt16LE(8) : Buffer.concat([prefix.subarray(8), rest]).readUInt32LE()
  if (length > MOST_HEADER_BYTES)
    throw wrongShape(at, `at most ${MOST_HEADER_BYTES} bytes`, `${length} bytes`)
  const text = Buffer.alloc(length)
  if (!complete || !fill(source, text)) {
    throw wrongValue(
      'INVALID_SHAPE',
      'the file is cut off',
      at,
      `a header of ${length} bytes`,
      'the end of the file',
    )
  }
  return { dataOffset: prefix.length + rest.length + length, ...parseHeader(file, text.toString('utf8')) }
}

/** The header is a Python dictionary: `{'descr': '<f4', 'fortran_order': False, 'shape': (5000, 1000), }`. */
function parseHeader(file: string, text: string): Omit<Header, 'dataOffset'> {
  const entry = (key: string, value: RegExp): string => {
    const match = new RegExp(`['"]${key}['"]\\s*:\\s*(${value.source})`).exec(text)
    if (match === null)
      throw wrongShape({ source: file, place: 'header' }, `an entry ${key}`, quote(text.trim()))
    return match[1]
  }
  const at = (key: string) => ({ source: file, place: `header, ${key}` })

  const type = entry('descr', /'[^']*'|"[^"]*"|\[.*?\]/).replace(/^['"]|['"]$/g, '')
  if (type === '>f4' || type === '>f8') {
    throw wrongShape(at('descr'), 'little-endian float32 (<f4) or float64 (<f8)', `big-endian ${type}`)
  }
  if (type !== '<f4' && type !== '<f8') throw wrongShape(at('descr'), 'float32 (<f4) or float64 (<f8)', type)

  const order = entry('fortran_order', /\w+/)
  if (order !== 'False')
    throw wrongShape(at('fortran_order'), 'False: rows one after the other (C order)', order)

  const shape = entry('shape', /\([^)]*\)/)
  const match = /^\(\s*(\d+)L?\s*,\s*(\d+)L?\s*,?\s*\)$/.exec(shape)
  const [rows, columns] = match === null ? [0, 0] : [Number(match[1]), Number(match[2])]
  if (rows === 0 || columns === 0) throw wrongShape(at('shape'), '(images, words), each 1 or more', shape)
  return { rows, columns, bytesPerValue: type === '<f4' ? 4 : 8 }
}

/** Bytes of rows that are turned at once: they stay in the processor's cache while their columns are read. */
const BLOCK_BYTES = 256 * 1024

function readTransposed(
  file: string,
  source: ByteSource,
  { dataOffset, rows, columns, bytesPerValue }: Header,
  onProgress?: ReadProgress,
): Matrix {
  const Values = bytesPerValue === 4 ? Float32Array : Float64Array
  const values = new Values(rows * columns)
  const blockRows = Math.min(rows, Math.max(1, Math.floor(BLOCK_BYTES / (columns * bytesPerValue))))
  const block = new Values(blockRows * columns)
  const bytes = Buffer.from(block.buffer)
  for (let row = 0; row < rows; row += blockRows) {
    const count = Math.min(blockRows, rows - row)
    const wanted = bytes.subarray(0, count * columns * bytesPerValue)
    if (!fill(source, wanted)) {
      throw wrongValue('INVALID_SHAPE', 'the file is cut off', { source: file }, `${rows} rows`, 'fewer')
    }
    for (let column = 0; column < columns; column++) {
      const target = column * rows + row
      for (let i = 0; i < count; i++) values[target + i] = block[i * columns + column]
    }
    onProgress?.(dataOffset + (row + count) * columns * bytesPerValue, source.size)
  }
  return { rows, columns, values }
}

/** Reads until the buffer is full; false where the file ends before. */
function fill(source: ByteSource, target: Buffer): boolean {
  for (let filled = 0; filled < target.length; ) {
    const count = source.read(target, filled)
    if (count === 0) return false
    filled += count
  }
  return true
}
