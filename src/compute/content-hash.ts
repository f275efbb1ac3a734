/**
 * Hashes of what was imported: they identify datasets and systems in the records of how figures were made, in any
 * database. Each is a SHA-256 over the sum, modulo 2^256, of the SHA-256 of the parts: it does not depend on their order,
 * and needs no memory.
 */
import { hash } from 'node:crypto'

/** A hash of parts that are added in any order. */
export interface ContentHash {
  add(part: string | Uint8Array): void
  /** Adds the parts of another hash. */
  merge(parts: HashedParts): void
  /** What was added so far. */
  parts(): HashedParts
  /** @param header what the whole has beside its parts */
  digest(header: readonly (string | number)[]): string
}

/** The sum of the hashes of parts. */
export interface HashedParts {
  readonly sum: Float64Array
  readonly count: number
}

const LIMBS = 8
const LIMB = 2 ** 32

export function createContentHash(): ContentHash {
  const sum = new Float64Array(LIMBS)
  let count = 0
  const addLimbs = (limbOf: (limb: number) => number) => {
    let carry = 0
    for (let limb = 0; limb < LIMBS; limb++) {
      const value = sum[limb] + limbOf(limb) + carry
      carry = value >= LIMB ? 1 : 0
      sum[limb] = value - carry * LIMB
    }
  }
  return {
    add(part) {
      const digest = sha256(part)
      addLimbs((limb) => digest.readUInt32LE(4 * limb))
      count++
    },
    merge(parts) {
      addLimbs((limb) => parts.sum[limb])
      count += parts.count
    },
    parts: () => ({ sum, count }),
    digest: (header) => sha256(JSON.stringify([...header, count, ...sum])).toString('hex'),
  }
}

function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer')
}

/** The SHA-256 of a text, in hexadecimal digits. */
export function hashText(text: string): string {
  return hash('sha256', text, 'hex')
}

/** The hash of a dataset: ids of images, captions with their ids in the order of each image, and K. */
export interface DatasetHash {
  addImage(
    externalId: string,
    captions: readonly { readonly externalId: string; readonly text: string }[],
  ): void
  digest(captionsPerImage: number): string
}

export function createDatasetHash(): DatasetHash {
  const content = createContentHash()
  return {
    addImage(externalId, captions) {
      content.add(JSON.stringify(imageRecord(externalId, captions)))
    },
    digest: (captionsPerImage) => digestDataset(content, captionsPerImage),
  }
}

/** What is hashed of an image. */
export function imageRecord(
  externalId: string,
  captions: readonly { readonly externalId: string; readonly text: string }[],
): string[] {
  const record = [externalId]
  for (const caption of captions) record.push(caption.externalId, caption.text)
  return record
}

/** The hash of a dataset from the records of its images. */
export function digestDataset(content: ContentHash, captionsPerImage: number): string {
  return content.digest(['dataset', captionsPerImage])
}

/** The hash of a captioning system: ids of images with the captions. */
export interface ResultsHash {
  addCaption(imageExternalId: string, text: string): void
  digest(): string
}

export function createResultsHash(): ResultsHash {
  const content = createContentHash()
  return {
    addCaption: (imageExternalId, text) => content.add(JSON.stringify([imageExternalId, text])),
    digest: () => digestResults(content),
  }
}

/** The hash of a captioning system from the records of its captions, `[image id, text]`. */
export function digestResults(content: ContentHash): string {
  return content.digest(['captions'])
}

/** The hash of a system's word scores: words with scores by image, images by their place in the dataset. */
export interface ScoresHash {
  addWord(
    text: string,
    scores: { readonly imageIds: Int32Array; readonly scores: Float32Array | Float64Array },
  ): void
  digest(): string
}

/** @param firstImageId id of the first image of the dataset */
export function createScoresHash(firstImageId: number): ScoresHash {
  const content = createContentHash()
  let last: { readonly imageIds: Int32Array; readonly order: Int32Array; readonly hash: string } | undefined
  return {
    addWord(text, { imageIds, scores }) {
      if (imageIds.length === 0) return
      if (last?.imageIds !== imageIds) last = { imageIds, ...orderImages(imageIds, firstImageId) }
      const { order, hash: images } = last
      const sorted = scores.map((_, place) => scores[order[place]])
      const bytes = new Uint8Array(sorted.buffer, sorted.byteOffset, sorted.byteLength)
      content.add(JSON.stringify([text, images, sha256(bytes).toString('hex')]))
    },
    digest: () => content.digest(['word scores']),
  }
}

/** The positions of the images in ascending order, and a hash of their places in the dataset. */
function orderImages(imageIds: Int32Array, firstImageId: number) {
  const order = Int32Array.from(imageIds, (_, index) => index).sort(
    (one, other) => imageIds[one] - imageIds[other],
  )
  const places = order.map((index) => imageIds[index] - firstImageId)
  return { order, hash: sha256(new Uint8Array(places.buffer)).toString('hex') }
}
