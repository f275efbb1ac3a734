import { LANGUAGE_SAMPLE } from '../../core/text/languages.js'
import { createTokenNumbers, type TokenNumbers } from '../../core/text/token-numbers.js'
import type { Tokenization } from '../../core/text/tokenization.js'
import {
  type Annotation,
  type CaptionConsumer,
  compareAnnotations,
  type DescribedImage,
} from '../../formats/coco/coco-captions.js'
import { Spool } from '../../formats/io/spool.js'

/** Number of images whose captions are in memory together. */
const IMAGES_PER_PARTITION = 8192

/** Characters of captions up to which these stay in memory: about 150,000 captions of COCO. */
const MAX_CHARACTERS_IN_MEMORY = 8_000_000

/** A human caption that is being imported. */
export interface SpooledCaption extends Omit<Annotation, 'imageKey'> {
  /** Index of the image. */
  readonly image: number
  /** Indices of the caption's tokens in the texts of the spool. */
  readonly tokens: Int32Array
}

/**
 * Images with their captions, tokenized: captions go in in any order and come out by image and rank. Captions of small
 * datasets stay in memory, others are in temporary files. Memory: the texts of all distinct tokens, a few bytes for each
 * image, and one partition of captions, or a small dataset.
 */
export class CaptionSpool implements CaptionConsumer {
  /** The first captions, until their tokenization is chosen. */
  private held: Annotation[] = []
  private chosen: { readonly tokenization: Tokenization; readonly tokens: TokenNumbers } | null = null
  private readonly images = new Spool()
  /** Captions in insertion order. */
  private readonly unsorted = new Spool()
  private readonly sorted = new Spool()
  /** All captions while they stay in memory; `image` is the key of the image until they are grouped. */
  private inMemory: SpooledCaption[] | null = []
  private characters = 0
  private imageTotal = 0
  private captionTotal = 0
  private shortTotal = 0

  /** The distinct tokens. */
  get texts(): readonly string[] {
    return this.chosen?.tokens.texts ?? []
  }

  get imageCount(): number {
    return this.imageTotal
  }

  get captionCount(): number {
    return this.captionTotal
  }

  /** Captions with one token, or none. */
  get shortCaptionCount(): number {
    return this.shortTotal
  }

  addImage({ externalId, fileName, url, width, height, fields }: DescribedImage): void {
    this.images.append(0, Buffer.from(JSON.stringify([externalId, fileName, url, width, height, fields])))
    this.imageTotal++
  }

  /** @param chooseBy chooses how captions are tokenized, by the first ones */
  constructor(
    private readonly chooseBy: (captions: readonly string[]) => Tokenization,
    private readonly maxCharactersInMemory = MAX_CHARACTERS_IN_MEMORY,
  ) {}

  addAnnotation(annotation: Annotation): void {
    if (this.chosen !== null) {
      this.add(annotation, this.chosen.tokens)
      return
    }
    this.held.push(annotation)
    if (this.held.length === LANGUAGE_SAMPLE) this.choose()
  }

  /** How the captions are tokenized; see {@link choose}. */
  get tokenization(): Tokenization {
    return this.choose().tokenization
  }

  /** Chooses how captions are tokenized, unless it was chosen before, and tokenizes those that were added. */
  choose() {
    if (this.chosen !== null) return this.chosen
    const tokenization = this.chooseBy(this.held.map(({ text }) => text))
    this.chosen = { tokenization, tokens: createTokenNumbers(tokenization) }
    for (const annotation of this.held) this.add(annotation, this.chosen.tokens)
    this.held = []
    return this.chosen
  }

  private add({ imageKey, externalId, rank, text }: Annotation, { numbersOf }: TokenNumbers): void {
    const tokens = numbersOf(text)
    const caption = { image: imageKey, externalId, rank, text, tokens }
    this.captionTotal++
    if (tokens.length <= 1) this.shortTotal++
    this.characters += text.length
    if (this.inMemory === null) {
      this.unsorted.append(0, encode(caption))
      return
    }
    this.inMemory.push(caption)
    if (this.characters > this.maxCharactersInMemory) this.moveToFile(this.inMemory)
  }

