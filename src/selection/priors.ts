import { AccordError, quote } from '../errors.js'
import { keyedRandom } from './keyed-random.js'
import type { BoxedImage, Description } from './types.js'

/** What development descriptions say about which concepts are named, and after which. All are counts. */
export interface Priors {
  /** Descriptions that name a box. */
  readonly descriptions: number
  /** Per concept, how often a description names a box of it; repeats count. */
  readonly named: ReadonlyMap<string, number>
  /** Per concept, how many descriptions name a box of it first. */
  readonly opening: ReadonlyMap<string, number>
  /** Per concept and the concept named right after it, how often; repeats of a box count as they stand. */
  readonly following: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/**
 * Learns the textual priors (Wang & Gaizauskas 2015, section 4.2) from development data: the descriptions
 * of the given images. Descriptions of other images are not looked at.
 *
 * @throws AccordError NOT_APPLICABLE where no description names a box; UNKNOWN_BOX where a description
 *   names a box that its image does not have
 */
export function learnPriors(images: readonly BoxedImage[], descriptions: readonly Description[]): Priors {
  const concepts = new Map(
    images.map(({ imageId, boxes }) => [imageId, new Map(boxes.map(({ id, concept }) => [id, concept]))]),
  )
  const named = new Map<string, number>()
  const opening = new Map<string, number>()
  const following = new Map<string, Map<string, number>>()
  let counted = 0
  for (const description of descriptions) {
    const ofImage = concepts.get(description.imageId)
    if (ofImage === undefined || description.mentions.length === 0) continue
    const sequence = description.mentions.map((boxId) => ofImage.get(boxId) ?? unknownBox(description, boxId))
    counted++
    increment(opening, sequence[0])
    for (const [index, concept] of sequence.entries()) {
      increment(named, concept)
      if (index > 0) increment(followersOf(following, sequence[index - 1]), concept)
    }
  }
  if (counted === 0) {
    throw new AccordError('NOT_APPLICABLE', 'there is no development data to learn priors from', {
      expected: 'descriptions that name boxes',
      found: 'none',
    })
  }
  return { descriptions: counted, named, opening, following }
}

/**
 * Divides images into development and test images. Where an image goes depends on the seed and its id
 * alone, so that adding images moves none of the others.
 *
 * @param share of the images to expect in the development set, between 0 and 1, both excluded
 * @throws AccordError OUT_OF_RANGE where the share is not between 0 and 1 or the seed is no safe integer
 */
export function splitImages(
  images: readonly BoxedImage[],
  share: number,
  seed: number,
): { development: BoxedImage[]; test: BoxedImage[] } {
  if (!(share > 0 && share < 1)) {
    throw new AccordError('OUT_OF_RANGE', 'the share of development images is not usable', {
      source: 'share',
      expected: 'a number between 0 and 1, both excluded',
      found: String(share),
    })
  }
  const development: BoxedImage[] = []
  const test: BoxedImage[] = []
  for (const image of images) {
    const chosen = keyedRandom(seed, `split of ${image.imageId}`).next() < share ? development : test
    chosen.push(image)
  }
  return { development, test }
}

function followersOf(following: Map<string, Map<string, number>>, concept: string): Map<string, number> {
  const known = following.get(concept)
  if (known !== undefined) return known
  const followers = new Map<string, number>()
  following.set(concept, followers)
  return followers
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function unknownBox({ id, imageId }: Description, boxId: string): never {
  throw new AccordError('UNKNOWN_BOX', 'the description names a box that its image does not have', {
    place: `description ${id}`,
    expected: `the id of a box of image ${imageId}`,
    found: quote(boxId),
  })
}
