import type { ByteSource } from './encodings.js'
import type { ReadProgress } from './files.js'

const CHUNK_BYTES = 256 * 1024

/**
 * Maximum size of a record in bytes. It limits memory if an unclosed quotation mark or bracket makes the rest of a
 * file look like a single record. A caption of 10,000 words has about 60 kB.
 */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024

/**
 * A sliding window over a file that buffers the bytes from `start` to `end`. The reader advances `start` past the
 * bytes it has consumed; {@link ByteWindow.more} reads more bytes after `end`.
 */
export class ByteWindow {
  bytes: Buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  /** Index in `bytes` of the first byte that has not been consumed. */
  start = 0
  /** Index in `bytes` after the last byte read. */
  end = 0
  /** File offset of `bytes[0]`. */
  private fileOffset = 0

  constructor(
    private readonly source: ByteSource,
    private readonly onProgress?: ReadProgress,
  ) {}

  /** Converts an index in `bytes` to a file offset. */
  offsetOf(index: number): number {
    return this.fileOffset + index
  }

  /** Whether the buffered bytes have reached the maximum size of a record. */
  get isFull(): boolean {
    return this.end - this.start >= MAX_RECORD_BYTES
  }

  /**
   * Reads more bytes after `end`. Moves the buffered bytes to the front, so `start` is 0 afterwards. Returns false at
   * the end of the file, and if a record is longer than {@link MAX_RECORD_BYTES}.
   */
  more(): boolean {
    if (this.isFull) return false
    const buffered = this.end - this.start
    const target = buffered > this.bytes.length / 2 ? Buffer.allocUnsafe(this.bytes.length * 2) : this.bytes
    this.bytes.copy(target, 0, this.start, this.end)
    this.bytes = target
    this.fileOffset += this.start
    this.start = 0
    this.end = buffered
    const count = this.source.read(this.bytes, this.end)
    this.end += count
    const { size } = this.source
    this.onProgress?.(size > 0 ? (this.fileOffset + this.end) / size : 0)
    return count > 0
  }
}
