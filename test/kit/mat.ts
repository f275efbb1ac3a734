import { deflateSync } from 'node:zlib'

/** Writes MAT-files of level 5, compressed as MATLAB does. */

type Part = string | number | readonly number[] | Cells | Structures

interface Cells {
  readonly cells: readonly Part[]
}

interface Structures {
  readonly fields: readonly string[]
  readonly elements: readonly (readonly Part[])[]
}

/** A MAT-file with these variables. */
export function matFile(variables: Readonly<Record<string, Part>>): Buffer {
  const header = Buffer.alloc(128, ' ')
  header.write('MATLAB 5.0 MAT-file, written by a test')
  header.writeUInt16LE(0x0100, 124)
  header.write('IM', 126)
  const elements = Object.entries(variables).map(([name, value]) => {
    const data = deflateSync(matrix(name, value))
    return Buffer.concat([tag(15, data.length), data])
  })
  return Buffer.concat([header, ...elements])
}

function tag(type: number, size: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(type)
  bytes.writeUInt32LE(size, 4)
  return bytes
}

/** A data element; those of up to four bytes are short ones. */
function element(type: number, data: Buffer): Buffer {
  if (data.length > 0 && data.length <= 4) {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt32LE((data.length << 16) | type)
    data.copy(bytes, 4)
    return bytes
  }
  return Buffer.concat([tag(type, data.length), data, Buffer.alloc((8 - (data.length % 8)) % 8)])
}

const numbers = (type: number, values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * (type === 9 ? 8 : 4))
  for (const [index, value] of values.entries()) {
    if (type === 9) bytes.writeDoubleLE(value, index * 8)
    else bytes.writeInt32LE(value, index * 4)
  }
  return element(type, bytes)
}

function matrix(name: string, value: Part): Buffer {
  const array = (arrayClass: number, size: number, data: readonly Buffer[]) => {
    const parts = [
      numbers(6, [arrayClass, 0]),
      numbers(5, [1, size]),
      element(1, Buffer.from(name, 'latin1')),
      ...data,
    ]
    return element(14, Buffer.concat(parts))
  }
  if (typeof value === 'string') return array(4, value.length, [element(4, Buffer.from(value, 'utf16le'))])
  if (typeof value === 'number') return array(6, 1, [numbers(9, [value])])
  if ('cells' in value)
    return array(
      1,
      value.cells.length,
      value.cells.map((cell) => matrix('', cell)),
    )
  if ('fields' in value) {
    const names = Buffer.concat(value.fields.map((field) => Buffer.from(field.padEnd(32, '\0'), 'latin1')))
    const fields = value.elements.flat().map((part) => matrix('', part))
    return array(2, value.elements.length, [numbers(5, [32]), element(1, names), ...fields])
  }
  return array(6, value.length, [numbers(9, value)])
}
