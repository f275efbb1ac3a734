import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { createRandom, type Random } from '../stats/random.js'
import { fitUsageModel, predictedPrecision, USAGE_MODELS, type UsageModelKind } from './usage-model.js'
import { humanWordAgreement } from './words.js'

/** Precision of a word: predicted by a model, and measured. Null if undefined. */
interface PrecisionPair {
  readonly predicted: number | null
  readonly empirical: number | null
}

/** Goodness of fit of predicted precision to empirical precision over a vocabulary. */
export interface GoodnessOfFit {
  /** Number of words with both precisions. Other words are ignored. */
  readonly wordCount: number
  /** Root mean square error, 0..1. Null if there are no words. */
  readonly rootMeanSquaredError: number | null
  /** R² = 1 − (residual sum of squares) / (total sum of squares), at most 1. */
  readonly rSquared: number | null
  /** Why R², or both values, are null. */
  readonly undefinedReason: UndefinedReason | null
}

/** Computes RMSE and R² of the predictions. No regression line is fitted, so R² can be negative. */
export function goodnessOfFit(pairs: Iterable<PrecisionPair>): GoodnessOfFit {
  const predictions: number[] = []
  const observations: number[] = []
  for (const { predicted, empirical } of pairs) {
    if (predicted === null || empirical === null) continue
    predictions.push(predicted)
    observations.push(empirical)
  }
  const wordCount = observations.length
  if (wordCount === 0) {
    return { wordCount, rootMeanSquaredError: null, rSquared: null, undefinedReason: 'TOO_FEW_WORDS' }
  }
  const mean = observations.reduce((sum, observed) => sum + observed) / wordCount
  const squaredErrors = observations.reduce((sum, observed, i) => sum + (observed - predictions[i]) ** 2, 0)
  const squaredDeviations = observations.reduce((sum, observed) => sum + (observed - mean) ** 2, 0)
  const rootMeanSquaredError = Math.sqrt(squaredErrors / wordCount)
  // Compare the values directly: rounding of the mean can make squaredDeviations nonzero for equal values.
  if (observations.every((observed) => observed === observations[0])) {
    const undefinedReason = wordCount === 1 ? 'TOO_FEW_WORDS' : 'CONSTANT_PRECISION'
    return { wordCount, rootMeanSquaredError, rSquared: null, undefinedReason }
  }
  return {
    wordCount,
    rootMeanSquaredError,
    rSquared: 1 - squaredErrors / squaredDeviations,
    undefinedReason: null,
  }
}

/** How well a usage model predicts human precision, beside other models on the same words. */
interface FitComparison {
  readonly kind: UsageModelKind
  /**
   * Fitted to and compared with the same images. Null figures with reason `TAUTOLOGY` for `MOMENT` with one
   * reference: its p is human recall, which equals human precision with one reference, so nothing is predicted.
   */
  readonly inSample: GoodnessOfFit
  /** Fitted to a random half of the images, and compared with human precision on the other half. */
  readonly outOfSample: GoodnessOfFit
}

/** Compares usage models word by word: fits take time, in which a server must handle other requests. */
interface FitComparer {
  /** @param histogram h_0 … h_K @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1 */
  add(histogram: ArrayLike<number>): void
  /** The comparison over the words that were added, one entry per model. */
  compare(): FitComparison[]
}

/**
 * Compares usage models over a vocabulary, on the words for which every one of them has a fit and human precision is
 * defined. The words are fewer out of sample, because rare words may not occur in one of the halves.
 *
 * @param seed of the halves; each word has halves of its own
 */
export function createFitComparer(
  references: number,
  seed: number,
  kinds: readonly UsageModelKind[] = USAGE_MODELS,
): FitComparer {
  const random = createRandom(seed)
  const inSample = kinds.map((): PrecisionPair[] => [])
  const outOfSample = kinds.map((): PrecisionPair[] => [])

  /** Adds the predicted and empirical precision of all models, unless one of them has none. */
  function addPairs(pairs: PrecisionPair[][], fitted: ArrayLike<number>, compared: ArrayLike<number>): void {
    const empirical = humanWordAgreement(compared, references).precision
    const fits = kinds.map((kind) => fitUsageModel(kind, fitted).fit)
    if (empirical === null || fits.includes(null)) return
    fits.forEach((fit, index) => {
      pairs[index].push({ predicted: fit && predictedPrecision(fit, references), empirical })
    })
  }

  return {
    add(histogram) {
      const [fitted, compared] = splitHistogram(histogram, random)
      addPairs(inSample, histogram, histogram)
      addPairs(outOfSample, fitted, compared)
    },
    compare: () =>
      kinds.map((kind, index) => ({
        kind,
        inSample:
          kind === 'MOMENT' && references === 1
            ? tautology(inSample[index].length)
            : goodnessOfFit(inSample[index]),
        outOfSample: goodnessOfFit(outOfSample[index]),
      })),
  }
}

function tautology(wordCount: number): GoodnessOfFit {
  return { wordCount, rootMeanSquaredError: null, rSquared: null, undefinedReason: 'TAUTOLOGY' }
}

/**
 * Divides the images of a histogram at random into halves; the first has the odd image. Every image with the word is
 * drawn into one of the halves with the probability that it has of the places left; images without the word fill up.
 */
export function splitHistogram(histogram: ArrayLike<number>, random: Random): [Float64Array, Float64Array] {
  const first = new Float64Array(histogram.length)
  const second = new Float64Array(histogram.length)
  let images = 0
  for (let count = 0; count < histogram.length; count++) images += histogram[count]
  let places = Math.ceil(images / 2)
  for (let count = histogram.length - 1; count > 0; count--) {
    for (let image = 0; image < histogram[count]; image++) {
      const isFirst = random.next() * images < places
      ;(isFirst ? first : second)[count]++
      if (isFirst) places--
      images--
    }
  }
  first[0] = places
  second[0] = images - places
  return [first, second]
}
