import { AccordError } from '../errors.js'
import { findRoot } from '../stats/optimise.js'
import { type CurvePoint, requirePoints } from './curve.js'
import type { UndefinedReason } from './undefined-reason.js'

/**
 * A model of when people use a word (Chen et al. 2015, Microsoft COCO Captions, section 4.2): the word's
 * object is in an image with probability q; then each person, independently, uses the word with probability
 * p; without the object nobody does. The number of an image's K captions with the word is thus a
 * zero-inflated binomial variable.
 *
 * - `MOMENT`: the paper's fit, p = human recall, q = (mean share of captions with the word) / p.
 * - `BINOMIAL`: maximum likelihood.
 * - `BETA_BINOMIAL`: beyond the paper, maximum likelihood where p differs from image to image as a beta
 *   variable: people agree more on some images than on others.
 */
export type UsageModelKind = 'MOMENT' | 'BINOMIAL' | 'BETA_BINOMIAL'

/** A usage model fitted to one word. */
export interface UsageFit {
  readonly kind: UsageModelKind
  /** p, P(a person uses the word | object in image), 0..1: where it differs between images, its mean. */
  readonly usageProbability: number
  /** q, P(object in image), 0..1. */
  readonly objectProbability: number
  /** ρ = 1 / (α + β + 1), 0 ≤ ρ < 1: the correlation between two people; 0 where p is the same for all images. */
  readonly overdispersion: number
  /** The beta distribution's parameters, null where ρ = 0, which they only reach at infinity. */
  readonly alpha: number | null
  readonly beta: number | null
  /** ln P(histogram), as images in their order: without the multinomial coefficient, which is the same for all. */
  readonly logLikelihood: number
  /** 2 · (number of parameters) − 2 · logLikelihood; lower is better. */
  readonly aic: number
}

/** The fit, or why the word's captions do not identify one. */
export type UsageFitResult =
  | { readonly fit: UsageFit; readonly undefinedReason: null }
  | { readonly fit: null; readonly undefinedReason: UndefinedReason }

const parameterCount: Record<UsageModelKind, number> = { MOMENT: 2, BINOMIAL: 2, BETA_BINOMIAL: 3 }

/** A root in (0, 1) is looked for this far from its ends: nearer ones would take more than 1e11 captions. */
const EDGE = 1e-12

const MOST_REFERENCES = 10_000

/**
 * Fits a usage model to one word.
 *
 * A fit has its limits inside the model: q never exceeds 1. The moment fit then keeps p and takes q = 1, the
 * likelihood fits maximise over q ≤ 1. No fit exists (null) where no caption uses the word; for `MOMENT`
 * where human recall is 0; for `BINOMIAL` with K = 1; for `BETA_BINOMIAL` with K ≤ 2, or where in every image
 * all captions or none contain the word: a rare object that everybody names, and a frequent one that in few
 * images everybody names and in the others nobody, explain that equally well.
 *
 * @param histogram h_0 … h_K: the number of images in which exactly c of the K captions contain the word
 */
export function fitUsageModel(kind: UsageModelKind, histogram: ArrayLike<number>): UsageFitResult {
  const sample = summarise(histogram)
  if (sample.using[0] === 0) return { fit: null, undefinedReason: 'NO_CAPTION_USES_WORD' }
  switch (kind) {
    case 'MOMENT':
      return fitMoments(sample)
    case 'BINOMIAL':
      return fitBinomial(sample)
    case 'BETA_BINOMIAL':
      return fitBetaBinomial(sample)
  }
}

/**
 * Human precision under the model, expected for k = `references` reference captions, 0..1:
 * k·E[p²] / (k·E[p²] + E[p(1−p)^k]). Where p is the same for all images this is kp / (kp + (1−p)^k). As it is
 * a prediction, k need not be below K.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ 10,000
 */
export function predictedPrecision(
  fit: Pick<UsageFit, 'usageProbability' | 'overdispersion'>,
  references: number,
): number {
  requireReferences(references)
  const agreeing = references * predictedRecall(fit)
  return agreeing / (agreeing + chanceOfSilenceAfterUse(fit, references))
}

/** Human recall under the model, E[p²] / E[p], 0..1: p itself where it is the same for all images. */
export function predictedRecall({
  usageProbability,
  overdispersion,
}: Pick<UsageFit, 'usageProbability' | 'overdispersion'>): number {
  return usageProbability * (1 - overdispersion) + overdispersion
}

