import { quote } from '../../errors.js'
import { MAX_RECORD_BYTES } from './byte-window.js'
import type { ByteSource } from './encodings.js'
import { type InputFile, openFile, type ReadProgress } from './files.js'
import { wrongShape, wrongValue } from './values.js'

/** The shape of an array of two dimensions. */
export interface NpyShape {
  readonly rows: number
  readonly columns: number
  /** 4 for float32, 8 for float64. */
  readonly bytesPerValue: 4 | 8
}

/** Consecutive rows, column by column. */
export interface NpyBlock {
  readonly firstRow: number
  readonly rowCount: number
  /** Row `firstRow + r` of column `c` is `values[c * rowCount + r]`. Valid until the next block is read. */
  readonly values: Float32Array | Float64Array
}

/**
 * Reads a two-dimensional array from a NumPy `.npy` file (format versions 1 to 3, little-endian float32 or float64,
 * C order) in blocks of rows that are transposed. Memory: two blocks of 256 kB, or of one row.
 *
 * @param checkShape called before the first block; may throw
 * @throws AccordError FILE_NOT_FOUND; INVALID_SHAPE for a file that is not an `.npy` file, is truncated or too long,
 *   or contains an array with a different type, byte order, memory order or number of dimensions
 */
export function* readNpy(
  file: InputFile,
  checkShape: (shape: NpyShape) => void,
  onProgress?: ReadProgress,
): Generator<NpyBlock> {
  const source = openFile(file)
  try {
    const header = readHeader(file, source)
    const size = header.dataOffset + header.rows * header.columns * header.bytesPerValue
    if (source.size > 0 && source.size !== size) {
      const summary = source.size < size ? 'the file is truncated' : 'the file is too long'
      const expected = `${size} bytes for ${header.rows} × ${header.columns} values of ${header.bytesPerValue} bytes`
      throw wrongValue('INVALID_SHAPE', summary, { source: file }, expected, `${source.size} bytes`)
    }
    checkShape(header)
    yield* readBlocks(file, source, header, onProgress)
    if (source.read(Buffer.alloc(1), 0) > 0) {
      throw wrongValue('INVALID_SHAPE', 'the file is too long', { source: file }, `${size} bytes`, 'more')
    }
  } finally {
    source.close()
  }
}

interface Header extends NpyShape {
  readonly dataOffset: number
}

/** The first bytes of an `.npy` file. */
export const NPY_MAGIC = Buffer.from('\x93NUMPY', 'latin1')
/** The same limit as in NumPy. The header of a two-dimensional array has 128 bytes. */
const MAX_HEADER_BYTES = 10_000

function readHeader(file: InputFile, source: ByteSource): Header {
  const at = { source: file, place: 'header' }
  const prefix = Buffer.alloc(10)
  const length = fill(source, prefix)
  if (length < prefix.length || !prefix.subarray(0, NPY_MAGIC.length).equals(NPY_MAGIC)) {
    const start = quote(prefix.toString('latin1', 0, NPY_MAGIC.length))
    const found = length < prefix.length ? `${length} bytes` : start
    const expected = 'a file that starts with \\x93NUMPY'
    throw wrongValue('INVALID_SHAPE', 'not an .npy file', { source: file }, expected, found)
  }
  const version = prefix[6]
  if (version < 1 || version > 3) throw wrongShape(at, 'format version 1, 2 or 3', `version ${version}`)

  // The header length is stored in two bytes in version 1 and in four bytes in later versions.
  const rest = Buffer.alloc(version === 1 ? 0 : 2)
  const isComplete = fill(source, rest) === rest.length
  const textLength =
    version === 1 ? prefix.readUInt16LE(8) : Buffer.concat([prefix.subarray(8), rest]).readUInt32LE()
  if (textLength > MAX_HEADER_BYTES)
    throw wrongShape(at, `at most ${MAX_HEADER_BYTES} bytes`, `${textLength} bytes`)
  const text = Buffer.alloc(textLength)
  if (!isComplete || fill(source, text) < textLength) {
    throw wrongValue(
      'INVALID_SHAPE',
      'the file is truncated',
      at,
      `a header of ${textLength} bytes`,
      'the end of the file',
    )
  }
  return { dataOffset: prefix.length + rest.length + textLength, ...parseHeader(file, text.toString('utf8')) }
}

