import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccordError } from '../../errors.js'
import { describeSystemError } from '../../system-errors.js'

/** Bytes of a partition that are written at once. */
const CHUNK_BYTES = 32 * 1024

/** Bytes before each record: its length. */
const PREFIX_BYTES = 4

/**
 * Records in a temporary file, in partitions that are read one at a time. Memory: {@link CHUNK_BYTES} for each
 * partition that is being written; there is no file before a partition has more. The file is removed as soon as it is open, so
 * that nothing remains of a process that is killed; the folder is that of the operating system (`TMPDIR`).
 */
export class Spool {
  private file: number | undefined
  private readonly partitions: Partition[] = []
  private end = 0

  /**
   * Appends a record to a partition; the bytes are copied.
   *
   * @throws AccordError RESOURCE_MISSING if the disk is full
   */
  append(partition: number, record: Uint8Array): void {
    const target = this.partition(partition)
    const size = PREFIX_BYTES + record.length
    if (target.filled + size > target.buffer.length) this.flush(target)
    if (size > target.buffer.length) target.buffer = Buffer.allocUnsafe(size)
    target.buffer.writeUInt32LE(record.length, target.filled)
    target.buffer.set(record, target.filled + PREFIX_BYTES)
    target.filled += size
  }

  /** The records of a partition in the order in which they were appended. They may be changed. */
  *records(partition: number): Generator<Buffer> {
    const source = this.partitions[partition]
    if (source === undefined) return
    for (const { offset, length } of source.chunks) yield* recordsIn(this.read(offset, length))
    yield* recordsIn(Buffer.from(source.buffer.subarray(0, source.filled)))
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file)
  }

  private partition(index: number): Partition {
    this.partitions[index] ??= { buffer: Buffer.allocUnsafe(CHUNK_BYTES), filled: 0, chunks: [] }
    return this.partitions[index]
  }

  private flush(partition: Partition): void {
    const { buffer, filled, chunks } = partition
    if (filled === 0) return
    this.file ??= openTemporary()
    writeTemporary(this.file, buffer.subarray(0, filled), this.end)
    chunks.push({ offset: this.end, length: filled })
    this.end += filled
    partition.filled = 0
  }

  private read(offset: number, length: number): Buffer {
    const chunk = Buffer.allocUnsafe(length)
    for (let done = 0; done < length; ) {
      done += attempt(() => readSync(this.file as number, chunk, done, length - done, offset + done))
    }
    return chunk
  }
}

function* recordsIn(chunk: Buffer): Generator<Buffer> {
  for (let start = 0; start < chunk.length; ) {
    const first = start + PREFIX_BYTES
    start = first + chunk.readUInt32LE(start)
    yield chunk.subarray(first, start)
  }
}

interface Partition {
  buffer: Buffer
  filled: number
  readonly chunks: { readonly offset: number; readonly length: number }[]
}

/** Opens a new temporary file that is removed already, so that nothing remains of it. @returns its descriptor */
export function openTemporary(): number {
  return attempt(() => {
    const folder = mkdtempSync(join(tmpdir(), 'accord-'))
    try {
      return openSync(join(folder, 'spool'), 'wx+', 0o600)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

/** Writes all bytes. @throws AccordError RESOURCE_MISSING if the disk is full */
export function writeTemporary(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += attempt(() => writeSync(file, bytes, written, bytes.length - written, position + written))
  }
}

function attempt<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    throw new AccordError('RESOURCE_MISSING', 'the temporary file cannot be written or read', {
      source: tmpdir(),
      expected: 'a folder for temporary files with free space (set TMPDIR to use another one)',
      found: describeSystemError(error),
    })
  }
}