/**
 * The model's precision against recall as p runs evenly from 0 to 1, the same for all images; at both ends
 * the limits, (0, 0) and (1, 1).
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ 10,000 and points ≥ 2
 */
export function usageCurve(references: number, points: number): CurvePoint[] {
  requirePoints(points)
  return Array.from({ length: points }, (_, point) => {
    const usageProbability = point / (points - 1)
    return {
      recall: usageProbability,
      precision: predictedPrecision({ usageProbability, overdispersion: 0 }, references),
    }
  })
}

/** A prediction takes time in proportion to the references. */
function requireReferences(references: number): void {
  if (Number.isInteger(references) && references >= 1 && references <= MOST_REFERENCES) return
  throw new AccordError('OUT_OF_RANGE', 'the number of references is not possible', {
    source: 'references',
    expected: `a whole number from 1 to ${MOST_REFERENCES}`,
    found: String(references),
  })
}

/** What the fits need of a word's histogram. */
interface Sample {
  readonly histogram: ArrayLike<number>
  readonly images: number
  /** Entry i, 0 ≤ i < K: the images in which more than i captions contain the word. */
  readonly using: Float64Array
  /** Entry i, 0 ≤ i < K: the images with the word in which more than i captions do not contain it. */
  readonly silent: Float64Array
}

function summarise(histogram: ArrayLike<number>): Sample {
  const captionsPerImage = histogram.length - 1
  const using = new Float64Array(captionsPerImage)
  const silent = new Float64Array(captionsPerImage)
  for (let count = 1; count <= captionsPerImage; count++) {
    for (let i = 0; i < count; i++) using[i] += histogram[count]
    for (let i = 0; i < captionsPerImage - count; i++) silent[i] += histogram[count]
  }
  return { histogram, images: using[0] + histogram[0], using, silent }
}

function fitMoments(sample: Sample): UsageFitResult {
  const { histogram, images } = sample
  const captionsPerImage = histogram.length - 1
  let captions = 0
  let pairs = 0
  for (let count = 1; count <= captionsPerImage; count++) {
    captions += count * histogram[count]
    pairs += count * (count - 1) * histogram[count]
  }
  if (pairs === 0) return { fit: null, undefinedReason: 'HUMAN_RECALL_ZERO' }
  const usageProbability = pairs / ((captionsPerImage - 1) * captions)
  const objectProbability = Math.min(1, captions / (images * captionsPerImage * usageProbability))
  return fitted('MOMENT', sample, { usageProbability, objectProbability, overdispersion: 0 })
}

function fitBinomial(sample: Sample): UsageFitResult {
  if (sample.using.length < 2) return { fit: null, undefinedReason: 'NOT_IDENTIFIABLE' }
  return fitted('BINOMIAL', sample, mostLikely(sample, 0))
}

/**
 * Profile likelihood: for each ρ the best p and q, and of these the best ρ, where the likelihood stops to
 * rise with ρ. It rises once at most, then falls without bound towards ρ = 1.
 */
function fitBetaBinomial(sample: Sample): UsageFitResult {
  if (sample.using.length < 3 || sample.silent[0] === 0) {
    return { fit: null, undefinedReason: 'NOT_IDENTIFIABLE' }
  }
  const slope = (overdispersion: number) =>
    overdispersionScore(sample, mostLikely(sample, overdispersion).usageProbability, overdispersion)
  const overdispersion = slope(0) <= 0 ? 0 : findRoot(slope, 0, 1 - EDGE)
  return fitted('BETA_BINOMIAL', sample, mostLikely(sample, overdispersion))
}

type Parameters = Pick<UsageFit, 'usageProbability' | 'objectProbability' | 'overdispersion'>

function fitted(kind: UsageModelKind, sample: Sample, parameters: Parameters): UsageFitResult {
  const { usageProbability, overdispersion } = parameters
  const logLikelihood = logLikelihoodOf(sample, parameters)
  const concentration = overdispersion === 0 ? null : (1 - overdispersion) / overdispersion
  return {
    fit: {
      kind,
      ...parameters,
      alpha: concentration === null ? null : usageProbability * concentration,
      beta: concentration === null ? null : (1 - usageProbability) * concentration,
      logLikelihood,
      aic: 2 * parameterCount[kind] - 2 * logLikelihood,
    },
    undefinedReason: null,
  }
}

/** The p and q of the highest likelihood, given ρ. */
function mostLikely(sample: Sample, overdispersion: number): Parameters {
  const usageProbability =
    sample.silent[0] === 0 ? 1 : findRoot((p) => usageScore(sample, p, overdispersion), EDGE, 1 - EDGE)
  const silence = chanceOfSilence(usageProbability, overdispersion, sample.using.length)
  return { usageProbability, objectProbability: objectProbabilityOf(sample, silence), overdispersion }
}

