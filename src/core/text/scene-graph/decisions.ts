import { LRUCache } from 'lru-cache'
/**
 * A tuple of names, (object), (object, attribute) or (subject, relation, object), as evidence for a reading. A name
 * that ends in `*` stands for all names that start so.
 */
export type Pattern = readonly string[]

/** A property of an option, in parts: those of the model are the parts joined by spaces. */
export type OptionFeature = readonly string[]

/** One of the ways to read a part of a caption. */
export interface Option {
  /** Properties of the option. Each has a weight in the model. */
  readonly features: readonly OptionFeature[]
  /** Tuples that are in the graph of the caption only if the option is right; used in training. */
  readonly evidence: () => readonly Pattern[]
}

/**
 * Returns the index of the best option. There is at least one.
 *
 * @param situation decisions in the same situation have options with the same features
 */
export type Choose = (situation: string, options: () => readonly Option[]) => number

/** Returns the weight of a feature, 0 if the model does not have it. */
export type FeatureWeights = (feature: OptionFeature) => number

/** Maximum number of cached decisions. */
const MAX_CACHED_DECISIONS = 200_000

/** Chooses the option with the highest sum of weights, the first one among equals. */
export function createChoose(weightOf: FeatureWeights): Choose {
  const cached = new LRUCache<string, number>({ max: MAX_CACHED_DECISIONS })
  return (situation, options) => {
    let choice = cached.get(situation)
    if (choice === undefined) {
      choice = bestOption(options(), weightOf)
      cached.set(situation, choice)
    }
    return choice
  }
}

function bestOption(options: readonly Option[], weightOf: FeatureWeights): number {
  let best = 0
  let bestScore = Number.NEGATIVE_INFINITY
  options.forEach(({ features }, index) => {
    let score = 0
    for (const feature of features) score += weightOf(feature)
    if (score > bestScore) {
      best = index
      bestScore = score
    }
  })
  return best
}