  private moveToFile(captions: readonly SpooledCaption[]): void {
    for (const caption of captions) this.unsorted.append(0, encode(caption))
    this.inMemory = null
  }

  /**
   * Groups the captions by image. Call it after all captions were added.
   *
   * @param imageOfKey index of the image of each `imageKey`
   * @returns the number of captions of each image
   */
  group(imageOfKey: Int32Array): Int32Array {
    this.choose()
    const counts = new Int32Array(this.imageTotal)
    if (this.inMemory !== null) {
      this.inMemory = this.inMemory.map((caption) => ({ ...caption, image: imageOfKey[caption.image] }))
      this.inMemory.sort(compareCaptions)
      for (const { image } of this.inMemory) counts[image]++
      return counts
    }
    for (const record of this.unsorted.records(0)) {
      const image = imageOfKey[record.readUInt32LE(IMAGE)]
      record.writeUInt32LE(image, IMAGE)
      this.sorted.append(Math.floor(image / IMAGES_PER_PARTITION), record)
      counts[image]++
    }
    return counts
  }

  /** The images in insertion order. */
  *describedImages(): Generator<DescribedImage> {
    for (const record of this.images.records(0)) {
      const [externalId, fileName, url, width, height, fields] = JSON.parse(record.toString())
      yield { externalId, fileName, url, width, height, ...(fields && { fields }) }
    }
  }

  /**
   * All captions by image and rank: those of up to 8,192 images at a time, or all at once if they are in memory. Follows
   * {@link group}.
   */
  *partitions(): Generator<readonly SpooledCaption[]> {
    if (this.inMemory !== null) {
      yield this.inMemory
      return
    }
    for (let partition = 0; partition * IMAGES_PER_PARTITION < this.imageTotal; partition++) {
      yield Array.from(this.sorted.records(partition), decode).sort(compareCaptions)
    }
  }

  close(): void {
    for (const spool of [this.images, this.unsorted, this.sorted]) spool.close()
  }
}

function compareCaptions(one: SpooledCaption, other: SpooledCaption): number {
  return one.image - other.image || compareAnnotations(one, other)
}

// A record: the image, the rank (NaN for null), the number of tokens and the bytes of the id; then tokens, id, text.
const IMAGE = 0
const RANK = 4
const TOKEN_COUNT = 12
const ID_LENGTH = 16
const TOKENS = 20

function encode({ image, externalId, rank, text, tokens }: SpooledCaption): Buffer {
  const idLength = Buffer.byteLength(externalId)
  const textStart = TOKENS + 4 * tokens.length + idLength
  const record = Buffer.allocUnsafe(textStart + Buffer.byteLength(text))
  record.writeUInt32LE(image, IMAGE)
  record.writeDoubleLE(rank ?? Number.NaN, RANK)
  record.writeUInt32LE(tokens.length, TOKEN_COUNT)
  record.writeUInt32LE(idLength, ID_LENGTH)
  for (let i = 0; i < tokens.length; i++) record.writeInt32LE(tokens[i], TOKENS + 4 * i)
  record.write(externalId, textStart - idLength)
  record.write(text, textStart)
  return record
}

function decode(record: Buffer): SpooledCaption {
  const rank = record.readDoubleLE(RANK)
  const tokens = new Int32Array(record.readUInt32LE(TOKEN_COUNT))
  for (let i = 0; i < tokens.length; i++) tokens[i] = record.readInt32LE(TOKENS + 4 * i)
  const idStart = TOKENS + 4 * tokens.length
  const textStart = idStart + record.readUInt32LE(ID_LENGTH)
  return {
    image: record.readUInt32LE(IMAGE),
    externalId: record.toString('utf8', idStart, textStart),
    rank: Number.isNaN(rank) ? null : rank,
    text: record.toString('utf8', textStart),
    tokens,
  }
}
