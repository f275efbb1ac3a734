import { inflateSync } from 'node:zlib'
import { AccordError } from '../../errors.js'
import { type InputFile, nameOf, readWhole } from './files.js'
import { invalidValue, wrongValue } from './values.js'

/** A value of a MAT-file: text, numbers, or the elements of a cell or structure array, in the order of the file. */
export type MatValue =
  | { readonly kind: 'TEXT'; readonly text: string }
  | { readonly kind: 'NUMBERS'; readonly numbers: Float64Array }
  | { readonly kind: 'CELLS'; readonly cells: readonly MatValue[] }
  /** The fields of each element, in the order of their declaration. */
  | { readonly kind: 'STRUCTURES'; readonly elements: readonly (readonly MatValue[])[] }

/** The beginning of a MAT-file of level 5. */
export const MAT_MAGIC = 'MATLAB 5.0 MAT-file'

/** Maximum size in bytes of a file, and of a variable after decompression: both are held in memory. */
const MAX_MAT_BYTES = 512 * 1024 * 1024

/** Maximum depth of cells and structures within each other. */
const MAX_DEPTH = 16

const HEADER_BYTES = 128

/** Types of data elements. */
const TYPE = {
  INT8: 1,
  UINT8: 2,
  UINT16: 4,
  INT32: 5,
  MATRIX: 14,
  COMPRESSED: 15,
  UTF8: 16,
  UTF16: 17,
} as const

/** Sizes in bytes of the numbers of the types 1 to 13, and their readers of little-endian bytes. */
const NUMBERS: Readonly<
  Record<number, { readonly size: number; read(bytes: Buffer, place: number): number }>
> = {
  1: { size: 1, read: (bytes, place) => bytes.readInt8(place) },
  2: { size: 1, read: (bytes, place) => bytes.readUInt8(place) },
  3: { size: 2, read: (bytes, place) => bytes.readInt16LE(place) },
  4: { size: 2, read: (bytes, place) => bytes.readUInt16LE(place) },
  5: { size: 4, read: (bytes, place) => bytes.readInt32LE(place) },
  6: { size: 4, read: (bytes, place) => bytes.readUInt32LE(place) },
  7: { size: 4, read: (bytes, place) => bytes.readFloatLE(place) },
  9: { size: 8, read: (bytes, place) => bytes.readDoubleLE(place) },
  12: { size: 8, read: (bytes, place) => Number(bytes.readBigInt64LE(place)) },
  13: { size: 8, read: (bytes, place) => Number(bytes.readBigUInt64LE(place)) },
}

/** Classes of arrays. 6 to 15 are those of numbers. */
const CLASS = { CELL: 1, STRUCTURE: 2, CHARACTER: 4, FIRST_NUMBER: 6, LAST_NUMBER: 15 } as const

/**
 * Reads the variables of a MAT-file of level 5, the format that MATLAB writes by default (MathWorks, "MAT-File Format"): character,
 * numeric, cell and structure arrays, real parts only. Objects and sparse arrays are left out. Files of version 7.3, which are
 * HDF5, and big-endian files are not read.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for what is no such file, or is damaged, with the byte; OUT_OF_RANGE for a
 *   file or a variable that is too large
 */
export function readMat(file: InputFile): ReadonlyMap<string, MatValue> {
  const name = nameOf(file)
  const bytes = readWhole(file, MAX_MAT_BYTES)
  if (bytes.toString('latin1', 0, MAT_MAGIC.length) !== MAT_MAGIC || bytes.length < HEADER_BYTES) {
    throw notMat(name, 'a MAT-file of level 5 (save it with -v7)', 'another file')
  }
  if (bytes.toString('latin1', 126, 128) !== 'IM') {
    throw notMat(name, 'a MAT-file with little-endian numbers', 'another one')
  }
  const variables = new Map<string, MatValue>()
  try {
    let rest = bytes.subarray(HEADER_BYTES)
    while (rest.length > 0) {
      const element = readElement(rest)
      rest = rest.subarray(element.end)
      const matrix = element.type === TYPE.COMPRESSED ? readElement(decompress(name, element.data)) : element
      if (matrix.type !== TYPE.MATRIX) throw new Damage()
      const variable = readMatrix(matrix.data, 0)
      if (variable.value !== null) variables.set(variable.name, variable.value)
    }
  } catch (error) {
    if (error instanceof AccordError) throw error
    if (!(error instanceof Damage || error instanceof RangeError)) throw error
    throw notMat(name, 'a complete MAT-file of level 5', 'a damaged one')
  }
  return variables
}

