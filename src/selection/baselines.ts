import { AccordError } from '../errors.js'
import { keyedRandom } from './keyed-random.js'
import type { Priors } from './priors.js'
import type { Box, BoxedImage } from './types.js'

/**
 * The baselines of Wang & Gaizauskas 2015, section 4, as orders of an image's boxes: a baseline selects the
 * first k. Where two boxes rank alike, the one listed first comes first. Their names are also those of the
 * systems in results, beside `human` for the human bound.
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

/** The paper's figures are for k = 1..15 boxes. */
export const LARGEST_K = 15

export interface BaselineInputs {
  /** Any safe integer; only `random` uses it. */
  readonly seed: number
  /** From development data; `null` where there is none. */
  readonly priors: Priors | null
}

/** What a baseline cannot do without. */
export function baselineNeeds(baseline: Baseline): { priors: boolean; imageSize: boolean } {
  return { priors: /unigram|bigram/.test(baseline), imageSize: baseline.includes('position') }
}

/**
 * Orders the boxes of an image, the one to be named first at the start. `bigram` holds only the boxes that
 * its chain chooses; all other orders hold every box.
 *
 * @throws AccordError NOT_APPLICABLE where a text baseline has no priors, or where a position baseline has
 *   an image without width and height
 */
export function orderBoxes(baseline: Baseline, image: BoxedImage, inputs: BaselineInputs): Box[] {
  switch (baseline) {
    case 'random':
      return shuffle(image, inputs.seed)
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

/** Every order of the boxes is equally likely (Fisher–Yates). */
function shuffle({ imageId, boxes }: BoxedImage, seed: number): Box[] {
  const random = keyedRandom(seed, `boxes of ${imageId}`)
  const order = [...boxes]
  for (let last = order.length - 1; last > 0; last--) {
    const chosen = random.below(last + 1)
    ;[order[last], order[chosen]] = [order[chosen], order[last]]
  }
  return order
}

/** Largest area first. */
function orderBySize({ boxes }: BoxedImage): Box[] {
  return sortBy(boxes, ({ bbox: [, , width, height] }) => -width * height)
}

/** Nearest to the image's centre first, from the box's centre. */
function orderByPosition({ imageId, width: imageWidth, height: imageHeight, boxes }: BoxedImage): Box[] {
  if (imageWidth === null || imageHeight === null) {
    throw new AccordError('NOT_APPLICABLE', 'position needs the size of every image', {
      place: `image ${imageId}`,
      expected: 'width and height',
      found: 'none',
    })
  }
  return sortBy(boxes, ({ bbox: [x, y, width, height] }) =>
    Math.hypot(x + width / 2 - imageWidth / 2, y + height / 2 - imageHeight / 2),
  )
}

/** Concepts that development descriptions name most often first. */
function orderByUnigram({ boxes }: BoxedImage, priors: Priors): Box[] {
  return sortBy(boxes, ({ concept }) => -(priors.named.get(concept) ?? 0))
}

/**
 * First the concept that most often opens a description, then always the one that most often follows the
 * last; the chain ends where no box that is left was ever seen to follow. Counts order the boxes as the
 * probabilities do, because all that are compared have the same denominator.
 */
function chainByBigram({ boxes }: BoxedImage, priors: Priors): Box[] {
  const left = [...boxes]
  const chain: Box[] = []
  let counts: ReadonlyMap<string, number> | undefined = priors.opening
  while (counts !== undefined) {
    let best = -1
    let highest = 0
    for (const [index, { concept }] of left.entries()) {
      const count = counts.get(concept) ?? 0
      if (count > highest) [best, highest] = [index, count]
    }
    if (best < 0) break
    const [box] = left.splice(best, 1)
    chain.push(box)
    counts = priors.following.get(box.concept)
  }
  return chain
}

/**
 * Orders by the mean of two ranks, which count from 1. With N boxes of which the text order holds N_s, each
 * of the others has the text rank 0.5·((N + 1) − N_s) + N_s (section 5.1).
 */
function combine({ boxes }: BoxedImage, textOrder: readonly Box[], visualOrder: readonly Box[]): Box[] {
  const unchosen = 0.5 * (boxes.length + 1 - textOrder.length) + textOrder.length
  const textRanks = ranksOf(textOrder)
  const visualRanks = ranksOf(visualOrder)
  return sortBy(boxes, (box) => ((textRanks.get(box) ?? unchosen) + visualRanks.get(box)!) / 2)
}

function ranksOf(order: readonly Box[]): Map<Box, number> {
  return new Map(order.map((box, index) => [box, index + 1]))
}

/** Lowest key first; equal keys keep their order. */
function sortBy(boxes: readonly Box[], key: (box: Box) => number): Box[] {
  return boxes
    .map((box) => ({ box, key: key(box) }))
    .sort((a, b) => a.key - b.key)
    .map(({ box }) => box)
}

function requirePriors(baseline: Baseline, { priors }: BaselineInputs): Priors {
  if (priors === null) {
    throw new AccordError('NOT_APPLICABLE', `${baseline} needs development data to learn its priors from`, {
      expected: 'descriptions that name boxes',
      found: 'none',
    })
  }
  return priors
}
