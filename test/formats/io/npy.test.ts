import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadProgress } from '../../../src/formats/io/files.js'
import { type NpyShape, readNpy } from '../../../src/formats/io/npy.js'
import { npy, npyBytes, temporaryFolder } from '../kit.js'

const { write, path, failure } = temporaryFolder()

/** All blocks as one matrix, column by column. */
function readMatrix(file: string, onProgress?: ReadProgress) {
  let shape: NpyShape = { rows: 0, columns: 0, bytesPerValue: 4 }
  let values: Float32Array | Float64Array = new Float32Array(0)
  const start = (found: NpyShape) => {
    shape = found
    values = new (shape.bytesPerValue === 4 ? Float32Array : Float64Array)(shape.rows * shape.columns)
  }
  for (const block of readNpy(file, start, onProgress)) {
    for (let column = 0; column < shape.columns; column++) {
      const rows = block.values.subarray(column * block.rowCount, (column + 1) * block.rowCount)
      values.set(rows, column * shape.rows + block.firstRow)
    }
  }
  return { rows: shape.rows, columns: shape.columns, values }
}

describe('readNpy', () => {
  it('transposes rows to columns', () => {
    const file = write('small.npy', npy(Float32Array.of(1, 2, 3, 4, 5, 6), 2, 3))
    expect(readMatrix(file)).toEqual({ rows: 2, columns: 3, values: Float32Array.of(1, 4, 2, 5, 3, 6) })
  })

  it('preserves float64, and reads format versions 1 to 3, compressed or not', () => {
    const values = Float64Array.of(0.1, 1 / 3, -1e300, 5e-324)
    const transposed = Float64Array.of(0.1, -1e300, 1 / 3, 5e-324)
    for (const version of [1, 2, 3]) {
      const bytes = npy(values, 2, 2, { version })
      expect(readMatrix(write(`v${version}.npy`, bytes)).values).toEqual(transposed)
      expect(readMatrix(write(`v${version}.npy.gz`, bytes)).values).toEqual(transposed)
    }
  })

  it('reads headers with different formatting', () => {
    const header = '{"shape":(2L,1L),"fortran_order":False,"descr":"<f4"}'
    expect(readMatrix(write('header.npy', npyBytes(Float32Array.of(1, 2), header))).values).toEqual(
      Float32Array.of(1, 2),
    )
  })

  it('transposes matrices of any shape', () => {
    const shape = fc.oneof(
      fc.record({ rows: fc.integer({ min: 1, max: 700 }), columns: fc.integer({ min: 1, max: 300 }) }),
      fc.record({ rows: fc.integer({ min: 1, max: 3 }), columns: fc.integer({ min: 1, max: 100_000 }) }),
    )
    fc.assert(
      fc.property(shape, ({ rows, columns }) => {
        const values = Float32Array.from({ length: rows * columns }, (_, i) => i)
        const matrix = readMatrix(write('shape.npy', npy(values, rows, columns)))
        expect([matrix.rows, matrix.columns]).toEqual([rows, columns])
        const misplaced = values.findIndex(
          (value, i) => matrix.values[(i % columns) * rows + Math.floor(i / columns)] !== value,
        )
        expect(misplaced).toBe(-1)
      }),
      { numRuns: 30 },
    )
  })

  it('reports the share of the file that was read', () => {
    const bytes = npy(new Float32Array(200_000), 200, 1000)
    const progress: number[] = []
    readMatrix(write('progress.npy', bytes), (share) => progress.push(share))
    expect(progress.length).toBeGreaterThan(2)
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect(progress.at(-1)).toBe(1)
  })
})

const values = Float32Array.of(1, 2, 3, 4, 5, 6)
const dictionary = (descr: string, order = 'False', shape = '(2, 3)') =>
  `{'descr': ${descr}, 'fortran_order': ${order}, 'shape': ${shape}, }`

