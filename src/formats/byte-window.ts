import type { ByteSource, ReadProgress } from './files.js'

const CHUNK_BYTES = 256 * 1024

/**
 * Most bytes that one record may take. It bounds memory when a quotation mark or bracket that never closes
 * makes the rest of a file look like one record; a caption of 10,000 words takes about 60 kB.
 */
export const MOST_RECORD_BYTES = 16 * 1024 * 1024

/**
 * A window over a file that moves from front to back and keeps only what its reader still needs: the bytes
 * from `start` on. The reader moves `start` forward; {@link ByteWindow.more} reads on.
 */
export class ByteWindow {
  bytes: Buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  /** Index in `bytes` of the first byte still needed. */
  start = 0
  /** Index in `bytes` behind the last byte read. */
  end = 0
  /** Bytes of the file that lie before `bytes[0]`. */
  private passed = 0

  constructor(
    private readonly source: ByteSource,
    private readonly onProgress?: ReadProgress,
  ) {}

  /** Place in the file, in bytes, of the index `index` of `bytes`. */
  placeOf(index: number): number {
    return this.passed + index
  }

  /** Is what is kept as long as one record may be? */
  get isFull(): boolean {
    return this.end - this.start >= MOST_RECORD_BYTES
  }

  /**
   * Reads on behind `end`. The kept bytes move to the front: `start` is 0 afterwards. False at the end of the
   * file, and when a record is longer than {@link MOST_RECORD_BYTES}.
   */
  more(): boolean {
    if (this.isFull) return false
    const kept = this.end - this.start
    const target = kept > this.bytes.length / 2 ? Buffer.allocUnsafe(this.bytes.length * 2) : this.bytes
    this.bytes.copy(target, 0, this.start, this.end)
    this.bytes = target
    this.passed += this.start
    this.start = 0
    this.end = kept
    const count = this.source.read(this.bytes, this.end)
    this.end += count
    this.onProgress?.(this.passed + this.end, this.source.size)
    return count > 0
  }
}
