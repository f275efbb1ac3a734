import { AccordError } from '../../errors.js'

/** Typed arrays as blobs: little-endian, one, four or eight bytes per number. */

/** The bytes of a typed array, without copying. */
export function toBlob(numbers: Uint8Array | Int32Array | Float32Array | Float64Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

export function toInt32Array(blob: Buffer): Int32Array {
  return new Int32Array(aligned(blob))
}

export function toFloat64Array(blob: Buffer): Float64Array {
  return new Float64Array(aligned(blob))
}

/** Decodes scores of single or double precision. */
export function toScores(blob: Buffer, bytesPerScore: number): Float32Array | Float64Array {
  return bytesPerScore === 4 ? new Float32Array(aligned(blob)) : new Float64Array(aligned(blob))
}

function aligned(blob: Buffer): ArrayBuffer {
  return blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength) as ArrayBuffer
}

/** The error for content that Accord has not written so. @param row how the row is named */
export function damaged(table: string, row?: string, expected = 'all rows that were written'): AccordError {
  return new AccordError('RESOURCE_MISSING', `the database is damaged in table ${table}; run accord check`, {
    place: row,
    expected,
  })
}
