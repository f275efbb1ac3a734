import { AccordError, quote } from '../../errors.js'
import { keyedRandom } from '../stats/random.js'
import type { BoxedImage, Description } from './scenes.js'

/** Counts of concepts and concept bigrams mentioned in development descriptions. */
export interface Priors {
  /** Number of descriptions that mention a box. */
  readonly descriptions: number
  /** Number of mentions of each concept, including repeated ones. */
  readonly named: ReadonlyMap<string, number>
  /** Number of descriptions that mention each concept first. */
  readonly opening: ReadonlyMap<string, number>
  /** Number of times each concept is mentioned directly after another (previous concept first); repeats count. */
  readonly following: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/**
 * Learns the textual priors (Wang & Gaizauskas 2015, section 4.2) from development data: the descriptions of the
 * given images. Descriptions of other images are ignored.
 *
 * @throws AccordError NOT_APPLICABLE if no description mentions a box; UNKNOWN_BOX if a description mentions a
 *   box that its image does not have
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
    throw new AccordError('NOT_APPLICABLE', 'no development data to learn priors from', {
      expected: 'descriptions that mention boxes',
      found: 'none',
    })
  }
  return { descriptions: counted, named, opening, following }
}

/**
 * Splits images into development and test images. The assignment of an image depends only on the seed and its
 * id, so adding images does not change the assignment of others.
 *
 * @param share expected fraction of development images, above 0 and below 1
 * @throws AccordError OUT_OF_RANGE if the share is not between 0 and 1 or the seed is not a safe integer
 */
export function splitForPriors(
  images: readonly BoxedImage[],
  share: number,
  seed: number,
): { development: BoxedImage[]; test: BoxedImage[] } {
  if (!(share > 0 && share < 1)) {
    throw new AccordError('OUT_OF_RANGE', 'invalid share of development images', {
      source: 'share',
      expected: 'a number above 0 and below 1',
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
  throw new AccordError('UNKNOWN_BOX', 'unknown box', {
    place: `description ${id}`,
    expected: `the id of a box of image ${imageId}`,
    found: quote(boxId),
  })
}