/*
 * With u = 1 − ρ, the chance that c given ones of K people use the word and the others do not is
 *
 *     Π_{i<c} (pu + iρ) · Π_{i<K−c} ((1−p)u + iρ) / Π_{i<K} (u + iρ),
 *
 * the beta-binomial in a form that holds at ρ = 0 too. Summed over images, the derivatives of its logarithm
 * need only the numbers of images with more than i captions with the word, and without. Images with the
 * object in which nobody uses the word are hidden among those without it: their expected number, at the best
 * q, takes their place.
 */

/** A positive multiple of the derivative of the log-likelihood by p, at the best q. */
function usageScore(sample: Sample, p: number, overdispersion: number): number {
  const { using, silent } = sample
  const u = 1 - overdispersion
  const hidden = hiddenObjects(sample, p, overdispersion)
  let score = 0
  for (let i = 0; i < using.length; i++) {
    const pull = i * overdispersion
    score += using[i] / (p * u + pull) - (silent[i] + hidden) / ((1 - p) * u + pull)
  }
  return score * p * (1 - p)
}

/** The derivative of the log-likelihood by ρ, at the best q. */
function overdispersionScore(sample: Sample, p: number, overdispersion: number): number {
  const { using, silent } = sample
  const u = 1 - overdispersion
  const hidden = hiddenObjects(sample, p, overdispersion)
  let score = 0
  for (let i = 0; i < using.length; i++) {
    const pull = i * overdispersion
    score +=
      (using[i] * (i - p)) / (p * u + pull) +
      ((silent[i] + hidden) * (i - 1 + p)) / ((1 - p) * u + pull) -
      ((using[0] + hidden) * (i - 1)) / (u + pull)
  }
  return score
}

/** The expected number of images that show the object though nobody uses the word, at the best q. */
function hiddenObjects(sample: Sample, p: number, overdispersion: number): number {
  const images = sample.histogram[0]
  if (images === 0) return 0
  const silence = chanceOfSilence(p, overdispersion, sample.using.length)
  const q = objectProbabilityOf(sample, silence)
  return (images * q * silence) / (1 - q + q * silence)
}

/** The best q, given the chance that nobody uses the word though the object is in the image. */
function objectProbabilityOf({ using, images }: Sample, silence: number): number {
  return Math.min(1, using[0] / images / (1 - silence))
}

/** E[(1−p)^people]: nobody of so many uses the word though the object is in the image. */
function chanceOfSilence(p: number, overdispersion: number, people: number): number {
  const u = 1 - overdispersion
  let chance = 1
  for (let i = 0; i < people; i++) chance *= ((1 - p) * u + i * overdispersion) / (u + i * overdispersion)
  return chance
}

/** E[p(1−p)^people] / E[p]: nobody of so many uses the word, given that one more person does. */
function chanceOfSilenceAfterUse(
  { usageProbability, overdispersion }: Pick<UsageFit, 'usageProbability' | 'overdispersion'>,
  people: number,
): number {
  const u = 1 - overdispersion
  let chance = 1
  for (let i = 0; i < people; i++) {
    chance *= ((1 - usageProbability) * u + i * overdispersion) / (u + (i + 1) * overdispersion)
  }
  return chance
}

/** Σ_c h_c ln P(c), where P(0) = 1 − q + q·P(0 | object) and P(c) = q·P(c | object) for c > 0. */
function logLikelihoodOf(sample: Sample, parameters: Parameters): number {
  const { histogram, using, silent } = sample
  const { usageProbability: p, objectProbability: q, overdispersion } = parameters
  const people = using.length
  const u = 1 - overdispersion
  let sum =
    timesLog(histogram[0], 1 - q + q * chanceOfSilence(p, overdispersion, people)) + timesLog(using[0], q)
  for (let i = 0; i < people; i++) {
    const pull = i * overdispersion
    sum +=
      timesLog(using[i], ((p * u + pull) * (people - i)) / (i + 1)) +
      timesLog(silent[i], (1 - p) * u + pull) -
      timesLog(using[0], u + pull)
  }
  // A probability of 1 must not exceed it by rounding.
  return Math.min(0, sum)
}

/** count · ln x, 0 where nothing was counted, whatever x. */
function timesLog(count: number, x: number): number {
  return count === 0 ? 0 : count * Math.log(x)
}