describe('invalid files', () => {
  it.each<[string, Buffer, string]>([
    [
      'empty.npy',
      Buffer.alloc(0),
      'INVALID_SHAPE empty.npy: not an .npy file: expected a file that starts with \\x93NUMPY, found 0 bytes',
    ],
    [
      'archive.npy',
      Buffer.from('PK\x03\x04archive of arrays'),
      'INVALID_VALUE archive.npy: this is not read: expected UTF-8 or UTF-16, or gzip, found a zip file (unpack it)',
    ],
    [
      'version.npy',
      npy(values, 2, 3, { version: 9 }),
      'INVALID_SHAPE version.npy: header: wrong shape: expected format version 1, 2 or 3, found version 9',
    ],
    [
      'integers.npy',
      npyBytes(values, dictionary("'<i4'")),
      'INVALID_SHAPE integers.npy: header, descr: wrong shape: expected float32 (<f4) or float64 (<f8), found <i4',
    ],
    [
      'half.npy',
      npyBytes(values, dictionary("'<f2'")),
      'INVALID_SHAPE half.npy: header, descr: wrong shape: expected float32 (<f4) or float64 (<f8), found <f2',
    ],
    [
      'record.npy',
      npyBytes(values, dictionary("[('a', '<f4')]")),
      "INVALID_SHAPE record.npy: header, descr: wrong shape: expected float32 (<f4) or float64 (<f8), found [('a', '<f4')]",
    ],
    [
      'big-endian.npy',
      npyBytes(values, dictionary("'>f4'")),
      'INVALID_SHAPE big-endian.npy: header, descr: wrong shape: expected little-endian float32 (<f4) or float64 (<f8), found big-endian >f4',
    ],
    [
      'fortran.npy',
      npyBytes(values, dictionary("'<f4'", 'True')),
      'INVALID_SHAPE fortran.npy: header, fortran_order: wrong shape: expected False (C order), found True',
    ],
    [
      'vector.npy',
      npyBytes(values, dictionary("'<f4'", 'False', '(6,)')),
      'INVALID_SHAPE vector.npy: header, shape: wrong shape: expected (images, words), each at least 1, found (6,)',
    ],
    [
      'cube.npy',
      npyBytes(values, dictionary("'<f4'", 'False', '(1, 2, 3)')),
      'INVALID_SHAPE cube.npy: header, shape: wrong shape: expected (images, words), each at least 1, found (1, 2, 3)',
    ],
    [
      'scalar.npy',
      npyBytes(values, dictionary("'<f4'", 'False', '()')),
      'INVALID_SHAPE scalar.npy: header, shape: wrong shape: expected (images, words), each at least 1, found ()',
    ],
    [
      'no-rows.npy',
      npyBytes(values, dictionary("'<f4'", 'False', '(0, 3)')),
      'INVALID_SHAPE no-rows.npy: header, shape: wrong shape: expected (images, words), each at least 1, found (0, 3)',
    ],
    [
      'no-order.npy',
      npyBytes(values, "{'descr': '<f4', 'shape': (2, 3)}"),
      "INVALID_SHAPE no-order.npy: header: wrong shape: expected the key fortran_order, found \"{'descr': '<f4', 'shape': (2, 3)}\"",
    ],
    [
      'cut.npy',
      npy(values, 2, 3).subarray(0, -1),
      'INVALID_SHAPE cut.npy: the file is truncated: expected 152 bytes for 2 × 3 values of 4 bytes, found 151 bytes',
    ],
    [
      'cut-header.npy',
      npy(values, 2, 3).subarray(0, 40),
      'INVALID_SHAPE cut-header.npy: header: the file is truncated: expected a header of 118 bytes, found the end of the file',
    ],
    [
      'cut-start.npy',
      npy(values, 2, 3).subarray(0, 8),
      'INVALID_SHAPE cut-start.npy: not an .npy file: expected a file that starts with \\x93NUMPY, found 8 bytes',
    ],
    [
      'long.npy',
      Buffer.concat([npy(values, 2, 3), Buffer.alloc(3)]),
      'INVALID_SHAPE long.npy: the file is too long: expected 152 bytes for 2 × 3 values of 4 bytes, found 155 bytes',
    ],
    [
      'claims-much.npy',
      npyBytes(values, dictionary("'<f8'", 'False', '(100000000, 100000)')),
      'INVALID_SHAPE claims-much.npy: the file is truncated: expected 80000000000128 bytes for 100000000 × 100000 values of 8 bytes, found 152 bytes',
    ],
    [
      'long-header.npy',
      npyBytes(values, dictionary("'<f4'").padEnd(20_000)),
      'INVALID_SHAPE long-header.npy: header: wrong shape: expected at most 10000 bytes, found 20022 bytes',
    ],
  ])('%s', (name, bytes, message) => {
    const file = write(name, bytes)
    expect(failure(() => readMatrix(file))).toBe(message)
  })

  it('a missing file', () => {
    expect(failure(() => readMatrix(path('absent.npy')))).toBe('FILE_NOT_FOUND absent.npy: file not found')
  })
})