/** The header is a Python dictionary: `{'descr': '<f4', 'fortran_order': False, 'shape': (5000, 1000), }`. */
function parseHeader(file: InputFile, text: string): Omit<Header, 'dataOffset'> {
  const entry = (key: string, value: RegExp): string => {
    const match = new RegExp(`['"]${key}['"]\\s*:\\s*(${value.source})`).exec(text)
    if (match === null)
      throw wrongShape({ source: file, place: 'header' }, `the key ${key}`, quote(text.trim()))
    return match[1]
  }
  const at = (key: string) => ({ source: file, place: `header, ${key}` })

  const type = entry('descr', /'[^']*'|"[^"]*"|\[.*?\]/).replace(/^['"]|['"]$/g, '')
  if (type === '>f4' || type === '>f8') {
    throw wrongShape(at('descr'), 'little-endian float32 (<f4) or float64 (<f8)', `big-endian ${type}`)
  }
  if (type !== '<f4' && type !== '<f8') throw wrongShape(at('descr'), 'float32 (<f4) or float64 (<f8)', type)

  const order = entry('fortran_order', /\w+/)
  if (order !== 'False') throw wrongShape(at('fortran_order'), 'False (C order)', order)

  const shape = entry('shape', /\([^)]*\)/)
  const match = /^\(\s*(\d+)L?\s*,\s*(\d+)L?\s*,?\s*\)$/.exec(shape)
  const [rows, columns] = match === null ? [0, 0] : [Number(match[1]), Number(match[2])]
  if (rows === 0 || columns === 0) throw wrongShape(at('shape'), '(images, words), each at least 1', shape)
  const bytesPerValue = type === '<f4' ? 4 : 8
  if (columns * bytesPerValue > MAX_RECORD_BYTES) {
    throw wrongShape(at('shape'), `rows of at most ${MAX_RECORD_BYTES} bytes`, shape)
  }
  return { rows, columns, bytesPerValue }
}

/** Size of the blocks of rows that are transposed at a time. A block must fit into the CPU cache. */
const BLOCK_BYTES = 256 * 1024

function* readBlocks(
  file: InputFile,
  source: ByteSource,
  { rows, columns, bytesPerValue }: Header,
  onProgress?: ReadProgress,
): Generator<NpyBlock> {
  const Values = bytesPerValue === 4 ? Float32Array : Float64Array
  const blockRows = Math.min(rows, Math.max(1, Math.floor(BLOCK_BYTES / (columns * bytesPerValue))))
  const block = new Values(blockRows * columns)
  const bytes = Buffer.from(block.buffer)
  const transposed = new Values(blockRows * columns)
  for (let firstRow = 0; firstRow < rows; firstRow += blockRows) {
    const rowCount = Math.min(blockRows, rows - firstRow)
    const blockBytes = rowCount * columns * bytesPerValue
    if (fill(source, bytes.subarray(0, blockBytes)) < blockBytes) {
      throw wrongValue('INVALID_SHAPE', 'the file is truncated', { source: file }, `${rows} rows`, 'fewer')
    }
    for (let column = 0; column < columns; column++) {
      const target = column * rowCount
      for (let i = 0; i < rowCount; i++) transposed[target + i] = block[i * columns + column]
    }
    yield { firstRow, rowCount, values: transposed.subarray(0, rowCount * columns) }
    onProgress?.((firstRow + rowCount) / rows)
  }
}

/** Reads until the buffer is full or the file ends. @returns the number of bytes read */
function fill(source: ByteSource, target: Buffer): number {
  let filled = 0
  for (let read = -1; read !== 0 && filled < target.length; filled += read) read = source.read(target, filled)
  return filled
}
