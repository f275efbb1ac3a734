import { createContentHash } from '../../compute/content-hash.js'
import { canonicalJson } from '../../core/metrics/provenance.js'
import type { Corpus } from '../../core/text/sequences.js'

/** Objects that are annotated in images. */
export interface AnnotatedObjects {
  /** Names, by number of the image. */
  readonly ofImages: ReadonlyMap<number, readonly string[]>
  /** Enters signatures: equal for the same objects of the same images. */
  readonly hash: string
}

/** An image with its objects. */
export interface ImageObjects {
  readonly image: number
  readonly externalId: string
  readonly names: Iterable<string>
}

export function annotatedObjects(images: readonly ImageObjects[]): AnnotatedObjects {
  const content = createContentHash()
  const sorted = images
    .map(({ names, ...image }) => ({ ...image, names: [...new Set(names)].sort() }))
    .sort((one, other) => (one.externalId < other.externalId ? -1 : 1))
  for (const { externalId, names } of sorted) content.add(canonicalJson([externalId, names]))
  return {
    ofImages: new Map(sorted.map(({ image, names }) => [image, names])),
    hash: content.digest(['objects']),
  }
}

/** The objects of some images, as trials have them. */
export function objectsOfTrial({ ofImages }: AnnotatedObjects, images: Int32Array): Corpus {
  const numbers = new Map<string, number>()
  const tokens: number[] = []
  const offsets = new Int32Array(images.length + 1)
  for (const [index, image] of images.entries()) {
    for (const name of ofImages.get(image) ?? []) {
      const number = numbers.get(name) ?? numbers.size
      numbers.set(name, number)
      tokens.push(number)
    }
    offsets[index + 1] = tokens.length
  }
  return { tokens: Int32Array.from(tokens), offsets, texts: [...numbers.keys()] }
}
