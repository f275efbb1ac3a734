import { createTokenNumbers } from '../../core/text/tokenizer.js'
import { Spool } from '../../formats/io/spool.js'
import { BLOCK_BITS } from '../../store/postings.js'

export interface SpooledSystemCaption {
  readonly imageId: number
  readonly text: string
  /** Indices into the texts of the spool. */
  readonly tokens: Int32Array
}

/** Tokenized captions of a system in a temporary file: added in any order, read by image id. */
export class SystemSpool {
  private readonly tokens = createTokenNumbers()
  private readonly spool = new Spool()
  private lastPartition = -1

  /** @param firstImageId lower bound of image ids */
  constructor(private readonly firstImageId: number) {}

  /** The distinct tokens by first use. */
  get texts(): readonly string[] {
    return this.tokens.texts
  }

  add(imageId: number, text: string): void {
    const tokens = this.tokens.numbersOf(text)
    const record = Buffer.allocUnsafe(TOKENS + 4 * tokens.length + Buffer.byteLength(text))
    record.writeInt32LE(imageId, IMAGE_ID)
    record.writeUInt32LE(tokens.length, TOKEN_COUNT)
    for (let i = 0; i < tokens.length; i++) record.writeInt32LE(tokens[i], TOKENS + 4 * i)
    record.write(text, TOKENS + 4 * tokens.length)
    const partition = this.partitionOf(imageId)
    this.lastPartition = Math.max(this.lastPartition, partition)
    this.spool.append(partition, record)
  }

  /** All captions by image id, those of one block of postings (see postings.ts) at a time. */
  *partitions(): Generator<readonly SpooledSystemCaption[]> {
    for (let partition = 0; partition <= this.lastPartition; partition++) {
      const captions = Array.from(this.spool.records(partition), decode)
      if (captions.length > 0) yield captions.sort((one, other) => one.imageId - other.imageId)
    }
  }

  close(): void {
    this.spool.close()
  }

  private partitionOf(imageId: number): number {
    return (imageId >> BLOCK_BITS) - (this.firstImageId >> BLOCK_BITS)
  }
}

// A record: the image id and the number of tokens, then the tokens and the text.
const IMAGE_ID = 0
const TOKEN_COUNT = 4
const TOKENS = 8

function decode(record: Buffer): SpooledSystemCaption {
  const tokens = new Int32Array(record.readUInt32LE(TOKEN_COUNT))
  for (let i = 0; i < tokens.length; i++) tokens[i] = record.readInt32LE(TOKENS + 4 * i)
  return {
    imageId: record.readInt32LE(IMAGE_ID),
    text: record.toString('utf8', TOKENS + 4 * tokens.length),
    tokens,
  }
}