/** What is thrown where the bytes are none of a MAT-file. */
class Damage extends Error {}

function notMat(source: string, expected: string, found: string): AccordError {
  return invalidValue('not a MAT-file that is read', { source }, expected, found)
}

interface Element {
  readonly type: number
  readonly data: Buffer
  /** Index after the element and its padding. */
  readonly end: number
}

/** The data element at the beginning of the bytes. Short ones have type, size and data in eight bytes. */
function readElement(bytes: Buffer): Element {
  const [first, second] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)]
  const shortSize = first >>> 16
  if (shortSize > 4) throw new Damage()
  if (shortSize > 0) return { type: first & 0xffff, data: bytes.subarray(4, 4 + shortSize), end: 8 }
  const end = 8 + second
  if (end > bytes.length) throw new Damage()
  // Compressed elements have no padding.
  const padded = first === TYPE.COMPRESSED ? end : Math.min(bytes.length, Math.ceil(end / 8) * 8)
  return { type: first, data: bytes.subarray(8, end), end: padded }
}

function decompress(source: string, data: Buffer): Buffer {
  try {
    return inflateSync(data, { maxOutputLength: MAX_MAT_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw new Damage()
    const expected = `at most ${MAX_MAT_BYTES} bytes after decompression`
    throw wrongValue('OUT_OF_RANGE', 'a variable is too large', { source }, expected, 'more')
  }
}

/** An array with its name; the value is null for a class that is not read. */
function readMatrix(
  bytes: Buffer,
  depth: number,
): { readonly name: string; readonly value: MatValue | null } {
  // MATLAB writes an empty array within others as an element without data.
  if (bytes.length === 0) return { name: '', value: { kind: 'NUMBERS', numbers: new Float64Array(0) } }
  if (depth > MAX_DEPTH) throw new Damage()
  let place = 0
  const next = () => {
    const element = readElement(bytes.subarray(place))
    place += element.end
    return element
  }
  const matrixClass = next().data.readUInt8(0)
  const sizes = numbersOf(next())
  const count = sizes.reduce((product, size) => product * size, 1)
  const name = next().data.toString('latin1')
  const inner = () => {
    const element = next()
    const value = element.type === TYPE.MATRIX ? readMatrix(element.data, depth + 1).value : null
    if (value === null) throw new Damage()
    return value
  }
  // Each element takes eight bytes or more.
  const many = (perElement: number) => {
    if (!(count * perElement * 8 <= bytes.length)) throw new Damage()
    return count
  }
  if (matrixClass === CLASS.CELL) {
    return { name, value: { kind: 'CELLS', cells: Array.from({ length: many(1) }, inner) } }
  }
  if (matrixClass === CLASS.STRUCTURE) {
    const [nameLength] = numbersOf(next())
    const fieldCount = next().data.length / nameLength
    if (!Number.isSafeInteger(fieldCount) || fieldCount === 0) throw new Damage()
    const elements = Array.from({ length: many(fieldCount) }, () => Array.from({ length: fieldCount }, inner))
    return { name, value: { kind: 'STRUCTURES', elements } }
  }
  if (matrixClass === CLASS.CHARACTER) return { name, value: { kind: 'TEXT', text: textOf(next()) } }
  if (matrixClass < CLASS.FIRST_NUMBER || matrixClass > CLASS.LAST_NUMBER) return { name, value: null }
  const numbers = numbersOf(next())
  if (numbers.length !== count) throw new Damage()
  return { name, value: { kind: 'NUMBERS', numbers } }
}

function numbersOf({ type, data }: Element): Float64Array {
  const format = NUMBERS[type]
  if (format === undefined || data.length % format.size !== 0) throw new Damage()
  return Float64Array.from({ length: data.length / format.size }, (_, index) =>
    format.read(data, index * format.size),
  )
}

/** Characters of one row. */
function textOf({ type, data }: Element): string {
  switch (type) {
    case TYPE.UTF8:
    case TYPE.INT8:
    case TYPE.UINT8:
      return data.toString(type === TYPE.UTF8 ? 'utf8' : 'latin1')
    case TYPE.UINT16:
    case TYPE.UTF16:
      return data.toString('utf16le')
    default:
      throw new Damage()
  }
}
