import { requireReferences } from './references.js'

/**
 * What an image counts for, given that c of its K captions contain the word (entry c, 0 ≤ c ≤ K), expected
 * over all choices of k references: a negative image weighs 1, a positive image the number of references
 * that contain the word (Chen et al. 2015, Microsoft COCO Captions, section 4.2).
 */
export interface AgreementWeights {
  /** Where the word is predicted for the image: expected true positives, 0..k. */
  readonly truePositive: Float64Array
  /** Where the word is predicted for the image: the probability that no reference contains it. */
  readonly falsePositive: Float64Array
  /** Whether or not it is predicted: expected number of references that contain the word, 0..k. */
  readonly positive: Float64Array
}

/**
 * Weights where one of the K captions, each equally likely, is held out as the prediction and k of the
 * others are the references: the chance that the held-out caption contains the word is part of them.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function heldOutWeights(captionsPerImage: number, references: number): AgreementWeights {
  requireReferences(captionsPerImage, references)
  const others = captionsPerImage - 1
  return tabulate(captionsPerImage, (count) => {
    const heldOut = count / captionsPerImage
    return {
      truePositive: heldOut * ((references * (count - 1)) / others),
      falsePositive: heldOut * chanceOfNone(captionsPerImage - count, others, references),
      positive: references * heldOut,
    }
  })
}

/**
 * Weights where a system predicts the word for the image and k of all K captions are the references.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function predictionWeights(captionsPerImage: number, references: number): AgreementWeights {
  requireReferences(captionsPerImage, references)
  return tabulate(captionsPerImage, (count) => {
    const positive = (references * count) / captionsPerImage
    return {
      truePositive: positive,
      falsePositive: chanceOfNone(captionsPerImage - count, captionsPerImage, references),
      positive,
    }
  })
}

/** The chance that `references` of `captions` captions, drawn at random, are all among the `without` ones. */
function chanceOfNone(without: number, captions: number, references: number): number {
  let chance = 1
  for (let drawn = 0; drawn < references && chance > 0; drawn++) {
    chance *= Math.max(0, without - drawn) / (captions - drawn)
  }
  return chance
}

function tabulate(
  captionsPerImage: number,
  weightsOf: (count: number) => Record<keyof AgreementWeights, number>,
): AgreementWeights {
  const weights = {
    truePositive: new Float64Array(captionsPerImage + 1),
    falsePositive: new Float64Array(captionsPerImage + 1),
    positive: new Float64Array(captionsPerImage + 1),
  }
  for (let count = 0; count <= captionsPerImage; count++) {
    const { truePositive, falsePositive, positive } = weightsOf(count)
    weights.truePositive[count] = truePositive
    weights.falsePositive[count] = falsePositive
    weights.positive[count] = positive
  }
  return weights
}
