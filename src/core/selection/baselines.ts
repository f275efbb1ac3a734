import { AccordError } from '../../errors.js'
import { keyedRandom, shuffle } from '../stats/random.js'
import type { Priors } from './priors.js'
import type { Box, BoxedImage } from './scenes.js'

/**
 * The baselines of Wang & Gaizauskas 2015, section 4. A baseline ranks the boxes of an image and selects the
 * first k. Ties keep the order of the source. Results use these names as system names, and `human` for the
 * human bound.
 */
export const BASELINES = [
  'random',
  'size',
  'position',
  'unigram',
  'bigram',
  'unigram+size',
  'unigram+position',
  'bigram+size',
  'bigram+position',
] as const

export type Baseline = (typeof BASELINES)[number]

export interface BaselineInputs {
  /** A safe integer. Used by `random` only. */
  readonly seed: number
  /** Learned from development data; null if there is none. */
  readonly priors: Priors | null
}

/** The inputs that a baseline requires. */
export function baselineNeeds(baseline: Baseline): { priors: boolean; imageSize: boolean } {
  return { priors: /unigram|bigram/.test(baseline), imageSize: baseline.includes('position') }
}

/**
 * Ranks the boxes of an image, best first. `bigram` returns only the boxes of its chain; all other baselines
 * return every box.
 *
 * @throws AccordError NOT_APPLICABLE if a text baseline has no priors, or a position baseline has an image
 *   without width and height
 */
export function orderBoxes(baseline: Baseline, image: BoxedImage, inputs: BaselineInputs): Box[] {
  switch (baseline) {
    case 'random':
      return orderAtRandom(image, inputs.seed)
    case 'size':
      return orderBySize(image)
    case 'position':
      return orderByPosition(image)
    case 'unigram':
      return orderByUnigram(image, requirePriors(baseline, inputs))
    case 'bigram':
      return chainByBigram(image, requirePriors(baseline, inputs))
    case 'unigram+size':
      return combine(image, orderByUnigram(image, requirePriors(baseline, inputs)), orderBySize(image))
    case 'unigram+position':
      return combine(image, orderByUnigram(image, requirePriors(baseline, inputs)), orderByPosition(image))
    case 'bigram+size':
      return combine(image, chainByBigram(image, requirePriors(baseline, inputs)), orderBySize(image))
    case 'bigram+position':
      return combine(image, chainByBigram(image, requirePriors(baseline, inputs)), orderByPosition(image))
  }
}

/** Uniformly random order. */
function orderAtRandom({ imageId, boxes }: BoxedImage, seed: number): Box[] {
  const order = [...boxes]
  shuffle(order, keyedRandom(seed, `boxes of ${imageId}`))
  return order
}

/** Largest area first. */
function orderBySize({ boxes }: BoxedImage): Box[] {
  return sortBy(boxes, ({ bbox: [, , width, height] }) => -width * height)
}

/** Smallest distance between the centres of box and image first. */
function orderByPosition({ imageId, width: imageWidth, height: imageHeight, boxes }: BoxedImage): Box[] {
  if (imageWidth === null || imageHeight === null) {
    throw new AccordError('NOT_APPLICABLE', 'position baselines require the size of every image', {
      place: `image ${imageId}`,
      expected: 'width and height',
      found: 'none',
    })
  }
  return sortBy(boxes, ({ bbox: [x, y, width, height] }) =>
    Math.hypot(x + width / 2 - imageWidth / 2, y + height / 2 - imageHeight / 2),
  )
}

/** Concept mentioned most frequently in development descriptions first. */
function orderByUnigram({ boxes }: BoxedImage, priors: Priors): Box[] {
  return sortBy(boxes, ({ concept }) => -(priors.named.get(concept) ?? 0))
}

/**
 * Starts with the concept that is most often mentioned first in a description, then repeatedly appends the one
 * that most often follows the previous concept. The chain ends when no remaining box ever follows. Comparing
 * counts is equivalent to comparing probabilities, because the compared counts have the same denominator.
 */
function chainByBigram({ boxes }: BoxedImage, priors: Priors): Box[] {
  const remaining = [...boxes]
  const chain: Box[] = []
  let counts: ReadonlyMap<string, number> | undefined = priors.opening
  while (counts !== undefined) {
    let best = -1
    let highest = 0
    for (const [index, { concept }] of remaining.entries()) {
      const count = counts.get(concept) ?? 0
      if (count > highest) [best, highest] = [index, count]
    }
    if (best < 0) break
    const [box] = remaining.splice(best, 1)
    chain.push(box)
    counts = priors.following.get(box.concept)
  }
  return chain
}

/**
 * Orders by the mean of two ranks, starting at 1. If the text order contains N_s of the N boxes, every other box
 * has the text rank 0.5·((N + 1) − N_s) + N_s (section 5.1).
 */
function combine({ boxes }: BoxedImage, textOrder: readonly Box[], visualOrder: readonly Box[]): Box[] {
  const missingRank = 0.5 * (boxes.length + 1 - textOrder.length) + textOrder.length
  const textRanks = ranksOf(textOrder)
  const visualRanks = ranksOf(visualOrder)
  return sortBy(boxes, (box) => ((textRanks.get(box) ?? missingRank) + visualRanks.get(box)!) / 2)
}

function ranksOf(order: readonly Box[]): Map<Box, number> {
  return new Map(order.map((box, index) => [box, index + 1]))
}

/** Lowest key first. Stable for equal keys. */
function sortBy(boxes: readonly Box[], key: (box: Box) => number): Box[] {
  return boxes
    .map((box) => ({ box, key: key(box) }))
    .sort((a, b) => a.key - b.key)
    .map(({ box }) => box)
}

function requirePriors(baseline: Baseline, { priors }: BaselineInputs): Priors {
  if (priors === null) {
    throw new AccordError('NOT_APPLICABLE', `${baseline} requires priors learned from development data`, {
      expected: 'descriptions that mention boxes',
      found: 'none',
    })
  }
  return priors
}
