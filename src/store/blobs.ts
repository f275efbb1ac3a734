import type { TokenSequences } from '../text/sequences.js'

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

/** Decodes blobs of token ids, one for each caption. */
export function toSequences(blobs: readonly Buffer[]): TokenSequences {
  const offsets = new Int32Array(blobs.length + 1)
  for (const [index, blob] of blobs.entries()) offsets[index + 1] = offsets[index] + blob.length / 4
  const tokens = new Int32Array(offsets[blobs.length])
  const bytes = new Uint8Array(tokens.buffer)
  for (const [index, blob] of blobs.entries()) bytes.set(blob, offsets[index] * 4)
  return { tokens, offsets }
}

function aligned(blob: Buffer): ArrayBuffer {
  return blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength) as ArrayBuffer
}
