import { AccordError } from '../../errors.js'

/**
 * Checks the number of references k. At most K − 1, because one caption is held out; the same limit applies to
 * systems, so that they are compared with people under equal conditions.
 *
 * @param captionsPerImage K
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function requireReferences(captionsPerImage: number, references: number): void {
  if (Number.isInteger(references) && references >= 1 && references < captionsPerImage) return
  throw new AccordError('OUT_OF_RANGE', 'invalid number of references', {
    source: 'references',
    ...(captionsPerImage < 2
      ? { expected: 'a dataset with at least 2 captions per image', found: String(captionsPerImage) }
      : { expected: `an integer from 1 to ${captionsPerImage - 1}`, found: String(references) }),
  })
}

/**
 * Weight of an image of which c of the K captions contain the word (entry c, 0 ≤ c ≤ K), as an expectation over
 * all choices of k references. A negative image has weight 1, a positive image the number of references that
 * contain the word (Chen et al. 2015, Microsoft COCO Captions, section 4.2).
 */
export interface AgreementWeights {
  /** Expected true positives if the word is predicted for the image, 0..k. */
  readonly truePositive: Float64Array
  /** Expected false positives if the word is predicted for the image: P(no reference contains the word), 0..1. */
  readonly falsePositive: Float64Array
  /** Expected number of references that contain the word, predicted or not, 0..k. */
  readonly positive: Float64Array
}

/**
 * Weights for human agreement: one of the K captions, each with equal probability, is held out as the
 * prediction, and k of the others are the references. `truePositive` and `falsePositive` include the
 * probability that the held-out caption contains the word.
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
      falsePositive: heldOut * probabilityOfNone(captionsPerImage - count, others, references),
      positive: references * heldOut,
    }
  })
}

/**
 * Weights for a system that predicts the word for the image, with k of the K captions as references.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function predictionWeights(captionsPerImage: number, references: number): AgreementWeights {
  requireReferences(captionsPerImage, references)
  return weightsAmong(captionsPerImage, references)
}

/**
 * Weights of a prediction for the image where one of the K captions is held out, by the number of the K − 1 others that
 * contain the word, with k of these as references.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function heldOutPredictionWeights(captionsPerImage: number, references: number): AgreementWeights {
  requireReferences(captionsPerImage, references)
  return weightsAmong(captionsPerImage - 1, references)
}

function weightsAmong(captionsPerImage: number, references: number): AgreementWeights {
  return tabulate(captionsPerImage, (count) => {
    const positive = (references * count) / captionsPerImage
    return {
      truePositive: positive,
      falsePositive: probabilityOfNone(captionsPerImage - count, captionsPerImage, references),
      positive,
    }
  })
}

/** The probability that `references` captions, drawn from `captions`, are all among the `without` without the word. */
function probabilityOfNone(without: number, captions: number, references: number): number {
  let probability = 1
  for (let drawn = 0; drawn < references && probability > 0; drawn++) {
    probability *= Math.max(0, without - drawn) / (captions - drawn)
  }
  return probability
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
