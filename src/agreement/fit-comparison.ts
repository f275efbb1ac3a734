import { createRandom, type Random } from '../stats/random.js'
import { type GoodnessOfFit, goodnessOfFit, type PrecisionPair } from './goodness-of-fit.js'
import { fitUsageModel, predictedPrecision, USAGE_MODELS, type UsageModelKind } from './usage-model.js'
import { humanWordAgreement } from './words.js'

/** How well a usage model predicts human precision, beside other models on the same words. */
export interface FitComparison {
  readonly kind: UsageModelKind
  /**
   * Fitted to and compared with the same images. Null figures with reason `TAUTOLOGY` for `MOMENT` with one
   * reference: its p is human recall, which equals human precision with one reference, so nothing is predicted.
   */
  readonly inSample: GoodnessOfFit
  /** Fitted to a random half of the images, and compared with human precision on the other half. */
  readonly outOfSample: GoodnessOfFit
}

/**
 * Compares usage models over a vocabulary, on the words for which every one of them has a fit and human precision is
 * defined. The words are fewer out of sample, because rare words may not occur in one of the halves.
 *
 * @param histograms h_0 … h_K of each word
 * @param seed of the halves; each word has halves of its own
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function compareFits(
  histograms: readonly ArrayLike<number>[],
  references: number,
  seed: number,
  kinds: readonly UsageModelKind[] = USAGE_MODELS,
): FitComparison[] {
  const random = createRandom(seed)
  const halves = histograms.map((histogram) => splitHistogram(histogram, random))
  const inSample = sharedPairs(histograms, histograms, references, kinds)
  const outOfSample = sharedPairs(
    halves.map(([fitted]) => fitted),
    halves.map(([, compared]) => compared),
    references,
    kinds,
  )
  return kinds.map((kind, index) => ({
    kind,
    inSample:
      kind === 'MOMENT' && references === 1
        ? tautology(inSample[index].length)
        : goodnessOfFit(inSample[index]),
    outOfSample: goodnessOfFit(outOfSample[index]),
  }))
}

function tautology(wordCount: number): GoodnessOfFit {
  return { wordCount, rootMeanSquareError: null, rSquared: null, undefinedReason: 'TAUTOLOGY' }
}

/** Per model, the predicted and empirical precision of the words for which all models have both. */
function sharedPairs(
  fitted: readonly ArrayLike<number>[],
  compared: readonly ArrayLike<number>[],
  references: number,
  kinds: readonly UsageModelKind[],
): PrecisionPair[][] {
  const pairs = kinds.map((): PrecisionPair[] => [])
  fitted.forEach((histogram, word) => {
    const empirical = humanWordAgreement(compared[word], references).precision
    const fits = kinds.map((kind) => fitUsageModel(kind, histogram).fit)
    if (empirical === null || fits.includes(null)) return
    fits.forEach((fit, index) => {
      pairs[index].push({ predicted: fit && predictedPrecision(fit, references), empirical })
    })
  })
  return pairs
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
